//! Counting the step-0 injections of lessons, event by event. Pure.
//!
//! A story counts once for a lesson however often it received it, and never for its own lessons, so
//! that being retrieved does not feed itself. Searches by hand count for nothing.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::figures::Figures;
use super::index::{Index, Sought};
use super::lessons::Lesson;
use super::outcome::Outcomes;
use crate::audit::{Envelope, EventName, Operation, Source};
use crate::base::Instant;
use crate::base::id::Slug;

/// Injections that are counted together. Lessons come in no order, so that each is a wait for memory;
/// looking at the counts of many before changing any lets these waits overlap.
const BATCH: usize = 2048;

/// Counts for a list of lessons.
#[derive(Debug)]
pub struct Tally<'l> {
    lessons: Index<'l>,
    counts: Vec<Count>,
    stories: Names,
    domains: Names,
    events: u64,
    waiting: Vec<Injection>,
}

/// One id received by one story.
#[derive(Clone, Copy, Debug)]
struct Injection {
    sought: Sought,
    /// Its lesson, once it is looked up.
    lesson: Option<u32>,
    story: u32,
    domain: u32,
    event: u64,
    at: Instant,
}

/// The figures of a list of lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// One per lesson, in their order.
    pub figures: Vec<Figures>,
    /// The domains that figures name by place, sorted.
    pub domains: Vec<Slug>,
}

/// Counts of one lesson: one cache line.
#[derive(Debug, Default)]
struct Count {
    injections: u32,
    /// Number of the lesson's own story.
    own: u32,
    last: Option<Instant>,
    /// The last event that was counted: an event counts once, however often it names the lesson.
    event: u64,
    /// Stories that received it, with repeats until [`Count::add_story`] runs out of room.
    stories: Vec<u32>,
    /// The first 64 domains, a bit each.
    domains: u64,
}

impl Count {
    fn add_story(&mut self, story: u32) {
        if self.stories.last() == Some(&story) {
            return;
        }
        if self.stories.len() == self.stories.capacity() {
            self.stories.sort_unstable();
            self.stories.dedup();
            if self.stories.len() * 2 > self.stories.capacity() {
                self.stories.reserve_exact((self.stories.capacity() / 2).max(4));
            }
        }
        self.stories.push(story);
    }
}

