//! `context …`.

use std::path::Path;

use super::Session;
use super::args::ContextVerb;
use crate::base::{Error, Result};
use crate::markdown::sanitize::terminal;
use crate::retrieval::Catalog;
use crate::tr;

/// Runs a `context` verb.
pub fn run(session: &Session, verb: ContextVerb) -> Result<u8> {
    let out = &session.cli.out;
    match verb {
        ContextVerb::Add { words } => {
            let (scope, text) = match words.as_slice() {
                [scope, text] => (scope.as_str(), text),
                [text] => (".", text),
                _ => return Err(Error::usage(tr!("[PORTÉE] TEXTE", "[SCOPE] TEXT"))),
            };
            let catalog = session.write()?;
            let scope = address(&catalog, scope, &session.cli.cwd)?;
            let old = catalog.contexts()?.into_iter().find(|c| c.scope == scope && c.text != *text);
            catalog.set_context(&scope, text)?;
            catalog.checkpoint()?;
            out.note(match old.map(|c| terminal(&c.text)) {
                Some(old) => {
                    tr!("contexte de {scope}, au lieu de : {old}", "context of {scope}, instead of: {old}")
                }
                None => tr!("contexte de {scope}", "context of {scope}"),
            });
            Ok(0)
        }
        ContextVerb::List => {
            let contexts = session.open()?.contexts()?;
            if out.json {
                out.document(&serde_json::json!({"schema": 1, "contexts": contexts}));
            } else {
                contexts
                    .iter()
                    .for_each(|c| out.line(format!("{}  {}", terminal(&c.scope), terminal(&c.text))));
            }
            Ok(0)
        }
        ContextVerb::Check => {
            let gaps = session.open()?.without_context()?;
            if out.json {
                out.document(&serde_json::json!({"schema": 1, "without_context": gaps}));
            } else {
                gaps.iter().for_each(|g| out.line(terminal(g)));
            }
            Ok(u8::from(!gaps.is_empty()))
        }
        ContextVerb::Rm { scope } => {
            let catalog = session.write()?;
            let scope = address(&catalog, &scope, &session.cli.cwd)?;
            catalog.remove_context(&scope)?;
            catalog.checkpoint()?;
            out.note(tr!("contexte de {scope} retiré", "context of {scope} removed"));
            Ok(0)
        }
    }
}

/// The scope a user names: `/`, an address, or a path inside a collection's root.
fn address(catalog: &Catalog, scope: &str, cwd: &Path) -> Result<String> {
    if scope == "/" || scope.starts_with("gf://") {
        return Ok(match scope.strip_prefix("gf://") {
            Some(rest) if !rest.contains('/') => format!("gf://{rest}/"),
            _ => scope.to_owned(),
        });
    }
    let path = cwd.join(scope);
    let path = path.canonicalize().unwrap_or(path);
    // The innermost root, when collections lie within each other.
    let mut roots = catalog.collections()?;
    roots.sort_by_key(|c| std::cmp::Reverse(c.root.len()));
    for collection in roots {
        if let Some(inside) = path.strip_prefix(&collection.root).ok().and_then(Path::to_str) {
            return Ok(format!("gf://{}/{inside}", collection.name));
        }
    }
    Err(Error::usage(tr!("{} n'est dans aucune collection", "{} lies in no collection", path.display()))
        .hint(catalog.command("collection list")))
}
