//! What is known of the reuse of one lesson, and its line in the score file. Pure.

use super::lessons::Lesson;
use crate::base::Instant;
use crate::base::id::{Slug, StoryId};
use crate::store::schema::{Record, SCORE_VERSION as SCHEMA_VERSION, Score};
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

    /// The text of [`Figures::to_score`], made without it: a copy of each domain of each lesson would cost
    /// more than everything else.
    pub fn to_line(&self, lesson: &Lesson, domains: &[Slug], now: Instant) -> String {
        let row = Row {
            story: &lesson.story,
            gate: lesson.gate,
            tag_hash: &hex::encode(lesson.tag_hash),
            learning_id: &lesson.id,
            reuse_score_brut: self.brut(),
            reuse_score: self.score(),
            nb_injections: self.injections,
            nb_stories: self.stories,
            nb_domains: self.domains.len() as u64,
            domains: Domains { places: &self.domains, names: domains },
            last_injected_at: self.last_injected_at,
            computed_at: now,
            schema_version: SCHEMA_VERSION,
        };
        // Grown step by step, each line would be copied three times.
        let names = self.domains.iter().filter_map(|at| domains.get(*at as usize));
        let mut line = Vec::with_capacity(512 + names.map(|name| name.as_str().len() + 3).sum::<usize>());
        // Numbers are finite and keys are texts: what is left to fail is the slower way's to say.
        let written = serde_json::to_writer(&mut line, &row).ok();
        written
            .and_then(|()| String::from_utf8(line).ok())
            .unwrap_or_else(|| self.to_score(lesson, domains, now).to_line())
    }

    /// The score of `lesson`, computed at `now`; `domains` is the list that figures point into.
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

/// The fields of a score line, in their order.
#[derive(serde::Serialize)]
struct Row<'a> {
    story: &'a StoryId,
    gate: i64,
    tag_hash: &'a str,
    learning_id: &'a str,
    reuse_score_brut: f64,
    reuse_score: f64,
    nb_injections: u64,
    nb_stories: u64,
    nb_domains: u64,
    domains: Domains<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_injected_at: Option<Instant>,
    computed_at: Instant,
    schema_version: u32,
}

/// Domains by place.
struct Domains<'a> {
    places: &'a [u32],
    names: &'a [Slug],
}

impl serde::Serialize for Domains<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.places.iter().filter_map(|at| self.names.get(*at as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_the_score() {
        let lesson = Lesson::sample("PD-1-3-aaaaaaaaaaaa", "PD-1");
        let names: Vec<Slug> = ["auth", "billing", "web"].map(|d| d.parse().unwrap()).into();
        let now = Instant::from_unix(1_775_900_537);
        for (tenths, last, places) in [
            (0, None, &[][..]),
            (18, Some(Instant::from_unix(0)), &[0, 2][..]),
            (12_345_678, Some(now), &[0, 1, 2][..]),
        ] {
            let figures = Figures {
                tenths,
                injections: tenths * 3,
                stories: 7,
                domains: places.into(),
                last_injected_at: last,
            };
            let score = figures.to_score(&lesson, &names, now);
            assert_eq!(figures.to_line(&lesson, &names, now), score.to_line());
        }
    }

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
