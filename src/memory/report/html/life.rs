//! The life of learnings: promotions and restorations above the line, archivals below, month by month.

use maud::{Markup, html};

use super::svg::{self, Size, n, real};
use super::words::Words;
use crate::audit::EventName;
use crate::base::{Date, Instant};
use crate::memory::facts::{Facts, Transition};

const LEFT: f64 = 28.0;
/// Transitions in the table.
const LISTED: usize = 30;

/// What one month holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Month {
    promoted: usize,
    restored: usize,
    archived: usize,
}

/// Months since year 0.
fn month_of(at: Instant) -> i64 {
    let (year, month, _) = at.date().ymd();
    i64::from(year) * 12 + i64::from(month) - 1
}

/// The first day of a month, which a report's months always have.
fn first_day(month: i64) -> Date {
    let year = i32::try_from(month.div_euclid(12)).unwrap_or(1);
    let number = u32::try_from(month.rem_euclid(12) + 1).unwrap_or(1);
    Date::new(year, number, 1).unwrap_or_else(|| Instant::from_unix(0).date())
}

/// The last `months` months, the present one last.
fn series(facts: &Facts, months: usize) -> Vec<Month> {
    let mut series = vec![Month::default(); months];
    let last = month_of(facts.now);
    for t in &facts.transitions {
        let ago = usize::try_from(last - month_of(t.at)).ok();
        let Some(month) = ago.and_then(|a| months.checked_sub(a + 1)).and_then(|i| series.get_mut(i)) else {
            continue;
        };
        match t.name {
            EventName::LearningPromoted => month.promoted += 1,
            EventName::LearningRestored => month.restored += 1,
            EventName::LearningArchived => month.archived += 1,
            _ => {}
        }
    }
    series
}

/// The transitions that the section speaks of, latest first.
fn told(facts: &Facts) -> Vec<&Transition> {
    facts
        .transitions
        .iter()
        .rev()
        .filter(|t| word(t.name, Words(crate::base::lang::Lang::En)).is_some())
        .collect()
}

fn word(name: EventName, words: Words) -> Option<&'static str> {
    Some(match name {
        EventName::LearningPromoted => words.t("promu", "promoted"),
        EventName::LearningArchived => words.t("archivé", "archived"),
        EventName::LearningRestored => words.t("restauré", "restored"),
        EventName::LearningRedacted => words.t("caviardé", "redacted"),
        _ => return None,
    })
}

