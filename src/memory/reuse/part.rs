//! Counting the step-0 injections of lessons, event by event, in a part of the trail. Pure.
//!
//! A story counts once for a lesson however often it received it, and never for its own lessons, so
//! that being retrieved does not feed itself. Searches by hand count for nothing.

use rustc_hash::FxHashMap;

use super::interned::{Interned, Sought};
use super::received::Received;
use crate::audit::{Envelope, EventName, Operation, Source};
use crate::base::Instant;

/// Lessons by id.
pub(super) type Ids = Interned<28>;
/// Stories or domains by name.
pub(super) type Names = Interned<16>;

/// Injections that are looked up together. Lessons come in no order, so that each is a wait for memory;
/// looking for many before counting any lets these waits overlap.
const BATCH: usize = 256;

/// Counts of one part of a trail.
#[derive(Debug)]
pub struct Part<'t> {
    lessons: &'t Ids,
    counted: Counted,
    events: u64,
    waiting: Vec<Injection>,
}

/// What a part has counted, in numbers of its own.
#[derive(Debug)]
pub(super) struct Counted {
    /// One per lesson, in their order.
    pub counts: Vec<Count>,
    /// Which lessons which stories received.
    pub received: Received,
    /// Stories by number.
    pub stories: Names,
    /// Domains by number.
    pub domains: Names,
    /// The numbers of domains from 64 on of each lesson that has any, sorted.
    pub more: FxHashMap<u32, Vec<u32>>,
}

/// One id received by one story.
#[derive(Clone, Copy, Debug)]
struct Injection {
    sought: Sought<28>,
    story: u32,
    domain: u32,
    event: u64,
    at: Instant,
}

/// Counts of one lesson.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    /// Events that name it.
    pub injections: u32,
    /// Number of the lesson's own story.
    own: u32,
    /// The latest of these events, if there are any.
    pub last: Instant,
    /// The last event that was counted: an event counts once, however often it names the lesson.
    event: u64,
    /// The first 64 domains, a bit each.
    pub domains: u64,
}

impl<'t> Part<'t> {
    /// A part over `lessons`, whose own stories are `own`, numbers of `stories`.
    pub(super) fn new(lessons: &'t Ids, own: &[u32], stories: Names) -> Self {
        let none = Count { injections: 0, own: 0, last: Instant::from_unix(i64::MIN), event: 0, domains: 0 };
        Part {
            lessons,
            counted: Counted {
                counts: own.iter().map(|own| Count { own: *own, ..none }).collect(),
                received: Received::default(),
                stories,
                domains: Names::default(),
                more: FxHashMap::default(),
            },
            events: 0,
            waiting: Vec::with_capacity(BATCH + 64),
        }
    }

    /// Counts one verified, consistent event.
    pub fn event(&mut self, event: &Envelope<'_>) {
        let counted = event.event == EventName::LearningInjected
            && event.operation == Operation::Step0Injection
            && event.source == Source::Learning
            && event.step == 0;
        if counted {
            let ids = event.result_ids.iter().map(|id| &**id);
            self.injection(&event.story_id, &event.domain, event.instant(), ids);
        }
    }

    /// Counts the injection of the lessons `ids` into `story`.
    pub fn injection<'i>(
        &mut self,
        story: &str,
        domain: &str,
        at: Instant,
        ids: impl IntoIterator<Item = &'i str>,
    ) {
        self.events += 1;
        let (story, domain) = (self.counted.stories.number(story), self.counted.domains.number(domain));
        let event = self.events;
        let seeking = ids.into_iter().filter_map(|id| self.lessons.seek(id));
        let waiting = seeking.map(|sought| Injection { sought, story, domain, event, at });
        self.waiting.extend(waiting);
        if self.waiting.len() >= BATCH {
            self.count_waiting();
        }
    }

    fn count_waiting(&mut self) {
        let Counted { counts, received, more, .. } = &mut self.counted;
        let mut found = [None; BATCH];
        for batch in self.waiting.chunks(BATCH) {
            for (lesson, injection) in found.iter_mut().zip(batch) {
                *lesson = self.lessons.find(&injection.sought);
            }
            for (lesson, &Injection { story, domain, event, at, .. }) in found.iter().zip(batch) {
                // Lessons that are gone or excluded are named by old events: nothing to count.
                let Some(lesson) = *lesson else { continue };
                let count = &mut counts[lesson as usize];
                if count.event == event {
                    continue;
                }
                count.event = event;
                count.injections = count.injections.saturating_add(1);
                count.last = count.last.max(at);
                if count.own == story {
                    continue;
                }
                received.push(lesson, story);
                if domain < 64 {
                    count.domains |= 1 << domain;
                    continue;
                }
                let more = more.entry(lesson).or_default();
                if let Err(at) = more.binary_search(&domain) {
                    more.insert(at, domain);
                }
            }
        }
        self.waiting.clear();
    }

    /// What was counted.
    pub(super) fn into_counted(mut self) -> Counted {
        self.count_waiting();
        self.counted
    }
}
