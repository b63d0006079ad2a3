//! Cases 44–52.

use govmem::markdown::anchor::{key, slug};
use govmem::markdown::{FrontMatter, scan};

fn anchors(source: &str) -> Vec<String> {
    let front = FrontMatter::read(source);
    scan(source, front.split.body).headings.into_iter().map(|h| h.anchor).collect()
}

fn reaches(source: &str, anchor: &str) -> bool {
    scan(source, 0).anchors.contains(&key(anchor))
}

#[test]
fn case_44_github_slug() {
    assert_eq!(
        anchors("# Le prétérit\n## L'aoriste\n### foo-----bar\n"),
        ["le-prétérit", "laoriste", "foo-----bar"]
    );
}

#[test]
fn case_45_emoji_leaves_its_selector() {
    assert_eq!(slug("⚠\u{fe0f} Danger"), "\u{fe0f}-danger");
}

#[test]
fn case_46_short_code_and_glyph() {
    assert_eq!(slug(":zap: Go"), "zap-go");
    assert_eq!(slug("⚡ Go"), "-go");
}

#[test]
fn case_47_percent_encoded_fragment() {
    let body = scan("# Été à Paris\n\n[a](#%C3%A9t%C3%A9-%C3%A0-paris)", 0);
    let govmem::markdown::target::Target::Local(l) = body.links[0].target() else { panic!("local") };
    assert!(body.anchors.contains(&key(l.fragment.as_deref().expect("fragment"))));
}

#[test]
fn case_48_duplicates() {
    assert_eq!(anchors("# A\n# A\n## A\n"), ["a", "a-1", "a-2"]);
}

#[test]
fn case_49_explicit_ids() {
    let page = "## One {#first}\n\n## Two\n{: #second}\n\n<a id=\"third\"></a>\n\n## Three {: #fourth .x}\n\n<h2 id='fifth'>F</h2>\n";
    for anchor in ["first", "second", "third", "fourth", "fifth", "one", "two", "one-first"] {
        assert!(reaches(page, anchor), "{anchor}");
    }
    assert!(!reaches("```\n<a id=\"no\">\n```\n\n<!-- <a id=\"no\"> -->\n", "no"));
}

#[test]
fn case_50_normal_forms() {
    assert!(reaches("# E\u{301}te\u{301}\n", "été"));
    assert!(reaches("# Été\n", "e\u{301}te\u{301}"));
}

#[test]
fn case_52_setext_after_unclosed_front_matter() {
    assert_eq!(anchors("---\ntitle: x\nstatus: draft\n-----\n\n# Body\n"), ["body"]);
}
