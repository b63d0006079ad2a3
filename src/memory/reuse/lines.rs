//! The lines of the score file: one per lesson, in the order of the lessons.
//!
//! A line whose result did not change keeps its bytes, the instant of its computation included; a
//! changed one keeps the fields that are not ours. Lines of lessons that are gone, repeated lines
//! and lines that are no score are left out: the file is computed, the trail is the truth.

use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::lessons::Lesson;
use super::tally::Measured;
use crate::base::Instant;
use crate::store::jsonl::{Line, Out, Snapshot};
use crate::store::schema::{Exclusion, Record, Score, read_line};

/// The new content of the score file.
#[derive(Debug)]
pub struct Lines<'s> {
    /// One line per lesson.
    pub lines: Vec<Out<'s>>,
    /// How many of them are new or changed.
    pub changed: usize,
    /// Old lines that are no score.
    pub excluded: Vec<Exclusion>,
    /// Whether the file would change at all.
    pub differs: bool,
}

/// What an old line gives its lesson.
enum Old<'s> {
    Same(&'s [u8]),
    Changed(String),
}

/// Lays the score lines of `lessons` over the old file.
pub fn lay<'s>(old: &'s Snapshot, lessons: &[Lesson], measured: &Measured, now: Instant) -> Lines<'s> {
    let Measured { figures, domains } = measured;
    let new_score = |at: usize| figures[at].to_score(&lessons[at], domains, now);
    let new_line = |at: usize| figures[at].to_line(&lessons[at], domains, now);
    // Most runs find every line where the last one put it, and change few.
    let by_id: OnceLock<FxHashMap<&str, usize>> = OnceLock::new();
    let by_id = || by_id.get_or_init(|| lessons.iter().map(|l| l.id.as_str()).zip(0..).collect());
    let read: Vec<Line<'_>> = old.lines().filter(|l| !l.is_blank()).collect();
    let judged: Vec<Result<Option<(usize, Old<'_>)>, Exclusion>> = read
        .par_iter()
        .with_min_len(256)
        .enumerate()
        .map(|(place, line)| {
            if place < lessons.len() && same_but_computed(line.bytes, &new_line(place)) {
                return Ok(Some((place, Old::Same(line.bytes))));
            }
            let score: Score = read_line(line)?;
            let Some(&at) = by_id().get(score.learning_id.as_str()) else { return Ok(None) };
            let mut new = new_score(at);
            if score.story != new.story || score.gate != new.gate || score.tag_hash != new.tag_hash {
                return Ok(None);
            }
            if score.same_result(&new) {
                return Ok(Some((at, Old::Same(line.bytes))));
            }
            new.source = score.source;
            Ok(Some((at, Old::Changed(new.to_line()))))
        })
        .collect();

    let mut found: Vec<Option<Old<'_>>> = lessons.iter().map(|_| None).collect();
    let mut excluded = Vec::new();
    for judged in judged {
        match judged {
            Ok(Some((at, old))) if found[at].is_none() => found[at] = Some(old),
            Ok(_) => {}
            Err(exclusion) => excluded.push(exclusion),
        }
    }
    let lines: Vec<Out<'_>> = found
        .into_par_iter()
        .enumerate()
        .map(|(at, found)| match found {
            Some(Old::Same(bytes)) => Out::Kept(bytes),
            Some(Old::Changed(line)) => Out::New(line),
            None => Out::New(new_line(at)),
        })
        .collect();
    let changed = lines.iter().filter(|l| matches!(l, Out::New(_))).count();
    let same_places = || {
        old.torn().is_none()
            && old.len() == lines.len()
            && old.lines().zip(&lines).all(|(line, out)| *out == Out::Kept(line.bytes))
    };
    let differs = changed > 0 || !same_places();
    Lines { lines, changed, excluded, differs }
}

