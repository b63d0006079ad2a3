//! Secrets in text: found, named by rule and line, masked; and secrets in memory, wiped after use.
//!
//! A finding never holds the value. A token counts when it stands alone (boundary), is whole (full
//! body) and looks random (entropy); placeholders of documentation pass, and so do plain hexadecimal
//! hashes such as our own.

mod rules;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use memchr::memmem;
use regex::{Regex, bytes};
use zeroize::Zeroizing;

use rules::{PLACEHOLDERS, RULES, Rule, WORDS};

/// A secret found in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's name, such as `github-token`.
    pub rule: &'static str,
    /// Line number, from 1.
    pub line: usize,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// The compiled rules, each compiled when a text first holds its hints: most texts hold none, and
/// compiling all takes longer than a step-0 search.
static COMPILED: LazyLock<Vec<OnceLock<Option<Regex>>>> =
    LazyLock::new(|| RULES.iter().map(|_| OnceLock::new()).collect());

fn compiled(index: usize) -> Option<&'static Regex> {
    // A test proves that every pattern compiles; a broken one must not take the program down.
    COMPILED.get(index)?.get_or_init(|| Regex::new(RULES[index].pattern).ok()).as_ref()
}

/// What every secret of [`RULES`] holds, cheap to look for: most lines of most texts hold none of it.
static HINT: LazyLock<Option<bytes::Regex>> = LazyLock::new(|| {
    bytes::Regex::new(concat!(
        r"(?-u)-----BEGIN|\bsk-[A-Za-z0-9_-]|A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{4}|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|",
        r"xox[a-z]-|xapp-|hooks\.slack|[sr]k_(?:live|test)|whsec_|AIza|GOCSPX-|ya29\.|npm_|pypi-AgE|hf_|",
        r"hv[sbr]\.|s\.[A-Za-z0-9]{8}|SG\.|do[opr]_v1_|dckr_|dapi[0-9a-f]|shp[a-z]{2}_|lin_api_|ATATT3|",
        r"glsa_|\.atlasv1\.|AGE-SECRET|AccountKey=|eyJ|://[^\s/]*:[^\s/]*@|",
        r"(?i:authorization|passw|pwd|passphrase|secret|token|(?:api|access|private)[_-]?key|mot[_ -]de[_ -]passe|mdp)",
    ))
    .ok()
});

/// Shorter texts are looked at whole: finding windows would cost more than it saves.
const SHORT: usize = 16 << 10;

/// Lines after a hint that belong to it: an assignment may go on below.
const LINES: usize = 3;

/// The stretches of `text` that are worth the full rules: whole lines around each hint, everything
/// where a private key begins.
fn windows(text: &str) -> Vec<Range<usize>> {
    let whole = || std::iter::once(0..text.len()).collect();
    if text.len() < SHORT {
        return whole();
    }
    let Some(hint) = HINT.as_ref() else { return whole() };
    let bytes = text.as_bytes();
    let mut out: Vec<Range<usize>> = Vec::new();
    for hit in hint.find_iter(bytes) {
        if hit.as_bytes().starts_with(b"-----") {
            return whole();
        }
        let start = memchr::memrchr(b'\n', &bytes[..hit.start()]).map_or(0, |i| i + 1);
        let end = memchr::memchr_iter(b'\n', &bytes[hit.end()..])
            .nth(LINES - 1)
            .map_or(text.len(), |i| hit.end() + i);
        match out.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => out.push(start..end),
        }
    }
    out
}

/// Characters that no reader sees and that could split a token in two.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
        || (c.is_control() && !c.is_whitespace())
}

/// Bytes that may begin an invisible character: controls, and the first bytes of those in UTF-8.
static SUSPECT: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        let space = matches!(b, 0x09..=0x0d);
        table[b] = b < 0x20 && !space || matches!(b, 0x7f | 0xc2 | 0xd8 | 0xe1 | 0xe2 | 0xef | 0xf3);
        b += 1;
    }
    table
};

/// Whether `text` holds a character that no reader sees; most texts are passed over byte by byte.
fn has_invisible(text: &str) -> bool {
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(|b| SUSPECT[usize::from(*b)]) {
        // A suspect byte begins a character: none of them continues one.
        let Some(c) = text[at + next..].chars().next() else { return false };
        if is_invisible(c) {
            return true;
        }
        at += next + c.len_utf8();
    }
    false
}

/// The secrets of `text`, in order, without overlap; a token split by invisible characters is whole.
pub fn scan(text: &str) -> Vec<Finding> {
    if !has_invisible(text) {
        return scan_visible(text);
    }
    let mut visible = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices().filter(|(_, c)| !is_invisible(*c)) {
        // Each byte leads to the start of its character: a token may end with a wide one.
        places.extend(std::iter::repeat_n(at, c.len_utf8()));
        visible.push(c);
    }
    let mut found = scan_visible(&visible);
    for finding in &mut found {
        let last = places.get(finding.range.end - 1).copied().unwrap_or(text.len() - 1);
        let width = text[last..].chars().next().map_or(1, char::len_utf8);
        finding.range = places[finding.range.start]..last + width;
    }
    found
}

