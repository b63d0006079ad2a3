//! Which lessons were received by which stories: pairs of numbers. Pure.

/// Pairs that are kept before repeats are looked for.
const ROOM: usize = 1 << 22;

/// Pairs of lesson and story, with repeats.
#[derive(Debug)]
pub(super) struct Received {
    /// The lesson above, the story below.
    pairs: Vec<u64>,
    room: usize,
}

impl Default for Received {
    fn default() -> Self {
        Received { pairs: Vec::new(), room: ROOM }
    }
}

impl Received {
    /// Notes that `story` received `lesson`.
    pub fn push(&mut self, lesson: u32, story: u32) {
        if self.pairs.len() >= self.room {
            self.pairs.sort_unstable();
            self.pairs.dedup();
            // Half of the room is free after each search, so that searches stay rare.
            self.room = self.room.max(self.pairs.len() * 2);
        }
        self.pairs.push(u64::from(lesson) << 32 | u64::from(story));
    }

    fn iter(&self) -> impl Iterator<Item = (u32, u32)> {
        self.pairs.iter().map(|pair| ((pair >> 32) as u32, *pair as u32))
    }
}

/// The stories of each lesson, side by side.
#[derive(Debug)]
pub(super) struct ByLesson {
    /// Where each lesson begins; one more than there are lessons.
    starts: Vec<usize>,
    stories: Vec<u32>,
}

impl ByLesson {
    /// The pairs of several parts over `lessons` lessons; the lists give the common numbers of their
    /// stories.
    pub fn new(lessons: usize, parts: &[(&Received, &[u32])]) -> Self {
        let mut starts = vec![0; lessons + 1];
        for (lesson, _) in parts.iter().flat_map(|(received, _)| received.iter()) {
            starts[lesson as usize + 1] += 1;
        }
        for lesson in 0..lessons {
            starts[lesson + 1] += starts[lesson];
        }
        let mut stories = vec![0; starts[lessons]];
        let mut next = starts.clone();
        for (received, numbers) in parts {
            for (lesson, story) in received.iter() {
                let at = &mut next[lesson as usize];
                stories[*at] = numbers[story as usize];
                *at += 1;
            }
        }
        ByLesson { starts, stories }
    }

    /// The stories of `lesson`, with repeats, in no order.
    pub fn stories(&self, lesson: usize) -> &[u32] {
        &self.stories[self.starts[lesson]..self.starts[lesson + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_take_no_room() {
        let mut received = Received { pairs: Vec::new(), room: 8 };
        for n in 0..10_000 {
            received.push(n % 3, n % 2);
        }
        assert!(received.pairs.len() <= 12 && received.room == 12);
        let by_lesson = ByLesson::new(4, &[(&received, &[7, 9])]);
        for lesson in 0..3 {
            let mut stories = by_lesson.stories(lesson).to_vec();
            stories.sort_unstable();
            stories.dedup();
            assert_eq!(stories, [7, 9]);
        }
        assert!(by_lesson.stories(3).is_empty());
    }
}
