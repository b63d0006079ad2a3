//! From text to index terms, the same way for documents and queries.
//!
//! Text is cut into words ([`mod@scan`]), folded (NFKC, case, accents), stemmed by language
//! ([`language`]) and written as a stream of terms that FTS5 splits at spaces. Identifiers give
//! their parts and themselves; CJK runs give bigrams.

pub mod fold;
pub mod language;
pub mod scan;

pub use language::Language;
pub use scan::{Kind, Token, scan};

use std::cell::RefCell;

use rustc_hash::FxHashMap;

/// Longest term in bytes; longer words are cut there, in documents and queries alike.
pub const LONGEST_TERM: usize = 64;

thread_local! {
    static STEMS: RefCell<FxHashMap<(Language, String), Box<str>>> = RefCell::default();
}

/// Appends the stem of `word` (folded) in `language` to `out`.
pub fn push_stem(out: &mut String, word: &str, language: Language) {
    let word = cut(word);
    // Numbers and one- or two-letter words have no endings.
    let Some(algorithm) = language.algorithm().filter(|_| word.len() > 2) else {
        out.push_str(word);
        return;
    };
    STEMS.with_borrow_mut(|stems| {
        let key = (language, word.to_owned());
        if let Some(stem) = stems.get(&key) {
            out.push_str(stem);
            return;
        }
        let stem = rust_stemmers::Stemmer::create(algorithm).stem(word).into_owned();
        out.push_str(&stem);
        // Vocabularies grow slowly; a hostile one must not grow without end.
        if stems.len() < 1 << 18 {
            stems.insert(key, stem.into_boxed_str());
        }
    });
}

/// The stem of `word`.
pub fn stem(word: &str, language: Language) -> String {
    let mut out = String::new();
    push_stem(&mut out, word, language);
    out
}

/// Writes the terms of `text` to `out`, each followed by a space, and returns their number.
pub fn terms(text: &str, language: Language, out: &mut String) -> usize {
    let mut count = 0;
    scan(text, |token| {
        match token.kind {
            Kind::Word => push_stem(out, token.text, language),
            Kind::Whole | Kind::Cjk => out.push_str(cut(token.text)),
            // Single characters serve exact comparison only.
            Kind::CjkChar => return,
        }
        out.push(' ');
        count += 1;
    });
    count
}

/// The folded, unstemmed words of `text` in order, CJK one character each: what phrases and
/// exclusions are compared by.
pub fn surface(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    scan(text, |token| {
        if matches!(token.kind, Kind::Word | Kind::CjkChar) {
            words.push(token.text.to_owned());
        }
    });
    words
}

/// `word` cut to [`LONGEST_TERM`] bytes at a character.
pub fn cut(word: &str) -> &str {
    if word.len() <= LONGEST_TERM { word } else { &word[..word.floor_char_boundary(LONGEST_TERM)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, language: Language) -> String {
        let mut out = String::new();
        terms(text, language, &mut out);
        out.trim_end().to_owned()
    }

    #[test]
    fn documents_and_queries_meet() {
        let fr = Language::French;
        assert_eq!(all("L’authentification ÉCHOUÉE", fr), all("l'authentification echouee", fr));
        assert_eq!(
            all("les échecs répétés", fr),
            all("ECHEC REPETE le", fr).replace("echec repet le", "le echec repet")
        );
        let en = Language::English;
        assert_eq!(stem("connections", en), stem("connected", en));
        assert_eq!(stem("connection", Language::Other), "connection");
    }

    #[test]
    fn identifiers_give_parts_and_themselves() {
        let other = Language::Other;
        assert_eq!(all("snake_case", other), "snake case snake_case");
        assert_eq!(all("getUserName()", other), "get user name getusername");
        assert_eq!(all("HTTPServer", other), "http server httpserver");
        assert_eq!(all("C++ and C#.", other), "c c++ and c c#");
        assert_eq!(all("mail a@b.c now", other), "mail a b c a@b.c now");
        assert_eq!(all("path/to/file.rs", other), "path to file rs file.rs path/to/file.rs");
        assert_eq!(all("v1.2.3.", other), "v1 2 3 v1.2.3");
        assert_eq!(all("state-of-the-art", other), "state of the art");
        assert_eq!(all("(hello), world...", other), "hello world");
    }

    #[test]
    fn cjk_is_bigrams() {
        let other = Language::Other;
        assert_eq!(all("日本語 text 字", other), "日本 本語 text 字");
        assert_eq!(all("Ｆｕｌｌ　ｗｉｄｔｈ", other), "full width");
        assert_eq!(surface("日本 Élan-vital"), ["日", "本", "elan", "vital"]);
    }

    #[test]
    fn long_words_are_cut_not_lost() {
        let long = "é".repeat(500);
        assert_eq!(all(&long, Language::Other).len(), LONGEST_TERM);
        // The parts of an endless name, and not the name.
        assert_eq!(all(&format!("a_{}", "b".repeat(500)), Language::Other).split(' ').count(), 2);
    }
}
