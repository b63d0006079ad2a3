//! The answer as text for a reader with few tokens, and as JSON. Pure. Control characters that could
//! drive a terminal are taken from the text; JSON escapes them itself.

use std::fmt::Write;

use super::answer::{Answer, Entry};
use crate::markdown::sanitize::terminal;
use crate::tr;

/// How an answer is printed, which decides what its budget counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Text.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// The printed answer, its last line ended.
pub fn render(answer: &Answer, format: Format) -> String {
    match format {
        Format::Text => terminal(&text(answer)),
        Format::Json => {
            let mut out = serde_json::to_string(answer).unwrap_or_default();
            out.push('\n');
            out
        }
    }
}

/// `path:10-24 · Title › Heading · status`, with what makes it doubtful.
pub fn head(entry: &Entry) -> String {
    let mut out = format!("{}:{}-{} · {}", entry.path, entry.line, entry.end_line, one_line(&entry.title));
    if !entry.heading.is_empty() && entry.heading != entry.title {
        let _ = write!(out, " › {}", one_line(&entry.heading));
    }
    let _ = write!(out, " · {}", entry.status);
    if !entry.drifted.is_empty() {
        out.push_str(&tr!(" · dérive : {}", " · drifted: {}", entry.drifted.join(", ")));
    }
    if let Some(score) = entry.score {
        let _ = write!(out, " · {score:.2}");
    }
    out
}

fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for line in &answer.listing {
        out.push_str(line);
        out.push('\n');
    }
    for (number, entry) in answer.entries.iter().enumerate() {
        let Some(text) = &entry.text else { continue };
        let cut = if entry.excerpt { tr!(" · extrait", " · excerpt") } else { String::new() };
        let _ = writeln!(out, "[{}] {}{cut}", number + 1, head(entry));
        let _ = writeln!(out, "{}\n", text.trim_end());
    }
    for entry in answer.entries.iter().filter(|e| e.text.is_none()) {
        let _ = writeln!(out, "- {}", head(entry));
    }
    for n in &answer.neighbours {
        let _ = writeln!(out, "~ {} · {} · {} · {}", n.path, one_line(&n.title), n.status, n.relation);
    }
    let doubtful: Vec<&Entry> =
        answer.entries.iter().filter(|e| e.text.is_some() && e.is_doubtful()).collect();
    for entry in doubtful {
        let refs = entry.impl_refs.join(", ");
        out.push_str(&match refs.is_empty() {
            true => tr!("! {} : à vérifier avant usage\n", "! {}: verify before use\n", entry.path),
            false => tr!(
                "! {} : vérifier contre {refs} avant usage\n",
                "! {}: verify against {refs} before use\n",
                entry.path
            ),
        });
    }
    nearest(answer, &mut out);
    if !answer.words.is_empty() {
        let words: Vec<String> = answer.words.iter().map(|(w, r)| format!("{w} {r:.2}")).collect();
        out.push_str(&tr!("mots : {}\n", "words: {}\n", words.join(", ")));
    }
    footer(answer, &mut out);
    out
}

fn nearest(answer: &Answer, out: &mut String) {
    if answer.is_hit() {
        return;
    }
    out.push_str(&tr!(
        "aucun résultat dans {} pages ; thèmes les plus proches :\n",
        "no hit in {} pages; nearest themes:\n",
        answer.kept
    ));
    for theme in &answer.themes {
        let _ = write!(out, "- {} ({})", theme.path, theme.pages);
        if !theme.neighbours.is_empty() {
            let _ = write!(out, " ~ {}", theme.neighbours.join(", "));
        }
        out.push('\n');
        for (path, title) in &theme.examples {
            let _ = writeln!(out, "  - {path} · {}", one_line(title));
        }
    }
}

fn footer(answer: &Answer, out: &mut String) {
    let cost = &answer.tokens;
    let phases: Vec<String> =
        cost.phases.iter().enumerate().filter(|(_, n)| **n > 0).map(|(p, n)| format!("{p}:{n}")).collect();
    out.push_str(&tr!(
        "{}/{} pages · tokens {} = {} ≤ {} ({})\n",
        "{}/{} pages · tokens {} = {} ≤ {} ({})\n",
        answer.matched,
        answer.pages,
        phases.join(" "),
        cost.total,
        cost.max,
        cost.method
    ));
    if answer.unreadable > 0 {
        out.push_str(&tr!(
            "{} pages illisibles : govrag check\n",
            "{} pages could not be read: govrag check\n",
            answer.unreadable
        ));
    }
}

/// A text on one line, without control characters.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|w| !w.is_empty()).collect();
    words.join(" ")
}
