//! `clarifications.jsonl`: the product owner's answers of one file.

use std::collections::HashSet;

use super::words::{exact, words};
use super::{Invalid, Record, filled, invalid, json, required};
use crate::base::id::{Slug, StoryId};
use crate::base::{Code, Date};
use crate::store::inside;
use crate::store::strict::Object;
use crate::tr;

/// How long a clarification is kept, in calendar months.
pub const RETENTION_MONTHS: u32 = 18;

words! {
    /// What a question is about.
    Theme by exact {
        /// The problem (Q1).
        Probleme = "probleme",
        /// The criteria (Q2).
        Criteres = "criteres",
        /// The constraints (Q3).
        Contraintes = "contraintes",
        /// The priorities (Q4).
        Priorites = "priorites",
    }
}

/// One answered question.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// `Q1`, `Q2` …
    pub id: String,
    /// What it is about.
    pub theme: Theme,
    /// The answer, verbatim.
    pub answer: String,
}

/// The clarifications of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Clarification {
    /// The story.
    pub story: StoryId,
    /// Its domain.
    pub domain: Slug,
    /// Its project.
    pub project: Slug,
    /// The day of the answers.
    pub date: Date,
    /// The file, relative to the workspace; the record's identity.
    pub path: String,
    /// The answers, in the order of the file.
    pub questions: Vec<Answer>,
    /// The last day on which it is kept.
    pub retention_until: Date,
    /// The line as it was read; empty for a new record.
    pub source: Object,
}

impl Clarification {
    /// The last day on which clarifications of `date` are kept: 18 calendar months later, clamped.
    pub fn retention_of(date: Date) -> Date {
        date.plus_months(RETENTION_MONTHS)
    }

    /// Whether its retention has passed on `today`.
    pub fn is_expired(&self, today: Date) -> bool {
        today > self.retention_until
    }
}

impl Record for Clarification {
    const CODE: Code = Code::ClarificationInvalid;

    fn read(object: Object) -> Result<Self, Invalid> {
        let record = Clarification {
            story: required(&object, "story")?,
            domain: required(&object, "domain")?,
            project: required(&object, "project")?,
            date: required(&object, "date")?,
            path: required(&object, "path")?,
            questions: required(&object, "questions")?,
            retention_until: required(&object, "retention_until")?,
            source: object,
        };
        if !inside::is_plain(&record.path) {
            return Err(invalid("path", format!("{:.60?}", record.path)));
        }
        if record.questions.is_empty() {
            return Err(invalid("questions", tr!("vide", "empty")));
        }
        let mut seen = HashSet::new();
        for question in &record.questions {
            let number = question.id.strip_prefix('Q').unwrap_or_default();
            let digits = !number.is_empty() && number.len() < 6 && number.bytes().all(|b| b.is_ascii_digit());
            if !digits || number.starts_with('0') || !seen.insert(&question.id) {
                return Err(invalid("questions", format!("{:.60?}", question.id)));
            }
            filled("questions", &question.answer)?;
        }
        Ok(record)
    }

    fn fields(&self) -> Vec<(&'static str, Option<String>)> {
        vec![
            ("story", json(&self.story)),
            ("domain", json(&self.domain)),
            ("project", json(&self.project)),
            ("date", json(&self.date)),
            ("path", json(&self.path)),
            ("questions", json(&self.questions)),
            ("retention_until", json(&self.retention_until)),
        ]
    }

    fn source(&self) -> &Object {
        &self.source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification, §5.3.1, with answers.
    const LINE: &str = r#"{"story":"PD-42","domain":"auth-identity","project":"backend","date":"2026-03-15","path":"docs/epics/auth-identity/PD-42-mfa/PD-42-clarifications.md","questions":[{"id":"Q1","theme":"probleme","answer":"a"},{"id":"Q2","theme":"criteres","answer":"b"},{"id":"Q3","theme":"contraintes","answer":"c"},{"id":"Q4","theme":"priorites","answer":"d"}],"retention_until":"2027-09-15"}"#;

    #[test]
    fn the_example_of_the_specification() {
        let record = Clarification::parse(LINE).unwrap();
        assert_eq!(record.to_line(), LINE);
        assert_eq!(Clarification::retention_of(record.date), record.retention_until);
        assert!(!record.is_expired(Date::parse("2027-09-15").unwrap()));
        assert!(record.is_expired(Date::parse("2027-09-16").unwrap()));
    }

    #[test]
    fn offending_fields_are_named() {
        for (from, to) in [
            ("\"Q2\"", "\"Q1\""),
            ("\"Q2\"", "\"q2\""),
            ("\"Q2\"", "\"Q０\""),
            ("\"Q2\"", "\"Q02\""),
            ("\"b\"", "\" \""),
            ("criteres", "autre"),
        ] {
            let error = Clarification::parse(&LINE.replacen(from, to, 1)).unwrap_err();
            assert_eq!(error.field, Some("questions"), "{to}");
        }
    }
}
