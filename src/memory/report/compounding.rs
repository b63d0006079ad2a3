//! Compounding: what each source gave to a story and to everyone over 30 days.
//!
//! Reuse is the share of items that were shown again: items shown less distinct items, over items
//! shown. It says how much old memory serves anew, not that it helped.

use std::collections::HashSet;

use crate::base::lang;
use crate::memory::facts::{Facts, Injection, Window};
use crate::memory::kpi::number;
use crate::store::Source;
use crate::tr;

/// Days of the general part.
pub const DAYS: i64 = 30;

/// The report.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Compounding {
    /// The story, and what it received over its whole life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub story: Option<StoryPart>,
    /// The window of the general part.
    pub window: Window,
    /// What all stories received in the window.
    pub last_30_days: Vec<Part>,
}

/// What one story received.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct StoryPart {
    /// The story.
    pub story_id: String,
    /// Per source.
    pub sources: Vec<Part>,
}

/// One source's part.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Part {
    /// The source.
    pub source: Source,
    /// Step-0 events that showed at least one item.
    pub injections: usize,
    /// Items shown, repetitions included.
    pub items: usize,
    /// Distinct items.
    pub distinct: usize,
    /// Of the distinct items, those that another story received as well, at any time.
    pub shared: usize,
    /// (items − distinct) / items; 0 without items.
    pub reuse: f64,
}

/// The report for `story`, if one is named, and over the 30 days that end now.
pub fn make(facts: &Facts, story: Option<&str>) -> Compounding {
    let window = Window::last_days(facts.now, DAYS);
    let recent: Vec<&Injection> = facts.within(window).collect();
    Compounding {
        story: story.map(|s| StoryPart {
            story_id: s.to_owned(),
            sources: parts(facts, &facts.injections.iter().filter(|i| i.story == s).collect::<Vec<_>>()),
        }),
        window,
        last_30_days: parts(facts, &recent),
    }
}

fn parts(facts: &Facts, injections: &[&Injection]) -> Vec<Part> {
    Source::ALL.into_iter().map(|source| part(facts, injections, source)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "counts of items stay far below 2^53")]
fn part(facts: &Facts, injections: &[&Injection], source: Source) -> Part {
    let own: Vec<&&Injection> =
        injections.iter().filter(|i| i.source == source && !i.ids.is_empty()).collect();
    let receivers: HashSet<(&str, &str)> = facts
        .injections
        .iter()
        .filter(|i| i.source == source)
        .flat_map(|i| i.ids.iter().map(|id| (id.as_str(), i.story.as_str())))
        .collect();
    let mut count = std::collections::HashMap::new();
    for (id, _) in &receivers {
        *count.entry(*id).or_insert(0usize) += 1;
    }
    let items: usize = own.iter().map(|i| i.ids.len()).sum();
    let distinct: HashSet<&str> = own.iter().flat_map(|i| i.ids.iter().map(String::as_str)).collect();
    let shared = distinct.iter().filter(|id| count.get(*id).is_some_and(|n| *n > 1)).count();
    let reuse = if items == 0 { 0.0 } else { (items - distinct.len()) as f64 / items as f64 };
    Part { source, injections: own.len(), items, distinct: distinct.len(), shared, reuse }
}

/// The report as text.
pub fn render(report: &Compounding) -> String {
    let mut out = String::new();
    if let Some(part) = &report.story {
        out.push_str(&tr!("Compounding — {}\n", "Compounding — {}\n", part.story_id));
        table(&mut out, &part.sources);
        out.push('\n');
    }
    let (from, to) = (report.window.from.date(), report.window.to.date());
    out.push_str(&tr!(
        "Compounding — {DAYS} jours, {from} → {to}\n",
        "Compounding — {DAYS} days, {from} → {to}\n"
    ));
    table(&mut out, &report.last_30_days);
    out.push_str(&tr!(
        "\nDes associations : rien ici ne dit qu'une injection a causé un GO.\n",
        "\nAssociations: nothing here says that an injection caused a GO.\n"
    ));
    out
}

fn table(out: &mut String, parts: &[Part]) {
    let head = tr!(
        "  source         injections  éléments  distincts  partagés  réemploi\n",
        "  source         injections     items   distinct    shared     reuse\n"
    );
    out.push_str(&head);
    for p in parts {
        let reuse = format!("{}%", number(p.reuse * 100.0, 0, lang::current()));
        out.push_str(&format!(
            "  {:<14} {:>10} {:>9} {:>10} {:>9} {:>9}\n",
            p.source.tag(),
            p.injections,
            p.items,
            p.distinct,
            p.shared,
            reuse
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{injection, nothing};

    #[test]
    fn counted_by_hand() {
        let mut f = nothing("2026-05-31T12:00:00Z");
        let l = Source::Learning;
        f.injections = vec![
            injection("2026-03-01", "S-1", l, &["A", "B"]), // outside the 30 days
            injection("2026-05-10", "S-2", l, &["A", "C"]),
            injection("2026-05-11", "S-2", l, &["A", "C"]),
            injection("2026-05-12", "S-3", l, &["C", "D"]),
            injection("2026-05-12", "S-3", Source::Veille, &[]),
        ];
        let report = make(&f, Some("S-2"));
        let all = &report.last_30_days[0];
        // A C A C C D: six items, three distinct; A (S-1, S-2) and C (S-2, S-3) are shared.
        assert_eq!((all.injections, all.items, all.distinct, all.shared), (3, 6, 3, 2));
        assert_eq!(all.reuse, 0.5);
        let own = &report.story.as_ref().unwrap().sources[0];
        assert_eq!((own.injections, own.items, own.distinct, own.shared, own.reuse), (2, 4, 2, 2, 0.5));
        let veille = &report.last_30_days[1];
        assert_eq!((veille.injections, veille.items, veille.reuse), (0, 0, 0.0));
        assert!(render(&report).contains("S-2"));
    }
}
