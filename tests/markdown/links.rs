//! Cases 1–43 as far as one page decides them; the base's part is in `tests/knowledge`.

use govmem::markdown::links::{Link, LinkKind, NotALinkKind};
use govmem::markdown::target::Target;
use govmem::markdown::{Body, scan};

fn body(source: &str) -> Body {
    scan(source, 0)
}

/// Destinations of the links that can be edges.
fn edges(source: &str) -> Vec<String> {
    body(source).links.into_iter().filter(Link::is_navigable).map(|l| l.destination).collect()
}

/// Local targets as `path` or `path#fragment`, resolved from `page`.
fn resolved(page: &str, source: &str) -> Vec<String> {
    let of = |l: &Link| match l.target() {
        Target::Local(t) if l.is_navigable() => {
            let path = t.resolve(page)?;
            let up = "^".repeat(path.up);
            Some(match &t.fragment {
                Some(f) => format!("{up}{}#{f}", path.path),
                None => format!("{up}{}", path.path),
            })
        }
        _ => None,
    };
    body(source).links.iter().filter_map(of).collect()
}

fn not_links(source: &str) -> Vec<(NotALinkKind, String)> {
    body(source).not_links.into_iter().map(|n| (n.kind, n.text)).collect()
}

const NONE: [String; 0] = [];

#[test]
fn case_01_fence() {
    assert_eq!(edges("```\n[a](x.md)\n```\n"), NONE);
}

#[test]
fn case_02_other_fences() {
    assert_eq!(edges("~~~\n[a](x.md)\n~~~\n"), NONE);
    assert_eq!(edges("````\n```\n[a](x.md)\n```\n[b](y.md)\n````\n[c](z.md)"), ["z.md"]);
    assert_eq!(edges("text\n\n```\n[a](x.md)\n"), NONE);
    assert_eq!(edges("- item\n\n  ```\n  [a](x.md)\n  ```\n\n  [b](y.md)\n"), ["y.md"]);
}

#[test]
fn case_03_indented_code() {
    assert_eq!(edges("text\n\n    [a](x.md)\n\n[b](y.md)"), ["y.md"]);
}

#[test]
fn case_04_inline_code() {
    assert_eq!(edges("`[a](x.md)` and `` ` [b](y.md) ``"), NONE);
}

#[test]
fn case_05_brackets_in_a_fenced_grammar() {
    assert_eq!(not_links("```\nlist ::= '[' item '][' item ']'\n[a][b]\n```\n"), []);
}

#[test]
fn case_06_comments() {
    assert_eq!(
        edges("<!-- [a](x.md) -->\n\n<!--\n[b](y.md)\n\n[c](z.md)\n-->\n\nt <!-- [d](w.md) --> u"),
        NONE
    );
}

#[test]
fn case_07_definitions_between_comments() {
    let source = "[a][label] and [b][other]\n\n<!-- refs --> [label]: x.md <!-- end -->\n\n[other]: y.md\n";
    assert_eq!(edges(source), ["y.md"]);
    assert_eq!(not_links(source), [(NotALinkKind::UndefinedReference, "label".to_owned())]);
    let shortcut = "see [label]\n\n<!-- refs --> [label]: x.md <!-- end -->\n";
    assert_eq!(not_links(shortcut), [(NotALinkKind::UndefinedReference, "label".to_owned())]);
}

#[test]
fn case_08_markdown_in_html() {
    assert_eq!(edges("<div>\n[a](x.md)\n</div>\n"), NONE);
    assert_eq!(edges("<div>\n\n[a](x.md)\n\n</div>\n"), ["x.md"]);
}

#[test]
fn case_09_html_href() {
    assert_eq!(
        edges("<p>\n<a class=\"c\" href=\"x.md\">t</a>\n</p>\n\nin <a href='y.md'>line</a>"),
        ["x.md", "y.md"]
    );
    assert_eq!(edges("```html\n<a href=\"x.md\">t</a>\n```\n`<a href=\"y.md\">`"), NONE);
}

#[test]
fn case_10_code_element() {
    assert_eq!(edges("<code>[a](x.md)</code>"), ["x.md"]);
}

#[test]
fn case_11_references() {
    assert_eq!(edges("[a][L] [l][] [L]\n\n[l]: x.md\n"), ["x.md", "x.md", "x.md"]);
    assert_eq!(edges("[ẞ]\n\n[SS]: x.md\n"), ["x.md"]);
}

#[test]
fn case_12_undefined_reference() {
    let found = not_links("[a][nope] and [b][] but [plain] text");
    let label = |l: &str| (NotALinkKind::UndefinedReference, l.to_owned());
    assert_eq!(found, [label("nope"), label("b")]);
}

#[test]
fn case_13_unused_definition() {
    assert_eq!(edges("text\n\n[l]: x.md\n"), NONE);
    let found = not_links("text [used]\n\n[l]: x.md\n[used]: y.md\n");
    assert_eq!(found, [(NotALinkKind::UnusedDefinition, "l".to_owned())]);
}

#[test]
fn case_14_autolinks() {
    assert_eq!(edges("<https://x.org/a.md> https://x.org/b.md pkg@v1.2 <me@x.org>"), NONE);
}

#[test]
fn case_15_titles() {
    assert_eq!(edges("[a](x.md \"T\") [b](y.md 'T') [c](z.md (T))"), ["x.md", "y.md", "z.md"]);
}

#[test]
fn case_16_angle_brackets() {
    assert_eq!(resolved("p.md", "[a](<my doc.md>)"), ["my doc.md"]);
}

