//! What is known of the reuse of one lesson, and its line in the score file. Pure.

use super::lessons::Lesson;
use crate::base::Instant;
use crate::base::id::Slug;
use crate::store::schema::Score;
use crate::store::strict::Object;

/// The reuse of one lesson.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Worth of the distinct stories that received it, its own excluded, in tenths.
    pub tenths: u64,
    /// Verified, consistent step-0 events that name it, its own story's included.
    pub injections: u64,
    /// Distinct stories that received it, its own excluded.
    pub stories: u64,
    /// Distinct domains of those stories' events: places in the sorted list of all domains.
    pub domains: Box<[u32]>,
    /// The latest of the events that name it.
    pub last_injected_at: Option<Instant>,
}

impl Figures {
    /// `reuse_score_brut`, 0 or more.
    #[expect(clippy::cast_precision_loss, reason = "a double counts tenths exactly up to 2^53")]
    pub fn brut(&self) -> f64 {
        self.tenths as f64 / 10.0
    }

    /// `reuse_score` = tanh(brut / 10), from 0 to 1.
    pub fn score(&self) -> f64 {
        (self.brut() / 10.0).tanh()
    }

    /// The score line of `lesson`, computed at `now`; `domains` is the list that figures point into.
    pub fn to_score(&self, lesson: &Lesson, domains: &[Slug], now: Instant) -> Score {
        Score {
            story: lesson.story.clone(),
            gate: lesson.gate,
            tag_hash: hex::encode(lesson.tag_hash),
            learning_id: lesson.id.clone(),
            reuse_score_brut: self.brut(),
            reuse_score: self.score(),
            nb_injections: self.injections,
            nb_stories: self.stories,
            nb_domains: self.domains.len() as u64,
            domains: self.domains.iter().filter_map(|at| domains.get(*at as usize).cloned()).collect(),
            last_injected_at: self.last_injected_at,
            computed_at: now,
            source: Object::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_follow_tanh() {
        // tanh from an independent calculator, 16 digits.
        for (tenths, brut, score) in [
            (0, 0.0, 0.0),
            (3, 0.3, 0.029_991_003_238_820_15),
            (18, 1.8, 0.178_080_868_117_330_2),
            (100, 10.0, 0.761_594_155_955_764_9),
            (100_000, 10_000.0, 1.0),
        ] {
            let figures = Figures { tenths, ..Figures::default() };
            assert_eq!(figures.brut(), brut);
            assert!((figures.score() - score).abs() < 1e-15, "{tenths}: {}", figures.score());
        }
    }

    #[test]
    fn a_score_line_joins_its_lesson() {
        let lesson = Lesson::sample("PD-19-3-aaaaaaaaaaaa", "PD-19");
        let figures = Figures { tenths: 18, domains: [1].into(), ..Figures::default() };
        let domains = ["api", "auth"].map(|d| d.parse().unwrap());
        let score = figures.to_score(&lesson, &domains, Instant::from_unix(0));
        assert_eq!((&score.story, score.gate), (&lesson.story, lesson.gate));
        assert_eq!((score.tag_hash.as_str(), score.domains[0].as_str()), ("aa".repeat(32).as_str(), "auth"));
        assert_eq!((score.nb_domains, score.reuse_score_brut), (1, 1.8));
    }
}
