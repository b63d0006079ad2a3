//! `collection …`: each change says its effect.

use std::io::{IsTerminal, Write};

use super::Session;
use super::args::{CollectionAddArgs, CollectionVerb};
use crate::base::{Error, Result};
use crate::retrieval::Catalog;
use crate::retrieval::analysis::Language;
use crate::retrieval::catalog::collections::{Collection, Size};
use crate::retrieval::indexing::remove_collection;
use crate::retrieval::plan::{Plan, size};
use crate::retrieval::trust::Trust;
use crate::retrieval::walk::walk;
use crate::tr;

/// Runs a `collection` verb.
pub fn run(session: &Session, verb: CollectionVerb) -> Result<u8> {
    let out = &session.cli.out;
    match verb {
        CollectionVerb::Add(args) => add(session, args),
        CollectionVerb::List => list(session),
        CollectionVerb::Show { name } => show(session, &name),
        CollectionVerb::Rename { name, new } => {
            let catalog = session.write()?;
            let old = catalog.collection(&name)?;
            // Who approved the hook of a collection approved it whatever its name.
            let trust = old.update_cmd.as_ref().map(|_| Trust::load(&session.cli.env)).transpose()?;
            let approved = trust.filter(|t| t.approves(&catalog, &old));
            catalog.rename_collection(&name, &new)?;
            if let Some(mut trust) = approved {
                trust.approve(&catalog, &catalog.collection(&new)?)?;
            }
            out.note(tr!("{name} s'appelle maintenant {new}", "{name} is now called {new}"));
            Ok(0)
        }
        CollectionVerb::Include { name } => {
            session.write()?.set_included(&name, true)?;
            out.note(tr!(
                "{name} est cherchée quand aucune collection n'est nommée",
                "{name} is searched when no collection is named"
            ));
            Ok(0)
        }
        CollectionVerb::Exclude { name } => {
            session.write()?.set_included(&name, false)?;
            out.note(tr!(
                "{name} n'est cherchée que nommée (-c {name}) ; elle reste indexée",
                "{name} is searched only when named (-c {name}); it stays indexed"
            ));
            Ok(0)
        }
        CollectionVerb::Remove { name, yes } => remove(session, &name, yes),
        CollectionVerb::SetUpdate { name, cmd, yes } => set_update(session, &name, cmd.as_deref(), yes),
    }
}

fn add(session: &Session, args: CollectionAddArgs) -> Result<u8> {
    let path = session.cli.cwd.join(&args.path);
    let root = path.canonicalize().map_err(|e| Error::io(&path, &e))?;
    if !root.is_dir() {
        return Err(Error::usage(tr!("{} n'est pas un dossier", "{} is not a directory", root.display())));
    }
    let root = root
        .to_str()
        .map(str::to_owned)
        .ok_or_else(|| Error::usage(tr!("{} n'est pas de l'UTF-8", "{} is not UTF-8", root.display())))?;
    if let Some(tag) = args.language.as_deref().filter(|t| Language::from_tag(t).is_none()) {
        return Err(Error::usage(tr!("langue inconnue : {tag}", "unknown language: {tag}"))
            .hint("en fr de es it pt nl da sv no fi hu ro ru tr ar el other"));
    }
    let collection = Collection {
        id: 0,
        name: args.name,
        root,
        mask: args.mask,
        ignore: args.ignore,
        update_cmd: args.update_cmd,
        included: !args.exclude_by_default,
        language: args.language,
        hidden: args.hidden,
        follow: args.follow,
        updated: None,
    };
    // Everything that can be refused is refused before a database is made.
    collection.check()?;
    let found = walk(&collection)?;
    let catalog = Catalog::open_or_create(&session.location)?;
    catalog.add_collection(&collection)?;
    if collection.update_cmd.is_some() {
        // The user typed it: that is the approval.
        Trust::load(&session.cli.env)?.approve(&catalog, &collection)?;
    }
    catalog.checkpoint()?;
    let bytes = found.files.iter().map(|f| f.size.unsigned_abs()).sum();
    let command = catalog.command(&format!("update -c {}", collection.name));
    let plan = Plan::update(command, found.files.len() as u64, bytes);
    let out = &session.cli.out;
    if out.json {
        out.document(&serde_json::json!({
            "schema": 1, "collection": collection, "files": found.files.len(), "bytes": bytes,
            "skipped": found.skipped, "next": plan,
        }));
    } else {
        out.line(tr!(
            "{} : {} fichiers, {} ; rien n'est indexé encore",
            "{}: {} files, {}; nothing is indexed yet",
            collection.name,
            found.files.len(),
            size(bytes)
        ));
        out.note(plan.line());
    }
    Ok(0)
}

