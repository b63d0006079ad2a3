//! `update`.

use std::io::IsTerminal;

use super::Session;
use super::args::UpdateArgs;
use super::collection::confirm;
use super::progress;
use crate::base::Result;
use crate::markdown::sanitize::terminal;
use crate::retrieval::catalog::rebuild::rebuild;
use crate::retrieval::chunk::Strategy;
use crate::retrieval::indexing::{Report, Settings, update};
use crate::retrieval::trust::{Trust, run_hook};
use crate::retrieval::{Catalog, embedding};
use crate::tr;

/// Indexes what changed.
pub fn run(session: &Session, args: &UpdateArgs) -> Result<u8> {
    let out = &session.cli.out;
    if args.rebuild && session.location.path.exists() {
        let kept = rebuild(&session.location)?;
        out.note(tr!(
            "nouvel index : {} collections, {} contextes, {} vecteurs repris",
            "new index: {} collections, {} contexts, {} vectors carried over",
            kept.collections,
            kept.contexts,
            kept.vectors
        ));
    }
    let mut catalog = session.write()?;
    hooks(session, &catalog, args)?;
    let settings = Settings {
        collections: args.collection.clone(),
        strategy: args.chunk_strategy.as_deref().and_then(Strategy::from_tag),
    };
    let bar = progress::bar(&tr!("indexation", "indexing"), out.quiet);
    let reports = update(&mut catalog, &settings, session.cli.clock.as_ref(), &mut |done, total| {
        progress::show(&bar, done, total);
    });
    bar.finish_and_clear();
    let reports = reports?;
    let waiting = match catalog.meta::<String>("vectors")? {
        Some(_) => embedding::pending(&catalog, &[])?.len(),
        None => 0,
    };
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "collections": reports, "pending_vectors": waiting}));
    } else {
        reports.iter().for_each(|r| out.line(line(r)));
    }
    if reports.is_empty() {
        out.note(catalog.command("collection add DIR --name NAME"));
        return Ok(3);
    }
    if waiting > 0 {
        out.note(tr!(
            "{waiting} segments sans vecteur : {}",
            "{waiting} chunks have no vector: {}",
            catalog.command("embed")
        ));
    }
    Ok(0)
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
        let reasons: Vec<String> = r.skipped.iter().map(|(why, n)| format!("{why}: {n}")).collect();
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
