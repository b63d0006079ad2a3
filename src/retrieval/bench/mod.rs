//! Measuring search quality against versioned fixtures, and comparing two runs.

pub mod metrics;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::catalog::Catalog;
use super::fetch;
use super::query::{Mode, Models, Request, run};
use super::semantic;
use crate::base::id::sha256_hex;
use crate::base::{Error, Kind, Result};
use crate::tr;
use metrics::{Metrics, mean, measure, percentile};

/// Rank that hit and recall look down to.
pub const K: usize = 5;

/// A fixture: queries and the documents that answer them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// Version of the format, 1.
    pub version: u32,
    /// What it is about.
    #[serde(default)]
    pub description: String,
    /// The index it was written for, as a run names it; any when absent.
    #[serde(default)]
    pub index: Option<String>,
    /// The model it was written for, as a run names it; any when absent.
    #[serde(default)]
    pub model: Option<String>,
    /// The configuration it was written for, as a run names it; any when absent.
    #[serde(default)]
    pub configuration: Option<String>,
    /// The queries.
    pub queries: Vec<Case>,
}

/// A query of a fixture.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// The query.
    pub query: String,
    /// Documents that answer it, as `get` names them.
    pub relevant: Vec<String>,
    /// How to search; otherwise as the run says.
    #[serde(default)]
    pub mode: Option<Mode>,
    /// Collections to search.
    #[serde(default)]
    pub collections: Vec<String>,
}

/// A run, complete enough to be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of the document, 1.
    pub schema: u32,
    /// SHA-256 hex of the fixture.
    pub fixture: String,
    /// Identity of the indexed contents and how they were cut.
    pub index: String,
    /// Identity of the vectors, if any.
    pub model: Option<String>,
    /// Models that expand and rerank.
    pub configuration: String,
    /// Relevant documents that the disk no longer holds as indexed.
    pub stale: Vec<String>,
    /// Rank that hit and recall look down to.
    pub k: usize,
    /// Means by mode.
    pub modes: BTreeMap<String, Summary>,
    /// Every query.
    pub queries: Vec<Measured>,
}

/// Means over the queries of one mode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Number of queries.
    pub queries: usize,
    /// Means.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Median latency in milliseconds.
    pub p50_ms: f64,
    /// 95th percentile of the latency in milliseconds.
    pub p95_ms: f64,
}

/// One query's measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// The query.
    pub query: String,
    /// How it was searched.
    pub mode: String,
    /// Its measures.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Its latency in milliseconds.
    pub ms: f64,
}

/// Reads a fixture, JSON or YAML.
///
/// # Errors
/// Usage when it is no fixture.
pub fn read_fixture(text: &str) -> Result<Fixture> {
    let fixture: Fixture = serde_saphyr::from_str(text)
        .map_err(|e| Error::usage(tr!("jeu de mesure refusé : {e}", "the fixture is refused: {e}")))?;
    if fixture.version != 1 || fixture.queries.is_empty() {
        return Err(Error::usage(tr!(
            "jeu de mesure vide ou de version inconnue ({})",
            "the fixture is empty or of unknown version ({})",
            fixture.version
        )));
    }
    Ok(fixture)
}