fn list(session: &Session) -> Result<u8> {
    let catalog = session.open()?;
    let out = &session.cli.out;
    let all = catalog
        .collections()?
        .into_iter()
        .map(|c| Ok((catalog.size(c.id)?, c)))
        .collect::<Result<Vec<(Size, Collection)>>>()?;
    if out.json {
        let list: Vec<_> =
            all.iter().map(|(size, c)| serde_json::json!({"collection": c, "size": size})).collect();
        out.document(&serde_json::json!({"schema": 1, "collections": list}));
        return Ok(0);
    }
    for (held, c) in &all {
        let excluded = if c.included { String::new() } else { tr!("  (exclue)", "  (excluded)") };
        let hook = if c.update_cmd.is_some() { "  (hook)" } else { "" };
        out.line(format!(
            "{}  {} {}  {}  {}{excluded}{hook}",
            c.name,
            held.files,
            tr!("fichiers", "files"),
            size(held.bytes.unsigned_abs()),
            crate::markdown::sanitize::terminal(&c.root),
        ));
    }
    if all.is_empty() {
        out.note(catalog.command("collection add DIR --name NAME"));
    }
    Ok(0)
}

fn show(session: &Session, name: &str) -> Result<u8> {
    let catalog = session.open()?;
    let c = catalog.collection(name)?;
    let held = catalog.size(c.id)?;
    let trusted = Trust::load(&session.cli.env)?.approves(&catalog, &c);
    let out = &session.cli.out;
    if out.json {
        out.document(
            &serde_json::json!({"schema": 1, "collection": c, "size": held, "hook_approved": trusted}),
        );
        return Ok(0);
    }
    let clean = crate::markdown::sanitize::terminal;
    let updated =
        c.updated.map_or_else(|| tr!("jamais", "never"), |t| crate::base::Instant::from_unix(t).to_string());
    let hook = match &c.update_cmd {
        Some(cmd) if trusted => clean(cmd),
        Some(cmd) => format!("{} ({})", clean(cmd), tr!("non approuvé", "not approved")),
        None => "-".to_owned(),
    };
    let rows = [
        (tr!("nom", "name"), c.name.clone()),
        (tr!("racine", "root"), clean(&c.root)),
        (tr!("masque", "mask"), clean(&c.mask)),
        (tr!("ignorés", "ignored"), clean(&c.ignore.join(" "))),
        (tr!("cherchée sans nom", "searched unnamed"), c.included.to_string()),
        (tr!("langue", "language"), c.language.clone().unwrap_or_else(|| tr!("détectée", "detected"))),
        (tr!("fichiers", "files"), held.files.to_string()),
        (tr!("documents", "documents"), held.documents.to_string()),
        (tr!("segments", "chunks"), held.chunks.to_string()),
        (tr!("octets", "bytes"), held.bytes.to_string()),
        (tr!("dernière indexation", "last update"), updated),
        ("hook".to_owned(), hook),
    ];
    for (key, value) in rows {
        out.line(format!("{key}: {value}"));
    }
    Ok(0)
}

fn remove(session: &Session, name: &str, yes: bool) -> Result<u8> {
    let mut catalog = session.write()?;
    let c = catalog.collection(name)?;
    let held = catalog.size(c.id)?;
    let effect = tr!(
        "{name} : {} fichiers oubliés, {} documents et leurs {} segments et vecteurs perdus ({}) ; les fichiers restent sur le disque",
        "{name}: {} files forgotten, {} documents with their {} chunks and vectors lost ({}); the files stay on the disk",
        held.files,
        held.own_documents,
        held.own_chunks,
        size(held.bytes.unsigned_abs())
    );
    confirm(session, &effect, yes)?;
    remove_collection(&mut catalog, &c)?;
    session.cli.out.note(effect);
    Ok(0)
}

fn set_update(session: &Session, name: &str, cmd: Option<&str>, yes: bool) -> Result<u8> {
    let catalog = session.write()?;
    let c = catalog.collection(name)?;
    let effect = match cmd {
        Some(cmd) => tr!(
            "avant `update --run-hooks`, {name} exécutera dans {} : {cmd}",
            "before `update --run-hooks`, {name} will run in {}: {cmd}",
            c.root
        ),
        None => tr!("{name} n'exécutera plus rien", "{name} will run nothing any more"),
    };
    confirm(session, &effect, yes)?;
    catalog.set_hook(name, cmd)?;
    Trust::load(&session.cli.env)?.approve(&catalog, &catalog.collection(name)?)?;
    catalog.checkpoint()?;
    session.cli.out.note(effect);
    Ok(0)
}

/// Asks on a terminal; elsewhere needs `--yes`.
///
/// # Errors
/// Exit 2 when neither says yes.
pub fn confirm(session: &Session, effect: &str, yes: bool) -> Result<()> {
    if yes {
        return Ok(());
    }
    let effect = crate::markdown::sanitize::terminal(effect);
    if !std::io::stdin().is_terminal() {
        return Err(Error::usage(tr!("à confirmer : {effect}", "to be confirmed: {effect}")).hint("--yes"));
    }
    let mut err = std::io::stderr().lock();
    let asked =
        write!(err, "{effect}\n{} ", tr!("Continuer ? [o/N]", "Go on? [y/N]")).and_then(|()| err.flush());
    asked.map_err(|e| Error::io("stderr", &e))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).map_err(|e| Error::io("stdin", &e))?;
    if matches!(answer.trim().to_lowercase().as_str(), "y" | "yes" | "o" | "oui") {
        return Ok(());
    }
    session.cli.out.note(tr!("rien n'a changé", "nothing was changed"));
    Err(Error::usage(tr!("refusé", "declined")))
}
