//! `status`, `doctor`, `cleanup`.

use super::Session;
use super::models::Lazy;
use crate::base::{Error, Result};
use crate::markdown::sanitize::terminal;
use crate::retrieval::plan::size;
use crate::retrieval::query::Models as _;
use crate::retrieval::semantic;
use crate::retrieval::status as state;
use crate::retrieval::trust::Trust;
use crate::tr;

/// Tells the state of the index.
pub fn status(session: &Session) -> Result<u8> {
    let s = state::status(&session.open()?)?;
    let out = &session.cli.out;
    if out.json {
        out.document(&s);
        return Ok(0);
    }
    out.line(format!("{}  {}", terminal(&s.index), size(s.database_bytes)));
    out.line(tr!(
        "{} documents, {} segments, {} de texte ({}, {})",
        "{} documents, {} chunks, {} of text ({}, {})",
        s.documents,
        s.chunks,
        size(s.text_bytes.unsigned_abs()),
        s.strategy,
        s.tokens
    ));
    match &s.vectors.model {
        Some(model) => out.line(tr!(
            "vecteurs : {} × {} ({model}, {}), {} segments en attente, {} plus longs que la fenêtre",
            "vectors: {} × {} ({model}, {}), {} chunks pending, {} longer than the window",
            s.vectors.count,
            s.vectors.width,
            s.vectors.factory.as_deref().unwrap_or("-"),
            s.vectors.pending,
            s.vectors.windowed
        )),
        None => out.line(tr!(
            "vecteurs : aucun ({} segments en attente)",
            "vectors: none ({} chunks pending)",
            s.vectors.pending
        )),
    }
    out.line(tr!(
        "expansion : {} ; reclassement : {}",
        "expansion: {}; reranking: {}",
        s.expansion,
        s.reranking
    ));
    for c in &s.collections {
        let updated = c.collection.updated.map_or_else(
            || tr!("jamais indexée", "never indexed"),
            |t| crate::base::Instant::from_unix(t).to_string(),
        );
        out.line(format!(
            "  {}  {} {}  {}  {updated}",
            terminal(&c.collection.name),
            c.size.files,
            tr!("fichiers", "files"),
            size(c.size.bytes.unsigned_abs())
        ));
    }
    Ok(0)
}

/// Looks for problems: exit 1 when there are some.
pub fn doctor(session: &Session) -> Result<u8> {
    let catalog = session.open()?;
    let trust = Trust::load(&session.cli.env)?;
    let mut findings = state::doctor(&catalog, &trust)?;
    let models = catalog.models()?;
    let lazy = Lazy::new(models.clone(), &session.cli.env);
    let configured = models.embedder.is_some() || models.embedder_dir.is_some();
    let mut tried = Vec::new();
    let embedded = semantic::stored(&catalog).ok().flatten();
    if configured {
        match (lazy.embedder(), &embedded) {
            (Ok(embedder), Some((model, _))) => {
                tried.push(semantic::other_model(&catalog, model, embedder.identity()));
            }
            (Ok(_), None) => {}
            (Err(error), _) => tried.push(Some(error)),
        }
    } else if let Some((model, _)) = &embedded {
        let problem = tr!(
            "les vecteurs viennent de {}, et aucun modèle n'est configuré pour les questions",
            "the vectors were made by {}, and no model is configured for questions",
            model.name
        );
        tried.push(Some(Error::usage(problem).hint(catalog.command("embed --model NAME|DIR"))));
    }
    tried.push(lazy.generator().err());
    tried.push(lazy.reranker().err());
    for error in tried.into_iter().flatten() {
        let command = error.hint_text().map_or_else(|| catalog.command("config show"), str::to_owned);
        findings.push(state::Finding { problem: error.to_string(), command });
    }
    let out = &session.cli.out;
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "findings": findings}));
    } else {
        for f in &findings {
            out.line(format!("{}\n  → {}", terminal(&f.problem), terminal(&f.command)));
        }
        if findings.is_empty() {
            out.note(tr!("tout va bien", "all is well"));
        }
    }
    Ok(u8::from(!findings.is_empty()))
}

/// Cleans.
pub fn cleanup(session: &Session) -> Result<u8> {
    let cleaned = state::cleanup(&session.write()?)?;
    let out = &session.cli.out;
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "cleaned": cleaned}));
    } else {
        out.line(tr!(
            "{} vecteurs sans texte retirés, {} rendus",
            "{} vectors without text removed, {} given back",
            cleaned.vectors,
            size(cleaned.bytes)
        ));
    }
    Ok(0)
}
