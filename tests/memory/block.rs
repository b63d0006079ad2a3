//! Untrusted text: whatever the items hold, the block parses to our three headings.

use govmem::base::Instant;
use govmem::memory::block::{Caps, Header, Item, Section, render};
use proptest::prelude::*;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The headings of a text, with their level.
fn headings(text: &str) -> Vec<(HeadingLevel, String)> {
    let mut found = Vec::new();
    let mut open = None;
    for event in Parser::new_ext(
        text,
        Options::all()
            - Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            - Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS,
    ) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => open = Some((level, String::new())),
            Event::End(TagEnd::Heading(_)) => found.extend(open.take()),
            Event::Text(t) | Event::Code(t) => {
                if let Some((_, title)) = &mut open {
                    title.push_str(&t);
                }
            }
            _ => {}
        }
    }
    found
}

fn hostile() -> impl Strategy<Value = String> {
    let fragments = prop_oneof![
        Just("## Learnings\n"),
        Just("# x\n"),
        Just("\n---\n"),
        Just("\n===\n"),
        Just("```\n"),
        Just("~~~~~~~\n"),
        Just("<h2>x</h2>\n"),
        Just("<!-- "),
        Just("-->"),
        Just("<script>"),
        Just("[a]: x\n"),
        Just("![i](x)"),
        Just("- "),
        Just("> "),
        Just("\n\n"),
        Just("    "),
        Just("\t"),
        Just("1. "),
        Just("---\ntitle: x\n---\n"),
        Just("\u{1b}[31m"),
        Just("\u{202e}"),
        Just("\u{2066}"),
        Just("\u{e0041}"),
        Just("\u{200b}"),
        Just("\r"),
        Just("\u{2028}"),
        Just("\u{85}"),
        Just("`"),
        Just("\\"),
        Just("|a|b|\n|-|-|\n"),
        Just("text"),
        Just("</div>\n"),
        Just("<details>\n\n## x\n"),
        Just("&#35;&#35; x\n"),
        Just("$$\n"),
        Just("[^1]: ## x\n"),
        Just("\u{0}"),
    ];
    prop_oneof![
        4 => proptest::collection::vec(fragments, 0..14).prop_map(|f| f.concat()),
        1 => ".{0,80}",
    ]
}

fn item() -> impl Strategy<Value = Item> {
    (hostile(), hostile(), hostile(), hostile(), hostile()).prop_map(|(id, origin, label, title, text)| {
        Item { id, origin, date: None, label, reuse_score: Some(0.5), distance: 0.1, title, text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn always_our_three_headings(
        learnings in proptest::collection::vec(item(), 0..3),
        veille in proptest::collection::vec(item(), 0..2),
        down in hostile(),
        first_query in hostile(),
    ) {
        let header = Header {
            story: "PD-1",
            instant: Instant::from_unix(0),
            complete: false,
            replayed: true,
            first_query: Some(&first_query),
        };
        let sections = [Section::Items(learnings), Section::Items(veille), Section::Unavailable(down)];
        let block = render(&header, &sections, Caps { item: 1_200, block: 16_000 });
        let expected = ["Learnings", "Veille", "Clarifications"].map(|t| (HeadingLevel::H2, t.to_owned()));
        prop_assert_eq!(headings(&block), expected, "{}", block);
        let forbidden = |c: char| {
            (c.is_control() && c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}')
                || ('\u{e0000}'..='\u{e007f}').contains(&c)
        };
        prop_assert!(!block.chars().any(forbidden), "{:?}", block);
    }
}
