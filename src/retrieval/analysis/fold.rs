//! Folding: NFKC, lower case, accents dropped; scripts whose marks carry letters keep them.

use unicode_normalization::UnicodeNormalization;

/// Appends the folded form of `text` to `out`.
pub fn fold_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        let start = out.len();
        out.push_str(text);
        out[start..].make_ascii_lowercase();
        return;
    }
    // Decompose, drop Latin/Greek/Cyrillic accents, lower the case, compose what is left (Hangul,
    // Japanese voiced kana).
    out.extend(
        text.nfkd()
            .filter(|c| !matches!(c, '\u{300}'..='\u{36f}' | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}'))
            .flat_map(char::to_lowercase)
            .filter(|c| !matches!(c, '\u{300}'..='\u{36f}'))
            .flat_map(letters)
            .nfc(),
    );
}

/// The folded form of `text`.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    fold_into(text, &mut out);
    out
}

/// Letters that Unicode does not decompose.
fn letters(c: char) -> impl Iterator<Item = char> {
    let (a, b) = match c {
        'œ' => ('o', Some('e')),
        'æ' => ('a', Some('e')),
        'ß' => ('s', Some('s')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ı' => ('i', None),
        'ς' => ('σ', None),
        c => (c, None),
    };
    std::iter::once(a).chain(b)
}

/// Chinese, Japanese and Korean letters, which are written without spaces or inflect by syllable.
pub fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}' | '\u{3041}'..='\u{30ff}'
        | '\u{3105}'..='\u{312f}' | '\u{3131}'..='\u{318e}' | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}')
        && c != '\u{30fb}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds() {
        for (text, expected) in [
            ("ÉTÉ", "ete"),
            ("E\u{301}te\u{301}", "ete"),
            ("Œuvre Straße", "oeuvre strasse"),
            ("ﬁn Ⅳ ①", "fin iv 1"),
            ("İstanbul", "istanbul"),
            ("ΣΊΣΥΦΟΣ", "σισυφοσ"),
            ("Йод", "иод"),
            ("ガ 한", "ガ 한"),
            ("ｶﾞ", "ガ"),
        ] {
            assert_eq!(fold(text), expected, "{text}");
        }
    }
}
