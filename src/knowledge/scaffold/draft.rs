//! The draft page of a unit: complete front matter and the four sections of the norm, filled with
//! facts of the sources and nothing else. Pure.

use std::fmt::Write;

use super::text::{code, cut, escape, flat, sentence};
use super::unit::{Fact, Unit};
use crate::base::Date;
use crate::base::lang::Lang;
use crate::markdown::front_matter::quoted;
use crate::markdown::slug;

/// A page to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// Its path from the root of the base.
    pub path: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its `impl_refs`.
    pub refs: Vec<String>,
}

/// What a page needs besides its unit.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Language of the page.
    pub lang: Lang,
    /// Its day.
    pub today: Date,
    /// Longest summary, in characters.
    pub summary_max: usize,
    /// Its path from the root.
    pub path: &'a str,
    /// Its theme.
    pub theme: &'a str,
    /// Related pages: path from the root and title.
    pub related: &'a [(String, String)],
}

/// The page of `unit`.
pub fn page(unit: &Unit, frame: &Frame<'_>) -> String {
    let say = |fr: &'static str, en: &'static str| if frame.lang == Lang::Fr { fr } else { en };
    let mut out = String::from("---\n");
    let list = |items: &[String]| items.iter().map(|i| scalar(i)).collect::<Vec<_>>().join(", ");
    let _ = writeln!(out, "title: {}", quoted(&unit.title));
    let _ = writeln!(out, "summary: {}", quoted(&summary(unit, frame.lang, frame.summary_max)));
    let _ = writeln!(out, "type: {}\nstatus: draft", unit.kind);
    let _ = writeln!(out, "tags: [{}]", tags(unit, frame).join(", "));
    let _ = writeln!(out, "audience: [{}]", unit.audience.join(", "));
    let _ = writeln!(out, "impl_refs: [{}]", list(&unit.refs));
    let paths: Vec<String> = frame.related.iter().map(|(path, _)| path.clone()).collect();
    let _ = writeln!(out, "related: [{}]", list(&paths));
    let _ = writeln!(out, "created: {0}\nupdated: {0}\npriority: {1}\n---\n", frame.today, unit.priority);
    let _ = writeln!(out, "# {}\n", escape(&unit.title));
    let _ = writeln!(out, "## {}\n", say("Périmètre", "Scope"));
    let about = if unit.about.is_empty() { counted(unit, frame.lang) } else { unit.about.clone() };
    let _ = writeln!(out, "{}\n", escape(&cut(&flat(&about), 900)));
    let steps = unit.kind == "api" || unit.kind == "process";
    let name = if steps { say("Parcours", "Flow") } else { say("Comportement", "Behaviour") };
    let _ = writeln!(out, "## {name}\n");
    if unit.behaviour.is_empty() {
        let _ =
            writeln!(out, "{}", say("Rien de plus n'est dit dans les sources.", "The sources say no more."));
    }
    facts(&unit.behaviour, &mut out);
    if unit.left_out > 0 {
        let _ = match frame.lang {
            Lang::Fr => writeln!(out, "- {} autres éléments dans les sources.", unit.left_out),
            Lang::En => writeln!(out, "- {} more in the sources.", unit.left_out),
        };
    }
    let _ = writeln!(out, "\n## {}\n", say("Points clés", "Key points"));
    facts(&unit.points, &mut out);
    let sources: Vec<String> = unit.refs.iter().map(|r| code(r)).collect();
    let further = match (unit.unnamed, frame.lang) {
        (0, _) => String::new(),
        (n, Lang::Fr) => format!(" ; et {n} autres, non suivis"),
        (n, Lang::En) => format!("; and {n} more, not followed"),
    };
    let _ = writeln!(out, "- {} {}{further}", say("Sources :", "Sources:"), sources.join(", "));
    let _ = writeln!(out, "\n## {}\n", say("Liens", "Links"));
    if frame.related.is_empty() {
        let _ = writeln!(out, "{}", say("Aucune autre page.", "No other page."));
    }
    for (path, title) in frame.related {
        let _ = writeln!(out, "- [{}]({})", escape(title), relative(frame.path, path));
    }
    out
}

fn facts(list: &[Fact], out: &mut String) {
    for fact in list {
        // A list of keys is code spans already.
        let text = if fact.text.starts_with('`') { fact.text.clone() } else { escape(&cut(&fact.text, 240)) };
        let _ = match (fact.code.is_empty(), text.is_empty()) {
            (true, _) => writeln!(out, "- {text}"),
            (false, true) => writeln!(out, "- {}", code(&fact.code)),
            (false, false) => writeln!(out, "- {} — {text}", code(&fact.code)),
        };
    }
}

/// A summary that can be understood without the page: what, and of what.
pub fn summary(unit: &Unit, lang: Lang, most: usize) -> String {
    let about = sentence(&unit.about).replace('`', "");
    let text = if about.is_empty() { counted(unit, lang) } else { about };
    let said = text.to_lowercase();
    let named = unit.title.to_lowercase();
    let mut words = named.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().count() > 3);
    let text = match words.any(|word| said.contains(word)) {
        true => text,
        false => format!("{}{}{text}", flat(&unit.title), if lang == Lang::Fr { " : " } else { ": " }),
    };
    cut(&flat(&text), most)
}

