//! The normative slug of page and folder names: `a-z0-9-` and nothing else.
//!
//! Letters of French and the other European languages are written out by a table; a name that would
//! lose letters of another script, become empty, or be reserved by an operating system is refused
//! with a proposal, never shortened in silence.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::base::lang::Lang;
use crate::tr;

/// The longest slug, in bytes: a file name of 255 bytes must hold it with an extension.
pub const MAX_BYTES: usize = 200;

/// Why a text has no slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Nothing of the text is a letter or digit of the Latin alphabet.
    Empty,
    /// Letters of another script would be lost; what the rest gives is proposed.
    NonLatin(String),
    /// A device name of Windows; another name is proposed.
    Reserved(String),
    /// The name is taken; the next free one is proposed.
    Taken(String),
    /// Too long; the longest prefix of whole words is proposed.
    TooLong(String),
}

impl Refused {
    /// A slug that would be accepted, when there is one.
    pub fn proposal(&self) -> Option<&str> {
        match self {
            Refused::Empty => None,
            Refused::NonLatin(p) | Refused::Reserved(p) | Refused::Taken(p) | Refused::TooLong(p) => {
                (!p.is_empty()).then_some(p.as_str())
            }
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&match self {
            Refused::Empty => tr!(
                "aucune lettre ni chiffre latin : donnez un titre en alphabet latin",
                "no Latin letter or digit: give a title in the Latin alphabet"
            ),
            Refused::NonLatin(_) => tr!(
                "des lettres d'une autre écriture seraient perdues",
                "letters of another script would be lost"
            ),
            Refused::Reserved(_) => {
                tr!("nom réservé par Windows", "a name reserved by Windows")
            }
            Refused::Taken(_) => tr!("nom déjà pris", "the name is taken"),
            Refused::TooLong(_) => {
                tr!("plus de {MAX_BYTES} caractères", "more than {MAX_BYTES} characters")
            }
        })
    }
}

/// The slug of `text`; `&` is read as `et` or `and` by `lang`.
///
/// # Errors
/// [`Refused`], with a proposal where there is one.
pub fn slug(text: &str, lang: Lang) -> Result<String, Refused> {
    let (out, lost) = fold(text, lang);
    if out.is_empty() {
        return Err(Refused::Empty);
    }
    if lost {
        return Err(Refused::NonLatin(if is_reserved(&out) { format!("{out}-1") } else { out }));
    }
    if is_reserved(&out) {
        return Err(Refused::Reserved(format!("{out}-1")));
    }
    if out.len() > MAX_BYTES {
        let cut = &out[..MAX_BYTES];
        let words = cut.rfind('-').map_or(cut, |i| &cut[..i]);
        return Err(Refused::TooLong(words.to_owned()));
    }
    Ok(out)
}

/// The slug of `text`, refused when `taken` says that it exists already.
///
/// # Errors
/// [`Refused`]; a collision proposes the first free `slug-2`, `slug-3` ….
pub fn free_slug(text: &str, lang: Lang, taken: impl Fn(&str) -> bool) -> Result<String, Refused> {
    let base = slug(text, lang)?;
    if !taken(&base) {
        return Ok(base);
    }
    let free = (2usize..).map(|n| format!("{base}-{n}")).find(|name| !taken(name)).unwrap_or(base);
    Err(Refused::Taken(free))
}

/// Whether `name` (without extension) follows the naming rule: not empty, `a-z0-9-` only.
pub fn is_conforming(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !is_reserved(name)
}

/// Whether Windows keeps this file stem for a device.
pub fn is_reserved(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    match stem.as_bytes() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', d] | [b'l', b'p', b't', d] => d.is_ascii_digit(),
        _ => false,
    }
}

