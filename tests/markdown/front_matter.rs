//! Cases 53–86 as far as one page decides them.

use govmem::markdown::front_matter::{NodeKind, Value, set_field};
use govmem::markdown::{FrontMatter, LineIndex, decode, scan};

fn read(yaml: &str) -> FrontMatter {
    FrontMatter::read(&format!("---\n{yaml}---\nbody\n"))
}

/// The line of the fault in the page and its hint.
fn fault(yaml: &str) -> (usize, String) {
    let source = format!("---\n{yaml}---\nbody\n");
    let fault = FrontMatter::read(&source).fault.unwrap_or_else(|| panic!("no fault in {yaml:?}"));
    assert!(!fault.message.is_empty());
    (LineIndex::new(&source).line(fault.span.start), fault.hint)
}

/// The block as the proposed repair leaves it.
fn repaired(yaml: &str) -> FrontMatter {
    let source = format!("---\n{yaml}---\nbody\n");
    let fix =
        FrontMatter::read(&source).fault.and_then(|f| f.fix).unwrap_or_else(|| panic!("no fix for {yaml:?}"));
    FrontMatter::read(&format!("{}{}{}", &source[..fix.span.start], fix.text, &source[fix.span.end..]))
}

#[test]
fn case_53_byte_order_mark() {
    let front = FrontMatter::read("\u{feff}---\na: b\n---\n[x](y.md)\n");
    assert_eq!(front.text("a"), Some("b"));
    assert_eq!(front.warnings.len(), 1);
    assert!(front.is_readable());
}

#[test]
fn case_54_line_endings() {
    for eol in ["\n", "\r\n", "\r"] {
        let source = ["---", "a: b", "c: [d, e]", "---", "body", ""].join(eol);
        let front = FrontMatter::read(&source);
        assert_eq!(front.text("a"), Some("b"), "{eol:?}");
        assert_eq!(front.list("c").len(), 2, "{eol:?}");
        let (text, span) = front.list("c")[1].clone();
        assert_eq!((text, &source[span]), ("e", "e"), "{eol:?}");
        let changed = set_field(&source, "a", Value::Text("z")).expect("edit");
        assert_eq!(changed, source.replace("a: b", "a: z"));
    }
    let mixed = "---\r\na: b\nc: d\r\n---\nbody";
    assert_eq!(set_field(mixed, "c", Value::Text("z")).as_deref(), Ok("---\r\na: b\nc: z\r\n---\nbody"));
}

#[test]
fn case_55_pairs_in_the_body() {
    let source = "---\na: b\n---\n\ntext\n\n---\n\n[x](y.md)\n\n---\n\n[z](w.md)\n";
    let front = FrontMatter::read(source);
    assert!(front.is_readable());
    assert_eq!(scan(source, front.split.body).links.len(), 2);
}

#[test]
fn case_56_fences_are_whole_lines() {
    assert!(FrontMatter::read("----\na: b\n----\n").split.block.is_none());
    assert!(FrontMatter::read("---x\na: b\n---\n").split.block.is_none());
    assert_eq!(FrontMatter::read("--- \na: b\n---\t\nx").text("a"), Some("b"));
    let inner = "---\na: b\n---x\nc: d\n---\n";
    assert_eq!(FrontMatter::read(inner).split.body, inner.len());
}

#[test]
fn case_57_dots_close() {
    assert_eq!(FrontMatter::read("---\na: b\n...\nbody\n").text("a"), Some("b"));
}

#[test]
fn case_58_empty_block() {
    for empty in ["", "# only a comment\n", "\n\n"] {
        let front = read(empty);
        assert!(front.split.block.is_some() && front.fields.is_empty() && front.fault.is_none(), "{empty:?}");
    }
}

#[test]
fn case_59_unclosed() {
    let source = "---\ntitle: x\ntags: [a]\n\n# T\n\n[x](y.md)\n";
    let front = FrontMatter::read(source);
    assert_eq!(front.fault.as_ref().map(|f| f.span.clone()), Some(0..3));
    let body = scan(source, front.split.body);
    assert_eq!((body.links.len(), body.headings.len()), (1, 1));
}