/// What can be counted of a unit whose sources say nothing of it.
fn counted(unit: &Unit, lang: Lang) -> String {
    let place = unit.refs.first().map_or("", String::as_str);
    let (does, has) = (unit.behaviour.len() + unit.left_out, unit.points.len());
    let first: Vec<&str> =
        unit.behaviour.iter().take(3).map(|f| name_of(&f.code)).filter(|n| !n.is_empty()).collect();
    let first = if first.is_empty() { String::new() } else { format!(" ({})", first.join(", ")) };
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let points = match (lang, has) {
        (_, 0) => String::new(),
        (Lang::Fr, _) => format!(", {has} point{0} clé{0}", s(has)),
        (Lang::En, _) => format!(", {has} key point{}", s(has)),
    };
    match lang {
        Lang::Fr => format!("{} : {place}, {does} élément{1} décrit{1}{first}{points}.", unit.title, s(does)),
        Lang::En => format!("{}: {place}, {does} item{} described{first}{points}.", unit.title, s(does)),
    }
}

/// The name that a declaration declares.
fn name_of(declaration: &str) -> &str {
    let head = declaration.split(['(', '<', '=', ':']).next().unwrap_or("").trim();
    head.rsplit(' ').next().unwrap_or(head)
}

fn tags(unit: &Unit, frame: &Frame<'_>) -> Vec<String> {
    let folder = unit.folder.last().cloned();
    let named = [frame.theme.to_owned()].into_iter().chain(unit.tags.iter().cloned());
    let mut out: Vec<String> = Vec::new();
    for word in named.chain(folder).chain([unit.name.clone()]) {
        if let Ok(tag) = slug::slug(&word, frame.lang)
            && !out.contains(&tag)
            && out.len() < 6
            && tag.len() <= 40
        {
            out.push(if tag.bytes().all(|b| b.is_ascii_digit()) { quoted(&tag) } else { tag });
        }
    }
    out
}

/// A YAML scalar of a flow list, quoted where plain would be read otherwise.
fn scalar(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_-./".contains(&b);
    let safe = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '.') && text.bytes().all(plain);
    if safe && text.len() > 5 { text.to_owned() } else { quoted(text) }
}

/// The relative path from the page at `from` to the page at `to`.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let folders = &from[..from.len() - 1];
    let shared = folders.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut out = "../".repeat(folders.len() - shared);
    out.push_str(&to[shared..].join("/"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knowledge::Page;
    use crate::knowledge::scaffold::unit::Nature;

    fn unit() -> Unit {
        let mut unit = Unit::at(Nature::Module, "src/cart/lines.ts", "Lines (cart)");
        unit.about = "Holds what the buyer wants [see](x.md): `add` and more. Second.".to_owned();
        unit.behave([Fact::new("function add(id: string): void", "Adds a line.")], 9);
        unit.point([Fact::new("MAX_LINES = 99", "")], 9);
        unit
    }

    #[test]
    fn a_page_is_whole() {
        let today = Date::new(2026, 7, 1).unwrap();
        let related = [
            ("cart/total.md".to_owned(), "Total".to_owned()),
            ("projet/readme.md".to_owned(), "Shop".to_owned()),
        ];
        let frame = Frame {
            lang: Lang::Fr,
            today,
            summary_max: 240,
            path: "cart/lines.md",
            theme: "cart",
            related: &related,
        };
        let text = page(&unit(), &frame);
        let page = Page::parse("cart/lines.md", text.clone(), 240);
        assert!(page.is_readable() && page.objections.is_empty(), "{text}\n{:?}", page.objections);
        let headings: Vec<&str> = page.body.headings.iter().map(|h| h.text.as_str()).collect();
        assert_eq!(headings, ["Lines (cart)", "Périmètre", "Comportement", "Points clés", "Liens"]);
        assert_eq!(
            page.body.links.iter().map(|l| l.destination.as_str()).collect::<Vec<_>>(),
            ["total.md", "../projet/readme.md"]
        );
        assert!(text.contains("- `function add(id: string): void` — Adds a line.\n"));
        assert_eq!(page.meta.impl_refs[0].text, "src/cart/lines.ts");
    }

    #[test]
    fn summaries_name_their_subject_and_keep_their_length() {
        let mut unit = unit();
        assert!(summary(&unit, Lang::En, 240).starts_with("Lines (cart): Holds what"));
        unit.about.clear();
        assert_eq!(
            summary(&unit, Lang::En, 240),
            "Lines (cart): src/cart/lines.ts, 1 item described (add), 1 key point."
        );
        assert!(summary(&unit, Lang::Fr, 20).chars().count() <= 20);
    }

    #[test]
    fn relative_paths() {
        assert_eq!(relative("a/b.md", "a/c.md"), "c.md");
        assert_eq!(relative("a/x/b.md", "c.md"), "../../c.md");
        assert_eq!(relative("b.md", "a/x/c.md"), "a/x/c.md");
    }
}
