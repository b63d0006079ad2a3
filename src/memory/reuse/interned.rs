//! Texts by number, for millions of look-ups in no order. Pure.
//!
//! Each look-up is a wait for memory. Short texts lie in the table itself, so that one wait is enough,
//! and what is sought can be prepared for many look-ups in a row, so that their waits overlap.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

/// Texts that have received a number, from 0 in order of appearance. Those below `N` bytes are short.
#[derive(Clone, Debug)]
pub(super) struct Interned<const N: usize> {
    table: HashTable<Entry<N>>,
    long: FxHashMap<Box<str>, u32>,
    count: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry<const N: usize> {
    bytes: [u8; N],
    number: u32,
}

/// A short text to look up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<const N: usize> {
    bytes: [u8; N],
    hash: u64,
}

/// What is known of a text before the table is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sought<const N: usize> {
    /// A short text.
    Short(Key<N>),
    /// The number of a long text.
    Found(u32),
}

impl<const N: usize> Default for Interned<N> {
    fn default() -> Self {
        Interned { table: HashTable::new(), long: FxHashMap::default(), count: 0 }
    }
}

impl<const N: usize> Interned<N> {
    /// Prepares a look-up; `None` for a long text without a number.
    pub fn seek(&self, text: &str) -> Option<Sought<N>> {
        match Key::new(text) {
            Some(key) => Some(Sought::Short(key)),
            None => self.long.get(text).map(|number| Sought::Found(*number)),
        }
    }

    /// The number of what is sought.
    pub fn find(&self, sought: &Sought<N>) -> Option<u32> {
        match sought {
            Sought::Short(key) => {
                self.table.find(key.hash, |entry| entry.bytes == key.bytes).map(|entry| entry.number)
            }
            Sought::Found(number) => Some(*number),
        }
    }

    /// The number of `text`, a new one if it has none yet.
    pub fn number(&mut self, text: &str) -> u32 {
        let sought = self.seek(text);
        if let Some(number) = sought.as_ref().and_then(|sought| self.find(sought)) {
            return number;
        }
        let number = self.count;
        // Four thousand million texts do not fit in memory.
        self.count = self.count.saturating_add(1);
        match sought {
            Some(Sought::Short(Key { bytes, hash })) => {
                self.table.insert_unique(hash, Entry { bytes, number }, |entry| hash_of(&entry.bytes));
            }
            _ => _ = self.long.insert(text.into(), number),
        }
        number
    }

    /// The texts, by number.
    pub fn list(&self) -> Vec<&str> {
        let mut list = vec![""; self.count as usize];
        for entry in &self.table {
            list[entry.number as usize] = entry.text();
        }
        for (text, number) in &self.long {
            list[*number as usize] = text;
        }
        list
    }
}

impl<const N: usize> Entry<N> {
    fn text(&self) -> &str {
        let bytes = self.bytes.get(1..=usize::from(self.bytes[0])).unwrap_or_default();
        // They were a text's.
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

impl<const N: usize> Key<N> {
    /// The bytes of a short text behind their number, so that no two texts give one key.
    fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; N];
        *bytes.first_mut()? = u8::try_from(text.len()).ok()?;
        bytes.get_mut(1..=text.len())?.copy_from_slice(text.as_bytes());
        Some(Key { bytes, hash: hash_of(&bytes) })
    }
}

fn hash_of<const N: usize>(bytes: &[u8; N]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_told_apart() {
        let texts: Vec<String> = (0..70).map(|n| "é".repeat(n)).collect();
        let mut interned = Interned::<28>::default();
        for (text, number) in texts.iter().zip(0..) {
            let find = |text: &str| interned.seek(text).and_then(|sought| interned.find(&sought));
            assert_eq!(find(text), None);
            assert_eq!(interned.number(text), number);
            assert_eq!(interned.number(text), number);
        }
        let find = |text: &str| interned.seek(text).and_then(|sought| interned.find(&sought));
        for (text, number) in texts.iter().zip(0..) {
            assert_eq!(find(text), Some(number));
            assert_eq!(find(&format!("{text}\0")), None);
        }
        assert_eq!(find(&"é".repeat(300)), None);
        assert_eq!(interned.list(), texts);
    }
}
