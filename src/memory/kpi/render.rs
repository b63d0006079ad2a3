//! An indicator as text: numerator, denominator, value, target, verdict.

use super::{Kpi, Measure, Status, Unit};
use crate::base::lang::{self, Lang};
use crate::tr;

/// The fixed words for a window that is not full.
pub const INSUFFICIENT: &str = "données insuffisantes";

impl Kpi {
    /// `CS-1` …
    pub fn name(self) -> &'static str {
        match self {
            Kpi::Cs1 => "CS-1",
            Kpi::Cs2 => "CS-2",
            Kpi::Cs3 => "CS-3",
            Kpi::Cs4 => "CS-4",
        }
    }

    /// What it measures, in a few words.
    pub fn subject(self, lang: Lang) -> &'static str {
        let (fr, en) = match self {
            Kpi::Cs1 => ("GO à la première version, gate 8", "GO at the first version, gate 8"),
            Kpi::Cs2 => ("Réutilisation des learnings", "Reuse of learnings"),
            Kpi::Cs3 => ("Capitalisation des clarifications", "Capitalisation of clarifications"),
            Kpi::Cs4 => ("Activation de la veille", "Activation of the watch"),
        };
        if lang == Lang::Fr { fr } else { en }
    }
}

impl Status {
    /// The verdict in words; insufficient data keep their fixed words in every language.
    pub fn words(self, lang: Lang) -> &'static str {
        match (self, lang) {
            (Status::Met, Lang::Fr) => "cible atteinte",
            (Status::Met, Lang::En) => "target met",
            (Status::Missed, Lang::Fr) => "cible manquée",
            (Status::Missed, Lang::En) => "target missed",
            (Status::Measured, Lang::Fr) => "mesuré, sans cible",
            (Status::Measured, Lang::En) => "measured, no target",
            (Status::Insufficient, Lang::Fr) => INSUFFICIENT,
            (Status::Insufficient, Lang::En) => "données insuffisantes (insufficient data)",
        }
    }
}

/// A decimal number with `digits` decimals and the language's decimal mark.
pub fn number(value: f64, digits: usize, lang: Lang) -> String {
    let text = format!("{value:.digits$}");
    if lang == Lang::Fr { text.replace('.', ",") } else { text }
}

impl Unit {
    /// `value` with its unit: `+30 points`, `40,0 %`, `2`, `3`.
    pub fn show(self, value: f64, lang: Lang) -> String {
        match (self, lang) {
            (Unit::Rate, _) => {
                let points = number(value * 100.0, 0, lang);
                let sign = if value > 0.0 { "+" } else { "" };
                format!("{sign}{} points", points.replacen('-', "−", 1))
            }
            (Unit::Percent, Lang::Fr) => format!("{}\u{202f}%", number(value, 1, lang)),
            (Unit::Percent, Lang::En) => format!("{}%", number(value, 1, lang)),
            (Unit::Occurrences | Unit::Stories, _) => number(value, 0, lang),
        }
    }
}

/// The target as people read it: `≥ 30 %`, `5 sur 5`; none for CS-1.
pub fn target(measure: &Measure, lang: Lang) -> Option<String> {
    let value = measure.target?;
    let shown = measure.unit.show(value, lang).replace(",0\u{202f}", "\u{202f}").replace(".0%", "%");
    Some(match (measure.kpi, lang) {
        (Kpi::Cs4, Lang::Fr) => format!("{shown} sur {shown}"),
        (Kpi::Cs4, Lang::En) => format!("{shown} of {shown}"),
        (Kpi::Cs3, Lang::Fr) => format!("≥ {shown} par mois"),
        (Kpi::Cs3, Lang::En) => format!("≥ {shown} a month"),
        _ => format!("≥ {shown}"),
    })
}

/// A detail of a measure in words.
fn detail(name: &str, lang: Lang) -> &'static str {
    let (fr, en) = match name {
        "before_go_v1" => ("GO à la v1 avant", "GO at v1 before"),
        "before_stories" => ("stories avant", "stories before"),
        "after_go_v1" => ("GO à la v1 après", "GO at v1 after"),
        "after_stories" => ("stories après", "stories after"),
        "injected_created_before" => ("dont créés avant B5", "of them created before B5"),
        "notes_gone" => ("fiches disparues depuis", "notes gone since"),
        _ => ("autre", "other"),
    };
    if lang == Lang::Fr { fr } else { en }
}

/// The measure as lines of text.
pub fn render(measure: &Measure) -> String {
    let lang = lang::current();
    let none = || "—".to_owned();
    let mut rows: Vec<(String, String)> = Vec::new();
    let integer = |n: Option<i64>| n.map_or_else(none, |n| n.to_string());
    if let Some(window) = measure.window {
        rows.push((tr!("fenêtre", "window"), format!("{} → {}", window.from, window.to)));
    }
    rows.push((tr!("numérateur", "numerator"), integer(measure.numerator)));
    rows.push((tr!("dénominateur", "denominator"), integer(measure.denominator)));
    rows.push((tr!("valeur", "value"), measure.value.map_or_else(none, |v| measure.unit.show(v, lang))));
    rows.push((tr!("cible", "target"), target(measure, lang).unwrap_or_else(none)));
    rows.push((tr!("verdict", "verdict"), measure.status.words(lang).to_owned()));
    for (name, n) in &measure.details {
        rows.push((detail(name, lang).to_owned(), n.to_string()));
    }
    if measure.alert {
        rows.push((tr!("alerte", "alert"), tr!("< 20 % à T+60 j", "< 20% at T+60 d")));
    }
    let wide = rows.iter().map(|(k, _)| k.chars().count()).max().unwrap_or(0);
    let mut out = format!("{} — {}\n", measure.kpi.name(), measure.kpi.subject(lang));
    for (key, value) in rows {
        let pad = " ".repeat(wide - key.chars().count());
        out.push_str(&format!("  {key}{pad}  {value}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_in_both_languages() {
        assert_eq!(Unit::Percent.show(40.0, Lang::Fr), "40,0\u{202f}%");
        assert_eq!(Unit::Percent.show(33.333, Lang::En), "33.3%");
        assert_eq!(Unit::Rate.show(0.3, Lang::En), "+30 points");
        assert_eq!(Unit::Rate.show(-0.2, Lang::Fr), "−20 points");
        assert_eq!(Unit::Rate.show(0.0, Lang::Fr), "0 points");
        let cs4 = super::super::unplaced(Kpi::Cs4, Unit::Stories, Some(5.0));
        assert_eq!(target(&cs4, Lang::Fr).as_deref(), Some("5 sur 5"));
        let cs2 = super::super::unplaced(Kpi::Cs2, Unit::Percent, Some(30.0));
        assert_eq!(target(&cs2, Lang::Fr).as_deref(), Some("≥ 30\u{202f}%"));
        assert_eq!(target(&cs2, Lang::En).as_deref(), Some("≥ 30%"));
    }

    #[test]
    fn the_fixed_words_stand_in_both_languages() {
        for lang in [Lang::Fr, Lang::En] {
            assert!(Status::Insufficient.words(lang).contains(INSUFFICIENT));
        }
        let text = render(&super::super::unplaced(Kpi::Cs2, Unit::Percent, Some(30.0)));
        assert!(text.contains(INSUFFICIENT) && text.starts_with("CS-2 — "), "{text}");
        assert_eq!(text.lines().count(), 6);
    }
}