/// Whether a line is `new`, a line of ours, but for the instant of its computation.
fn same_but_computed(old: &[u8], new: &str) -> bool {
    const KEY: &str = "\"computed_at\":\"";
    let Some(start) = new.rfind(KEY).map(|at| at + KEY.len()) else { return false };
    let Some(length) = new[start..].find('"') else { return false };
    let end = start + length;
    old.len() == new.len()
        && old[..start] == new.as_bytes()[..start]
        && old[end..] == new.as_bytes()[end..]
        && std::str::from_utf8(&old[start..end]).is_ok_and(|text| Instant::parse(text).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::reuse::Figures;
    use std::path::Path;

    fn snapshot(lines: &[&str]) -> Snapshot {
        Snapshot::from_bytes(Path::new("f"), (lines.join("\n") + "\n").into_bytes()).unwrap()
    }

    fn text(lines: &Lines<'_>) -> Vec<String> {
        let text = |out: &Out<'_>| match out {
            Out::Kept(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            Out::New(line) => line.clone(),
        };
        lines.lines.iter().map(text).collect()
    }

    #[test]
    fn unchanged_lines_keep_their_bytes_and_changed_ones_their_other_fields() {
        let ids = ["PD-1-3-aaaaaaaaaaaa", "PD-2-3-aaaaaaaaaaaa", "PD-3-3-aaaaaaaaaaaa"];
        let lessons: Vec<Lesson> = ids.iter().map(|id| Lesson::sample(id, &id[..4])).collect();
        let figures = [0, 18, 3].map(|tenths| Figures { tenths, ..Figures::default() });
        let measured = Measured { figures: figures.to_vec(), domains: Vec::new() };
        let (then, now) = (Instant::from_unix(0), Instant::from_unix(1_775_900_537));
        let line = |i: usize, at| figures[i].to_score(&lessons[i], &[], at).to_line();
        // The first is the same but for spacing and an own field; the second changed; the third is new.
        let same = line(0, then).replace(",\"gate\"", ", \"gate\"").replace("}", ",\"note\":1}");
        let old = line(1, then).replace("1.8", "0.5").replace("}", ",\"mine\":{\"a\":1e2}}");
        let gone = line(2, then).replace("PD-3", "PD-4");
        let before = snapshot(&[&gone, &old, "{", &same, &same]);
        let laid = lay(&before, &lessons, &measured, now);
        let expected_second = line(1, now).replace("}", ",\"mine\":{\"a\":1e2}}");
        assert_eq!(text(&laid), [same.clone(), expected_second, line(2, now)]);
        assert_eq!((laid.changed, laid.excluded.len(), laid.differs), (2, 1, true));

        let after: Vec<String> = text(&laid);
        let after: Vec<&str> = after.iter().map(String::as_str).collect();
        let after = snapshot(&after);
        let again = lay(&after, &lessons, &measured, now.plus(60));
        assert_eq!((again.changed, again.differs), (0, false));
    }

    #[test]
    fn only_the_instant_of_computation_may_differ() {
        let lesson = Lesson::sample("PD-1-3-aaaaaaaaaaaa", "PD-1");
        let line = |tenths, at| {
            Figures { tenths, ..Figures::default() }.to_line(&lesson, &[], Instant::from_unix(at))
        };
        let new = line(18, 1_775_900_537);
        assert!(same_but_computed(line(18, 0).as_bytes(), &new));
        assert!(!same_but_computed(line(19, 0).as_bytes(), &new));
        assert!(!same_but_computed(line(18, 0).replace("1970-01", "1970-99").as_bytes(), &new));
        assert!(!same_but_computed(line(18, 0).replace("story", "st\u{f6}y").as_bytes(), &new));
        assert!(!same_but_computed(line(18, 0).replace("_version\":3", "_version\":4").as_bytes(), &new));
    }

    #[test]
    fn a_score_of_other_tags_is_not_this_lessons() {
        let lesson = Lesson::sample("PD-1-3-aaaaaaaaaaaa", "PD-1");
        let measured = Measured { figures: vec![Figures::default()], domains: Vec::new() };
        let other = Lesson { tag_hash: [0xab; 32], ..lesson.clone() };
        let line = measured.figures[0].to_score(&other, &[], Instant::from_unix(0)).to_line();
        let before = snapshot(&[&line]);
        let laid = lay(&before, &[lesson], &measured, Instant::from_unix(9));
        assert_eq!((laid.changed, laid.lines.len()), (1, 1));
    }
}
