//! Events before they are signed, made by one constructor per kind of act.
//!
//! Every event has the same envelope; workspace-wide ones carry `-` for story, domain and project,
//! step −1 and an empty query. The bucket and the query hash are derived here, never passed in.

use super::canonical;
use super::envelope::{Details, Envelope, SCHEMA_VERSION, Stamp};
use super::signer::Signer;
use super::text::Text;
use super::vocabulary::{EventName, Operation, Source};
use crate::base::Instant;
use crate::base::id::{Slug, StoryId, sha256_hex};
use crate::store::Source as Searched;

/// An event not yet signed: everything but the key version and the signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    name: EventName,
    at: Instant,
    story: String,
    step: i32,
    source: Source,
    domain: String,
    project: String,
    operation: Operation,
    query: String,
    result_ids: Vec<String>,
    details: Vec<(String, String)>,
}

/// The story, domain and project of an event that belongs to one.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The story.
    pub story: &'a StoryId,
    /// Its domain.
    pub domain: &'a Slug,
    /// Its project.
    pub project: &'a Slug,
}

impl Event {
    fn new(name: EventName, source: Source, operation: Operation, step: i32, at: Instant) -> Self {
        Event {
            name,
            at,
            story: "-".into(),
            step,
            source,
            domain: "-".into(),
            project: "-".into(),
            operation,
            query: String::new(),
            result_ids: Vec::new(),
            details: Vec::new(),
        }
    }

    fn at_place(mut self, place: Place<'_>) -> Self {
        self.story = place.story.to_string();
        self.domain = place.domain.to_string();
        self.project = place.project.to_string();
        self
    }

    /// Step 0 showed `ids` of `source` for `query`.
    pub fn step0(source: Searched, at: Instant, place: Place<'_>, query: &str, ids: Vec<String>) -> Self {
        let mut e =
            Event::new(injected(source), source.into(), Operation::Step0Injection, 0, at).at_place(place);
        e.query = query.to_owned();
        e.result_ids = ids;
        e
    }

    /// Step 0 could not search `source`; `reason` is signed in the details.
    pub fn source_unavailable(
        source: Searched,
        at: Instant,
        place: Place<'_>,
        query: &str,
        reason: &str,
    ) -> Self {
        let name = EventName::SourceUnavailable;
        let mut e = Event::new(name, source.into(), Operation::Step0Injection, 0, at).at_place(place);
        e.query = query.to_owned();
        e.with_detail("reason", reason)
    }

    /// A traced search by hand: never counted by scores or KPIs. Domain and project may be unknown.
    pub fn search(
        source: Searched,
        at: Instant,
        story: &StoryId,
        domain: Option<&Slug>,
        project: Option<&Slug>,
        query: &str,
        ids: Vec<String>,
    ) -> Self {
        let mut e = Event::new(injected(source), source.into(), Operation::Search, -1, at);
        e.story = story.to_string();
        e.domain = domain.map_or_else(|| "-".to_owned(), ToString::to_string);
        e.project = project.map_or_else(|| "-".to_owned(), ToString::to_string);
        e.query = query.to_owned();
        e.result_ids = ids;
        e
    }

    /// A transition in the life of one learning, at the learning's own story, domain and project.
    pub fn lifecycle(name: EventName, at: Instant, place: Place<'_>, learning_id: &str) -> Self {
        let mut e = Event::new(name, Source::Lifecycle, Operation::Lifecycle, -1, at).at_place(place);
        e.result_ids = vec![learning_id.to_owned()];
        e
    }

    /// Clarifications `ids` passed their retention: workspace-wide.
    pub fn clarification_purged(at: Instant, ids: Vec<String>) -> Self {
        let name = EventName::ClarificationPurged;
        let mut e = Event::new(name, Source::Retention, Operation::Retention, -1, at);
        e.result_ids = ids;
        e
    }

    /// An operator's act on the trail or its key: workspace-wide, no result.
    pub fn audit(name: EventName, at: Instant) -> Self {
        Event::new(name, Source::Audit, Operation::Audit, -1, at)
    }

