//! Names that look alike: what a user may have meant. Pure.

/// The known name closest to `word`, when it is close enough to be a slip of the pen.
pub fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let limit = word.chars().count() / 3 + 1;
    known.iter().map(|k| (distance(word, k), *k)).filter(|(d, _)| *d <= limit).min().map(|(_, k)| k)
}

/// Levenshtein distance in characters.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let substitution = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(nearest("clé", &["clef", "cle"]), Some("cle"));
        assert_eq!(nearest("colour", &["limit", "depth"]), None);
    }
}