#[test]
fn case_60_not_first() {
    for source in ["\n---\na: b\n---\n", "<!-- x -->\n---\na: b\n---\n"] {
        assert!(FrontMatter::read(source).fault.is_some_and(|f| f.span.start > 0), "{source:?}");
    }
}

#[test]
fn case_61_two_blocks() {
    let source = "---\na: b\n---\n---\nc: d\n---\nbody\n";
    let front = FrontMatter::read(source);
    assert_eq!(front.fault.as_ref().map(|f| &source[f.span.clone()]), Some("---"));
    assert_eq!(front.text("a"), Some("b"));
}

#[test]
fn case_62_toml_and_json() {
    for source in ["+++\na = 1\n+++\n", "{\n  \"a\": 1\n}\n", ";;;\n{}\n;;;\n"] {
        let fault = FrontMatter::read(source).fault.expect("fault");
        assert!(fault.hint.contains("YAML"), "{source:?}");
    }
}

#[test]
fn case_63_colon_in_a_value() {
    for yaml in
        ["summary: Accès : lecture et écriture\n", "summary: Titre\u{a0}: suite\n", "a: x\nsummary: b: c\n"]
    {
        let line = 1 + yaml.lines().count();
        assert_eq!(fault(yaml).0, line, "{yaml:?}");
        assert!(repaired(yaml).is_readable(), "{yaml:?}");
    }
    assert_eq!(repaired("summary: Accès : lecture\n").text("summary"), Some("Accès : lecture"));
}

#[test]
fn case_64_apostrophe_in_single_quotes() {
    assert_eq!(fault("a: b\ntitle: 'L'accès'\n").0, 3);
    assert_eq!(repaired("title: 'L'accès'\n").text("title"), Some("L'accès"));
}

#[test]
fn case_65_hash_truncates() {
    let front = read("title: Ticket #12 traité\n");
    assert_eq!(front.text("title"), Some("Ticket"));
    assert_eq!(front.warnings.len(), 1);
    assert_eq!(front.warnings[0].fix.as_ref().map(|f| f.text.as_str()), Some("\"Ticket #12 traité\""));
    assert!(read("title: Ticket # a comment\n").warnings.is_empty());
}

#[test]
fn case_66_indicators() {
    for value in ["@x", "`x`", "%x", "*ref", "&a", "!tag", "- x"] {
        let yaml = format!("title: {value}\n");
        let (line, hint) = fault(&yaml);
        assert_eq!(line, 2, "{value}");
        assert!(!hint.is_empty());
    }
    for value in ["[[x]]", "{a, b}"] {
        assert!(read(&format!("title: {value}\n")).text("title").is_none(), "{value} is no text");
    }
}

#[test]
fn case_67_null_key_item() {
    let front = read("list:\n  - ?\n");
    assert!(front.fault.is_some() || front.list("list").is_empty());
}

#[test]
fn case_68_norway() {
    for word in ["no", "yes", "on", "off", "y", "NO", "true"] {
        assert_eq!(read(&format!("title: {word}\n")).text("title"), Some(word));
    }
}

#[test]
fn case_69_version() {
    for number in ["1.10", "1.0", "007", "1e3", "0x1F", "12345678901234567890123"] {
        assert_eq!(read(&format!("version: {number}\n")).text("version"), Some(number));
    }
}

#[test]
fn case_70_dates_stay_text() {
    for date in
        ["2026-07-01", "2026-7-1", "01/07/2026", "2026-07-01T10:00:00+02:00", "12:30:45", "0123", "1e3"]
    {
        assert_eq!(read(&format!("updated: {date}\n")).text("updated"), Some(date));
    }
}

#[test]
fn case_72_duplicate_keys() {
    let source = "---\ntitle: a\nx: y\ntitle: b\n---\n";
    let fault = FrontMatter::read(source).fault.expect("fault");
    let lines = LineIndex::new(source);
    assert_eq!(lines.line(fault.span.start), 4);
    assert_eq!(fault.also.map(|a| lines.line(a.start)), Some(2));
    assert!(fault.message.contains('2') && fault.message.contains('4'));
}

#[test]
fn case_73_tabs() {
    assert_eq!(fault("a:\n\tb: c\n").0, 3);
    assert_eq!(read("a:\tb\n").text("a"), Some("b"));
}

