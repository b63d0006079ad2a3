//! Which story received which learning: stories on the left with their verdict at gate 8, learnings
//! on the right, one line a reception. A line says that a learning was shown, not that it helped.

use std::collections::{BTreeMap, HashMap, HashSet};

use maud::{Markup, html};

use super::svg::{self, Size, n, real};
use super::words::Words;
use crate::base::Instant;
use crate::memory::facts::{Facts, LearningFact};
use crate::store::Source;
use crate::store::schema::Verdict;

/// Most stories and learnings drawn.
const STORIES: usize = 14;
const LEARNINGS: usize = 18;
const ROW: f64 = 26.0;
/// Rows of the table.
const LISTED: usize = 60;

/// What the drawing shows, in drawing order.
#[derive(Debug, Default, PartialEq)]
struct Graph<'a> {
    /// Stories, latest step 0 first.
    stories: Vec<&'a str>,
    /// How many learnings each received, drawn or not.
    received: Vec<usize>,
    /// Learning ids, near their stories.
    learnings: Vec<&'a str>,
    /// Positions of a story and a learning.
    edges: Vec<(usize, usize)>,
    /// Stories and learnings that found no room.
    left_out: (usize, usize),
}

/// Every reception once: (story, learning), with the story's latest step 0.
fn receptions(facts: &Facts) -> (BTreeMap<&str, Instant>, HashSet<(&str, &str)>) {
    let (mut latest, mut pairs) = (BTreeMap::new(), HashSet::new());
    for injection in facts.injections.iter().filter(|i| i.source == Source::Learning) {
        for id in &injection.ids {
            pairs.insert((injection.story.as_str(), id.as_str()));
            let at = latest.entry(injection.story.as_str()).or_insert(injection.at);
            *at = injection.at.max(*at);
        }
    }
    (latest, pairs)
}

fn graph(facts: &Facts) -> Graph<'_> {
    let (latest, pairs) = receptions(facts);
    let mut stories: Vec<(&str, Instant)> = latest.into_iter().collect();
    stories.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let all_stories = stories.len();
    stories.truncate(STORIES);
    let stories: Vec<&str> = stories.into_iter().map(|(s, _)| s).collect();
    let row: HashMap<&str, usize> = stories.iter().enumerate().map(|(i, s)| (*s, i)).collect();
    let mut receivers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (story, id) in &pairs {
        if let Some(at) = row.get(story) {
            receivers.entry(id).or_default().push(*at);
        }
    }
    let all_learnings = receivers.len();
    let mut learnings: Vec<(&str, Vec<usize>)> = receivers.into_iter().collect();
    learnings.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(b.0)));
    learnings.truncate(LEARNINGS);
    // Each learning near the middle of its stories: fewer lines cross.
    let middle = |rows: &[usize]| real(rows.iter().sum()) / real(rows.len().max(1));
    learnings.sort_by(|a, b| middle(&a.1).total_cmp(&middle(&b.1)).then(a.0.cmp(b.0)));
    let mut edges: Vec<(usize, usize)> = learnings
        .iter()
        .enumerate()
        .flat_map(|(to, (_, rows))| rows.iter().map(move |from| (*from, to)))
        .collect();
    edges.sort_unstable();
    let received = stories.iter().map(|s| pairs.iter().filter(|(story, _)| story == s).count()).collect();
    let left_out = (all_stories - stories.len(), all_learnings - learnings.len());
    Graph { stories, received, learnings: learnings.into_iter().map(|(id, _)| id).collect(), edges, left_out }
}

/// The last verdict at gate 8: highest version, then time, then file order.
fn verdicts(facts: &Facts) -> HashMap<&str, Verdict> {
    let mut last: HashMap<&str, ((u32, Instant), Verdict)> = HashMap::new();
    for g in facts.gates.iter().filter(|g| g.gate == 8) {
        let rank = (g.version, g.at);
        let entry = last.entry(&g.story).or_insert((rank, g.verdict));
        if rank >= entry.0 {
            *entry = (rank, g.verdict);
        }
    }
    last.into_iter().map(|(s, (_, v))| (s, v)).collect()
}

/// A verdict's mark: a disc for GO, a diamond for RESERVE, a square for a refusal, a ring before any.
fn shape(class: &str, x: f64, y: f64) -> Markup {
    match class {
        "out reserve" => {
            html! { path class=(class) d=(format!("M{} {}l5.5 5.5l-5.5 5.5l-5.5 -5.5z", n(x), n(y - 5.5))) {} }
        }
        "out no" => {
            html! { rect class=(class) x=(n(x - 4.5)) y=(n(y - 4.5)) width="9" height="9" {} }
        }
        _ => html! { circle class=(class) cx=(n(x)) cy=(n(y)) r="5" {} },
    }
}