impl<'l> Tally<'l> {
    /// A tally of `lessons`, whose ids are unique.
    pub fn new(lessons: &'l [Lesson]) -> Self {
        let mut stories = Names::default();
        let count = |l: &Lesson| Count { own: stories.number(l.story.as_str()), ..Count::default() };
        Tally {
            counts: lessons.iter().map(count).collect(),
            lessons: Index::new(lessons),
            stories,
            domains: Names::default(),
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
        let (event, story, domain) = (self.events, self.stories.number(story), self.domains.number(domain));
        let seeking = ids.into_iter().filter_map(|id| self.lessons.seek(id));
        let waiting = seeking.map(|sought| Injection { sought, lesson: None, story, domain, event, at });
        self.waiting.extend(waiting);
        if self.waiting.len() >= BATCH {
            self.count_waiting();
        }
    }

    fn count_waiting(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        // Lessons that are gone or excluded are named by old events: nothing to count.
        waiting.iter_mut().for_each(|injection| injection.lesson = self.lessons.find(&injection.sought));
        waiting.retain(|injection| injection.lesson.is_some());
        let places = || waiting.iter().filter_map(|injection| injection.lesson.map(|at| at as usize));
        let counts = &mut self.counts;
        let glance = places().fold(0, |seen, at| seen ^ counts[at].event);
        let last = |at: usize| counts[at].stories.last().copied();
        std::hint::black_box(places().fold(glance, |seen, at| seen ^ u64::from(last(at).unwrap_or(0))));
        for &Injection { lesson, story, domain, event, at, .. } in &waiting {
            let Some(lesson) = lesson else { continue };
            let count = &mut counts[lesson as usize];
            if count.event == event {
                continue;
            }
            count.event = event;
            count.injections = count.injections.saturating_add(1);
            count.last = count.last.max(Some(at));
            if count.own != story {
                count.add_story(story);
                self.domains.mark(&mut count.domains, lesson, domain);
            }
        }
        waiting.clear();
        self.waiting = waiting;
    }

    /// What is known of each lesson, in their order.
    pub fn finish(mut self, outcomes: &Outcomes) -> Measured {
        self.count_waiting();
        let worth: Vec<u64> = self.stories.into_list().iter().map(|story| outcomes.tenths(story)).collect();
        let more = std::mem::take(&mut self.domains.more);
        let names = self.domains.into_list();
        // Places in the sorted list of domains, by number; a name that is none has no place.
        let mut domains: Vec<Slug> = names.iter().filter_map(|name| Slug::parse(name)).collect();
        domains.sort_unstable();
        let place = |name: &str| {
            let at = domains.binary_search_by(|d| d.as_str().cmp(name)).ok()?;
            u32::try_from(at).ok()
        };
        let places: Vec<Option<u32>> = names.iter().map(|name| place(name)).collect();
        let lessons = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        let figures = self
            .counts
            .into_par_iter()
            .zip(0..lessons)
            .map(|(mut count, lesson)| {
                count.stories.sort_unstable();
                count.stories.dedup();
                let bits = (0..64).filter(|bit| count.domains >> bit & 1 == 1);
                let others = more.get(&lesson).into_iter().flatten().map(|n| *n as usize);
                let mut domains: Vec<u32> = bits.chain(others).filter_map(|n| places[n]).collect();
                domains.sort_unstable();
                domains.dedup();
                Figures {
                    tenths: count.stories.iter().map(|story| worth[*story as usize]).sum(),
                    injections: u64::from(count.injections),
                    stories: count.stories.len() as u64,
                    domains: domains.into_boxed_slice(),
                    last_injected_at: count.last,
                }
            })
            .collect();
        Measured { figures, domains }
    }
}

/// Stories or domains by number, in order of appearance.
#[derive(Debug, Default)]
struct Names {
    numbers: FxHashMap<Box<str>, u32>,
    /// Of domains: the numbers from 64 on of each lesson that has any.
    more: FxHashMap<u32, Vec<u32>>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        // Four thousand million names do not fit in memory.
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(name.into(), number);
        number
    }

    /// Notes `number` among the bits of `lesson`, or beside them.
    fn mark(&mut self, bits: &mut u64, lesson: u32, number: u32) {
        if number < 64 {
            *bits |= 1 << number;
            return;
        }
        let more = self.more.entry(lesson).or_default();
        if let Err(at) = more.binary_search(&number) {
            more.insert(at, number);
        }
    }

