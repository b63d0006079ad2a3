//! The rows a search may return, as the bitmap FAISS selects by.

/// A subset of the rows `0..len` of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    bits: Vec<u8>,
    len: usize,
    count: usize,
}

impl Rows {
    /// The rows of `0..len` for which `accept` holds.
    pub fn from_fn(len: usize, mut accept: impl FnMut(usize) -> bool) -> Self {
        let mut bits = vec![0u8; len.div_ceil(8)];
        let mut count = 0;
        for row in 0..len {
            if accept(row) {
                bits[row / 8] |= 1 << (row % 8);
                count += 1;
            }
        }
        Rows { bits, len, count }
    }

    /// How many rows are in the subset.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether every row is in the subset.
    pub fn is_all(&self) -> bool {
        self.count == self.len
    }

    /// Whether `row` is in the subset.
    pub fn contains(&self, row: usize) -> bool {
        row < self.len && self.bits[row / 8] >> (row % 8) & 1 == 1
    }

    /// One bit per row, lowest bit first.
    pub(super) fn bitmap(&self) -> &[u8] {
        &self.bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subset() {
        let odd = Rows::from_fn(19, |r| r % 2 == 1);
        assert_eq!((odd.count(), odd.is_all()), (9, false));
        assert!(odd.contains(17) && !odd.contains(18) && !odd.contains(19) && !odd.contains(1000));
        assert!(Rows::from_fn(0, |_| true).is_all());
    }
}