fn mark(verdict: Option<&Verdict>, words: Words) -> (&'static str, &'static str) {
    match verdict {
        Some(Verdict::Go) => ("out go", "GO"),
        Some(Verdict::Reserve) => ("out reserve", "RESERVE"),
        Some(Verdict::NonConforme) => ("out no", "NON_CONFORME"),
        Some(Verdict::Rejected) => ("out no", "REJECTED"),
        None => ("out", words.t("pas encore jugée", "not judged yet")),
    }
}

/// The section's figure and table.
pub(super) fn figure(facts: &Facts, words: Words) -> Markup {
    let graph = graph(facts);
    if graph.stories.is_empty() {
        return html! { p.empty { (words.t("Aucune story n'a encore reçu de learning.", "No story has received a learning yet.")) } };
    }
    let titles = facts.learnings_by_id();
    let verdicts = verdicts(facts);
    let label = words
        .t("Graphe des stories et des learnings reçus", "Graph of stories and the learnings they received");
    html! {
        (legend(words))
        (svg::full(label, |size| draw(&graph, &titles, &verdicts, words, size)))
        @if graph.left_out != (0, 0) {
            figcaption {
                (words.t("Dessinés : les stories les plus récentes et leurs learnings les plus partagés. Hors dessin : ", "Drawn: the latest stories and the learnings they share most. Not drawn: "))
                (words.count(graph.left_out.0, ("story", "stories"), ("story", "stories"))) ", "
                (words.count(graph.left_out.1, ("learning", "learnings"), ("learning", "learnings"))) "."
            }
        }
        (table(facts, &titles, &verdicts, words))
    }
}

fn legend(words: Words) -> Markup {
    let entries = [
        ("out go", "GO"),
        ("out reserve", "RESERVE"),
        ("out no", "NON_CONFORME, REJECTED"),
        ("out", words.t("pas encore jugée", "not judged yet")),
    ];
    html! {
        ul.legend {
            @for (class, name) in entries {
                li { svg viewBox="0 0 14 14" aria-hidden="true" { (shape(class, 7.0, 7.0)) } (name) }
            }
            li { svg viewBox="0 0 14 14" aria-hidden="true" { path.edge.own d="M0 7h14" {} } (words.t("son propre learning", "its own learning")) }
        }
    }
}

fn draw(
    graph: &Graph<'_>,
    titles: &HashMap<&str, &LearningFact>,
    verdicts: &HashMap<&str, Verdict>,
    words: Words,
    size: Size,
) -> (f64, Markup) {
    let rows = graph.stories.len().max(graph.learnings.len());
    let height = ROW * real(rows) + 34.0;
    // Both columns are centred on the longer one.
    let y = |i: usize, len: usize| 34.0 + ROW * (real(i) + real(rows - len) / 2.0) + ROW / 2.0;
    let small = size == svg::SMALL;
    let (left, right) = if small { (92.0, 178.0) } else { (132.0, size.width * 0.5) };
    let room = size.width - right - 14.0;
    let drawing = html! {
        text.t.strong x=(n(left - 16.0)) y="14" text-anchor="end" { "Stories" }
        text.t.strong x=(n(right + 14.0)) y="14" { "Learnings" }
        @for (from, story) in graph.stories.iter().enumerate() {
            @let at = y(from, graph.stories.len());
            @let (class, verdict) = mark(verdicts.get(story), words);
            @let received = graph.edges.iter().filter(|(f, _)| *f == from);
            g.story tabindex="0" role="img" aria-label=(format!("{}, {verdict}, {}", super::clean(story), words.count(graph.received[from], ("learning", "learnings"), ("learning", "learnings")))) {
                title { (super::clean(story)) " — " (verdict) }
                rect.halo x="1" y=(n(at - 11.0)) width=(n(left - 2.0)) height="22" rx="5" {}
                text.t.ink x=(n(left - 16.0)) y=(n(at + 4.0)) text-anchor="end" {
                    (svg::fitted(&super::clean(story), left - 20.0, 12.0))
                }
                @for (_, to) in received {
                    @let end = y(*to, graph.learnings.len());
                    @let middle = (left + right) / 2.0;
                    @let own = titles.get(graph.learnings[*to]).is_some_and(|l| l.story == **story);
                    path class=(if own { "edge own" } else { "edge" })
                        d=(format!("M{} {}C{} {} {} {} {} {}", n(left), n(at), n(middle), n(at), n(middle), n(end), n(right), n(end))) {}
                }
                (shape(class, left - 4.0, at))
            }
        }
        @for (to, id) in graph.learnings.iter().enumerate() {
            @let at = y(to, graph.learnings.len());
            @let degree = graph.edges.iter().filter(|(_, t)| *t == to).count();
            @let title = titles.get(id).map_or(*id, |l| l.title.as_str());
            circle.node cx=(n(right)) cy=(n(at)) r=(n(2.5 + (real(degree) * 2.2).min(6.0).sqrt() * 1.6)) {}
            text.t.ink x=(n(right + 14.0)) y=(n(at + 4.0)) {
                title { (super::clean(title)) " (" (super::clean(id)) ")" }
                (svg::fitted(&super::clean(title), room, 12.0))
            }
        }
    };
    (height, drawing)
}