/// The section's figure and table.
pub(super) fn figure(facts: &Facts, words: Words) -> Markup {
    let told = told(facts);
    if told.is_empty() {
        return html! {
            p.empty { (words.t("Ni promotion ni archivage pour l'instant. Ils se décident avec ", "Neither promotion nor archival so far. They are decided with "))
                code { "govmem promote" } "." }
        };
    }
    let label = words.t(
        "Promotions, restaurations et archivages par mois",
        "Promotions, restorations and archivals a month",
    );
    let titles = facts.learnings_by_id();
    html! {
        (legend(words))
        (svg::half(label, |size| draw(facts, words, size)))
        details {
            summary { (words.t("Les transitions, une à une", "The transitions, one by one")) }
            div.scroll tabindex="0" role="region" aria-label=(words.t("Transitions", "Transitions")) {
                table {
                    caption { (words.t("Les plus récentes d'abord, trente au plus", "Latest first, thirty at most")) }
                    thead { tr {
                        th scope="col" { (words.t("Jour", "Day")) }
                        th scope="col" { (words.t("Transition", "Transition")) }
                        th scope="col" { "Learning" }
                    } }
                    tbody {
                        @for t in told.into_iter().take(LISTED) {
                            tr {
                                td.d { (words.day(t.at.date())) }
                                td { (word(t.name, words).unwrap_or_default()) }
                                th scope="row" {
                                    @if let Some(l) = titles.get(t.id.as_str()) { bdi { (super::clean(&l.title)) } }
                                    small { code { (super::clean(&t.id)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn legend(words: Words) -> Markup {
    let entries = [
        ("up", words.t("promus", "promoted")),
        ("back", words.t("restaurés", "restored")),
        ("down", words.t("archivés", "archived")),
    ];
    html! {
        ul.legend {
            @for (class, name) in entries {
                li { svg viewBox="0 0 14 14" aria-hidden="true" { rect class=(class) x="1" y="1" width="12" height="12" rx="3" {} } (name) }
            }
        }
    }
}

fn draw(facts: &Facts, words: Words, size: Size) -> (f64, Markup) {
    let months = if size == svg::SMALL { 6 } else { 12 };
    let series = series(facts, months);
    let up = svg::ceiling(series.iter().map(|m| m.promoted + m.restored).max().unwrap_or(0));
    let down = svg::ceiling(series.iter().map(|m| m.archived).max().unwrap_or(0));
    let room = 150.0;
    let unit = room / real(up + down);
    let (top, line) = (18.0, 18.0 + unit * real(up));
    let bottom = top + room;
    let pitch = (size.width - LEFT) / real(months);
    let last = month_of(facts.now);
    let drawing = html! {
        line.grid x1=(n(LEFT)) x2=(n(size.width)) y1=(n(top)) y2=(n(top)) {}
        line.grid x1=(n(LEFT)) x2=(n(size.width)) y1=(n(bottom)) y2=(n(bottom)) {}
        text.t x=(n(LEFT - 6.0)) y=(n(top + 4.0)) text-anchor="end" { (up) }
        text.t x=(n(LEFT - 6.0)) y=(n(line + 4.0)) text-anchor="end" { "0" }
        text.t x=(n(LEFT - 6.0)) y=(n(bottom + 4.0)) text-anchor="end" { (down) }
        @for (i, month) in series.iter().enumerate() {
            @let x = LEFT + pitch * real(i) + pitch * 0.2;
            @let w = pitch * 0.6;
            @let day = first_day(last + 1 + i64::try_from(i).unwrap_or(0) - i64::try_from(months).unwrap_or(0));
            @let (year, number, _) = day.ymd();
            @let name = format!("{} {year}", words.month(day));
            @if month.promoted > 0 {
                rect.up x=(n(x)) y=(n(line - unit * real(month.promoted))) width=(n(w)) height=(n(unit * real(month.promoted))) rx="1.5" {
                    title { (name) " : " (month.promoted) " " (words.t("promus", "promoted")) }
                }
            }
            @if month.restored > 0 {
                rect.back x=(n(x)) y=(n(line - unit * real(month.promoted + month.restored))) width=(n(w)) height=(n(unit * real(month.restored))) rx="1.5" {
                    title { (name) " : " (month.restored) " " (words.t("restaurés", "restored")) }
                }
            }
            @if month.archived > 0 {
                rect.down x=(n(x)) y=(n(line)) width=(n(w)) height=(n(unit * real(month.archived))) rx="1.5" {
                    title { (name) " : " (month.archived) " " (words.t("archivés", "archived")) }
                }
            }
            @if number % 2 == 1 || months < 12 {
                text.t x=(n(x + w / 2.0)) y=(n(bottom + 18.0)) text-anchor="middle" { (words.month(day)) }
            }
        }
        line.axis x1=(n(LEFT)) x2=(n(size.width)) y1=(n(line)) y2=(n(line)) {}
    };
    (bottom + 24.0, drawing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{at, nothing};

    #[test]
    fn months_are_calendar_months() {
        let mut facts = nothing("2026-01-15T00:00:00Z");
        let t = |when: &str, name| Transition { at: at(when), name, id: "PD-1-8-x".into() };
        facts.transitions = vec![
            t("2025-10-31T23:59:59Z", EventName::LearningPromoted),
            t("2025-11-01T00:00:00Z", EventName::LearningPromoted),
            t("2025-12-31T23:59:59Z", EventName::LearningArchived),
            t("2026-01-01T00:00:00Z", EventName::LearningRestored),
            t("2026-01-02T00:00:00Z", EventName::ScopeMigrated),
        ];
        let month = |promoted, restored, archived| Month { promoted, restored, archived };
        assert_eq!(series(&facts, 3), [month(1, 0, 0), month(0, 0, 1), month(0, 1, 0)]);
        assert_eq!(told(&facts).len(), 4);
        assert_eq!(first_day(month_of(facts.now)).to_string(), "2026-01-01");
    }
}