/// Runs every query of `fixture` in `modes` (or in its own mode).
///
/// # Errors
/// Exit 2 when a relevant document is not indexed; as [`run`].
pub fn bench(
    catalog: &Catalog,
    text: &str,
    modes: &[Mode],
    models: &dyn Models,
    cwd: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Run> {
    let fixture = read_fixture(text)?;
    let mut queries = Vec::new();
    let mut stale = Vec::new();
    let total = fixture.queries.len() as u64;
    for (i, case) in fixture.queries.iter().enumerate() {
        let mut relevant = HashSet::new();
        for name in &case.relevant {
            let target = fetch::resolve(catalog, name, cwd)
                .map_err(|e| Error::usage(tr!("requête {:?} : {e}", "query {:?}: {e}", case.query)))?;
            if catalog.is_stale(&target.file)? {
                stale.push(target.uri());
            }
            relevant.insert(target.document.docid().to_owned());
        }
        for mode in case.mode.as_ref().map_or(modes, std::slice::from_ref) {
            let request = Request {
                collections: case.collections.clone(),
                limit: Some(100),
                ..Request::new(&case.query, *mode)
            };
            let start = Instant::now();
            let response = run(catalog, &request, models)?;
            let ms = start.elapsed().as_secs_f64() * 1000.0;
            let ranking: Vec<String> = response.results.into_iter().map(|h| h.docid).collect();
            let metrics = measure(&ranking, &relevant, K);
            queries.push(Measured { query: case.query.clone(), mode: mode.tag().to_owned(), metrics, ms });
        }
        progress(i as u64 + 1, total);
    }
    let mut by_mode: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for q in &queries {
        by_mode.entry(q.mode.clone()).or_default().push(q);
    }
    let summary = |of: Vec<&Measured>| {
        let all: Vec<Metrics> = of.iter().map(|q| q.metrics).collect();
        let times: Vec<f64> = of.iter().map(|q| q.ms).collect();
        Summary {
            queries: of.len(),
            metrics: mean(&all),
            p50_ms: percentile(&times, 0.5),
            p95_ms: percentile(&times, 0.95),
        }
    };
    stale.sort();
    stale.dedup();
    Ok(Run {
        schema: 1,
        fixture: sha256_hex(text),
        index: index_identity(catalog)?,
        model: semantic::binding(catalog)?.map(|b| format!("{}@{}", b.model.name, b.model.digest)),
        configuration: serde_json::to_string(&catalog.models()?).unwrap_or_default(),
        stale,
        k: K,
        modes: by_mode.into_iter().map(|(mode, of)| (mode, summary(of))).collect(),
        queries,
    })
}

/// SHA-256 hex over the contents and the way they were cut.
fn index_identity(catalog: &Catalog) -> Result<String> {
    let mut hashes: Vec<String> = catalog.documents()?.into_iter().map(|d| d.hash).collect();
    hashes.sort();
    hashes.push(catalog.meta("strategy")?.unwrap_or_default());
    hashes.push(catalog.meta("tokens")?.unwrap_or_default());
    Ok(sha256_hex(hashes.join("\n")))
}

/// Refuses a run over another index, model or configuration than the fixture was written for.
///
/// # Errors
/// Exit 2 naming what differs; as [`read_fixture`].
pub fn expected(text: &str, run: &Run) -> Result<()> {
    let fixture = read_fixture(text)?;
    let differs = |wanted: &Option<String>, is: Option<&str>| {
        wanted.as_deref().is_some_and(|wanted| Some(wanted) != is)
    };
    let why: Vec<String> = [
        (differs(&fixture.index, Some(&run.index)), tr!("un autre index", "another index")),
        (differs(&fixture.model, run.model.as_deref()), tr!("un autre modèle", "another model")),
        (
            differs(&fixture.configuration, Some(&run.configuration)),
            tr!("une autre configuration", "another configuration"),
        ),
    ]
    .into_iter()
    .filter_map(|(other, name)| other.then_some(name))
    .collect();
    if why.is_empty() {
        return Ok(());
    }
    let list = why.join(", ");
    let message = tr!("le jeu de mesure est pour {list}", "the fixture is for {list}");
    Err(Error::new(Kind::Usage, message).hint("--force"))
}

/// Refuses to compare runs over different fixtures, indexes or models, or over stale documents.
///
/// # Errors
/// Exit 2 naming what differs.
pub fn comparable(old: &Run, new: &Run) -> Result<()> {
    let mut why = Vec::new();
    if old.fixture != new.fixture {
        why.push(tr!("jeux différents", "different fixtures"));
    }
    if old.index != new.index {
        why.push(tr!("index différents", "different indexes"));
    }
    if old.model != new.model {
        why.push(tr!("modèles différents", "different models"));
    }
    if !old.stale.is_empty() || !new.stale.is_empty() {
        why.push(tr!("documents périmés", "stale documents"));
    }
    if why.is_empty() {
        return Ok(());
    }
    Err(Error::new(Kind::Usage, tr!("comparaison refusée : {}", "not comparable: {}", why.join(", ")))
        .hint("--force"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixtures() {
        let json = r#"{"version": 1, "queries": [{"query": "q", "relevant": ["a.md"], "mode": "search"}]}"#;
        assert_eq!(read_fixture(json).unwrap().queries[0].mode, Some(Mode::Search));
        let yaml = "version: 1\nqueries:\n  - query: q\n    relevant: [a.md]\n";
        assert_eq!(read_fixture(yaml).unwrap().queries.len(), 1);
        for bad in ["", "[]", "version: 2\nqueries: [{query: q, relevant: []}]", "version: 1\nqueries: []"] {
            assert_eq!(read_fixture(bad).unwrap_err().exit(), 2, "{bad:?}");
        }
    }

    #[test]
    fn only_like_runs_compare() {
        let run = Run {
            schema: 1,
            fixture: "f".into(),
            index: "i".into(),
            model: None,
            configuration: String::new(),
            stale: Vec::new(),
            k: K,
            modes: BTreeMap::new(),
            queries: Vec::new(),
        };
        comparable(&run, &run).unwrap();
        for other in [
            Run { fixture: "x".into(), ..run.clone() },
            Run { index: "x".into(), ..run.clone() },
            Run { model: Some("x".into()), ..run.clone() },
            Run { stale: vec!["x".into()], ..run.clone() },
        ] {
            assert_eq!(comparable(&run, &other).unwrap_err().exit(), 2);
        }
    }
}