    /// Adds a signed detail such as before, after or reason; an empty value or a second one under the
    /// same key is left out.
    #[must_use]
    pub fn with_detail(mut self, key: &str, value: &str) -> Self {
        if !value.is_empty() && self.details.iter().all(|(k, _)| k != key) {
            self.details.push((key.to_owned(), value.to_owned()));
        }
        self
    }

    /// When it happened.
    pub fn at(&self) -> Instant {
        self.at
    }

    /// What happened.
    pub fn name(&self) -> EventName {
        self.name
    }

    /// Signs the event with the key of `version` and gives its line, without newline.
    pub fn to_line(&self, version: u64, signer: &Signer) -> Vec<u8> {
        let hash = format!("sha256:{}", sha256_hex(&self.query));
        let details: Vec<_> =
            self.details.iter().map(|(k, v)| (Text::from(k.as_str()), Text::from(v.as_str()))).collect();
        let mut envelope = Envelope {
            event: self.name,
            timestamp_iso8601: Stamp::new(self.at),
            story_id: self.story.as_str().into(),
            step: self.step,
            source: self.source,
            domain: self.domain.as_str().into(),
            project: self.project.as_str().into(),
            operation: self.operation,
            timestamp_bucket: Stamp::new(self.at.bucket()),
            query: self.query.as_str().into(),
            query_hash: hash.as_str().into(),
            count: self.result_ids.len() as u64,
            result_ids: self.result_ids.iter().map(|id| id.as_str().into()).collect(),
            key_version: version,
            signature_hmac_sha256: "".into(),
            schema_version: SCHEMA_VERSION,
            details: (!details.is_empty()).then_some(Details(details)),
        };
        let mut bytes = Vec::with_capacity(640);
        canonical::write_signed_part(&mut bytes, &envelope);
        let signature = hex::encode(signer.sign(&bytes));
        envelope.signature_hmac_sha256 = signature.as_str().into();
        bytes.clear();
        canonical::write_line(&mut bytes, &envelope);
        bytes
    }
}

fn injected(source: Searched) -> EventName {
    match source {
        Searched::Learning => EventName::LearningInjected,
        Searched::Veille => EventName::VeilleInjected,
        Searched::Clarification => EventName::ClarificationInjected,
    }
}

impl From<Searched> for Source {
    fn from(source: Searched) -> Self {
        match source {
            Searched::Learning => Source::Learning,
            Searched::Veille => Source::Veille,
            Searched::Clarification => Source::Clarification,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::key::Key;

    #[test]
    fn a_line_parses_and_verifies() {
        let (story, domain, project) = (
            StoryId::parse("PD-295").expect("story"),
            Slug::parse("auth-identity").expect("slug"),
            Slug::parse("backend").expect("slug"),
        );
        let place = Place { story: &story, domain: &domain, project: &project };
        let at = Instant::parse("2026-04-11T09:42:17Z").expect("instant");
        let signer = Signer::new(&Key::from_bytes(std::array::from_fn(|i| i as u8)));
        let event = Event::step0(
            Searched::Learning,
            at,
            place,
            "mfa b2b priorites",
            vec!["PD-19-3-a1b2c3d4e5f6".into()],
        );
        let line = event.to_line(12, &signer);
        let e = Envelope::parse(&line).expect("line");
        assert_eq!(
            &*e.signature_hmac_sha256,
            "34fd604513394ccfb27cf5820049ea81e1ca914bd1836ea60b2b6ade9bbddbee"
        );
        let wide = Event::audit(EventName::ClockReset, at).with_detail("reason", "NTP").to_line(1, &signer);
        let e = Envelope::parse(&wide).expect("line");
        assert_eq!((&*e.story_id, &*e.domain, e.step, &*e.query, e.count), ("-", "-", -1, "", 0));
        assert_eq!(e.details.expect("details").get("reason"), Some("NTP"));
    }
}
