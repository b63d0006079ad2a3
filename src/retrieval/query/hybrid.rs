//! The hybrid query: expansion, both kinds of search, fusion, reranking.
//!
//! Order is weighted reciprocal rank fusion; the score shown is the calibrated relevance of the best
//! leg, or of the reranker. A leg that is missing is named, and the answer is degraded.

use std::collections::HashMap;
use std::sync::Arc;

use super::syntax::{Query, lexical as parse};
use super::{Models, Ranked, Request, Scope, depth, intent_terms, missing_vectors, nothing_relevant};
use crate::base::{Error, Kind, Result};
use crate::embed::Embedder;
use crate::retrieval::catalog::Catalog;
use crate::retrieval::catalog::contexts::Context;
use crate::retrieval::expand::{self, Expansion};
use crate::retrieval::fusion::{List, Sureness, fuse};
use crate::retrieval::hit::{Explain, Leg, Maker, Place};
use crate::retrieval::lexical::score::Statistics;
use crate::retrieval::lexical::{self, Found};
use crate::retrieval::semantic::{self, Vectors};
use crate::retrieval::{embedding, rerank};
use crate::tr;

/// Weight of the search by words.
pub const LEXICAL: f64 = 1.0;
/// Weight of the search by meaning where no rule weighs it: in typed lines, and unless the index is
/// configured with one.
pub const SEMANTIC: f64 = 0.7;
/// Weight of words fed back from the best documents, unless the index is configured otherwise.
pub const FEEDBACK: f64 = 0.15;
/// Weight of the similarity of the best chunks, as a share of the search by meaning.
const SIMILARITY: f64 = 0.4;
/// Weight of queries and passages that a model proposed.
pub const PROPOSED: f64 = 0.5;
/// Documents each leg brings in at least.
const LEG: usize = 50;

/// The weights in force.
#[derive(Clone, Copy)]
struct Weights {
    semantic: f64,
    feedback: f64,
}

/// A leg of the search with its findings.
struct Run {
    name: &'static str,
    weight: f64,
    found: Vec<Found>,
}

/// Runs all legs and joins them.
pub(super) fn run(
    catalog: &Catalog,
    request: &Request,
    query: &Query,
    scope: &Scope,
    models: &dyn Models,
) -> Result<Ranked> {
    let mut ranked = Ranked::default();
    let limit = depth(request).max(LEG);
    let configured = catalog.models()?;
    let mut weights = Weights {
        semantic: configured.semantic_weight.unwrap_or(SEMANTIC),
        feedback: configured.feedback_weight.unwrap_or(FEEDBACK),
    };
    let expansion = expansion(catalog, request, query, scope, models, &mut ranked)?;
    let meaning = meaning(catalog, query, &expansion, scope, models, weights, &mut ranked)?;
    // The words need the database and the vectors the model: they go side by side.
    let (runs, embedded) = std::thread::scope(|threads| {
        let embedding = meaning.as_ref().map(|m| threads.spawn(|| m.embed()));
        let runs = by_words(catalog, request, query, &expansion, scope, weights, limit, &mut ranked);
        let panicked = |_| Err(Error::new(Kind::Bug, "the embedder stopped"));
        (runs, embedding.map(|e| e.join().unwrap_or_else(panicked)))
    });
    let mut runs = runs?;
    let semantic = match (&meaning, embedded.transpose()?) {
        (Some(meaning), Some(texts)) => by_meaning(catalog, query, scope, meaning, &texts, limit, &mut runs)?,
        _ => false,
    };
    if runs.iter().all(|r| r.found.is_empty()) {
        return Ok(ranked);
    }
    // A weight that was configured stands; typed lines are questions of their own.
    if configured.semantic_weight.is_none() && !query.typed {
        weigh(&mut runs, &mut weights);
    }
    // What counts nothing must not order anything either.
    runs.retain(|r| r.weight > 0.0);
    let mut places = join(&runs);
    if request.rerank {
        again(catalog, query, scope, models, weights, &runs, &mut places, &mut ranked)?;
    }
    // By words, relevance starts where one rare word is missed; by meaning, above chance.
    let lexical = runs.iter().filter(|r| r.name == "lexical").flat_map(|r| &r.found).any(|f| f.score >= 0.1);
    if !lexical && !semantic {
        ranked.notes.push(nothing_relevant());
    }
    ranked.places = places;
    Ok(ranked)
}

