//! The distribution of reuse scores: bins of 0.05 over what was reused, with both thresholds of
//! promotion, and the best learnings by name.

use maud::{Markup, html};

use super::svg::{self, Size, n, real};
use super::words::Words;
use crate::memory::facts::Facts;
use crate::memory::kpi::number;

const BINS: usize = 20;
const LEFT: f64 = 28.0;
/// Scores from which a learning may reach a domain, then everyone.
const THRESHOLDS: [(f64, &str, &str); 2] = [(0.30, "domaine", "domain"), (0.60, "global", "global")];

/// Active learnings by bin of their score, those at 0 apart.
fn bins(facts: &Facts) -> (usize, [usize; BINS]) {
    let (mut zero, mut bins) = (0, [0; BINS]);
    for learning in facts.learnings.iter().filter(|l| !l.archived) {
        if learning.reuse_score <= 0.0 {
            zero += 1;
            continue;
        }
        let at = (1..BINS).take_while(|i| learning.reuse_score >= real(*i) / real(BINS)).count();
        bins[at] += 1;
    }
    (zero, bins)
}

/// The section's figure and table.
pub(super) fn figure(facts: &Facts, words: Words) -> Markup {
    let (zero, bins) = bins(facts);
    let reused: usize = bins.iter().sum();
    let summary = match words.0 {
        crate::base::lang::Lang::Fr => format!(
            "{} sur {} learnings actifs ont servi à une autre story ; les autres (score 0) ne sont pas dessinés.",
            words.integer(reused),
            words.integer(reused + zero)
        ),
        crate::base::lang::Lang::En => format!(
            "{} of {} active learnings served another story; the others (score 0) are not drawn.",
            words.integer(reused),
            words.integer(reused + zero)
        ),
    };
    if reused == 0 {
        return html! {
            p.empty { (words.t("Aucun score au-dessus de zéro. Les scores se calculent avec ", "No score above zero. Scores are computed with "))
                code { "govmem score" } "." }
        };
    }
    let label = words.t("Répartition des scores de réutilisation", "Distribution of reuse scores");
    html! {
        (svg::half(label, |size| draw(&bins, words, size)))
        figcaption { (summary) }
        details {
            summary { (words.t("Les chiffres, par tranche", "The figures, by bin")) }
            table {
                thead { tr {
                    th scope="col" { (words.t("Score", "Score")) }
                    th.n scope="col" { "Learnings" }
                } }
                tbody {
                    tr { th scope="row" { "0" } td.n { (zero) } }
                    @for (i, count) in bins.iter().enumerate().filter(|(_, c)| **c > 0) {
                        tr {
                            th scope="row" { (edge(i, words)) " – " (edge(i + 1, words)) }
                            td.n { (count) }
                        }
                    }
                }
            }
        }
    }
}

fn edge(i: usize, words: Words) -> String {
    number(real(i) / real(BINS), 2, words.0)
}

fn draw(bins: &[usize; BINS], words: Words, size: Size) -> (f64, Markup) {
    let (top_y, base) = (26.0, 190.0);
    let top = svg::ceiling(bins.iter().copied().max().unwrap_or(0));
    let x = |score: f64| LEFT + (size.width - LEFT - 8.0) * score;
    let pitch = x(0.05) - x(0.0);
    let height = base - top_y - 10.0;
    let drawing = html! {
        @for tick in svg::ticks(top) {
            @let y = base - height * real(tick) / real(top);
            line.grid x1=(n(LEFT)) x2=(n(x(1.0))) y1=(n(y)) y2=(n(y)) {}
            text.t x=(n(LEFT - 6.0)) y=(n(y + 4.0)) text-anchor="end" { (tick) }
        }
        @for (score, fr, en) in THRESHOLDS {
            line.mark x1=(n(x(score))) x2=(n(x(score))) y1=(n(top_y - 6.0)) y2=(n(base)) {}
            // On a telephone the first threshold is named on the left of its line, where there is room.
            @let left = size == svg::SMALL && score < 0.5;
            text.t x=(n(x(score) + if left { -4.0 } else { 4.0 })) y=(n(top_y - 8.0)) text-anchor=(if left { "end" } else { "start" }) { (words.t(fr, en)) " ≥ " (number(score, 2, words.0)) }
        }
        line.axis x1=(n(LEFT)) x2=(n(x(1.0))) y1=(n(base)) y2=(n(base)) {}
        @for (i, count) in bins.iter().enumerate().filter(|(_, c)| **c > 0) {
            (svg::bar("learning", x(real(i) / real(BINS)) + 1.0, base, pitch - 2.0, height * real(*count) / real(top),
                &format!("{} – {} : {}", edge(i, words), edge(i + 1, words), words.count(*count, ("learning", "learnings"), ("learning", "learnings")))))
        }
        @for i in 0..=5_usize {
            @let at = real(i) / 5.0;
            text.t x=(n(x(at))) y=(n(base + 17.0)) text-anchor=(if i == 5 { "end" } else { "middle" }) {
                (number(at, 1, words.0))
            }
        }
    };
    (base + 24.0, drawing)
}

/// The best learnings.
pub(super) fn best(facts: &Facts, words: Words) -> Markup {
    let top = facts.top(8);
    if top.is_empty() {
        return html! { p.empty { (words.t("Aucun learning réutilisé pour l'instant.", "No learning reused so far.")) } };
    }
    html! {
        ol.best {
            @for l in top {
                li {
                    b { (number(l.reuse_score, 3, words.0)) }
                    bdi { (super::clean(&l.title)) }
                    span {
                        code { (super::clean(&l.id)) } " · "
                        (words.count(usize::try_from(l.nb_stories).unwrap_or(usize::MAX), ("story", "stories"), ("story", "stories")))
                        " · " (scope(l.scope, words))
                    }
                }
            }
        }
    }
}

fn scope(scope: crate::store::schema::Scope, words: Words) -> &'static str {
    use crate::store::schema::Scope;
    match scope {
        Scope::Story => words.t("portée story", "story scope"),
        Scope::Domain => words.t("portée domaine", "domain scope"),
        Scope::Global => words.t("portée globale", "global scope"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::facts::samples::{learning, nothing};

    #[test]
    fn bins_are_half_open_and_the_last_holds_one() {
        let mut facts = nothing("2026-05-01");
        for score in [0.0, 0.0997, 0.05, 0.0499, 0.3, 0.95, 1.0] {
            facts.learnings.push(learning("PD-1", "2026-01-01", score));
        }
        facts.learnings[1].archived = true;
        let (zero, bins) = bins(&facts);
        assert_eq!(zero, 1);
        let filled: Vec<_> = bins.iter().enumerate().filter(|(_, c)| **c > 0).map(|(i, c)| (i, *c)).collect();
        assert_eq!(filled, [(0, 1), (1, 1), (6, 1), (19, 2)]);
    }
}