    fn into_list(self) -> Vec<Box<str>> {
        let mut list: Vec<Box<str>> = vec!["".into(); self.numbers.len()];
        for (name, number) in self.numbers {
            list[number as usize] = name;
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::{Metric, Record};

    fn lessons(stories: &[(&str, &str)]) -> Vec<Lesson> {
        stories.iter().map(|(id, story)| Lesson::sample(id, story)).collect()
    }

    fn outcomes(rows: &[(&str, u32, &str)]) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (story, version, verdict) in rows {
            let line = format!(
                r#"{{"story":"{story}","gate":8,"version":{version},"verdict":"{verdict}","timestamp":"2026-04-11T09:42:17Z","domain":"auth","project":"api"}}"#
            );
            outcomes.record(&Metric::parse(&line).unwrap());
        }
        outcomes
    }

    fn at(second: i64) -> Instant {
        Instant::from_unix(1_775_900_000 + second)
    }

    /// The public example: GO at version 1 and GO at version 2 make 1.8.
    #[test]
    fn two_stories_make_one_point_eight() {
        let lessons = lessons(&[("A", "PD-1")]);
        let mut tally = Tally::new(&lessons);
        tally.injection("PD-2", "auth", at(1), ["A"]);
        tally.injection("PD-3", "auth", at(2), ["A"]);
        let figures = tally.finish(&outcomes(&[("PD-2", 1, "GO"), ("PD-3", 2, "GO")])).figures;
        assert_eq!(figures[0].brut(), 1.8);
        // tanh(0.18) from an independent calculator.
        assert!((figures[0].score() - 0.178_080_868_117_330_2).abs() < 1e-15);
        assert_eq!((figures[0].stories, figures[0].injections), (2, 2));
        assert_eq!(figures[0].last_injected_at, Some(at(2)));
    }

    #[test]
    fn a_story_counts_once_and_its_own_lessons_never() {
        let lessons = lessons(&[("A", "PD-1"), ("B", "PD-2")]);
        let mut tally = Tally::new(&lessons);
        for n in 0..10 {
            tally.injection("PD-2", "auth", at(-n), ["A", "B", "A", "gone"]);
        }
        let figures = tally.finish(&outcomes(&[("PD-2", 1, "GO")])).figures;
        let of = |i: usize| (figures[i].tenths, figures[i].stories, figures[i].injections);
        assert_eq!(of(0), (10, 1, 10));
        assert_eq!(of(1), (0, 0, 10));
        assert!(figures[1].domains.is_empty());
        assert_eq!(figures[1].last_injected_at, Some(at(0)));
    }

    #[test]
    fn domains_are_those_of_the_events_of_other_stories() {
        let lessons = lessons(&[("A", "PD-1")]);
        let mut tally = Tally::new(&lessons);
        for (story, domain) in [("PD-1", "own"), ("PD-2", "zoo"), ("PD-2", "auth"), ("PD-3", "zoo")] {
            tally.injection(story, domain, at(0), ["A"]);
        }
        let measured = tally.finish(&Outcomes::default());
        let names = |m: &Measured, i: usize| -> Vec<String> {
            m.figures[i].domains.iter().map(|d| m.domains[*d as usize].to_string()).collect()
        };
        assert_eq!(names(&measured, 0), ["auth", "zoo"]);
        assert_eq!(measured.figures[0].tenths, 6);

        // More domains than there are bits, each met twice, in an order that is not theirs.
        let mut tally = Tally::new(&lessons);
        let domain = |n: usize| format!("d{:03}", (n * 37) % 150);
        for n in 0..300 {
            tally.injection("PD-2", &domain(n), at(0), ["A"]);
        }
        let expected: Vec<String> = (0..150).map(|n| format!("d{n:03}")).collect();
        assert_eq!(names(&tally.finish(&Outcomes::default()), 0), expected);
    }

    proptest::proptest! {
        /// Against the definition, computed with sets of strings; and the order of events is nothing.
        #[test]
        fn follows_the_definition(
            events in proptest::collection::vec((0usize..6, 0usize..3, proptest::collection::vec(0usize..4, 0..5)), 0..40),
            rotate in 0usize..40,
        ) {
            let lessons = lessons(&[("L0", "PD-1"), ("L1", "PD-2"), ("L2", "PD-9")]);
            let outcomes = outcomes(&[("PD-1", 1, "GO"), ("PD-2", 3, "GO"), ("PD-3", 1, "RESERVE"), ("PD-4", 1, "REJECTED")]);
            let worth = [10u64, 5, 4, 0, 3, 3];
            let run = |events: &[(usize, usize, Vec<usize>)]| {
                let mut tally = Tally::new(&lessons);
                for (story, domain, ids) in events {
                    let ids: Vec<String> = ids.iter().map(|i| format!("L{i}")).collect();
                    tally.injection(&format!("PD-{}", story + 1), &format!("d{domain}"), at(0), ids.iter().map(String::as_str));
                }
                tally.finish(&outcomes)
            };
            let figures = run(&events).figures;
            for (i, own) in [0usize, 1, 8].into_iter().enumerate() {
                let naming = || events.iter().filter(|(_, _, ids)| ids.contains(&i));
                let stories: std::collections::BTreeSet<usize> = naming().map(|e| e.0).filter(|s| *s != own).collect();
                let domains: std::collections::BTreeSet<usize> = naming().filter(|e| e.0 != own).map(|e| e.1).collect();
                proptest::prop_assert_eq!(figures[i].injections, naming().count() as u64);
                proptest::prop_assert_eq!(figures[i].stories, stories.len() as u64);
                proptest::prop_assert_eq!(figures[i].tenths, stories.iter().map(|s| worth[*s]).sum::<u64>());
                proptest::prop_assert_eq!(figures[i].domains.len(), domains.len());
            }
            let mut turned = events.clone();
            turned.rotate_left(rotate.min(events.len()));
            proptest::prop_assert_eq!(figures, run(&turned).figures);
        }
    }
}