fn expansion(
    catalog: &Catalog,
    request: &Request,
    query: &Query,
    scope: &Scope,
    models: &dyn Models,
    ranked: &mut Ranked,
) -> Result<Option<Expansion>> {
    // Typed lines say exactly what is meant.
    if !request.expand || query.typed {
        return Ok(None);
    }
    let proposed = models.generator().and_then(|generator| {
        let Some(generator) = generator else { return Ok(None) };
        let contexts = contexts(catalog, scope)?;
        expand::by_model(generator, &query.text, query.intent.as_deref(), &contexts).map(Some)
    });
    match proposed {
        Ok(expansion) => Ok(expansion),
        Err(error) => {
            // Feedback takes its place; the user learns why.
            ranked.notes.push(tr!("expansion sans modèle : {error}", "expansion without a model: {error}"));
            ranked.degraded = true;
            Ok(None)
        }
    }
}

/// The contexts that are about the whole scope: the global one and those of its collections' roots.
fn contexts(catalog: &Catalog, scope: &Scope) -> Result<Vec<Context>> {
    let searched: Vec<String> = catalog
        .collections()?
        .into_iter()
        .filter(|c| scope.holds(c.id))
        .map(|c| format!("gf://{}", c.name))
        .collect();
    Ok(catalog
        .contexts()?
        .into_iter()
        .filter(|c| c.scope == "/" || searched.iter().any(|s| c.scope.trim_end_matches('/') == s))
        .collect())
}

#[expect(clippy::too_many_arguments, reason = "one step of `run`, split for length")]
fn by_words(
    catalog: &Catalog,
    request: &Request,
    query: &Query,
    expansion: &Option<Expansion>,
    scope: &Scope,
    weights: Weights,
    limit: usize,
    ranked: &mut Ranked,
) -> Result<Vec<Run>> {
    let mut runs = Vec::new();
    let intent = intent_terms(catalog, query)?;
    for line in &query.lexical {
        let ranking = lexical::search(catalog, line, &[], scope, limit)?;
        ranked.terms.extend(ranking.terms.iter().cloned());
        let mut extra = intent.clone();
        if request.expand && !query.typed && expansion.is_none() {
            extra.extend(expand::by_feedback(catalog, &ranking)?);
        }
        runs.push(Run { name: "lexical", weight: LEXICAL, found: ranking.found });
        if !extra.is_empty() {
            let fed = lexical::search(catalog, line, &extra, scope, limit)?;
            runs.push(Run { name: "feedback", weight: weights.feedback, found: fed.found });
        }
    }
    let exact = query.lexical.first();
    for text in expansion.iter().flat_map(|e| &e.lex) {
        let mut line = parse(text);
        // What the user requires or excludes holds for every leg.
        line.phrases = exact.map(|l| l.phrases.clone()).unwrap_or_default();
        line.excluded = exact.map(|l| l.excluded.clone()).unwrap_or_default();
        if !line.words.is_empty() {
            let found = lexical::search(catalog, &line, &[], scope, limit)?.found;
            runs.push(Run { name: "proposed words", weight: PROPOSED, found });
        }
    }
    Ok(runs)
}

/// What the search by meaning needs before it looks.
struct Meaning<'m> {
    vectors: Arc<Vectors>,
    embedder: &'m dyn Embedder,
    /// Name and weight of each leg, and the text it looks for.
    texts: Vec<(&'static str, f64, String)>,
}

impl Meaning<'_> {
    fn embed(&self) -> Result<Vec<Vec<f32>>> {
        let one = |(name, _, text): &(&str, f64, String)| match *name {
            // A passage is embedded as what it would be found as.
            "hyde" => {
                let windows = self.embedder.embed_windows(&[text], &mut |_| {})?;
                Ok(windows.first().map(|w| crate::embed::pooled(w)).transpose()?.unwrap_or_default())
            }
            _ => self.embedder.embed_query(text),
        };
        self.texts.iter().map(one).collect()
    }
}