fn scan_visible(text: &str) -> Vec<Finding> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for window in windows(text) {
        let part = &text[window.clone()];
        let lower = part.to_ascii_lowercase();
        for (index, rule) in RULES.iter().enumerate() {
            let holds = |literal: &&str| memmem::find(lower.as_bytes(), literal.as_bytes()).is_some();
            if !rule.hints.iter().any(holds) || !(rule.signs.is_empty() || rule.signs.iter().any(holds)) {
                continue;
            }
            let Some(regex) = compiled(index) else { continue };
            let mut from = 0;
            while let Some(captures) = regex.captures_at(part, from) {
                let Some(token) = captures.get(1).or_else(|| captures.get(0)) else { break };
                let range = window.start + token.start()..window.start + token.end();
                if is_secret(text, range.clone(), rule) {
                    found.push((range, index));
                }
                // What follows the token may be the beginning of the next one. No rule matches nothing.
                from = token.end();
            }
        }
    }
    // An earlier rule names what several match; of overlapping ones the whole stretch is masked.
    found.sort_by_key(|(range, index)| (range.start, *index));
    let mut merged: Vec<(Range<usize>, usize)> = Vec::new();
    for (range, index) in found {
        match merged.last_mut() {
            Some((last, first)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *first = (*first).min(index);
            }
            _ => merged.push((range, index)),
        }
    }
    let (mut line, mut seen) = (1, 0);
    merged
        .into_iter()
        .map(|(range, index)| {
            line += text.as_bytes()[seen..range.start].iter().filter(|b| **b == b'\n').count();
            seen = range.start;
            Finding { rule: RULES[index].name, line, range }
        })
        .collect()
}

/// `text` with every secret replaced by `[secret: rule]`.
pub fn mask(text: &str) -> Cow<'_, str> {
    let findings = scan(text);
    if findings.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for finding in findings {
        out.push_str(&text[end..finding.range.start]);
        out.push_str("[secret: ");
        out.push_str(finding.rule);
        out.push(']');
        end = finding.range.end;
    }
    out.push_str(&text[end..]);
    Cow::Owned(out)
}

fn is_secret(text: &str, range: Range<usize>, rule: &Rule) -> bool {
    let token = &text[range.clone()];
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // A token that begins or ends with punctuation of its own has no boundary to check there.
    let before = text[..range.start].chars().next_back().filter(|_| token.starts_with(word));
    let after = text[range.end..].chars().next().filter(|_| token.ends_with(word));
    if before.is_some_and(|c| word(c) || (c == '.' && token.starts_with("s."))) || after.is_some_and(word) {
        return false;
    }
    if rule.name == "private-key" {
        return true;
    }
    let lower = token.to_ascii_lowercase();
    !PLACEHOLDERS.iter().any(|p| lower.contains(p))
        && !WORDS.contains(&lower.as_str())
        && !is_hash(token)
        && !is_reference(token, rule)
        && entropy(token) >= rule.entropy
}

/// A plain digest: only hexadecimal digits, as many as MD5, SHA-1, SHA-256 or SHA-512 have.
fn is_hash(token: &str) -> bool {
    let digits = token.strip_prefix("sha256:").unwrap_or(token);
    matches!(digits.len(), 32 | 40 | 64 | 128) && digits.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Code and words rather than a random text. Where the shape says little, a secret shows capitals or
/// digits; where there is none (assignments), letters and digits together.
fn is_reference(token: &str, rule: &Rule) -> bool {
    let has = |kind: fn(&char) -> bool| token.chars().any(|c| kind(&c));
    match rule.name {
        "openai-key" | "gitlab-token" => !has(char::is_ascii_digit) && !has(char::is_ascii_uppercase),
        "assigned-secret" => {
            !has(|c| c.is_alphabetic())
                || !has(char::is_ascii_digit)
                || token.contains(['(', '[', '/', ':'])
                || token.contains("..")
        }
        _ => false,
    }
}

/// Shannon entropy of the characters of `token`, in bits each.
fn entropy(token: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::<char, u32>::new();
    for c in token.chars() {
        *counts.entry(c).or_default() += 1;
    }
    let n = f64::from(counts.values().sum::<u32>());
    -counts.values().map(|c| f64::from(*c) / n).map(|p| p * p.log2()).sum::<f64>()
}

/// Key material in memory: wiped on drop, never printed.
#[derive(Clone)]
pub struct SecretBytes(Zeroizing<Vec<u8>>);

impl SecretBytes {
    /// Takes the bytes over.
    pub fn new(bytes: Vec<u8>) -> Self {
        SecretBytes(Zeroizing::new(bytes))
    }

    /// Reads hexadecimal digits; `None` when they are none.
    pub fn from_hex(text: &str) -> Option<Self> {
        hex::decode(text).ok().map(SecretBytes::new)
    }

    /// The bytes. Copies made of them are the caller's to wipe.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// A secret text in memory, such as a token: wiped on drop, never printed.
#[derive(Clone)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Takes the text over.
    pub fn new(text: String) -> Self {
        SecretText(Zeroizing::new(text))
    }

    /// The text. Copies made of it are the caller's to wipe.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests;