#[test]
fn case_74_scalar_tags() {
    let front = read("tags: auth, mfa\n");
    assert!(front.list("tags").is_empty());
    assert_eq!(front.text("tags"), Some("auth, mfa"));
}

#[test]
fn case_75_null() {
    for yaml in ["title: ~\n", "title:\n", "title: null\n"] {
        assert_eq!(read(yaml).get("title").map(|e| e.value.kind.clone()), Some(NodeKind::Null));
    }
}

#[test]
fn case_76_several_documents() {
    assert!(read("a: b\n--- c\nd: e\n").fault.is_some());
}

#[test]
fn case_77_root_is_no_mapping() {
    assert!(read("just text\n").fault.is_some());
    assert!(read("- a\n- b\n").fault.is_some());
}

#[test]
fn case_78_unknown_keys_survive() {
    let source = "---\nx-own: {a: 1} # note\ntitle: t\n---\n";
    let changed = set_field(source, "title", Value::Text("u")).expect("edit");
    assert_eq!(changed, source.replace("title: t", "title: u"));
}

#[test]
fn case_79_nested_values() {
    let front = read("base: &b {a: x}\nderived:\n  <<: *b\n  c: d\nlist: [[1, 2], {e: f}]\n");
    assert!(front.is_readable(), "{:?}", front.fault);
    assert_eq!(front.fields.len(), 3);
}

#[test]
fn case_80_alias_bomb() {
    let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (new, old) in
        ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"])
    {
        let aliases = vec![format!("*{old}"); 9].join(", ");
        yaml.push_str(&format!("{new}: &{new} [{aliases}]\n"));
    }
    assert!(read(&yaml).fault.is_some());
}

#[test]
fn case_81_deep_nesting() {
    assert!(read(&format!("a: {}\n", "[".repeat(20_000))).fault.is_some());
}

#[test]
fn case_82_control_characters() {
    assert_eq!(fault("a: b\nc: d\u{7}e\n").0, 3);
    assert_eq!(read("a: \"b\u{2028}c\"\n").text("a"), Some("b\u{2028}c"));
}

#[test]
fn case_83_not_text() {
    assert!(matches!(decode::text(b"---\na: \xff\n".to_vec()), Err(decode::Undecodable::NotUtf8(7))));
    assert!(decode::text(b"\xff\xfe-\0".to_vec()).is_err());
    assert!(decode::text(b"a\0b".to_vec()).is_err());
    assert!(FrontMatter::read("").fault.is_some());
    let large = format!("---\na: {}\n---\n", "x".repeat(1 << 20));
    assert!(FrontMatter::read(&large).fault.is_some());
}

#[test]
fn case_84_a_broken_block_is_left_alone() {
    assert!(set_field("---\nsummary: a : b\nstatus: draft\n---\n", "status", Value::Text("stable")).is_err());
}

#[test]
fn case_85_editing_twice_changes_nothing() {
    for source in ["---\na: b\n---\nno final newline", "---\na: b\n---\n\n\n", "---\na: b\n---"] {
        let once = set_field(source, "a", Value::Text("c")).expect("edit");
        assert_eq!(set_field(&once, "a", Value::Text("c")).as_deref(), Ok(once.as_str()));
        assert_eq!(once.len(), source.len());
    }
}

#[test]
fn bad_input_never_panics() {
    let pieces = [
        "---", "\n", "\r", "a:", " ", "[", "]", "\"", "'", "#", "&a", "*a", "é", "\u{feff}", "\t", "|", "- ",
        "{", "...", ": ",
    ];
    let mut state = 7u64;
    for _ in 0..5_000 {
        let mut source = "---\n".to_owned();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            source.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        source.push_str("\n---\nbody\n");
        let front = FrontMatter::read(&source);
        assert!(source.is_char_boundary(front.split.body), "{source:?}");
        for entry in &front.fields {
            assert!(source.get(entry.value.span.clone()).is_some(), "{source:?}");
        }
        let _ = scan(&source, front.split.body);
        if let Ok(changed) = set_field(&source, "a", Value::Text("x: y")) {
            assert_eq!(FrontMatter::read(&changed).text("a"), Some("x: y"), "{source:?}");
        }
    }
}