/// Vectors, model and texts of the legs by meaning; `None`, said and degraded, when one is missing.
fn meaning<'m>(
    catalog: &Catalog,
    query: &Query,
    expansion: &Option<Expansion>,
    scope: &Scope,
    models: &'m dyn Models,
    weights: Weights,
    ranked: &mut Ranked,
) -> Result<Option<Meaning<'m>>> {
    let Some(vectors) = semantic::open(catalog)?.filter(|v| !v.is_empty()) else {
        let missing = missing_vectors(catalog)?;
        ranked.notes.push(format!("{missing}: {}", missing.hint_text().unwrap_or_default()));
        ranked.degraded = true;
        return Ok(None);
    };
    let embedder = match models.embedder() {
        Ok(embedder) => embedder,
        Err(error) => {
            ranked.notes.push(tr!("recherche par mots seulement : {error}", "by words only: {error}"));
            ranked.degraded = true;
            return Ok(None);
        }
    };
    vectors.check_model(catalog, embedder.identity())?;
    note_vectors(catalog, scope, &vectors, ranked)?;
    let mut texts: Vec<(&'static str, f64, String)> =
        query.semantic.iter().map(|t| ("semantic", weights.semantic, t.clone())).collect();
    if let (Some(intent), Some(text)) = (&query.intent, query.semantic.first()) {
        texts.push(("intent", weights.semantic * 0.5, format!("{text} ({intent})")));
    }
    texts.extend(query.passages.iter().map(|t| ("hyde", weights.semantic, t.clone())));
    if let Some(e) = expansion {
        texts.extend(e.vec.iter().map(|t| ("proposed question", PROPOSED * weights.semantic, t.clone())));
        texts.extend(e.hyde.iter().map(|t| ("hyde", PROPOSED * weights.semantic, t.clone())));
    }
    Ok(Some(Meaning { vectors, embedder, texts }))
}

/// Adds the legs by meaning; returns whether one of them found more than chance would.
fn by_meaning(
    catalog: &Catalog,
    query: &Query,
    scope: &Scope,
    meaning: &Meaning<'_>,
    embedded: &[Vec<f32>],
    limit: usize,
    runs: &mut Vec<Run>,
) -> Result<bool> {
    let vectors = &meaning.vectors;
    let statistics = Statistics::load(catalog, &[])?;
    let allowed = scope.documents(catalog)?;
    let limit = limit.min(vectors.len());
    let mut relevant = false;
    for ((name, weight, _), vector) in meaning.texts.iter().zip(embedded) {
        let mut found = vectors.search(&statistics, vector, allowed.as_ref(), limit)?;
        if let Some(best) = found.first() {
            relevant = relevant || vectors.is_relevant(vector, best.score)?;
        }
        exact_only(catalog, query, &mut found)?;
        runs.push(Run { name, weight: *weight, found });
    }
    Ok(relevant)
}

/// Weighs the legs by meaning by how sure both kinds of search are of this query.
fn weigh(runs: &mut [Run], weights: &mut Weights) {
    let scores = |name: &str| -> Vec<f64> {
        let run = runs.iter().find(|r| r.name == name);
        run.map(|r| r.found.iter().map(|f| f.score).collect()).unwrap_or_default()
    };
    let weight = Sureness::IN_FORCE.weight(&scores("lexical"), &scores("semantic"));
    // The other legs by meaning keep their part of it.
    let share = weight / weights.semantic;
    weights.semantic = weight;
    let by_meaning = |r: &&mut Run| matches!(r.name, "semantic" | "intent" | "hyde" | "proposed question");
    runs.iter_mut().filter(by_meaning).for_each(|r| r.weight *= share);
}

/// Keeps the documents that hold the phrases and none of the exclusions of the query.
fn exact_only(catalog: &Catalog, query: &Query, found: &mut Vec<Found>) -> Result<()> {
    let Some(line) = query.lexical.first().filter(|l| !l.phrases.is_empty() || !l.excluded.is_empty()) else {
        return Ok(());
    };
    let mut kept = Vec::with_capacity(found.len());
    for f in found.drain(..) {
        if lexical::holds_exactly(line, &catalog.body(f.document)?.0) {
            kept.push(f);
        }
    }
    *found = kept;
    Ok(())
}

/// Tells what a reader should know of the vectors: chunks of the scope without one, which degrades the
/// answer, and a FAISS file that was not usable, which only slows it.
pub(super) fn note_vectors(
    catalog: &Catalog,
    scope: &Scope,
    vectors: &Vectors,
    ranked: &mut Ranked,
) -> Result<()> {
    let (_, chunks, _) = catalog.totals()?;
    if (vectors.len() as i64) < chunks {
        let searched: Vec<String> =
            catalog.collections()?.into_iter().filter(|c| scope.holds(c.id)).map(|c| c.name).collect();
        // No name would mean every collection there.
        let plan = if searched.is_empty() { None } else { embedding::plan(catalog, &searched)? };
        if let Some(plan) = plan {
            let line = plan.line();
            ranked.notes.push(tr!("segments sans vecteur : {line}", "chunks without a vector: {line}"));
            ranked.degraded = true;
        }
    }
    if !vectors.indexed {
        ranked.notes.push(tr!(
            "index FAISS absent ou différent, vecteurs comparés un à un : {}",
            "the FAISS file is absent or differs, vectors were compared one by one: {}",
            catalog.command("embed")
        ));
    }
    Ok(())
}

