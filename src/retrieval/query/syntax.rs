//! Reading a query: words, `"phrases"`, `-exclusions`, and typed lines `lex: vec: hyde: intent:`.

use crate::base::{Error, Result};
use crate::retrieval::analysis::surface;
use crate::tr;

/// Longest query in bytes.
pub const LONGEST: usize = 8 * 1024;
/// Most words a query is searched by.
pub const MOST_WORDS: usize = 128;

/// A query for the words of documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lexical {
    /// Words to rank by, as typed; those of the phrases too.
    pub words: Vec<String>,
    /// Word sequences a document must hold, folded.
    pub phrases: Vec<Vec<String>>,
    /// Word sequences a document must not hold, folded.
    pub excluded: Vec<Vec<String>>,
}

/// A query as typed, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// The text without prefixes: what is shown, embedded and reranked by.
    pub text: String,
    /// What is searched by words; the untyped lines count here.
    pub lexical: Vec<Lexical>,
    /// What is searched by meaning: untyped and `vec:` lines.
    pub semantic: Vec<String>,
    /// Passages as an answer might read (`hyde:`), embedded as documents.
    pub passages: Vec<String>,
    /// What the user is after (`intent:`); steers expansion and reranking.
    pub intent: Option<String>,
    /// Whether any line is typed: then nothing is expanded.
    pub typed: bool,
}

impl Query {
    /// Reads a query.
    ///
    /// # Errors
    /// Usage when it is empty, too long, or names nothing to find.
    pub fn parse(text: &str) -> Result<Query> {
        if text.len() > LONGEST {
            return Err(Error::usage(tr!(
                "requête de {} octets, au plus {LONGEST}",
                "the query has {} bytes, at most {LONGEST} are taken",
                text.len()
            ))
            .hint(tr!("gardez les mots qui comptent", "keep the words that matter")));
        }
        let clean: String = text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
        let mut query = Query::default();
        let mut plain = Vec::new();
        let mut texts = Vec::new();
        for line in clean.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let typed = ["lex:", "vec:", "hyde:", "intent:"].iter().find_map(|tag| {
                let rest = line.get(tag.len()..)?;
                line[..tag.len()].eq_ignore_ascii_case(tag).then_some((*tag, rest.trim()))
            });
            match typed {
                Some((_, "")) => {
                    return Err(Error::usage(tr!("ligne vide : {line}", "an empty line: {line}")));
                }
                Some(("intent:", rest)) => query.intent = Some(rest.to_owned()),
                Some((tag, rest)) => {
                    query.typed = true;
                    match tag {
                        "lex:" => query.lexical.push(lexical(rest)),
                        "vec:" => query.semantic.push(rest.to_owned()),
                        _ => query.passages.push(rest.to_owned()),
                    }
                    texts.push(rest);
                }
                None => plain.push(line),
            }
        }
        if !plain.is_empty() {
            let line = plain.join(" ");
            query.lexical.insert(0, lexical(&line));
            query.semantic.insert(0, without_exclusions(&line));
            texts.insert(0, "");
            query.text = [vec![line.as_str()], texts[1..].to_vec()].concat().join(" ");
        } else {
            query.text = texts.join(" ");
        }
        query.check()?;
        Ok(query)
    }

    fn check(&self) -> Result<()> {
        if self.text.trim().is_empty() {
            return Err(Error::usage(tr!("requête vide", "the query is empty")));
        }
        let positive = self.lexical.iter().any(|l| !l.words.is_empty())
            || !self.passages.is_empty()
            || (self.typed && !self.semantic.is_empty());
        if positive {
            return Ok(());
        }
        let excluded = self.lexical.iter().any(|l| !l.excluded.is_empty());
        let why = if excluded {
            tr!(
                "la requête ne fait qu'exclure : il faut au moins un mot à trouver",
                "the query only excludes: it needs at least one word to find"
            )
        } else {
            tr!("la requête ne tient aucun mot", "the query holds no word")
        };
        Err(Error::usage(why)
            .hint(tr!("mots, \"suite exacte\", -exclu", "words, \"exact phrase\", -excluded")))
    }
}

