//! Role prefixes: the words a model was trained to see before a query or a document.
//!
//! They are part of the text, and no server adds them. A model's family is recognised by its name;
//! settings may say otherwise.

/// Text put before queries and documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// Before a query.
    pub query: String,
    /// Before a document.
    pub document: String,
}

/// Families by a part of their lower-case name; the first match counts.
const FAMILIES: [(&str, &str, &str); 13] = [
    ("nomic-embed", "search_query: ", "search_document: "),
    // An instruction-tuned E5 asks for a sentence before the query and nothing before documents.
    ("e5-large-instruct", E5_TASK, ""),
    ("e5-mistral", E5_TASK, ""),
    ("e5-", "query: ", "passage: "),
    ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
    ("qwen3-embedding", QWEN3_TASK, ""),
    ("bge-m3", "", ""),
    ("bge-", BGE, ""),
    ("mxbai-embed", BGE, ""),
    ("snowflake-arctic-embed2", "query: ", ""),
    ("snowflake-arctic-embed-l-v2", "query: ", ""),
    ("snowflake-arctic-embed-m-v2", "query: ", ""),
    ("snowflake-arctic-embed", BGE, ""),
];

const BGE: &str = "Represent this sentence for searching relevant passages: ";
const E5_TASK: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";
const QWEN3_TASK: &str =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:";

/// The prefixes of a known model family, by the model's name (`nomic-embed-text:latest`,
/// `intfloat/multilingual-e5-base`, a directory's name …); none for any other name.
pub fn known_prefixes(name: &str) -> Prefixes {
    let name = name.to_ascii_lowercase();
    FAMILIES
        .iter()
        .find(|(part, _, _)| name.contains(part))
        .map(|(_, q, d)| Prefixes { query: (*q).to_owned(), document: (*d).to_owned() })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_by_name() {
        let of = |name| {
            let p = known_prefixes(name);
            (p.query, p.document)
        };
        let pair = |q: &str, d: &str| (q.to_owned(), d.to_owned());
        assert_eq!(of("nomic-embed-text:latest"), pair("search_query: ", "search_document: "));
        assert_eq!(of("nomic-ai/nomic-embed-text-v1.5"), pair("search_query: ", "search_document: "));
        assert_eq!(of("intfloat/multilingual-e5-base"), pair("query: ", "passage: "));
        assert_eq!(of("embeddinggemma:300m"), pair("task: search result | query: ", "title: none | text: "));
        assert_eq!(of("all-MiniLM-L6-v2"), pair("", ""));
        assert_eq!(of("bge-m3:latest"), pair("", ""));
        let bge = "Represent this sentence for searching relevant passages: ";
        assert_eq!(of("bge-large:335m"), pair(bge, ""));
        assert_eq!(of("mxbai-embed-large"), pair(bge, ""));
        assert_eq!(of("some-unknown-model"), pair("", ""));
    }
}
