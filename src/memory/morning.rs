//! The morning report: what was reused best, what was injected, what needs a hand.
//!
//! It is published whole (exit 0) or not at all (ERR-295-19): a report that left something out would
//! be read as good news. No store is written, and no model server is waited for.

use crate::audit::ChainState;
use crate::base::lang::{self, Lang};
use crate::base::{Code, Error, Instant, Kind, ModelIdentity, Result};
use crate::markdown::sanitize;
use crate::memory::Memory;
use crate::memory::facts::{self, Facts, TrailState, Window};
use crate::memory::kpi::{self, Measure};
use crate::store::Source;
use crate::tr;
use crate::vector::SetFiles;

/// Learnings shown.
const TOP: usize = 3;

/// The report.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Morning {
    /// When it was made.
    pub at: Instant,
    /// The best learnings by reuse score.
    pub top: Vec<Best>,
    /// What step 0 showed, per source.
    pub injections: Vec<Injected>,
    /// What needs a hand.
    pub alerts: Vec<Alert>,
    /// The chain's head, to keep elsewhere as an anchor.
    pub head: Option<String>,
    /// CS-2 as it stands.
    pub cs2: Measure,
}

/// A learning of the report.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Best {
    /// Its identity.
    pub id: String,
    /// Its title, else the start of its lesson.
    pub title: String,
    /// From 0 to 1.
    pub reuse_score: f64,
    /// Stories that received it, its own excluded.
    pub stories: u64,
}

/// Injections of one source: step-0 events that showed at least one item, and items shown.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Injected {
    /// The source.
    pub source: Source,
    /// Injections in the last 7 days.
    pub days_7: usize,
    /// Items in the last 7 days.
    pub items_7: usize,
    /// Injections in the last 30 days.
    pub days_30: usize,
    /// Items in the last 30 days.
    pub items_30: usize,
}

/// Something that needs a hand.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Alert {
    /// A stable name: `cs2_below_20`, `embedder_down`, `source_down`, `expired_clarifications`, `trail`.
    pub name: &'static str,
    /// The source it concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// What is the matter.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// What does not work now, and why.
#[derive(Debug, Default)]
pub struct Down {
    /// The embedder: no source can be asked anything new.
    pub embedder: Option<Error>,
    /// Sources whose index cannot be searched.
    pub sources: Vec<(Source, String)>,
}

impl Down {
    /// Opens the three indexes; asks nobody.
    pub fn indexes(memory: &Memory<'_>) -> Down {
        Down::compared(memory, None)
    }

    /// Opens the three indexes and looks whether the embedder is there, and is the one that filled them.
    pub fn everything(memory: &Memory<'_>) -> Down {
        match (memory.probe_embedder)() {
            Ok(model) => Down::compared(memory, Some(&model)),
            Err(fault) => Down { embedder: Some(fault), ..Down::indexes(memory) },
        }
    }

    fn compared(memory: &Memory<'_>, model: Option<&ModelIdentity>) -> Down {
        let check = |source| {
            let set = SetFiles::of(&memory.workspace, source).open()?;
            model.map_or(Ok(()), |model| set.manifest().check_model(model))
        };
        let fault = |source| Some((source, check(source).err()?.to_string()));
        Down { embedder: None, sources: Source::ALL.into_iter().filter_map(fault).collect() }
    }
}

/// Makes the report.
///
/// # Errors
/// ERR-295-19 (exit 69) for whatever makes it impossible, with the cause.
pub fn make(memory: &Memory<'_>) -> Result<Morning> {
    std::thread::scope(|scope| {
        // The trail is verified while a server is waited for.
        let down = scope.spawn(|| Down::everything(memory));
        let facts = facts::load(memory).map_err(|cause| impossible(&cause))?;
        let down = down.join().map_err(|_| {
            let bug = tr!("un examen s'est interrompu", "an examination broke off");
            impossible(&Error::new(Kind::Bug, bug))
        })?;
        Ok(from_facts(&facts, &down))
    })
}