/// Reads one line of words.
pub fn lexical(line: &str) -> Lexical {
    let mut out = Lexical::default();
    for (negative, quoted, text) in pieces(line) {
        let folded = surface(text);
        if folded.is_empty() {
            continue;
        }
        match (negative, quoted) {
            (true, _) => out.excluded.push(folded),
            (false, true) => {
                out.words.push(text.to_owned());
                out.phrases.push(folded);
            }
            (false, false) => out.words.push(text.to_owned()),
        }
    }
    out
}

/// `(negative, quoted, text)` of every piece of a line. An unclosed quote closes at the end.
fn pieces(line: &str) -> Vec<(bool, bool, &str)> {
    let mut out = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (negative, body) = match rest.strip_prefix('-') {
            Some(body) if body.starts_with(|c: char| !c.is_whitespace() && c != '-') => (true, body),
            _ => (false, rest),
        };
        let quote = |c: char| matches!(c, '"' | '“' | '”' | '«' | '»');
        let (quoted, text, after) = match body.chars().next().filter(|c| quote(*c)) {
            Some(open) => {
                let inner = &body[open.len_utf8()..];
                match inner.find(quote) {
                    Some(end) => {
                        let close = inner[end..].chars().next().map_or(1, char::len_utf8);
                        (true, &inner[..end], &inner[end + close..])
                    }
                    None => (true, inner, ""),
                }
            }
            None => {
                let end = body.find(char::is_whitespace).unwrap_or(body.len());
                (false, &body[..end], &body[end..])
            }
        };
        out.push((negative, quoted, text));
        rest = after.trim_start();
    }
    out
}

/// The line as it is embedded: exclusions say what is not meant, and a model would find just that.
fn without_exclusions(line: &str) -> String {
    pieces(line)
        .into_iter()
        .filter(|(negative, ..)| !negative)
        .map(|(.., text)| text)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|w| (*w).to_owned()).collect()
    }

    #[test]
    fn words_phrases_exclusions() {
        let l = lexical("Vault \"clé d'audit\" -jeton -\"mot de passe\" rotate-key C++ « suite exacte »");
        assert_eq!(l.words, strings(&["Vault", "clé d'audit", "rotate-key", "C++", " suite exacte "]));
        assert_eq!(l.phrases, [strings(&["cle", "d", "audit"]), strings(&["suite", "exacte"])]);
        assert_eq!(l.excluded, [strings(&["jeton"]), strings(&["mot", "de", "passe"])]);
        assert_eq!(lexical("- a -- b").words, strings(&["a", "b"]));
        assert_eq!(lexical("\"open").phrases, [strings(&["open"])]);
    }

    #[test]
    fn typed_lines() {
        let q =
            Query::parse("lex: vault key\nvec: where are keys kept\nhyde: Keys are kept in\nintent: rotate")
                .unwrap();
        assert!(q.typed);
        assert_eq!(q.lexical[0].words, strings(&["vault", "key"]));
        assert_eq!((q.semantic.len(), q.passages.len()), (1, 1));
        assert_eq!(q.intent.as_deref(), Some("rotate"));
        let plain = Query::parse("where are\nkeys -old").unwrap();
        assert!(!plain.typed);
        assert_eq!(plain.semantic, strings(&["where are keys"]));
        assert_eq!(plain.text, "where are keys -old");
    }

    #[test]
    fn refused_queries() {
        for bad in ["", "  ", "-only", "\"\"", "--- ***", "AND(", "intent: x", "lex:", "-a -\"b c\"", "\0\0"]
        {
            match Query::parse(bad) {
                Err(e) => assert_eq!(e.exit(), 2, "{bad:?}"),
                Ok(q) => assert_eq!(bad, "AND(", "{q:?}"),
            }
        }
        assert_eq!(Query::parse(&"word ".repeat(2_000_000)).unwrap_err().exit(), 2);
        assert!(Query::parse("a\0b").is_ok());
    }
}