#[test]
fn case_17_raw_space() {
    assert_eq!(edges("[a](my doc.md)"), NONE);
    assert_eq!(not_links("[a](my doc.md)"), [(NotALinkKind::RawSpace, "my doc.md".to_owned())]);
    assert_eq!(not_links("a [note] (see the text) [b](two words)"), []);
}

#[test]
fn case_18_percent_encoding() {
    let of = |d: &str| resolved("p.md", &format!("[a]({d})"));
    assert_eq!(of("my%20doc.md"), ["my doc.md"]);
    assert_eq!(of("%C3%A9t%C3%A9.md"), ["été.md"]);
    assert_eq!(of("a%2520b.md"), ["a%20b.md"]);
    assert_eq!(of("a%2Fb.md"), NONE, "no path, so never a/b.md");
}

#[test]
fn case_19_parentheses() {
    assert_eq!(edges("[a](x(1)(b(c)).md)"), ["x(1)(b(c)).md"]);
}

#[test]
fn case_20_escapes_and_entities() {
    assert_eq!(edges("\\[a](x.md)"), NONE);
    assert_eq!(edges("[a](x.md?b&amp;c)"), ["x.md?b&c"]);
}

#[test]
fn case_21_wrapped_text() {
    assert_eq!(edges("[two\nlines](x.md)"), ["x.md"]);
}

#[test]
fn case_22_image_in_a_link() {
    let links = body("[![img](i.png)](x.md)").links;
    let all: Vec<_> = links.iter().map(|l| (l.kind, l.destination.as_str())).collect();
    assert_eq!(all, [(LinkKind::Inline, "x.md"), (LinkKind::Image, "i.png")]);
}

#[test]
fn case_23_image_of_a_page() {
    assert_eq!(edges("![a](x.md)"), NONE);
}

#[test]
fn case_24_footnotes() {
    assert_eq!(edges("t[^1]\n\n[^1]: see [a](x.md)\n\n[^2]: never used [b](y.md)\n"), ["x.md", "y.md"]);
}

#[test]
fn case_25_table_cells() {
    assert_eq!(edges("| a | b |\n|---|---|\n| [x\\|y](x.md) | [z](z.md) |\n"), ["x.md", "z.md"]);
}

#[test]
fn case_26_task_items() {
    assert_eq!(edges("- [x](y.md)\n- [ ] [z](w.md)\n"), ["y.md", "w.md"]);
}

#[test]
fn case_27_anchor_and_query() {
    assert_eq!(resolved("d/p.md", "[a](#s)"), ["d#s"], "an anchor alone names no page");
    assert!(matches!(body("[a](#s)").links[0].target(), Target::Local(l) if l.is_self()));
    assert_eq!(resolved("p.md", "[a](x.md?v=1) [b](x.md?v=1#s)"), ["x.md", "x.md#s"]);
}

#[test]
fn case_28_self_link() {
    assert_eq!(resolved("test.md", "[a](test.md#x)"), ["test.md#x"]);
}

#[test]
fn case_29_wiki_links() {
    let found = not_links("[[x]] [[x#h]] ![[z]]");
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|f| f.0 == NotALinkKind::WikiLink), "{found:?}");
    assert_eq!(not_links("[[x|y]]"), [(NotALinkKind::WikiLink, "x|y".to_owned())]);
}

#[test]
fn case_30_wiki_links_resolve_to_nothing() {
    assert_eq!(edges("[[page]] [[folder/page.md]]"), NONE);
}

#[test]
fn case_31_absolute_path() {
    assert_eq!(resolved("a/b/p.md", "[a](/x/y.md)"), ["x/y.md"]);
}

#[test]
fn case_32_escape() {
    assert_eq!(resolved("a/p.md", "[a](../../../x)"), ["^^x"]);
    assert_eq!(resolved("a/p.md", "[a](%2e%2e/%2e%2e/x)"), ["^x"]);
}

#[test]
fn case_33_repository_code() {
    assert_eq!(resolved("a/p.md", "[a](../../src/a.rs)"), ["^src/a.rs"]);
}

#[test]
fn case_34_directory() {
    let link = |s: &str| match body(s).links[0].target() {
        Target::Local(l) => l.folder,
        _ => panic!("{s}"),
    };
    assert!(link("[a](dir/)"));
    assert!(!link("[a](dir)"));
}

#[test]
fn case_35_36_37_no_guessing() {
    assert_eq!(
        resolved("p.md", "[a](a) [b](docs.md/foo/bar) [c](foo.html)"),
        ["a", "docs.md/foo/bar", "foo.html"]
    );
}

#[test]
fn case_38_templates_and_schemes() {
    for source in ["[a]({{ref}})", "[a](<{% link x.md %}>)", "[a](xref:System.String)", "[a](~/x.md)"] {
        assert!(matches!(body(source).links[0].target(), Target::Unjudged(_)), "{source}");
    }
    assert_eq!(not_links("[a]({{< ref \"x.md\" >}})")[0].0, NotALinkKind::RawSpace);
}

#[test]
fn case_39_backslash() {
    assert!(matches!(body("[a](dir\\x.md)").links[0].target(), Target::Local(l) if l.backslash));
}

#[test]
fn case_40_one_finding_each() {
    assert_eq!(not_links("[a][nope]").len(), 1);
    assert_eq!(body("[a](x.md)").links.len(), 1);
    assert_eq!(body("<div>\n<a href=\"x.md\">t</a>\n</div>").links.len(), 1);
}

#[test]
fn case_42_absolute_url() {
    assert_eq!(body("[a](https://x.org/docs/x.md)").links[0].target(), Target::External("https".to_owned()));
}

#[test]
fn case_43_hostile_text() {
    let link = &body("[a \\| `b` \\] c](x.md)").links[0];
    assert_eq!(link.text, "a | b ] c");
}