/// Fuses the legs: order by reciprocal ranks, score by the best leg.
fn join(runs: &[Run]) -> Vec<(Place, Explain)> {
    let lists: Vec<List<i64>> = runs
        .iter()
        .map(|r| List { weight: r.weight, items: r.found.iter().map(|f| f.document).collect() })
        .collect();
    let mut legs: HashMap<i64, (Place, Vec<Leg>)> = HashMap::new();
    for run in runs {
        for (i, f) in run.found.iter().enumerate() {
            let place = Place { document: f.document, chunk: f.chunk, score: f.score };
            let (best, list) = legs.entry(f.document).or_insert((place, Vec::new()));
            if f.score > best.score {
                *best = place;
            }
            list.push(Leg { leg: run.name.into(), rank: i + 1, score: f.score, weight: run.weight });
        }
    }
    fuse(&lists)
        .into_iter()
        .filter_map(|(document, fused)| {
            let (place, legs) = legs.remove(&document)?;
            Some((place, Explain { legs, fused: Some(fused), ..Explain::default() }))
        })
        .collect()
}

/// Reranks the head of `places`.
#[expect(clippy::too_many_arguments, reason = "one step of `run`, split for length")]
fn again(
    catalog: &Catalog,
    query: &Query,
    scope: &Scope,
    models: &dyn Models,
    weights: Weights,
    runs: &[Run],
    places: &mut [(Place, Explain)],
    ranked: &mut Ranked,
) -> Result<()> {
    let depth = places.len().min(rerank::DEPTH);
    let model = models.reranker().and_then(|reranker| {
        let Some(reranker) = reranker else { return Ok(None) };
        let maker = Maker::new(catalog, scope)?;
        let head: Vec<Place> = places[..depth].iter().map(|(p, _)| *p).collect();
        let scores = rerank::by_model(reranker, &maker, &query.text, query.intent.as_deref(), &head)?;
        Ok(Some((reranker.name().to_owned(), scores)))
    });
    match model {
        Ok(Some((name, scores))) => {
            for ((place, explain), score) in places.iter_mut().zip(&scores) {
                place.score = *score;
                explain.reranked = Some(*score);
                explain.reranker = Some(name.clone());
            }
            places[..depth].sort_by(|a, b| b.0.score.total_cmp(&a.0.score));
            // What was not judged cannot be shown as better than what was.
            let floor = places[..depth].last().map_or(1.0, |(p, _)| p.score);
            places[depth..].iter_mut().for_each(|(p, _)| p.score = p.score.min(floor));
        }
        Ok(None) => by_similarity(weights, runs, places, depth),
        Err(error) => {
            ranked
                .notes
                .push(tr!("reclassement sans modèle : {error}", "reranking without a model: {error}"));
            ranked.degraded = true;
            by_similarity(weights, runs, places, depth);
        }
    }
    Ok(())
}

/// Without a cross-encoder: the head's order again, the similarity of its chunks to the query counting
/// once more.
fn by_similarity(weights: Weights, runs: &[Run], places: &mut [(Place, Explain)], depth: usize) {
    let Some(semantic) = runs.iter().find(|r| r.name == "semantic") else { return };
    let similarity: HashMap<i64, f64> = semantic.found.iter().map(|f| (f.document, f.score)).collect();
    let head = &mut places[..depth];
    let mut order: Vec<i64> = head.iter().map(|(p, _)| p.document).collect();
    let fused = order.clone();
    order.sort_by(|a, b| {
        let of = |d: &i64| similarity.get(d).copied().unwrap_or(0.0);
        of(b).total_cmp(&of(a))
    });
    let lists =
        [List { weight: 1.0, items: fused }, List { weight: SIMILARITY * weights.semantic, items: order }];
    let rank: HashMap<i64, usize> = fuse(&lists).into_iter().enumerate().map(|(i, (d, _))| (d, i)).collect();
    for (place, explain) in head.iter_mut() {
        explain.reranked = similarity.get(&place.document).copied();
        explain.reranker = Some("chunk similarity".to_owned());
    }
    head.sort_by_key(|(p, _)| rank.get(&p.document).copied().unwrap_or(usize::MAX));
}
