//! More ways to say a query: by a local language model, else by the words of the best documents.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::analysis::{self, Kind, Language, scan};
use super::catalog::Catalog;
use super::catalog::contexts::Context;
use super::lexical::score::idf;
use super::lexical::{Found, Ranking};
use crate::base::{Error, Kind as ErrorKind, Result};
use crate::embed::{Generation, Generator};

/// Documents whose words are taken.
const FEEDBACK_DOCUMENTS: usize = 8;
/// Words taken from them.
const FEEDBACK_TERMS: usize = 8;
/// Weight of the strongest of those words, a query word being 1.
const FEEDBACK_WEIGHT: f64 = 0.3;

/// Further queries by a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expansion {
    /// Other words.
    #[serde(default)]
    pub lex: Vec<String>,
    /// Other sentences.
    #[serde(default)]
    pub vec: Vec<String>,
    /// A passage that would answer.
    #[serde(default)]
    pub hyde: Option<String>,
}

/// Asks a language model for other ways to say `query`. Contexts of the searched scope and the
/// intent are told to it as such.
///
/// # Errors
/// As the generator's; exit 65 when the answer is not what was asked for.
pub fn by_model(
    generator: &dyn Generator,
    query: &str,
    intent: Option<&str>,
    contexts: &[Context],
) -> Result<Expansion> {
    let strings = serde_json::json!({"type": "array", "items": {"type": "string"}, "maxItems": 3});
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"lex": strings, "vec": strings, "hyde": {"type": "string"}},
        "required": ["lex", "vec", "hyde"],
    });
    let mut prompt = String::from(
        "You rewrite search queries for a local document search. Answer in JSON, in the language of the query: \
         \"lex\": up to three short keyword queries with synonyms; \"vec\": up to three full questions with the \
         same meaning; \"hyde\": two sentences as a document answering it would say. Do not explain.\n",
    );
    for context in contexts {
        prompt.push_str(&format!("About the documents under {}: {}\n", context.scope, context.text));
    }
    if let Some(intent) = intent {
        prompt.push_str(&format!("What the user is after: {intent}\n"));
    }
    prompt.push_str(&format!("Query: {query}\n"));
    let answer = generator.generate(&Generation {
        prompt: &prompt,
        schema: Some(&schema),
        seed: 1,
        max_tokens: 400,
    })?;
    let mut expansion: Expansion = serde_json::from_str(answer.trim())
        .map_err(|e| Error::new(ErrorKind::Corrupt, format!("{}: {e}", generator.name())))?;
    for list in [&mut expansion.lex, &mut expansion.vec] {
        list.retain(|q| !q.trim().is_empty() && q.len() < 500 && !q.eq_ignore_ascii_case(query));
        list.truncate(3);
    }
    expansion.hyde = expansion.hyde.filter(|h| !h.trim().is_empty() && h.len() < 4000);
    Ok(expansion)
}

/// Words that the best documents share and the query lacks, with weights: pseudo-relevance feedback.
///
/// # Errors
/// Exit 65 or I/O.
pub fn by_feedback(catalog: &Catalog, first: &Ranking) -> Result<Vec<(String, f64)>> {
    let languages = catalog.languages()?;
    let known: HashSet<&str> = first.terms.iter().map(String::as_str).collect();
    let mut sums: HashMap<String, (f64, usize)> = HashMap::new();
    let best = first.found.first().map_or(0.0, |f| f.score);
    let top: Vec<&Found> =
        first.found.iter().take(FEEDBACK_DOCUMENTS).take_while(|f| f.score >= best / 2.0).collect();
    for found in &top {
        let document = catalog.document(found.document)?;
        let (text, chunks) = catalog.body(found.document)?;
        let passage = chunks.get(found.chunk).and_then(|c| text.get(c.range())).unwrap_or_default();
        for (term, count) in counts(passage, document.language, &languages) {
            if !known.contains(term.as_str()) {
                let (sum, documents) = sums.entry(term).or_default();
                *sum += (1.0 + f64::from(count).ln()) * found.score;
                *documents += 1;
            }
        }
    }
    // A word of one document alone says more about it than about the query.
    let mut terms: Vec<(String, f64)> =
        sums.into_iter().filter(|(_, (_, n))| *n >= 2).map(|(term, (sum, _))| (term, sum)).collect();
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    terms.truncate(40);
    let total = catalog.meta::<i64>("chunks_total")?.unwrap_or(0).max(1) as f64;
    let frequencies = catalog.row_counts(terms.iter().map(|(text, _)| text.as_str()))?;
    for ((_, sum), n) in terms.iter_mut().zip(frequencies) {
        *sum *= idf(f64::from(n), total);
    }
    terms.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    terms.truncate(FEEDBACK_TERMS);
    let strongest = terms.first().map_or(1.0, |t| t.1).max(f64::MIN_POSITIVE);
    Ok(terms.into_iter().map(|(term, sum)| (term, FEEDBACK_WEIGHT * sum / strongest)).collect())
}

fn counts(passage: &str, language: Language, languages: &[Language]) -> HashMap<String, u32> {
    let mut out = HashMap::new();
    scan(passage, |token| {
        let word = token.kind == Kind::Word && token.text.chars().count() > 2;
        let digits = token.text.bytes().all(|b| b.is_ascii_digit());
        if word && !digits && !Language::is_function_word(token.text, languages) {
            *out.entry(analysis::stem(token.text, language)).or_default() += 1;
        }
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed(&'static str, std::sync::Mutex<String>);

    impl Generator for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn generate(&self, request: &Generation<'_>) -> Result<String> {
            *self.1.lock().unwrap() = request.prompt.to_owned();
            Ok(self.0.to_owned())
        }
    }

    #[test]
    fn a_model_answers_in_json() {
        let answer =
            r#"{"lex":["vault key",""],"vec":["Where are keys kept?"],"hyde":"Keys are kept in the vault."}"#;
        let model = Fixed(answer, std::sync::Mutex::default());
        let contexts = [Context { scope: "gf://docs/".into(), text: "security notes".into() }];
        let got = by_model(&model, "clés", Some("rotate them"), &contexts).unwrap();
        assert_eq!((got.lex.len(), got.vec.len()), (1, 1));
        assert!(got.hyde.is_some());
        let prompt = model.1.lock().unwrap().clone();
        assert!(prompt.contains("under gf://docs/: security notes") && prompt.contains("rotate them"));
        let bad = Fixed("sure, here are", std::sync::Mutex::default());
        assert_eq!(by_model(&bad, "q", None, &[]).unwrap_err().exit(), 65);
    }
}
