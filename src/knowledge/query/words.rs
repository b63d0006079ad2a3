//! Words: how a text becomes comparable tokens.
//!
//! A token is a run of letters and digits, lower-cased, its Latin accents folded (`Été` → `ete`,
//! `œuvre` → `oeuvre`). Two tokens are the same word when one of their keys agrees: the folded stem
//! of the accented form or the stem of the folded form, French or English. Both forms are kept
//! because the French stemmer needs the accents that a hurried question leaves out.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;

use crate::base::lang::Lang;

/// Most distinct words of one question that are looked for; the rest is ignored.
pub const MAX_TERMS: usize = 48;

/// One word of the question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word as asked, lower-cased and folded.
    pub text: String,
    /// Whether it is a function word of French or English.
    pub function: bool,
}

/// The words of a question, ready to recognise tokens of pages.
#[derive(Debug)]
pub struct Terms {
    terms: Vec<Term>,
    /// The question as a sequence of term numbers, for neighbouring pairs.
    sequence: Vec<u8>,
    keys: FxHashMap<String, u8>,
    starts: Box<[bool]>,
}

impl Terms {
    /// Reads a question. Function words are kept only when `with_function_words`.
    pub fn new(question: &str, langs: &[Lang], with_function_words: bool) -> Self {
        let mut out = Terms {
            terms: Vec::new(),
            sequence: Vec::new(),
            keys: FxHashMap::default(),
            starts: vec![false; 256 * 256].into_boxed_slice(),
        };
        let mut stems = Stems::new(langs);
        tokens(question, |token| {
            let folded = fold(token);
            let function = is_function_word(&folded);
            if function && !with_function_words {
                return;
            }
            let mut keys = Vec::new();
            stems.keys(token, &folded, |key| keys.push(key.to_owned()));
            let known = keys.iter().find_map(|key| out.keys.get(key).copied());
            let number = match known {
                Some(number) => number,
                None if out.terms.len() < MAX_TERMS => {
                    out.terms.push(Term { text: folded.clone(), function });
                    (out.terms.len() - 1) as u8
                }
                None => return,
            };
            for key in keys {
                out.starts[start_of(key.as_bytes())] = true;
                out.keys.entry(key).or_insert(number);
            }
            out.starts[start_of(folded.as_bytes())] = true;
            if out.sequence.last() != Some(&number) {
                out.sequence.push(number);
            }
        });
        out
    }

    /// The distinct words, in the order of the question.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// How many distinct words there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether the question holds no word to look for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The question as a sequence of term numbers.
    pub fn sequence(&self) -> &[u8] {
        &self.sequence
    }
}

/// Recognises the question's words in the tokens of pages; one for each thread, for it remembers.
#[derive(Debug)]
pub struct Recogniser<'a> {
    terms: &'a Terms,
    stems: Stems,
    seen: FxHashMap<Box<str>, Option<u8>>,
    lower: String,
}

impl<'a> Recogniser<'a> {
    /// A recogniser of `terms`, stemming in `langs`.
    pub fn new(terms: &'a Terms, langs: &[Lang]) -> Self {
        Recogniser { terms, stems: Stems::new(langs), seen: FxHashMap::default(), lower: String::new() }
    }

    /// Calls `each` with every token of `text` as it is written, and the number of the question's
    /// word that it is.
    pub fn read(&mut self, text: &str, mut each: impl FnMut(&str, Option<u8>)) {
        let mut at = 0;
        while let Some(token) = next_token(text, &mut at) {
            each(token, self.find(token));
        }
    }

    /// The number of the question's word that `token` is.
    pub fn find(&mut self, token: &str) -> Option<u8> {
        // Most tokens of a page start like no word of the question: they end here.
        if let Some(start) = quick_start(token.as_bytes())
            && !self.terms.starts[start]
        {
            return None;
        }
        self.lower.clear();
        if token.is_ascii() {
            self.lower.extend(token.bytes().map(|b| b.to_ascii_lowercase() as char));
        } else {
            self.lower.extend(token.chars().flat_map(char::to_lowercase));
        }
        if let Some(known) = self.seen.get(self.lower.as_str()) {
            return *known;
        }
        let lower = std::mem::take(&mut self.lower);
        let folded = fold(&lower);
        let mut found = None;
        if self.terms.starts[start_of(folded.as_bytes())] {
            let keys = &self.terms.keys;
            self.stems.keys(&lower, &folded, |key| {
                if found.is_none() {
                    found = keys.get(key).copied();
                }
            });
        }
        self.seen.insert(lower.as_str().into(), found);
        self.lower = lower;
        found
    }
}

struct Stems(Vec<Stemmer>);

