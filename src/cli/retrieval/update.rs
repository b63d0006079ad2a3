//! `update`.

use std::io::IsTerminal;

use super::Session;
use super::args::UpdateArgs;
use super::collection::confirm;
use super::models::Lazy;
use super::progress;
use crate::base::Result;
use crate::embed::Embedder;
use crate::markdown::sanitize::terminal;
use crate::retrieval::catalog::rebuild::rebuild;
use crate::retrieval::chunk::Strategy;
use crate::retrieval::indexing::{Counter, Report, Settings, update};
use crate::retrieval::query::Models as _;
use crate::retrieval::tokens::{METHOD, estimate};
use crate::retrieval::trust::{Trust, run_hook};
use crate::retrieval::{Catalog, embedding};
use crate::tr;

/// Indexes what changed.
pub fn run(session: &Session, args: &UpdateArgs) -> Result<u8> {
    let out = &session.cli.out;
    if args.rebuild && session.location.path.exists() {
        let kept = rebuild(&session.location, session.cli.clock.now())?;
        out.note(tr!(
            "nouvel index : {} collections, {} contextes, {} vecteurs repris",
            "new index: {} collections, {} contexts, {} vectors carried over",
            kept.collections,
            kept.contexts,
            kept.vectors
        ));
        if let Some(aside) = &kept.aside {
            let aside = terminal(&aside.display().to_string());
            out.note(tr!("l'ancien fichier est gardé : {aside}", "the old file is kept: {aside}"));
        }
    }
    let mut catalog = session.write()?;
    hooks(session, &catalog, args)?;
    let models = Lazy::new(catalog.models()?, &session.cli.env);
    let embedder = tokenizer(&catalog, &models)?;
    let count = |text: &str| embedder.and_then(|e| e.count_tokens(text)).unwrap_or_else(|| estimate(text));
    let counter = embedder.map(|e| Counter { name: token_name(e), count: &count });
    let settings = Settings {
        recount: args.rebuild,
        collections: args.collection.clone(),
        strategy: args.chunk_strategy.as_deref().and_then(Strategy::from_tag),
        counter,
    };
    let bar = progress::bar(&tr!("indexation", "indexing"), out.quiet);
    let reports = update(&mut catalog, &settings, session.cli.clock.as_ref(), &mut |done, total| {
        progress::show(&bar, done, total);
    });
    bar.finish_and_clear();
    let reports = reports?;
    let embedded = catalog.meta::<String>("embedding_model")?.is_some();
    // Counting looks at every chunk: only when it is told.
    let waiting = if embedded || out.json { embedding::plan(&catalog, &[])? } else { None };
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "collections": reports, "pending_vectors": waiting.as_ref().map_or(0, |p| p.items)}));
    } else {
        reports.iter().for_each(|r| out.line(line(r)));
    }
    if reports.is_empty() {
        out.note(catalog.command("collection add DIR --name NAME"));
        return Ok(3);
    }
    // Who never embedded anything searches by words.
    if let Some(plan) = waiting.filter(|_| embedded) {
        let line = plan.line();
        out.note(tr!("segments sans vecteur : {line}", "chunks without a vector: {line}"));
    }
    Ok(0)
}

/// The configured embedder, when this index counts in its tokens or has no way to count yet.
fn tokenizer<'m>(catalog: &Catalog, models: &'m Lazy) -> Result<Option<&'m dyn Embedder>> {
    let configured = catalog.models()?.embedder_dir.is_some();
    let stored: Option<String> = catalog.meta("tokens")?;
    if !configured || stored.as_deref() == Some(METHOD) {
        return Ok(None);
    }
    let embedder = models.embedder()?;
    // Counting loads the model: only to learn whether it can, and then when something is new.
    Ok((stored.is_some() || embedder.count_tokens("").is_some()).then_some(embedder))
}

fn token_name(embedder: &dyn Embedder) -> String {
    let model = embedder.identity();
    format!("{}@{}", model.name, model.digest.get(..12).unwrap_or(&model.digest))
}

fn line(r: &Report) -> String {
    let mut text = tr!(
        "{} : {} fichiers, {} nouveaux, {} changés, {} disparus, {} inchangés",
        "{}: {} files, {} added, {} changed, {} removed, {} unchanged",
        terminal(&r.collection),
        r.files,
        r.added,
        r.changed,
        r.removed,
        r.unchanged
    );
    if !r.skipped.is_empty() {
        let reasons: Vec<String> = r.skipped.iter().map(|(why, n)| format!("{}: {n}", reason(why))).collect();
        text.push_str(&tr!(" ; écartés {}", "; left out {}", reasons.join(", ")));
    }
    text
}

/// Runs the hooks of the collections, when told to or confirmed.
fn hooks(session: &Session, catalog: &Catalog, args: &UpdateArgs) -> Result<()> {
    let named = |name: &String| args.collection.is_empty() || args.collection.contains(name);
    let with: Vec<_> =
        catalog.collections()?.into_iter().filter(|c| c.update_cmd.is_some() && named(&c.name)).collect();
    if with.is_empty() {
        return Ok(());
    }
    let trust = Trust::load(&session.cli.env)?;
    for collection in with {
        let cmd = collection.update_cmd.clone().unwrap_or_default();
        let asked = || {
            // An unapproved hook is not even offered.
            std::io::stdin().is_terminal()
                && trust.approves(catalog, &collection)
                && confirm(session, &format!("{}: {cmd}", collection.name), false).is_ok()
        };
        if args.run_hooks || asked() {
            // Results alone belong on stdout.
            run_hook(catalog, &collection, &trust, std::io::stderr().into())?;
        } else {
            session.cli.out.note(tr!(
                "hook de {} non exécuté (--run-hooks) : {}",
                "the hook of {} was not run (--run-hooks): {}",
                collection.name,
                terminal(&cmd)
            ));
        }
    }
    Ok(())
}

/// Why files were left out, in the language of the messages.
fn reason(why: &str) -> String {
    match why {
        "binary" => tr!("binaires", "binary"),
        "not UTF-8" => tr!("pas de l'UTF-8", "not UTF-8"),
        "name is not UTF-8" => tr!("nom hors UTF-8", "name is not UTF-8"),
        "ignored" => tr!("ignorés", "ignored"),
        "symbolic link" => tr!("liens symboliques", "symbolic link"),
        "link out of the root" => tr!("liens hors de la racine", "link out of the root"),
        "not a regular file" => tr!("fichiers spéciaux", "not a regular file"),
        "too large" => tr!("trop gros", "too large"),
        "unreadable" => tr!("illisibles", "unreadable"),
        "vanished" => tr!("disparus pendant la lecture", "vanished"),
        other => other.to_owned(),
    }
}
