//! Injections per source over time: one strip of weekly bars a source, on one scale.

use maud::{Markup, html};

use super::svg::{self, Size, n, real};
use super::words::Words;
use crate::base::{Date, Instant};
use crate::memory::facts::{DAY, Facts};
use crate::store::Source;

/// Days from a Monday to the Unix epoch, a Thursday.
const MONDAY: i64 = 3;
const STRIP: f64 = 88.0;
/// Room above the first strip, for the mark of the merge.
const TOP: f64 = 16.0;
const LEFT: f64 = 28.0;

/// What one week holds of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Week {
    injections: usize,
    items: usize,
    down: usize,
}

/// The number of the week of `at`, Monday to Sunday.
fn week_of(at: Instant) -> i64 {
    (at.unix().div_euclid(DAY) + MONDAY).div_euclid(7)
}

/// The Monday of a week.
fn monday(week: i64) -> Date {
    Instant::from_unix((week * 7 - MONDAY) * DAY).date()
}

/// The last `weeks` weeks of `source`, the present one last.
fn series(facts: &Facts, source: Source, weeks: usize) -> Vec<Week> {
    let mut series = vec![Week::default(); weeks];
    let last = week_of(facts.now);
    for injection in facts.injections.iter().filter(|i| i.source == source) {
        let ago = usize::try_from(last - week_of(injection.at)).ok();
        let Some(week) = ago.and_then(|a| weeks.checked_sub(a + 1)).and_then(|i| series.get_mut(i)) else {
            continue;
        };
        week.items += injection.ids.len();
        week.injections += usize::from(!injection.ids.is_empty());
        week.down += usize::from(injection.unavailable);
    }
    series
}

/// The section's figure and table.
pub(super) fn figure(facts: &Facts, words: Words) -> Markup {
    if facts.injections.is_empty() {
        return html! {
            p.empty { (words.t("Aucune injection tracée pour l'instant. La première se fait avec ", "No injection traced so far. The first one comes with "))
                code { "step0-inject" } "." }
        };
    }
    let label =
        words.t("Injections par semaine, une bande par source", "Injections a week, one strip per source");
    html! {
        (svg::full(label, |size| draw(facts, words, size)))
        (table(facts, words))
    }
}

fn draw(facts: &Facts, words: Words, size: Size) -> (f64, Markup) {
    let weeks = if size == svg::SMALL { 13 } else { 26 };
    let all: Vec<(Source, Vec<Week>)> =
        Source::ALL.into_iter().map(|s| (s, series(facts, s, weeks))).collect();
    let top = svg::ceiling(all.iter().flat_map(|(_, w)| w.iter().map(|w| w.injections)).max().unwrap_or(0));
    let pitch = (size.width - LEFT) / real(weeks);
    let bars = STRIP - 42.0;
    let first = week_of(facts.now) + 1 - i64::try_from(weeks).unwrap_or(0);
    let bottom = TOP + STRIP * 3.0 - 4.0;
    let drawing = html! {
        @if let Some(x) = merge(facts, first, weeks).map(|i| LEFT + pitch * i) {
            line.mark x1=(n(x)) x2=(n(x)) y1="16" y2=(n(bottom)) {}
            text.t x=(n(x)) y="12" text-anchor="middle" { "B5" }
        }
        @for (row, (source, weeks)) in all.iter().enumerate() {
            @let base = TOP + STRIP * real(row + 1) - 4.0;
            @let injections = weeks.iter().map(|w| w.injections).sum::<usize>();
            @let items = weeks.iter().map(|w| w.items).sum::<usize>();
            text.t.strong x=(n(LEFT)) y=(n(base - bars - 12.0)) {
                (words.source(*source))
                tspan.t dx="8" {
                    (words.count(injections, ("injection", "injections"), ("injection", "injections"))) ", "
                    (words.count(items, ("élément", "éléments"), ("item", "items")))
                }
            }
            @for tick in svg::ticks(top) {
                @let y = base - bars * real(tick) / real(top);
                line.grid x1=(n(LEFT)) x2=(n(size.width)) y1=(n(y)) y2=(n(y)) {}
                text.t x=(n(LEFT - 6.0)) y=(n(y + 4.0)) text-anchor="end" { (tick) }
            }
            line.axis x1=(n(LEFT)) x2=(n(size.width)) y1=(n(base)) y2=(n(base)) {}
            @for (i, week) in weeks.iter().enumerate() {
                @let x = LEFT + pitch * real(i) + pitch * 0.14;
                @let day = words.day(monday(first + i64::try_from(i).unwrap_or(0)));
                @if week.injections > 0 {
                    (svg::bar(source.tag(), x, base, pitch * 0.72, bars * real(week.injections) / real(top),
                        &format!("{day} : {}, {}", words.count(week.injections, ("injection", "injections"), ("injection", "injections")), words.count(week.items, ("élément", "éléments"), ("item", "items")))))
                }
                @if week.down > 0 {
                    @let c = x + pitch * 0.36;
                    path.warn d=(format!("M{} {}l4 7h-8z", n(c), n(base + 2.0))) {
                        title { (day) " : " (words.t("source indisponible", "source down")) " × " (week.down) }
                    }
                }
            }
        }
        @for (i, name) in months(first, weeks, words) {
            text.t x=(n(LEFT + pitch * real(i))) y=(n(bottom + 16.0)) { (name) }
        }
    };
    (bottom + 22.0, drawing)
}

