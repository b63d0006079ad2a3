//! `learnings-scores.jsonl`: how often a learning was reused, and with what outcome.
//!
//! A parallel file, joined with the learnings on story, gate and tag hash; no line means 0.0.

use super::{Invalid, Record, gate, invalid, json, optional, required};
use crate::base::id::{Slug, StoryId};
use crate::base::{Code, Instant};
use crate::store::strict::Object;

/// The version of the score schema.
pub const SCHEMA_VERSION: u32 = 3;

/// The score of one learning.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// The learning's story.
    pub story: StoryId,
    /// The learning's gate.
    pub gate: i64,
    /// The hash of the learning's tags, 64 hex digits.
    pub tag_hash: String,
    /// The learning's identity.
    pub learning_id: String,
    /// Sum of the outcomes of the stories that received it, 0 or more.
    pub reuse_score_brut: f64,
    /// tanh(brut / 10), from 0 to 1.
    pub reuse_score: f64,
    /// Verified step-0 events that name it.
    pub nb_injections: u64,
    /// Distinct stories that received it, its own excluded.
    pub nb_stories: u64,
    /// Distinct domains of those stories' events.
    pub nb_domains: u64,
    /// Those domains.
    pub domains: Vec<Slug>,
    /// When it was last injected.
    pub last_injected_at: Option<Instant>,
    /// When anything of this line last changed.
    pub computed_at: Instant,
    /// The line as it was read; empty for a new score.
    pub source: Object,
}

impl Score {
    /// Whether everything but `computed_at` is equal: then the old line keeps its bytes.
    pub fn same_result(&self, other: &Score) -> bool {
        // Every field is named, so that a new one cannot be forgotten.
        let Score {
            story,
            gate,
            tag_hash,
            learning_id,
            reuse_score_brut,
            reuse_score,
            nb_injections,
            nb_stories,
            nb_domains,
            domains,
            last_injected_at,
            computed_at: _,
            source: _,
        } = other;
        (&self.story, self.gate, &self.tag_hash, &self.learning_id) == (story, *gate, tag_hash, learning_id)
            && (self.reuse_score_brut, self.reuse_score) == (*reuse_score_brut, *reuse_score)
            && (self.nb_injections, self.nb_stories) == (*nb_injections, *nb_stories)
            && (self.nb_domains, &self.domains) == (*nb_domains, domains)
            && self.last_injected_at == *last_injected_at
    }
}

impl Record for Score {
    const CODE: Code = Code::SchemaInvalid;

    fn read(object: Object) -> Result<Self, Invalid> {
        let version: u32 = required(&object, "schema_version")?;
        if version != SCHEMA_VERSION {
            return Err(invalid("schema_version", version.to_string()));
        }
        let score = Score {
            story: required(&object, "story")?,
            gate: gate(&object)?,
            tag_hash: required(&object, "tag_hash")?,
            learning_id: required(&object, "learning_id")?,
            reuse_score_brut: required(&object, "reuse_score_brut")?,
            reuse_score: required(&object, "reuse_score")?,
            nb_injections: required(&object, "nb_injections")?,
            nb_stories: required(&object, "nb_stories")?,
            nb_domains: required(&object, "nb_domains")?,
            domains: required(&object, "domains")?,
            last_injected_at: optional(&object, "last_injected_at")?,
            computed_at: required(&object, "computed_at")?,
            source: object,
        };
        let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        if score.tag_hash.len() != 64 || !score.tag_hash.bytes().all(hex) {
            return Err(invalid("tag_hash", "64 hex digits expected"));
        }
        if !(0.0..=f64::MAX).contains(&score.reuse_score_brut) {
            return Err(invalid("reuse_score_brut", score.reuse_score_brut.to_string()));
        }
        if !(0.0..=1.0).contains(&score.reuse_score) {
            return Err(invalid("reuse_score", score.reuse_score.to_string()));
        }
        Ok(score)
    }

    fn fields(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("story", json(&self.story)),
            ("gate", json(&self.gate)),
            ("tag_hash", json(&self.tag_hash)),
            ("learning_id", json(&self.learning_id)),
            ("reuse_score_brut", json(&self.reuse_score_brut)),
            ("reuse_score", json(&self.reuse_score)),
            ("nb_injections", json(&self.nb_injections)),
            ("nb_stories", json(&self.nb_stories)),
            ("nb_domains", json(&self.nb_domains)),
            ("domains", json(&self.domains)),
            ("last_injected_at", json(&self.last_injected_at)),
            ("computed_at", json(&self.computed_at)),
            ("schema_version", json(&SCHEMA_VERSION)),
        ]
    }

    fn source(&self) -> &Object {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score() -> Score {
        Score {
            story: "PD-19".parse().unwrap(),
            gate: 3,
            tag_hash: "a".repeat(64),
            learning_id: "PD-19-3-aaaaaaaaaaaa".into(),
            reuse_score_brut: 1.8,
            reuse_score: (0.18f64).tanh(),
            nb_injections: 2,
            nb_stories: 2,
            nb_domains: 1,
            domains: vec!["auth".parse().unwrap()],
            last_injected_at: None,
            computed_at: Instant::from_unix(1_775_900_537),
            source: Object::default(),
        }
    }

    #[test]
    fn floats_come_back_exactly() {
        for brut in [0.0, 0.1 + 0.2, 1.8, 5e-324, 1.0e300, 12345.678901234567] {
            let score = Score { reuse_score_brut: brut, ..score() };
            let back = Score::parse(&score.to_line()).unwrap();
            assert_eq!(back.reuse_score_brut.to_bits(), brut.to_bits());
            assert!(back.same_result(&score));
        }
        assert!(score().to_line().contains("\"reuse_score_brut\":1.8,"));
        assert!(!score().to_line().contains("last_injected_at"));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for (from, to, field) in [
            ("1.8", "-0.1", "reuse_score_brut"),
            ("\"schema_version\":3", "\"schema_version\":2", "schema_version"),
            ("\"nb_stories\":2", "\"nb_stories\":-2", "nb_stories"),
            ("aaaaaaaaaaaaa", "AAAAAAAAAAAAA", "tag_hash"),
        ] {
            let line = score().to_line().replacen(from, to, 1);
            assert_eq!(Score::parse(&line).unwrap_err().field, Some(field), "{line}");
        }
    }

    #[test]
    fn only_computed_at_may_differ() {
        let later = Score { computed_at: Instant::from_unix(0), ..score() };
        assert!(score().same_result(&later));
        assert!(!score().same_result(&Score { nb_injections: 3, ..score() }));
    }
}
