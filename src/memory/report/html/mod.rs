//! The HTML report: one page that needs nothing but itself.
//!
//! It holds no script and asks for nothing: a content-security policy allows exactly its own style
//! sheet, by hash. Every text from records is escaped and stripped of characters that reorder or hide
//! text. Each figure has its numbers in a table beside it, colour never carries meaning alone, and
//! the page reads in light, in dark and on paper.

mod graph;
mod injections;
mod kpis;
mod life;
mod scores;
mod svg;
mod words;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::audit::ChainState;
use crate::base::lang::Lang;
use crate::markdown::sanitize;
use crate::memory::facts::Facts;
use crate::memory::kpi::Measure;
use crate::memory::morning::Alert;
use words::Words;

/// The style sheet, as it stands in the page.
const STYLE: &str = include_str!("style.css");

/// What the page shows.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The name of the workspace.
    pub name: &'a str,
    /// The language of the page.
    pub lang: Lang,
    /// The facts.
    pub facts: &'a Facts,
    /// The four indicators.
    pub measures: &'a [Measure; 4],
    /// What needs a hand, in the page's language.
    pub alerts: &'a [Alert],
}

/// The generator that a page names.
const GENERATOR: &str = "govmem report html";

/// Whether these bytes begin a page of [`page`].
pub fn is_page(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(2048)];
    let mark = format!("<meta name=\"generator\" content=\"{GENERATOR}\">");
    head.starts_with(b"<!DOCTYPE html>") && memchr::memmem::find(head, mark.as_bytes()).is_some()
}

/// The page. The same input gives the same bytes.
pub fn page(input: &Input<'_>) -> String {
    let words = Words(input.lang);
    let name = clean(input.name);
    let title = format!("{name} — {}", words.t("mémoire de gouvernance", "governance memory"));
    html! {
        (DOCTYPE)
        html lang=(input.lang.tag()) {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content=(GENERATOR);
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                meta name="robots" content="noindex";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { (words.t("Aller au contenu", "Skip to content")) }
                header.top { div.wrap { (head(input, &name, words)) } }
                (contents(words))
                main.wrap id="main" { (sections(input, words)) }
                footer { div.wrap { (foot(input, words)) } }
            }
        }
    }
    .into_string()
}

/// Nothing but the style sheet and the empty icon.
fn policy() -> String {
    let hash = base64(&Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; img-src data:; base-uri 'none'; form-action 'none'"
    )
}

