//! Adding up what the parts of a trail say of each lesson. Pure.
//!
//! Any number of parts may count at once; which events a part has seen, and in what order, makes no
//! difference to the sum.

use rayon::prelude::*;

use super::figures::Figures;
use super::lessons::Lesson;
use super::outcome::Outcomes;
use super::part::{Counted, Ids, Names, Part};
use super::received::ByLesson;
use crate::base::id::Slug;

/// What all parts share: a list of lessons.
#[derive(Debug)]
pub struct Tally {
    lessons: Ids,
    /// The numbers of the lessons' own stories, with which every part begins.
    own: Vec<u32>,
    stories: Names,
}

/// The figures of a list of lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// One per lesson, in their order.
    pub figures: Vec<Figures>,
    /// The domains that figures name by place, sorted.
    pub domains: Vec<Slug>,
}

impl Tally {
    /// A tally of `lessons`, whose ids are unique.
    pub fn new(lessons: &[Lesson]) -> Self {
        let mut stories = Names::default();
        let own = lessons.iter().map(|l| stories.number(l.story.as_str())).collect();
        let mut ids = Ids::default();
        lessons.iter().for_each(|l| _ = ids.number(&l.id));
        Tally { own, lessons: ids, stories }
    }

    /// A part that has counted nothing yet.
    pub fn part(&self) -> Part<'_> {
        Part::new(&self.lessons, &self.own, self.stories.clone())
    }

    /// What all parts together know of each lesson, in their order.
    pub fn finish(&self, parts: Vec<Part<'_>>, outcomes: &Outcomes) -> Measured {
        let parts: Vec<Counted> = parts.into_par_iter().map(Part::into_counted).collect();
        let mut stories = self.stories.clone();
        let numbers: Vec<Vec<u32>> = parts
            .iter()
            .map(|part| part.stories.list().into_iter().map(|story| stories.number(story)).collect())
            .collect();
        let worth: Vec<u64> = stories.list().into_iter().map(|story| outcomes.tenths(story)).collect();

        // A name that is no domain has no place.
        let names: Vec<Vec<Option<Slug>>> =
            parts.iter().map(|part| part.domains.list().into_iter().map(Slug::parse).collect()).collect();
        let mut domains: Vec<Slug> = names.iter().flatten().flatten().cloned().collect();
        domains.sort_unstable();
        domains.dedup();
        let place = |name: &Option<Slug>| {
            let at = domains.binary_search(name.as_ref()?).ok()?;
            u32::try_from(at).ok()
        };
        let places = names.iter().map(|names| names.iter().map(place).collect::<Vec<_>>());

        let received: Vec<_> =
            parts.iter().zip(&numbers).map(|(part, numbers)| (&part.received, numbers.as_slice())).collect();
        let received = ByLesson::new(self.own.len(), &received);
        let told: Vec<Told<'_>> =
            parts.iter().zip(places).map(|(counted, domains)| Told { counted, domains }).collect();
        let figures = (0..self.own.len())
            .into_par_iter()
            .with_min_len(256)
            .map_init(Vec::new, |distinct, lesson| {
                let mut figures = counted(&told, lesson, distinct);
                distinct.clear();
                distinct.extend_from_slice(received.stories(lesson));
                distinct.sort_unstable();
                distinct.dedup();
                figures.stories = distinct.len() as u64;
                figures.tenths = distinct.iter().map(|story| worth[*story as usize]).sum();
                figures
            })
            .collect();
        Measured { figures, domains }
    }
}

/// A part, and the places of its domains in the sorted list.
struct Told<'p> {
    counted: &'p Counted,
    domains: Vec<Option<u32>>,
}