fn impossible(cause: &Error) -> Error {
    let error = Error::memory(Code::MorningFailed, cause.to_string());
    match cause.hint_text() {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// The report of `facts` and of what does not work now.
pub fn from_facts(facts: &Facts, down: &Down) -> Morning {
    let cs2 = kpi::cs2::measure(facts, kpi::cs2::WINDOW_DAYS);
    let top = facts
        .top(TOP)
        .into_iter()
        .map(|l| Best {
            id: l.id.clone(),
            title: l.title.clone(),
            reuse_score: l.reuse_score,
            stories: l.nb_stories,
        })
        .collect();
    Morning {
        at: facts.now,
        top,
        injections: Source::ALL.into_iter().map(|s| injected(facts, s)).collect(),
        alerts: alerts(facts, down, &cs2),
        head: facts.trail.head.clone(),
        cs2,
    }
}

fn injected(facts: &Facts, source: Source) -> Injected {
    let over = |days| {
        let window = Window::last_days(facts.now, days);
        let shown = facts.within(window).filter(|i| i.source == source && !i.ids.is_empty());
        shown.fold((0, 0), |(n, items), i| (n + 1, items + i.ids.len()))
    };
    let ((days_7, items_7), (days_30, items_30)) = (over(7), over(30));
    Injected { source, days_7, items_7, days_30, items_30 }
}

fn alerts(facts: &Facts, down: &Down, cs2: &Measure) -> Vec<Alert> {
    let mut alerts = Vec::new();
    if cs2.alert {
        let value = cs2.value.map_or_else(String::new, |v| cs2.unit.show(v, lang::current()));
        alerts.push(Alert {
            name: "cs2_below_20",
            source: None,
            message: tr!(
                "CS-2 : {value} des learnings réutilisés, moins de 20 % depuis T+60 j",
                "CS-2: {value} of the learnings reused, below 20% since T+60 d"
            ),
            hint: "govmem kpi cs2".into(),
        });
    }
    if let Some(why) = &down.embedder {
        alerts.push(Alert {
            name: "embedder_down",
            source: None,
            message: tr!(
                "aucun embedder, donc aucune recherche nouvelle : {why}",
                "no embedder, so no new search: {why}"
            ),
            hint: why.hint_text().unwrap_or("govmem doctor").to_owned(),
        });
    }
    for source in Source::ALL {
        let tag = source.tag();
        if let Some((_, why)) = down.sources.iter().find(|(s, _)| *s == source) {
            let message = tr!("source {tag} indisponible : {why}", "source {tag} is down: {why}");
            alerts.push(Alert {
                name: "source_down",
                source: Some(source),
                message,
                hint: "govmem reindex".into(),
            });
            continue;
        }
        if let Some(last) = facts.injections.iter().rev().find(|i| i.source == source && i.unavailable)
            && facts.injections.iter().rev().find(|i| i.source == source) == Some(last)
        {
            let at = last.at;
            let message = tr!(
                "source {tag} indisponible au dernier step 0 ({at})",
                "source {tag} was down at the last step 0 ({at})"
            );
            alerts.push(Alert {
                name: "source_down",
                source: Some(source),
                message,
                hint: "govmem doctor".into(),
            });
        }
    }
    let today = facts.now.date();
    let expired = facts.clarifications.iter().filter(|c| today > c.retention_until).count();
    if expired > 0 {
        let message = match expired {
            1 => tr!("1 clarification au-delà de sa rétention", "1 clarification past its retention"),
            n => {
                tr!("{n} clarifications au-delà de leur rétention", "{n} clarifications past their retention")
            }
        };
        let hint = "govmem purge clarifications".into();
        alerts.push(Alert {
            name: "expired_clarifications",
            source: Some(Source::Clarification),
            message,
            hint,
        });
    }
    if !facts.trail.is_sound() {
        let hint = "govmem audit verify".into();
        alerts.push(Alert { name: "trail", source: None, message: trail_words(&facts.trail), hint });
    }
    alerts
}

fn trail_words(trail: &TrailState) -> String {
    let bad = trail.unverifiable;
    match trail.chain {
        _ if bad > 0 => tr!("trace : lignes invérifiables : {bad}", "trail: lines that do not verify: {bad}"),
        ChainState::Absent => tr!("trace : chaîne absente", "trail: the chain is absent"),
        _ => tr!("trace : chaîne rompue", "trail: the chain is broken"),
    }
}

/// The report as text.
pub fn render(morning: &Morning) -> String {
    let lang = lang::current();
    let mut out = tr!("Bonjour — mémoire au {}\n", "Good morning — memory at {}\n", morning.at);
    out.push_str(&tr!("\nLes plus réutilisés\n", "\nMost reused\n"));
    if morning.top.is_empty() {
        out.push_str(&tr!("  aucun learning réutilisé pour l'instant\n", "  no learning reused so far\n"));
    }
    for (rank, best) in morning.top.iter().enumerate() {
        let score = kpi::number(best.reuse_score, 3, lang);
        let stories = if best.stories == 1 { "1 story".into() } else { format!("{} stories", best.stories) };
        let (id, title) = (sanitize::terminal(&best.id), sanitize::terminal(&best.title));
        out.push_str(&format!("  {}. {score}  {id}  ({stories})\n     {title}\n", rank + 1));
    }
    let (seven, thirty) = match lang {
        Lang::Fr => ("7 j", "30 j"),
        Lang::En => ("7 d", "30 d"),
    };
    out.push_str(&tr!("\nInjections (éléments)\n", "\nInjections (items)\n"));
    out.push_str(&format!("  {:<14} {seven:>12} {thirty:>12}\n", ""));
    for row in &morning.injections {
        let cell = |n: usize, items: usize| format!("{n} ({items})");
        let (week, month) = (cell(row.days_7, row.items_7), cell(row.days_30, row.items_30));
        out.push_str(&format!("  {:<14} {week:>12} {month:>12}\n", row.source.tag()));
    }
    let value = morning.cs2.value.map_or_else(|| "—".into(), |v| morning.cs2.unit.show(v, lang));
    out.push_str(&format!("\nCS-2  {value}  {}\n", morning.cs2.status.words(lang)));
    out.push_str(&tr!("\nAlertes\n", "\nAlerts\n"));
    if morning.alerts.is_empty() {
        out.push_str(&tr!("  aucune\n", "  none\n"));
    }
    for alert in &morning.alerts {
        let message = sanitize::terminal(&alert.message);
        out.push_str(&format!("  ! {message}\n    → {}\n", alert.hint));
    }
    let head = morning.head.as_deref().unwrap_or("—");
    out.push_str(&tr!("\nTête de chaîne  {head}\n", "\nChain head  {head}\n"));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, injection, learning, nothing};
    use crate::memory::facts::{ClarificationFact, Injection};

    fn facts() -> Facts {
        let mut f = nothing("2026-05-31T12:00:00Z");
        f.learnings = vec![
            learning("C", "2026-01-01", 0.2),
            learning("A", "2026-01-01", 0.2),
            learning("B", "2026-01-01", 0.5),
            learning("D", "2026-01-01", 0.1),
            learning("E", "2026-01-01", 0.0),
        ];
        let mut retired = learning("Z", "2026-01-01", 0.9);
        retired.archived = true;
        f.learnings.push(retired);
        f
    }

    #[test]
    fn the_three_best() {
        let morning = from_facts(&facts(), &Down::default());
        let ids: Vec<_> = morning.top.iter().map(|b| b.id.as_str()).collect();
        assert_eq!(ids, ["B", "A", "C"]);
        assert!(morning.alerts.is_empty());
    }

    #[test]
    fn injections_over_7_and_30_days() {
        let mut f = facts();
        f.injections = vec![
            injection("2026-05-01T12:00:00Z", "S-1", Source::Learning, &["A"]), // 30 days: outside
            injection("2026-05-01T12:00:01Z", "S-1", Source::Learning, &["A", "B"]),
            injection("2026-05-24T12:00:00Z", "S-2", Source::Learning, &["A"]), // 7 days: outside 7
            injection("2026-05-30T12:00:00Z", "S-3", Source::Learning, &["A", "B", "C"]),
            injection("2026-05-30T12:00:00Z", "S-3", Source::Veille, &[]),
        ];
        let morning = from_facts(&f, &Down::default());
        let row = |s: Source| morning.injections.iter().find(|i| i.source == s).unwrap().clone();
        let l = row(Source::Learning);
        assert_eq!((l.days_7, l.items_7, l.days_30, l.items_30), (1, 3, 3, 6));
        assert_eq!(row(Source::Veille).days_30, 0);
    }

    #[test]
    fn every_alert() {
        let mut f = facts();
        f.b5_merge = Some(at("2026-03-01"));
        f.clarifications = vec![
            ClarificationFact {
                id: "x".into(),
                story: "S-1".into(),
                retention_until: at("2026-05-30").date(),
            },
            ClarificationFact {
                id: "y".into(),
                story: "S-2".into(),
                retention_until: at("2026-05-31").date(),
            },
        ];
        let gone = |source| Injection { unavailable: true, ..injection("2026-05-30", "S-3", source, &[]) };
        f.injections = vec![gone(Source::Veille), gone(Source::Clarification)];
        f.injections.push(injection("2026-05-31", "S-3", Source::Clarification, &["y"]));
        f.trail = TrailState { events: 3, unverifiable: 2, ..TrailState::default() };
        let down = Down {
            embedder: Some(Error::memory(Code::EmbeddingInvalid, "refused").hint("ollama serve")),
            sources: vec![(Source::Learning, "ERR-295-08".into())],
        };
        let alerts = from_facts(&f, &down).alerts;
        let names: Vec<_> = alerts.iter().map(|a| (a.name, a.source)).collect();
        assert_eq!(
            names,
            [
                ("cs2_below_20", None),
                ("embedder_down", None),
                ("source_down", Some(Source::Learning)),
                ("source_down", Some(Source::Veille)),
                ("expired_clarifications", Some(Source::Clarification)),
                ("trail", None),
            ]
        );
        assert!(alerts[4].message.starts_with('1'), "{}", alerts[4].message);
        assert_eq!(alerts[1].hint, "ollama serve");
        assert!(alerts.iter().all(|a| !a.hint.is_empty()));
    }

    #[test]
    fn text_holds_every_part() {
        let mut f = facts();
        f.trail.head = Some("ab".repeat(32));
        let text = render(&from_facts(&f, &Down::default()));
        for part in
            ["0.500  B", "learning", "veille", "clarification", "7 d", "30 d", "CS-2", &"ab".repeat(32)]
        {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
}
