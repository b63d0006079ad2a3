//! Answering a query: by words, by meaning, or by both with expansion and reranking.

pub mod hybrid;
pub mod syntax;

use std::collections::HashSet;

use super::catalog::Catalog;
use super::hit::{Explain, Leg, Maker, Place, Response};
use super::lexical::score::Statistics;
use super::plan::{Plan, quote};
use super::{embedding, lexical, semantic};
use crate::base::{Error, Kind, Result};
use crate::embed::{Embedder, Generator, Reranker};
use crate::tr;
use syntax::Query;

/// How documents are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By words.
    Search,
    /// By meaning.
    Vsearch,
    /// By both, expanded, fused, reranked.
    #[default]
    Query,
}

impl Mode {
    /// The command's name.
    pub fn tag(self) -> &'static str {
        match self {
            Mode::Search => "search",
            Mode::Vsearch => "vsearch",
            Mode::Query => "query",
        }
    }
}

/// Results unless told otherwise.
pub const DEFAULT_LIMIT: usize = 10;

/// A query with its options.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The query, as typed.
    pub query: String,
    /// How documents are found.
    #[serde(default)]
    pub mode: Mode,
    /// Collections to search; those included when empty.
    #[serde(default)]
    pub collections: Vec<String>,
    /// Most results; all when absent.
    #[serde(default = "default_limit")]
    pub limit: Option<usize>,
    /// Least score, in [0, 1].
    #[serde(default)]
    pub min_score: f64,
    /// Whether results carry the whole text.
    #[serde(default)]
    pub full: bool,
    /// What the user is after.
    #[serde(default)]
    pub intent: Option<String>,
    /// Whether the query is expanded.
    #[serde(default = "yes")]
    pub expand: bool,
    /// Whether the best results are reranked.
    #[serde(default = "yes")]
    pub rerank: bool,
    /// Whether results say why they stand where they do.
    #[serde(default)]
    pub explain: bool,
}

fn default_limit() -> Option<usize> {
    Some(DEFAULT_LIMIT)
}

fn yes() -> bool {
    true
}

impl Request {
    /// A request with the defaults.
    pub fn new(query: impl Into<String>, mode: Mode) -> Self {
        Request {
            query: query.into(),
            mode,
            collections: Vec::new(),
            limit: default_limit(),
            min_score: 0.0,
            full: false,
            intent: None,
            expand: true,
            rerank: true,
            explain: false,
        }
    }

    /// Checks what no type checks.
    ///
    /// # Errors
    /// Usage.
    pub fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(Error::usage(tr!(
                "score minimal {} hors de 0 à 1",
                "a minimal score of {} is not between 0 and 1",
                self.min_score
            )));
        }
        if self.limit == Some(0) {
            return Err(Error::usage(tr!("zéro résultat demandé", "zero results are asked for")));
        }
        Ok(())
    }
}

/// The collections a query searches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scope(Option<HashSet<i64>>);

impl Scope {
    /// Everything.
    pub fn all() -> Self {
        Scope(None)
    }

    /// The named collections; without names, those that unscoped queries include.
    ///
    /// # Errors
    /// Usage for an unknown name.
    pub fn resolve(catalog: &Catalog, names: &[String]) -> Result<Self> {
        if !names.is_empty() {
            let ids = names.iter().map(|n| Ok(catalog.collection(n)?.id)).collect::<Result<_>>()?;
            return Ok(Scope(Some(ids)));
        }
        let all = catalog.collections()?;
        if all.iter().all(|c| c.included) {
            return Ok(Scope::all());
        }
        Ok(Scope(Some(all.into_iter().filter(|c| c.included).map(|c| c.id).collect())))
    }

    /// Whether a collection is searched.
    pub fn holds(&self, collection: i64) -> bool {
        self.0.as_ref().is_none_or(|ids| ids.contains(&collection))
    }

    /// The documents of the scope; `None` for all.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn documents(&self, catalog: &Catalog) -> Result<Option<HashSet<i64>>> {
        let Some(ids) = &self.0 else { return Ok(None) };
        let mut out = HashSet::new();
        for id in ids {
            let found: Vec<i64> = catalog.sql(|| {
                catalog
                    .db
                    .prepare_cached("SELECT document FROM file WHERE collection = ?1")?
                    .query_map([id], |r| r.get(0))?
                    .collect()
            })?;
            out.extend(found);
        }
        Ok(Some(out))
    }
}