/// The figures of one lesson but those of its stories; `distinct` is room to work in.
fn counted(told: &[Told<'_>], lesson: usize, distinct: &mut Vec<u32>) -> Figures {
    let mut figures = Figures::default();
    distinct.clear();
    for Told { counted, domains } in told {
        let count = &counted.counts[lesson];
        if count.injections == 0 {
            continue;
        }
        figures.injections += u64::from(count.injections);
        figures.last_injected_at = figures.last_injected_at.max(Some(count.last));
        let bits = (0..64).filter(|bit| count.domains >> bit & 1 == 1);
        let more = u32::try_from(lesson).ok().and_then(|lesson| counted.more.get(&lesson));
        let numbers = bits.chain(more.into_iter().flatten().map(|number| *number as usize));
        distinct.extend(numbers.filter_map(|number| domains[number]));
    }
    distinct.sort_unstable();
    distinct.dedup();
    figures.domains = distinct.as_slice().into();
    figures
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Instant;
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
        let tally = Tally::new(&lessons);
        let mut part = tally.part();
        part.injection("PD-2", "auth", at(1), ["A"]);
        part.injection("PD-3", "auth", at(2), ["A"]);
        let figures = tally.finish(vec![part], &outcomes(&[("PD-2", 1, "GO"), ("PD-3", 2, "GO")])).figures;
        assert_eq!(figures[0].brut(), 1.8);
        // tanh(0.18) from an independent calculator.
        assert!((figures[0].score() - 0.178_080_868_117_330_2).abs() < 1e-15);
        assert_eq!((figures[0].stories, figures[0].injections), (2, 2));
        assert_eq!(figures[0].last_injected_at, Some(at(2)));
    }

    #[test]
    fn a_story_counts_once_and_its_own_lessons_never() {
        let lessons = lessons(&[("A", "PD-1"), ("B", "PD-2")]);
        let tally = Tally::new(&lessons);
        let mut part = tally.part();
        for n in 0..10 {
            part.injection("PD-2", "auth", at(-n), ["A", "B", "A", "gone"]);
        }
        let figures = tally.finish(vec![part], &outcomes(&[("PD-2", 1, "GO")])).figures;
        let of = |i: usize| (figures[i].tenths, figures[i].stories, figures[i].injections);
        assert_eq!(of(0), (10, 1, 10));
        assert_eq!(of(1), (0, 0, 10));
        assert!(figures[1].domains.is_empty());
        assert_eq!(figures[1].last_injected_at, Some(at(0)));
    }

    #[test]
    fn domains_are_those_of_the_events_of_other_stories() {
        let lessons = lessons(&[("A", "PD-1")]);
        let tally = Tally::new(&lessons);
        let mut part = tally.part();
        for (story, domain) in [("PD-1", "own"), ("PD-2", "zoo"), ("PD-2", "auth"), ("PD-3", "zoo")] {
            part.injection(story, domain, at(0), ["A"]);
        }
        let measured = tally.finish(vec![part], &Outcomes::default());
        let names = |m: &Measured, i: usize| -> Vec<String> {
            m.figures[i].domains.iter().map(|d| m.domains[*d as usize].to_string()).collect()
        };
        assert_eq!(names(&measured, 0), ["auth", "zoo"]);
        assert_eq!(measured.figures[0].tenths, 6);

        // More domains than there are bits, each met twice, in an order that is not theirs, by two parts.
        let mut parts = vec![tally.part(), tally.part()];
        let domain = |n: usize| format!("d{:03}", (n * 37) % 150);
        for n in 0..300 {
            parts[usize::from(n % 3 == 0)].injection("PD-2", &domain(n), at(0), ["A"]);
        }
        let expected: Vec<String> = (0..150).map(|n| format!("d{n:03}")).collect();
        let measured = tally.finish(parts, &Outcomes::default());
        assert_eq!(names(&measured, 0), expected);
        assert_eq!(measured.figures[0].stories, 1);
    }

    proptest::proptest! {
        /// Against the definition, computed with sets of strings; and neither the order of events nor
        /// the number of parts matters.
        #[test]
        fn follows_the_definition(
            events in proptest::collection::vec((0usize..6, 0usize..3, proptest::collection::vec(0usize..4, 0..5)), 0..40),
            rotate in 0usize..40,
            split in 1usize..4,
        ) {
            let lessons = lessons(&[("L0", "PD-1"), ("L1", "PD-2"), ("L2", "PD-9")]);
            let outcomes = outcomes(&[("PD-1", 1, "GO"), ("PD-2", 3, "GO"), ("PD-3", 1, "RESERVE"), ("PD-4", 1, "REJECTED")]);
            let worth = [10u64, 5, 4, 0, 3, 3];
            let tally = Tally::new(&lessons);
            let run = |events: &[(usize, usize, Vec<usize>)], split: usize| {
                let mut parts: Vec<_> = (0..split).map(|_| tally.part()).collect();
                for (n, (story, domain, ids)) in events.iter().enumerate() {
                    let ids: Vec<String> = ids.iter().map(|i| format!("L{i}")).collect();
                    let ids = ids.iter().map(String::as_str);
                    parts[n % split].injection(&format!("PD-{}", story + 1), &format!("d{domain}"), at(0), ids);
                }
                tally.finish(parts, &outcomes)
            };
            let figures = run(&events, 1).figures;
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
            proptest::prop_assert_eq!(figures, run(&turned, split).figures);
        }
    }
}