/// Where month names stand: at the first Monday of each, not too close to each other or the edge.
fn months(first: i64, weeks: usize, words: Words) -> Vec<(usize, &'static str)> {
    let mut names: Vec<(usize, &'static str)> = Vec::new();
    for i in 0..weeks {
        let day = monday(first + i64::try_from(i).unwrap_or(0));
        let fresh = i == 0 || day.ymd().1 != day.plus_days(-7).ymd().1;
        let room = names.last().is_none_or(|(at, _)| i - at >= 3) && weeks - i >= 2;
        if fresh && room {
            names.push((i, words.month(day)));
        } else if fresh && names.last() == Some(&(0, names[0].1)) && i < 3 {
            // The month that began just before the first week yields to the next one.
            names[0] = (i, words.month(day));
        }
    }
    names
}

/// The merge as a position in weeks, when it lies inside.
#[expect(clippy::cast_precision_loss, reason = "weeks of a chart")]
fn merge(facts: &Facts, first: i64, weeks: usize) -> Option<f64> {
    let at = facts.b5_merge?;
    let seconds = at.unix() - monday(first).midnight().unix();
    let position = seconds as f64 / (7 * DAY) as f64;
    (0.0..real(weeks)).contains(&position).then_some(position)
}

fn table(facts: &Facts, words: Words) -> Markup {
    let weeks = 26;
    let all = Source::ALL.map(|s| series(facts, s, weeks));
    let first = week_of(facts.now) + 1 - i64::try_from(weeks).unwrap_or(0);
    html! {
        details {
            summary { (words.t("Les chiffres, semaine par semaine", "The figures, week by week")) }
            div.scroll tabindex="0" role="region" aria-label=(words.t("Injections par semaine", "Injections a week")) {
                table {
                    caption { (words.t("Injections (éléments) par semaine, la plus récente d'abord ; semaines vides omises", "Injections (items) a week, latest first; empty weeks left out")) }
                    thead { tr {
                        th scope="col" { (words.t("Semaine du", "Week of")) }
                        @for source in Source::ALL { th.n scope="col" { (words.source(source)) } }
                        th.n scope="col" { (words.t("Indisponible", "Down")) }
                    } }
                    tbody {
                        @for i in (0..weeks).rev().filter(|i| all.iter().any(|s| s[*i] != Week::default())) {
                            tr {
                                th scope="row" { (words.day(monday(first + i64::try_from(i).unwrap_or(0)))) }
                                @for s in &all { td.n { (s[i].injections) " (" (s[i].items) ")" } }
                                td.n { (all.iter().map(|s| s[i].down).sum::<usize>()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, injection, nothing};

    #[test]
    fn weeks_begin_on_monday() {
        // 2026-04-13 is a Monday.
        assert_eq!(monday(week_of(at("2026-04-19T23:59:59Z"))).to_string(), "2026-04-13");
        assert_eq!(monday(week_of(at("2026-04-20T00:00:00Z"))).to_string(), "2026-04-20");
        let mut facts = nothing("2026-04-22T12:00:00Z");
        facts.injections = vec![
            injection("2026-04-19T23:59:59Z", "S-1", Source::Learning, &["a", "b"]),
            injection("2026-04-20T00:00:00Z", "S-2", Source::Learning, &["a"]),
            injection("2026-04-21T00:00:00Z", "S-3", Source::Learning, &[]),
            injection("2025-04-21T00:00:00Z", "S-4", Source::Learning, &["a"]),
            injection("2027-04-21T00:00:00Z", "S-5", Source::Learning, &["a"]),
        ];
        let s = series(&facts, Source::Learning, 3);
        let week = |injections, items| Week { injections, items, down: 0 };
        assert_eq!(s, [week(0, 0), week(1, 2), week(1, 1)]);
    }
}