/// The models at hand, for any number of threads. Each is made only when a query needs it.
pub trait Models: Sync {
    /// The embedder.
    ///
    /// # Errors
    /// ERR-295-02 when it cannot be reached or loaded.
    fn embedder(&self) -> Result<&dyn Embedder>;

    /// The language model for expansion, when one is configured.
    ///
    /// # Errors
    /// Exit 69 when it cannot be reached.
    fn generator(&self) -> Result<Option<&dyn Generator>>;

    /// The cross-encoder, when one is configured.
    ///
    /// # Errors
    /// Exit 69 when it cannot be loaded.
    fn reranker(&self) -> Result<Option<&dyn Reranker>>;
}

/// Results in the making.
#[derive(Default)]
pub(super) struct Ranked {
    /// Best first.
    pub places: Vec<(Place, Explain)>,
    /// Terms that snippets show.
    pub terms: HashSet<String>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// Whether a leg is missing.
    pub degraded: bool,
}

/// Answers a request.
///
/// # Errors
/// Usage for a query that finds nothing by its form; exit 3 with the command to run when nothing is
/// indexed (or, for `vsearch`, embedded); exit 65; I/O.
pub fn run(catalog: &Catalog, request: &Request, models: &dyn Models) -> Result<Response> {
    request.check()?;
    let mut query = Query::parse(&request.query)?;
    if query.intent.is_none() {
        query.intent.clone_from(&request.intent);
    }
    // An update that commits between two of the reads below must not take a result away.
    let _still = catalog.snapshot()?;
    let scope = Scope::resolve(catalog, &request.collections)?;
    let unindexed = check_indexed(catalog, &scope)?;
    let mut ranked = match request.mode {
        Mode::Search => by_words(catalog, request, &query, &scope)?,
        Mode::Vsearch => by_meaning(catalog, request, &query, &scope, models)?,
        Mode::Query => hybrid::run(catalog, request, &query, &scope, models)?,
    };
    ranked.degraded |= unindexed.is_some();
    ranked.notes.splice(0..0, unindexed);
    let maker = Maker::new(catalog, &scope)?;
    let mut results = Vec::new();
    for (place, explain) in ranked.places {
        if request.limit.is_some_and(|n| results.len() >= n) {
            break;
        }
        if place.score < request.min_score {
            continue;
        }
        if let Some(mut hit) = maker.make(place, &ranked.terms, request.full)? {
            hit.explain = request.explain.then_some(explain);
            results.push(hit);
        }
    }
    if results.iter().any(|h| h.stale) {
        ranked.notes.push(tr!(
            "des fichiers ont changé depuis l'indexation : {}",
            "files have changed since they were indexed: {}",
            catalog.command("update")
        ));
    }
    Ok(Response {
        schema: 1,
        query: request.query.clone(),
        mode: request.mode.tag().to_owned(),
        count: results.len(),
        results,
        notes: ranked.notes,
        degraded: ranked.degraded,
    })
}

/// Refuses to search collections of which none was ever indexed; tells of those among others that were
/// not, which degrades the answer.
fn check_indexed(catalog: &Catalog, scope: &Scope) -> Result<Option<String>> {
    let collections = catalog.collections()?;
    if collections.is_empty() {
        return Err(Error::new(Kind::Partial, tr!("aucune collection", "there is no collection"))
            .hint(catalog.command("collection add DIR --name NAME")));
    }
    let searched: Vec<_> = collections.iter().filter(|c| scope.holds(c.id)).collect();
    let absent: Vec<_> = searched.iter().filter(|c| c.updated.is_none()).collect();
    if absent.is_empty() {
        return Ok(None);
    }
    let mut command = String::from("update");
    if absent.len() < collections.len() {
        absent.iter().for_each(|c| command.push_str(&format!(" -c {}", quote(&c.name))));
    }
    let (mut files, mut bytes) = (0, 0);
    for collection in &absent {
        for file in super::walk::walk(collection)?.files {
            files += 1;
            bytes += file.size.unsigned_abs();
        }
    }
    let plan = Plan::update(catalog.command(&command), files, bytes);
    if absent.len() == searched.len() {
        return Err(plan.needed(tr!("rien n'est encore indexé", "nothing is indexed yet")));
    }
    let line = plan.line();
    Ok(Some(tr!("pas encore indexé : {line}", "not indexed yet: {line}")))
}

fn depth(request: &Request) -> usize {
    // Room for documents that fall to the minimal score or outside the scope.
    request.limit.unwrap_or(usize::MAX)
}

