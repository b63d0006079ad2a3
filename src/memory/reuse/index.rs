//! Lessons by id, for millions of look-ups in no order. Pure.

use rustc_hash::FxHashMap;

use super::lessons::Lesson;

/// Ids up to this length lie inside the table itself, so that a look-up touches memory once.
const INLINE: usize = 31;

/// Places of lessons by id.
#[derive(Debug)]
pub(super) struct Index<'l> {
    lessons: &'l [Lesson],
    short: FxHashMap<[u8; INLINE + 1], u32>,
    long: FxHashMap<&'l str, u32>,
}

impl<'l> Index<'l> {
    /// The index of `lessons`, whose ids are unique.
    pub fn new(lessons: &'l [Lesson]) -> Self {
        let mut index = Index { lessons, short: FxHashMap::default(), long: FxHashMap::default() };
        index.short.reserve(lessons.len());
        for (lesson, at) in lessons.iter().zip(0u32..) {
            match inline(&lesson.id) {
                Some(key) => index.short.insert(key, at),
                None => index.long.insert(&lesson.id, at),
            };
        }
        index
    }

    /// The place of the lesson `id`.
    pub fn get(&self, id: &str) -> Option<usize> {
        let at = match inline(id) {
            Some(key) => self.short.get(&key),
            None => self.long.get(id),
        };
        at.map(|at| *at as usize)
    }

    /// The story of the lesson at `place`.
    pub fn story(&self, place: usize) -> &'l str {
        self.lessons[place].story.as_str()
    }
}

/// The bytes of a short id behind their number, so that no two ids give one key.
fn inline(id: &str) -> Option<[u8; INLINE + 1]> {
    let mut key = [0; INLINE + 1];
    key[0] = u8::try_from(id.len()).ok()?;
    key.get_mut(1..=id.len())?.copy_from_slice(id.as_bytes());
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_length_are_found_and_nothing_else() {
        let ids: Vec<String> = (0..70).map(|n| "x".repeat(n)).collect();
        let lessons: Vec<Lesson> = ids.iter().map(|id| Lesson::sample(id, "PD-1")).collect();
        let index = Index::new(&lessons);
        for (at, id) in ids.iter().enumerate() {
            assert_eq!(index.get(id), Some(at));
            assert_eq!(index.get(&format!("{id}\0")), None);
        }
        assert_eq!(index.get(&"x".repeat(300)), None);
        assert_eq!(index.story(3), "PD-1");
    }
}