fn fold(text: &str, lang: Lang) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut lost = false;
    for c in text.chars() {
        match c {
            // Before decomposition: these would leave a letter behind that nobody reads.
            '°' | 'º' => {}
            '№' => out.push('n'),
            '€' => word(&mut out, "euro"),
            '&' | '＆' => word(&mut out, if lang == Lang::Fr { "et" } else { "and" }),
            'µ' => out.push('u'),
            '™' | '℠' => {}
            _ => {
                for d in std::iter::once(c).nfkd().filter(|d| !is_combining_mark(*d)) {
                    lost |= letter(&mut out, d);
                }
            }
        }
    }
    out.truncate(out.trim_end_matches('-').len());
    (out, lost)
}

/// Appends one decomposed character; says whether a letter was lost.
fn letter(out: &mut String, c: char) -> bool {
    let text = match c {
        'a'..='z' | '0'..='9' => {
            out.push(c);
            return false;
        }
        'A'..='Z' => {
            out.push(c.to_ascii_lowercase());
            return false;
        }
        'œ' | 'Œ' => "oe",
        'æ' | 'Æ' => "ae",
        'ß' | 'ẞ' => "ss",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' | 'ð' | 'Ð' => "d",
        'þ' | 'Þ' => "th",
        'ı' => "i",
        'ħ' | 'Ħ' => "h",
        'ŧ' | 'Ŧ' => "t",
        'ŋ' | 'Ŋ' => "ng",
        'ĸ' => "k",
        'ə' | 'Ə' => "e",
        '+' => "plus",
        '#' => "sharp",
        _ => {
            if !out.is_empty() && !out.ends_with('-') {
                out.push('-');
            }
            return c.is_alphanumeric();
        }
    };
    out.push_str(text);
    false
}

fn word(out: &mut String, text: &str) {
    if !out.is_empty() && !out.ends_with('-') {
        out.push('-');
    }
    out.push_str(text);
    out.push('-');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_norm_and_the_european_table() {
        for (text, expected) in [
            ("Authentification 2FA", "authentification-2fa"),
            ("Gestion des accès", "gestion-des-acces"),
            ("API_Utilisateur", "api-utilisateur"),
            ("Œuvre d'art", "oeuvre-d-art"),
            ("Cœur de l’Été", "coeur-de-l-ete"),
            ("Æther et ex æquo", "aether-et-ex-aequo"),
            ("Straße Größe", "strasse-grosse"),
            ("Łódź Øre ıİ", "lodz-ore-ii"),
            ("N° 12 — 1er", "n-12-1er"),
            ("nº 3", "n-3"),
            ("50 % d’€", "50-d-euro"),
            ("Emoji 🚀", "emoji"),
            ("C++ & C#", "cplusplus-et-csharp"),
            ("R&D", "r-et-d"),
            ("ĳ ﬁ ﬂ Þór", "ij-fi-fl-thor"),
            ("prix\u{a0}: 3\u{202f}000", "prix-3-000"),
        ] {
            assert_eq!(slug(text, Lang::Fr).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(slug("C++ & C#", Lang::En).as_deref(), Ok("cplusplus-and-csharp"));
    }

    #[test]
    fn refusals_bring_a_proposal() {
        for empty in ["", "日本語", "🚀", "«»", "---"] {
            assert_eq!(slug(empty, Lang::En), Err(Refused::Empty), "{empty}");
        }
        assert_eq!(slug("API для всех", Lang::En), Err(Refused::NonLatin("api".to_owned())));
        for device in ["CON", "aux", "com1", "LPT9"] {
            assert!(matches!(slug(device, Lang::En), Err(Refused::Reserved(_))), "{device}");
        }
        let taken = |name: &str| matches!(name, "a" | "a-2");
        assert_eq!(free_slug("A", Lang::En, taken), Err(Refused::Taken("a-3".to_owned())));
        let long = slug(&"mot ".repeat(80), Lang::Fr);
        assert!(long.err().and_then(|e| e.proposal().map(str::len)).is_some_and(|n| n <= MAX_BYTES));
    }
}