/// The words of an intent, as further terms of little weight.
fn intent_terms(catalog: &Catalog, query: &Query) -> Result<Vec<(String, f64)>> {
    let Some(intent) = &query.intent else { return Ok(Vec::new()) };
    let languages = catalog.languages()?;
    let mut terms = Vec::new();
    for word in super::analysis::surface(intent) {
        if !super::analysis::Language::is_function_word(&word, &languages) {
            terms.extend(languages.iter().map(|l| (super::analysis::stem(&word, *l), 0.3)));
        }
    }
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    terms.dedup_by(|a, b| a.0 == b.0);
    terms.truncate(32);
    Ok(terms)
}

fn by_words(catalog: &Catalog, request: &Request, query: &Query, scope: &Scope) -> Result<Ranked> {
    let extra = intent_terms(catalog, query)?;
    let mut ranked = Ranked::default();
    let mut lists = Vec::new();
    for line in &query.lexical {
        let ranking = lexical::search(catalog, line, &extra, scope, depth(request))?;
        ranked.terms.extend(ranking.terms);
        lists.push(ranking.found);
    }
    if query.lexical.is_empty() {
        return Err(Error::usage(tr!("`search` cherche des mots (lex:)", "`search` finds words (lex:)")));
    }
    // Several lines: a document counts by its best one.
    let mut seen = HashSet::new();
    let mut all: Vec<_> = lists.into_iter().flat_map(|l| l.into_iter().enumerate()).collect();
    all.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.cmp(&b.0)));
    for (i, found) in all {
        if seen.insert(found.document) {
            let leg = Leg { leg: "lexical".into(), rank: i + 1, score: found.score, weight: 1.0 };
            let place = Place { document: found.document, chunk: found.chunk, score: found.score };
            ranked.places.push((place, Explain { legs: vec![leg], ..Explain::default() }));
        }
    }
    Ok(ranked)
}

fn by_meaning(
    catalog: &Catalog,
    request: &Request,
    query: &Query,
    scope: &Scope,
    models: &dyn Models,
) -> Result<Ranked> {
    let asked = query.semantic.first().or(query.passages.first());
    if query.typed && asked.is_none() {
        return Err(Error::usage(tr!(
            "`vsearch` cherche un sens (vec:, hyde:)",
            "`vsearch` finds a meaning (vec:, hyde:)"
        )));
    }
    let Some(vectors) = semantic::open(catalog)?.filter(|v| !v.is_empty()) else {
        return Err(missing_vectors(catalog)?);
    };
    let embedder = models.embedder()?;
    vectors.check_model(catalog, embedder.identity())?;
    let mut text = asked.unwrap_or(&query.text).clone();
    if let Some(intent) = &query.intent {
        text = format!("{text} ({intent})");
    }
    let vector = embedder.embed_query(&text)?;
    let statistics = Statistics::load(catalog, &[])?;
    let allowed = scope.documents(catalog)?;
    let found = vectors.search(&statistics, &vector, allowed.as_ref(), depth(request).min(vectors.len()))?;
    let mut ranked = Ranked::default();
    hybrid::note_vectors(catalog, scope, &vectors, &mut ranked)?;
    if let Some(best) = found.first()
        && !vectors.is_relevant(&vector, best.score)?
    {
        ranked.notes.push(nothing_relevant());
    }
    for (i, f) in found.into_iter().enumerate() {
        let leg = Leg { leg: "semantic".into(), rank: i + 1, score: f.score, weight: 1.0 };
        let place = Place { document: f.document, chunk: f.chunk, score: f.score };
        ranked.places.push((place, Explain { legs: vec![leg], ..Explain::default() }));
    }
    Ok(ranked)
}

pub(super) fn nothing_relevant() -> String {
    tr!(
        "rien de pertinent : les meilleurs résultats ressemblent à la requête par hasard",
        "nothing relevant: the best results resemble the query by chance"
    )
}

/// The refusal of a search that needs vectors, with the command that makes them.
///
/// # Errors
/// Exit 65 or I/O while counting.
pub fn missing_vectors(catalog: &Catalog) -> Result<Error> {
    let (_, chunks, _) = catalog.totals()?;
    let models = catalog.models()?;
    let configured = models.embedder.is_some() || models.embedder_dir.is_some();
    let command = catalog.command(if configured { "embed" } else { "embed --model NAME|DIR" });
    let plan = Plan::embed(command, chunks.unsigned_abs(), embedding::SMALL, embedding::A_SECOND);
    Ok(plan.needed(tr!("aucun vecteur dans cet index", "this index holds no vectors")))
}