impl std::fmt::Debug for Stems {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Stems({})", self.0.len())
    }
}

impl Stems {
    fn new(langs: &[Lang]) -> Self {
        let algorithm = |lang: &Lang| match lang {
            Lang::Fr => Algorithm::French,
            Lang::En => Algorithm::English,
        };
        Stems(langs.iter().map(|lang| Stemmer::create(algorithm(lang))).collect())
    }

    fn keys(&mut self, token: &str, folded: &str, mut each: impl FnMut(&str)) {
        let accented = token != folded;
        for stemmer in &self.0 {
            if accented {
                each(&fold(&stemmer.stem(token)));
            }
            each(&stemmer.stem(folded));
        }
        if self.0.is_empty() {
            each(folded);
        }
    }
}

fn start_of(bytes: &[u8]) -> usize {
    let first = bytes.first().copied().unwrap_or(0);
    // Stemmers work on endings: the first two letters stay (`dying` → `die` is lost, and rare).
    usize::from(first) << 8 | usize::from(bytes.get(1).copied().unwrap_or(0))
}

/// [`start_of`] the folded token, when two bytes are enough to tell.
fn quick_start(token: &[u8]) -> Option<usize> {
    let mut start = [0; 2];
    let mut at = 0;
    for slot in &mut start {
        let Some(&byte) = token.get(at) else { break };
        *slot = match byte {
            b if b.is_ascii() => b.to_ascii_lowercase(),
            0xc3 => LATIN1[usize::from(token.get(at + 1)? & 0x3f)],
            _ => 0,
        };
        if *slot == 0 {
            return None;
        }
        at += if byte.is_ascii() { 1 } else { 2 };
    }
    // A mark written after its letter is folded away.
    let marked = token.get(at).is_some_and(|&b| b == 0xcc || b == 0xcd);
    (!marked).then(|| start_of(&start[..if start[1] == 0 { 1 } else { 2 }]))
}

/// The folded letters U+00C0 to U+00FF, zero where they fold to two or are no letters.
const LATIN1: &[u8; 64] = b"aaaaaa\0ceeeeiiiidnooooo\0ouuuuy\0\0aaaaaa\0ceeeeiiiidnooooo\0ouuuuy\0y";

/// Calls `each` with every token of `text`, lower-cased, accents kept.
pub fn tokens(text: &str, mut each: impl FnMut(&str)) {
    let mut at = 0;
    while let Some(token) = next_token(text, &mut at) {
        each(&token.to_lowercase());
    }
}

/// The token at or after byte `at`, which moves behind it.
fn next_token<'t>(text: &'t str, at: &mut usize) -> Option<&'t str> {
    let bytes = text.as_bytes();
    let (mut from, mut here) = (None, *at);
    while here < bytes.len() {
        let byte = bytes[here];
        let (is_word, width) = match byte {
            b if b.is_ascii() => (b.is_ascii_alphanumeric(), 1),
            // U+00C0–U+00FF but × and ÷; U+2000–U+203F are spaces and punctuation.
            0xc3 => (!matches!(bytes[here + 1], 0x97 | 0xb7), 2),
            0xe2 if bytes[here + 1] == 0x80 => (false, 3),
            _ => {
                let c = text[here..].chars().next()?;
                (c.is_alphanumeric() || is_mark(c), c.len_utf8())
            }
        };
        match (is_word, from) {
            (true, None) => from = Some(here),
            (false, Some(start)) => {
                *at = here;
                return Some(&text[start..here]);
            }
            _ => {}
        }
        here += width;
    }
    *at = here;
    from.map(|start| &text[start..])
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// The accents of `token` folded: `é` → `e`, `œ` → `oe`; other scripts stay.
pub fn fold(token: &str) -> String {
    let mut out = String::with_capacity(token.len());
    fold_into(token, &mut out);
    out
}

fn fold_into(token: &str, out: &mut String) {
    for c in token.chars() {
        match c {
            c if c.is_ascii() => out.push(c),
            'à'..='å' | 'ā' | 'ă' | 'ą' => out.push('a'),
            'æ' => out.push_str("ae"),
            'ç' | 'ć' | 'č' => out.push('c'),
            'ð' | 'ď' | 'đ' => out.push('d'),
            'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' => out.push('e'),
            'ì'..='ï' | 'ī' | 'į' | 'ı' => out.push('i'),
            'ł' => out.push('l'),
            'ñ' | 'ń' | 'ň' => out.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ő' => out.push('o'),
            'œ' => out.push_str("oe"),
            'ř' => out.push('r'),
            'ß' => out.push_str("ss"),
            'ś' | 'š' | 'ş' => out.push('s'),
            'ť' => out.push('t'),
            'ù'..='ü' | 'ū' | 'ů' | 'ű' => out.push('u'),
            'ý' | 'ÿ' => out.push('y'),
            'ź' | 'ż' | 'ž' => out.push('z'),
            c if is_mark(c) => {}
            c => out.push(c),
        }
    }
}

