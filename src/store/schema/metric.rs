//! `metrics.jsonl`: the verdict of a gate on one version of a story.

use super::words::{exact, words};
use super::{Invalid, Record, gate, invalid, json, required};
use crate::base::id::{Slug, StoryId};
use crate::base::{Code, Instant};
use crate::store::strict::Object;

words! {
    /// What a gate says.
    Verdict by exact {
        /// Accepted.
        Go = "GO",
        /// Accepted with reservations.
        Reserve = "RESERVE",
        /// Not conforming.
        NonConforme = "NON_CONFORME",
        /// Rejected.
        Rejected = "REJECTED",
    }
}

/// One verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The judged story.
    pub story: StoryId,
    /// The gate.
    pub gate: i64,
    /// The judged iteration, from 1.
    pub version: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// When it was given.
    pub timestamp: Instant,
    /// The story's domain.
    pub domain: Slug,
    /// The story's project.
    pub project: Slug,
    /// The line as it was read; empty for a new verdict.
    pub source: Object,
}

impl Record for Metric {
    const CODE: Code = Code::SchemaInvalid;

    fn read(object: Object) -> Result<Self, Invalid> {
        let metric = Metric {
            story: required(&object, "story")?,
            gate: gate(&object)?,
            version: required(&object, "version")?,
            verdict: required(&object, "verdict")?,
            timestamp: required(&object, "timestamp")?,
            domain: required(&object, "domain")?,
            project: required(&object, "project")?,
            source: object,
        };
        if metric.version == 0 {
            return Err(invalid("version", "0"));
        }
        Ok(metric)
    }

    fn fields(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("story", json(&self.story)),
            ("gate", json(&self.gate)),
            ("version", json(&self.version)),
            ("verdict", json(&self.verdict)),
            ("timestamp", json(&self.timestamp)),
            ("domain", json(&self.domain)),
            ("project", json(&self.project)),
        ]
    }

    fn source(&self) -> &Object {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_refuses() {
        let line = r#"{"story":"PD-7","gate":8,"version":1,"verdict":"GO","timestamp":"2026-04-11T09:42:17Z","domain":"auth","project":"api"}"#;
        assert_eq!(Metric::parse(line).unwrap().to_line(), line);
        for (from, to, field) in [
            ("\"version\":1", "\"version\":0", "version"),
            ("\"GO\"", "\"go\"", "verdict"),
            ("\"gate\":8", "\"gate\":null", "gate"),
        ] {
            assert_eq!(Metric::parse(&line.replace(from, to)).unwrap_err().field, Some(field));
        }
    }
}
