//! The four indicators against their targets: a card each, with a drawing that says the same.

use maud::{Markup, html};

use super::svg::{n, real};
use super::words::Words;
use crate::memory::kpi::{INSUFFICIENT, Kpi, Measure, Status, target};

/// Width of a drawing, close to that of a card on a screen.
const WIDTH: f64 = 230.0;

/// The cards.
pub(super) fn cards(measures: &[Measure; 4], words: Words) -> Markup {
    html! { div.kpis { @for measure in measures { (card(measure, words)) } } }
}

fn class(status: Status) -> &'static str {
    match status {
        Status::Met => "met",
        Status::Missed => "missed",
        Status::Measured | Status::Insufficient => "",
    }
}

fn sign(status: Status) -> &'static str {
    match status {
        Status::Met => "✓",
        Status::Missed => "✕",
        Status::Measured => "•",
        Status::Insufficient => "…",
    }
}

fn card(measure: &Measure, words: Words) -> Markup {
    let shown = measure.value.map(|v| measure.unit.show(v, words.0));
    html! {
        article.card.kpi {
            h3 { span { (measure.kpi.name()) } (measure.kpi.subject(words.0)) }
            @match shown {
                Some(value) => p.value { (value) },
                None => p.value.none { "—" },
            }
            span class=(format!("pill {}", class(measure.status))) {
                span aria-hidden="true" { (sign(measure.status)) }
                (match measure.status {
                    Status::Insufficient => words.t(INSUFFICIENT, "insufficient data"),
                    status => status.words(words.0),
                })
            }
            p.of {
                (fraction(measure, words))
                @if let Some(target) = target(measure, words.0) {
                    br; (words.t("Cible : ", "Target: ")) (target)
                }
                @if measure.alert { br; (words.t("Alerte : moins de 20 % depuis T+60 j", "Alert: below 20% since T+60 d")) }
            }
            @match measure.kpi {
                Kpi::Cs1 => (dots(measure, words)),
                Kpi::Cs2 => (bullet(measure, 100.0, words)),
                Kpi::Cs3 => (bullet(measure, measure.value.unwrap_or(0.0).max(2.0) + 1.0, words)),
                Kpi::Cs4 => (squares(measure)),
            }
        }
    }
}

fn detail(measure: &Measure, name: &str) -> Option<usize> {
    let (_, value) = measure.details.iter().find(|(n, _)| *n == name)?;
    usize::try_from(*value).ok()
}

fn fraction(measure: &Measure, words: Words) -> String {
    let (top, under) = (measure.numerator, measure.denominator);
    match (measure.kpi, top, under) {
        (Kpi::Cs1, Some(_), _) => {
            words.t("dix stories après, dix avant", "ten stories after, ten before").to_owned()
        }
        (Kpi::Cs1, None, _) => match detail(measure, "after_stories") {
            None => words.t("baseline non gelée", "baseline not frozen").to_owned(),
            Some(after) => {
                let seen =
                    words.count(after, ("story jugée", "stories jugées"), ("story judged", "stories judged"));
                format!("{seen} {}", words.t("après, sur 10", "after, of 10"))
            }
        },
        (Kpi::Cs2, Some(a), Some(b)) => {
            let seen = words.count(
                usize::try_from(a).unwrap_or(0),
                ("learning injecté depuis B5", "learnings injectés depuis B5"),
                ("learning injected since B5", "learnings injected since B5"),
            );
            let old = detail(measure, "injected_created_before").unwrap_or(0);
            let made = words.t("créés avant B5, dont injectés :", "created before B5, of which injected:");
            format!("{seen} / {b} {made} {old}")
        }
        (Kpi::Cs3, Some(a), Some(b)) => {
            format!("{a} / {b} {}", words.t("nouvelles stories en 30 jours", "new stories in 30 days"))
        }
        (Kpi::Cs4, Some(a), Some(b)) => {
            format!("{a} / {b} {}", words.t("premières stories après B5", "first stories after B5"))
        }
        _ => words.t("[kpi] b5_merge n'est pas renseigné", "[kpi] b5_merge is not set").to_owned(),
    }
}

/// A bar up to the value on a track that ends at `end`, with the target as a line across.
fn bullet(measure: &Measure, end: f64, words: Words) -> Markup {
    let x = |v: f64| WIDTH * (v / end).clamp(0.0, 1.0);
    let value = measure.value.unwrap_or(0.0);
    let goal = measure.target.unwrap_or(0.0);
    let name = target(measure, words.0).unwrap_or_default();
    html! {
        svg viewBox="0 0 230 40" aria-hidden="true" {
            rect.track x="0" y="6" width="230" height="14" rx="4" {}
            @if value > 0.0 {
                rect class=(format!("fill {}", class(measure.status))) x="0" y="6" width=(n(x(value).max(4.0))) height="14" rx="4" {}
            }
            line.target x1=(n(x(goal))) x2=(n(x(goal))) y1="1" y2="25" {}
            text.t x=(n(x(goal))) y="38" text-anchor=(if x(goal) < 40.0 { "start" } else { "middle" }) { (name) }
        }
    }
}

/// Ten dots before and ten after: a full one is a GO at the first version.
fn dots(measure: &Measure, words: Words) -> Markup {
    let rows = [
        (words.t("avant", "before"), detail(measure, "before_go_v1"), detail(measure, "before_stories")),
        (words.t("après", "after"), detail(measure, "after_go_v1"), detail(measure, "after_stories")),
    ];
    html! {
        svg viewBox="0 0 230 44" aria-hidden="true" {
            @for (row, (name, go, all)) in rows.iter().enumerate() {
                @let y = 11.0 + 22.0 * real(row);
                text.t x="0" y=(n(y + 4.0)) { (name) }
                @for i in 0..10_usize {
                    @let class = match (go, all) {
                        (Some(go), _) if i < *go => "fill",
                        (_, Some(all)) if i < *all => "track",
                        _ => "hollow",
                    };
                    circle class=(class) cx=(n(54.0 + 16.4 * real(i))) cy=(n(y)) r="5.8" {}
                }
                text.t.ink x="230" y=(n(y + 4.0)) text-anchor="end" { (go.map_or_else(|| "—".to_owned(), |g| g.to_string())) }
            }
        }
    }
}

/// Five squares: full ones are served stories, pale ones came to step 0, hollow ones are to come.
fn squares(measure: &Measure) -> Markup {
    let count = |n: Option<i64>| usize::try_from(n.unwrap_or(0)).unwrap_or(0);
    let (served, seen) = (count(measure.numerator), count(measure.denominator));
    html! {
        svg viewBox="0 0 230 40" aria-hidden="true" {
            @for i in 0..5_usize {
                @let class = if i < served { format!("fill {}", class(measure.status)) } else if i < seen { "track".into() } else { "hollow".into() };
                rect class=(class) x=(n(1.0 + 38.0 * real(i))) y="5" width="28" height="28" rx="6" {}
            }
        }
    }
}