/// Whether a token, as written, is a function word.
pub fn is_function_token(token: &str) -> bool {
    token.len() <= 16 && is_function_word(&fold(&token.to_lowercase()))
}

/// Whether a folded word is an article, pronoun, preposition, auxiliary or question word of French
/// or English.
pub fn is_function_word(folded: &str) -> bool {
    FUNCTION_WORDS.binary_search(&folded).is_ok()
}

#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "ai", "ainsi", "all", "also", "am", "an", "and", "any", "are", "as", "at", "au",
    "aussi", "aux", "avec", "avez", "avoir", "avons", "be", "because", "been", "before", "but", "by", "c",
    "can", "car", "ce", "ceci", "cela", "ces", "cet", "cette", "ceux", "chaque", "chez", "ci", "comme",
    "comment", "could", "d", "dans", "de", "depuis", "des", "did", "do", "does", "doit", "donc", "dont",
    "du", "elle", "elles", "en", "entre", "es", "est", "et", "etait", "etre", "eux", "faire", "fait",
    "faut", "for", "from", "get", "had", "has", "have", "how", "i", "if", "il", "ils", "in", "into", "is",
    "it", "its", "j", "je", "l", "la", "le", "les", "leur", "leurs", "lors", "lui", "m", "ma", "mais",
    "may", "me", "mes", "might", "moi", "mon", "must", "my", "n", "ne", "ni", "no", "nos", "not", "notre",
    "nous", "of", "on", "ont", "or", "ou", "our", "out", "par", "pas", "peut", "peux", "plus", "pour",
    "pourquoi", "puis", "qu", "quand", "que", "quel", "quelle", "quelles", "quels", "qui", "quoi", "s",
    "sa", "sans", "se", "ses", "shall", "she", "should", "si", "so", "son", "sont", "sous", "suis", "sur",
    "t", "ta", "te", "tes", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "ton", "tous", "tout", "toute", "toutes", "tres", "tu", "un", "une", "vers",
    "via", "vos", "votre", "vous", "was", "we", "were", "what", "when", "where", "which", "while", "who",
    "why", "will", "with", "would", "y", "you", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &[Lang] = &[Lang::Fr, Lang::En];

    fn collect(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        tokens(text, |t| out.push(t.to_owned()));
        out
    }

    #[test]
    fn tokens_split_at_everything_but_letters_and_digits() {
        assert_eq!(collect("L’Accès à LOGIN_MAX (v2.1)"), ["l", "accès", "à", "login", "max", "v2", "1"]);
        assert_eq!(collect("e\u{301}te\u{301}"), ["e\u{301}te\u{301}"]);
        assert_eq!(fold("e\u{301}te\u{301}"), "ete");
        assert_eq!(fold("cœur"), "coeur");
    }

    #[test]
    fn function_words_are_sorted_for_the_search() {
        let mut sorted = FUNCTION_WORDS.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for word in FUNCTION_WORDS {
            assert!(is_function_word(word), "{word}: {sorted:?}");
        }
    }

    #[test]
    fn accents_and_endings_do_not_separate_words() {
        let terms = Terms::new("verrouillage des comptes installes", BOTH, false);
        let mut seen = Recogniser::new(&terms, BOTH);
        assert_eq!(terms.len(), 3);
        assert_eq!(seen.find("verrouillages"), Some(0));
        assert_eq!(seen.find("compte"), Some(1));
        assert_eq!(seen.find("installées"), Some(2));
        assert_eq!(seen.find("compote"), None);
    }

    #[test]
    fn the_quick_start_agrees_with_the_fold() {
        for c in ('a'..='z').chain('A'..='Z').chain('\u{c0}'..='\u{ff}') {
            for token in
                [format!("{c}"), format!("{c}b"), format!("{c}é"), format!("é{c}x"), format!("{c}\u{301}t")]
            {
                if let Some(start) = quick_start(token.as_bytes()) {
                    assert_eq!(start, start_of(fold(&token.to_lowercase()).as_bytes()), "{token}");
                }
            }
        }
    }

    #[test]
    fn english_endings() {
        let terms = Terms::new("How are sessions revoked?", BOTH, false);
        let mut seen = Recogniser::new(&terms, BOTH);
        assert_eq!(seen.find("session"), Some(0));
        assert_eq!(seen.find("revoking"), Some(1));
    }
}