/// Text from records as the page shows it: one line, nothing invisible, nothing that reorders.
fn clean(text: &str) -> String {
    sanitize::terminal(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn head(input: &Input<'_>, name: &str, words: Words) -> Markup {
    let facts = input.facts;
    let active = facts.learnings.iter().filter(|l| !l.archived).count();
    let (chain, sound) = chain(facts, words);
    html! {
        p.eyebrow { "govmem · " (words.t("mémoire de gouvernance", "governance memory")) }
        h1 { (name) }
        ul.facts {
            li { (words.t("État au ", "As of ")) time datetime=(facts.now) { b { (words.day(facts.now.date())) } } }
            li { b { (words.integer(active)) } " " (words.t("learnings actifs", "active learnings")) }
            li { b { (words.integer(facts.notes.len())) } " " (words.t("fiches de veille", "watch notes")) }
            li { b { (words.integer(facts.clarifications.len())) } " clarifications" }
            li { b { (words.integer(usize::try_from(facts.trail.events).unwrap_or(usize::MAX))) } " " (words.t("événements signés", "signed events")) }
        }
        @if input.alerts.is_empty() && sound {
            p.fine { "✓ " (chain) }
        } @else {
            ul.alerts {
                @for alert in input.alerts {
                    li {
                        p { (clean(&alert.message)) }
                        @if !alert.hint.is_empty() { p { "→ " code { (clean(&alert.hint)) } } }
                    }
                }
            }
        }
    }
}

/// The state of the trail in words, and whether it is sound.
fn chain(facts: &Facts, words: Words) -> (String, bool) {
    let trail = &facts.trail;
    let text = match trail.chain {
        _ if trail.unverifiable > 0 => {
            words.t("Des lignes de la trace ne se vérifient pas", "Lines of the trail do not verify")
        }
        ChainState::Absent if trail.events == 0 => {
            words.t("Aucune trace pour l'instant, aucune alerte", "No trail so far, no alert")
        }
        ChainState::Absent => words.t("Chaîne absente", "The chain is absent"),
        ChainState::Broken => words.t("Chaîne rompue", "The chain is broken"),
        ChainState::Ok | ChainState::Unacknowledged => words.t(
            "Toutes les signatures se vérifient, la chaîne tient, aucune alerte",
            "Every signature verifies, the chain holds, no alert",
        ),
    };
    (text.to_owned(), trail.is_sound())
}

fn contents(words: Words) -> Markup {
    let links = [
        ("kpi", words.t("Indicateurs", "Indicators")),
        ("injections", "Injections"),
        ("scores", words.t("Scores", "Scores")),
        ("life", words.t("Vie des learnings", "Life of learnings")),
        ("best", words.t("Les plus réutilisés", "Most reused")),
        ("graph", words.t("Graphe", "Graph")),
    ];
    html! {
        nav.toc aria-label=(words.t("Sommaire", "Contents")) {
            div.wrap { ul { @for (id, name) in links { li { a href=(format!("#{id}")) { (name) } } } } }
        }
    }
}

fn section(id: &str, title: &str, lead: &str, body: Markup) -> Markup {
    html! {
        section id=(id) aria-labelledby=(format!("{id}-title")) {
            h2 id=(format!("{id}-title")) { (title) }
            p.lead { (lead) }
            (body)
        }
    }
}

fn card(body: Markup) -> Markup {
    html! { div.card { (body) } }
}

fn sections(input: &Input<'_>, words: Words) -> Markup {
    let facts = input.facts;
    html! {
        (section("kpi", words.t("Indicateurs", "Indicators"),
            words.t("Les quatre mesures de PD-295 face à leur cible.", "The four measures of PD-295 against their targets."),
            kpis::cards(input.measures, words)))
        (section("injections", words.t("Injections au step 0", "Injections at step 0"),
            words.t("Combien de fois chaque source a servi, semaine par semaine. Un triangle signale une source indisponible.", "How often each source served, week by week. A triangle marks a source that was down."),
            card(injections::figure(facts, words))))
        div.pair {
            (section("scores", words.t("Scores de réutilisation", "Reuse scores"),
                words.t("Où se tiennent les learnings réutilisés, et les seuils de promotion.", "Where reused learnings stand, and the thresholds of promotion."),
                card(scores::figure(facts, words))))
            (section("life", words.t("Vie des learnings", "Life of learnings"),
                words.t("Promotions, restaurations et archivages, d'après les événements signés.", "Promotions, restorations and archivals, from the signed events."),
                card(life::figure(facts, words))))
        }
        (section("best", words.t("Les plus réutilisés", "Most reused"),
            words.t("Score, titre, nombre de stories qui les ont reçus.", "Score, title, number of stories that received them."),
            card(scores::best(facts, words))))
        (section("graph", words.t("Qui a reçu quoi", "Who received what"),
            words.t("Les stories et les learnings montrés à leur step 0. Un trait est une association, pas une cause.", "Stories and the learnings shown at their step 0. A line is an association, not a cause."),
            card(graph::figure(facts, words))))
    }
}

fn foot(input: &Input<'_>, words: Words) -> Markup {
    let facts = input.facts;
    html! {
        @if let Some(head) = &facts.trail.head {
            p { (words.t("Tête de chaîne, à conserver ailleurs comme ancre : ", "Chain head, to keep elsewhere as an anchor: ")) code { (head) } }
        }
        p { (words.t(
            "Seuls comptent les événements du step 0 dont la signature se vérifie. La signature HMAC est symétrique : qui peut vérifier peut aussi contrefaire.",
            "Only step-0 events whose signature verifies are counted. The HMAC signature is symmetric: whoever can verify can also forge.")) }
        p { (words.t("Produit par govmem ", "Made by govmem ")) (env!("CARGO_PKG_VERSION")) ", " time datetime=(facts.now) { (facts.now) } "." }
    }
}

/// Standard base64, with padding.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().fold(0u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let digit = ALPHABET[(word >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{injection, learning, nothing};
    use crate::memory::kpi;
    use crate::store::Source;

    fn rendered(facts: &Facts, name: &str, lang: Lang) -> String {
        let measures = kpi::all(facts, None);
        page(&Input { name, lang, facts, measures: &measures, alerts: &[] })
    }

    #[test]
    fn known_base64() {
        // RFC 4648, section 10.
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, coded) in pairs {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn hostile_text_stays_text() {
        let mut facts = nothing("2026-05-01T00:00:00Z");
        let evil = "</text><script>alert(1)</script>\" onload=\"x\u{202e}\u{200b}";
        let mut l = learning("PD-1-8-x", "2026-01-01", 0.5);
        l.title = evil.into();
        facts.learnings.push(l);
        facts.injections.push(injection(
            "2026-04-30",
            "<svg/onload=1>",
            Source::Learning,
            &["PD-1-8-x", "\"><img src=x>"],
        ));
        let html = rendered(&facts, "<b>evil</b>", Lang::En);
        for bad in [
            "<script",
            "<img",
            "<svg/",
            "<b>evil",
            "onload=\"x",
            "\u{202e}",
            "\u{200b}",
            "style=",
            "javascript:",
        ] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(html.contains("&lt;script&gt;"));
    }

    #[test]
    fn nothing_leaves_the_page() {
        for lang in [Lang::Fr, Lang::En] {
            let html = rendered(&nothing("2026-05-01T00:00:00Z"), "Team", lang);
            assert!(!html.contains("://") && !html.contains("url(") && !html.contains("@import"));
            assert!(
                html.contains("default-src 'none'")
                    && html.contains(&format!("<html lang=\"{}\"", lang.tag()))
            );
        }
    }

    #[test]
    fn same_input_same_bytes() {
        let mut facts = nothing("2026-05-01T00:00:00Z");
        for i in 0..30 {
            facts.injections.push(injection(
                "2026-04-30",
                &format!("S-{i}"),
                Source::Learning,
                &["A", "B", "C"],
            ));
        }
        assert_eq!(rendered(&facts, "T", Lang::Fr), rendered(&facts, "T", Lang::Fr));
    }
}
