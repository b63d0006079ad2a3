//! Lessons by id, for millions of look-ups in no order. Pure.
//!
//! Each look-up is a wait for memory. The table holds places only and stays small; ids lie beside it in
//! one piece; and many look-ups are made in a row, so that their waits overlap.

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

use super::lessons::Lesson;

/// Ids up to this length are compared without following a pointer.
const INLINE: usize = 31;

/// Places of lessons by id.
#[derive(Debug)]
pub(super) struct Index<'l> {
    /// Places of the lessons with short ids, by [`Key::hash`].
    table: HashTable<u32>,
    /// The short ids by place; of others nothing that the table leads to.
    keys: Vec<[u8; INLINE + 1]>,
    long: FxHashMap<&'l str, u32>,
}

/// An id to look up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    bytes: [u8; INLINE + 1],
    hash: u64,
}

/// What is known of an id before the table is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sought {
    /// A short id.
    Short(Key),
    /// The place of a lesson with a long id.
    Found(u32),
}

impl<'l> Index<'l> {
    /// The index of `lessons`, whose ids are unique.
    pub fn new(lessons: &'l [Lesson]) -> Self {
        let mut index = Index {
            table: HashTable::with_capacity(lessons.len()),
            keys: vec![[0; INLINE + 1]; lessons.len()],
            long: FxHashMap::default(),
        };
        for ((lesson, key), at) in lessons.iter().zip(&mut index.keys).zip(0u32..) {
            match Key::new(&lesson.id) {
                Some(new) => *key = new.bytes,
                None => _ = index.long.insert(&lesson.id, at),
            }
        }
        for (key, at) in index.keys.iter().zip(0u32..).filter(|(key, _)| key[0] > 0) {
            let keys = &index.keys;
            index.table.insert_unique(hash(key), at, |at| hash(&keys[*at as usize]));
        }
        index
    }

    /// Prepares a look-up; `None` for a long id that no lesson has.
    pub fn seek(&self, id: &str) -> Option<Sought> {
        match Key::new(id) {
            Some(key) => Some(Sought::Short(key)),
            None => self.long.get(id).map(|at| Sought::Found(*at)),
        }
    }

    /// The place of the lesson that is sought.
    pub fn find(&self, sought: &Sought) -> Option<u32> {
        match sought {
            Sought::Short(key) => {
                self.table.find(key.hash, |at| self.keys[*at as usize] == key.bytes).copied()
            }
            Sought::Found(at) => Some(*at),
        }
    }
}

impl Key {
    /// The bytes of a short id behind their number, so that no two ids give one key.
    fn new(id: &str) -> Option<Key> {
        let mut bytes = [0; INLINE + 1];
        bytes[0] = u8::try_from(id.len()).ok()?;
        bytes.get_mut(1..=id.len())?.copy_from_slice(id.as_bytes());
        Some(Key { bytes, hash: hash(&bytes) })
    }
}

fn hash(bytes: &[u8; INLINE + 1]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_every_length_are_told_apart() {
        let ids: Vec<String> = (1..70).map(|n| "x".repeat(n)).collect();
        let lessons: Vec<Lesson> = ids.iter().map(|id| Lesson::sample(id, "PD-1")).collect();
        let index = Index::new(&lessons);
        let find = |id: &str| index.seek(id).and_then(|sought| index.find(&sought));
        for (id, at) in ids.iter().zip(0..) {
            assert_eq!(find(id), Some(at));
            assert_eq!(find(&format!("{id}\0")), None);
        }
        assert_eq!(find(&"x".repeat(300)), None);
        assert_eq!(find(""), None);
    }
}