fn table(
    facts: &Facts,
    titles: &HashMap<&str, &LearningFact>,
    verdicts: &HashMap<&str, Verdict>,
    words: Words,
) -> Markup {
    let (latest, pairs) = receptions(facts);
    let mut stories: Vec<_> = latest.into_iter().collect();
    stories.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    html! {
        details {
            summary { (words.t("Les réceptions, story par story", "The receptions, story by story")) }
            div.scroll tabindex="0" role="region" aria-label=(words.t("Réceptions", "Receptions")) {
                table {
                    caption { (words.t("Les soixante stories les plus récentes au plus", "The latest sixty stories at most")) }
                    thead { tr {
                        th scope="col" { "Story" }
                        th scope="col" { (words.t("Gate 8", "Gate 8")) }
                        th scope="col" { (words.t("Learnings reçus", "Learnings received")) }
                    } }
                    tbody {
                        @for (story, at) in stories.into_iter().take(LISTED) {
                            @let mut ids: Vec<&str> = pairs.iter().filter(|(s, _)| *s == story).map(|(_, id)| *id).collect();
                            @let () = ids.sort_unstable();
                            tr {
                                th scope="row" { (super::clean(story)) small { (words.day(at.date())) } }
                                td { (mark(verdicts.get(story), words).1) }
                                td {
                                    @for id in ids {
                                        @if let Some(l) = titles.get(id) { bdi { (super::clean(&l.title)) } }
                                        small { code { (super::clean(id)) } }
                                    }
                                }
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
    use crate::memory::facts::samples::{gate8, injection, nothing};

    #[test]
    fn the_latest_stories_and_their_learnings() {
        let mut facts = nothing("2026-05-01");
        let l = Source::Learning;
        facts.injections = vec![
            injection("2026-04-01", "S-1", l, &["A", "B"]),
            injection("2026-04-02", "S-2", l, &["B"]),
            injection("2026-04-03", "S-1", l, &["A"]),
            injection("2026-04-04", "S-3", l, &[]),
            injection("2026-04-05", "S-4", Source::Veille, &["V"]),
        ];
        let graph = graph(&facts);
        assert_eq!(graph.stories, ["S-1", "S-2"]);
        assert_eq!(graph.learnings, ["A", "B"]);
        assert_eq!(graph.edges, [(0, 0), (0, 1), (1, 1)]);
        assert_eq!(graph.left_out, (0, 0));
    }

    #[test]
    fn what_finds_no_room_is_counted() {
        let mut facts = nothing("2026-05-01");
        for i in 0..20 {
            let ids: Vec<String> = (0..2).map(|k| format!("L-{i}-{k}")).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            facts.injections.push(injection(
                &format!("2026-04-{:02}", i + 1),
                &format!("S-{i}"),
                Source::Learning,
                &ids,
            ));
        }
        let graph = graph(&facts);
        assert_eq!((graph.stories.len(), graph.learnings.len()), (STORIES, LEARNINGS));
        assert_eq!(graph.left_out, (6, 10));
        // What a story received is said in full, though only a part of it is drawn.
        assert_eq!((graph.received.clone(), graph.edges.len()), (vec![2; STORIES], LEARNINGS));
        assert_eq!(graph.stories[0], "S-19");
    }

    #[test]
    fn the_last_verdict_is_the_highest_version() {
        let mut facts = nothing("2026-05-01");
        facts.gates = vec![
            gate8("S-1", 2, Verdict::Go, "2026-04-02"),
            gate8("S-1", 1, Verdict::Reserve, "2026-04-03"),
            gate8("S-2", 1, Verdict::Go, "2026-04-02"),
            gate8("S-2", 1, Verdict::Rejected, "2026-04-02"),
        ];
        let verdicts = verdicts(&facts);
        assert_eq!((verdicts["S-1"], verdicts["S-2"]), (Verdict::Go, Verdict::Rejected));
    }
}
