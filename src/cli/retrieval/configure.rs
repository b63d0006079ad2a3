//! `config …` and `trust`.

use std::io::Read;

use super::Session;
use super::args::{ConfigVerb, TrustArgs};
use super::collection::confirm;
use crate::base::error::IoContext;
use crate::base::{Error, Result};
use crate::markdown::sanitize::terminal;
use crate::retrieval::Catalog;
use crate::retrieval::trust::Trust;
use crate::store::open;
use crate::tr;

/// Longest YAML taken.
const LONGEST: u64 = 4 << 20;

/// Runs a `config` verb.
pub fn config(session: &Session, verb: ConfigVerb) -> Result<u8> {
    let out = &session.cli.out;
    match verb {
        ConfigVerb::Show => {
            let models = session.open()?.models()?;
            if out.json {
                out.document(&serde_json::json!({"schema": 1, "models": models}));
            } else {
                let value = serde_json::to_value(&models).unwrap_or_default();
                for (key, value) in value.as_object().into_iter().flatten() {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    out.line(format!("{}: {}", key.replace('_', "-"), terminal(&text)));
                }
            }
        }
        ConfigVerb::Set { key, value } => {
            let catalog = session.write()?;
            let mut models = catalog.models()?;
            let path = session.cli.cwd.join(&value);
            let value = match path.to_str() {
                Some(path) if key.ends_with("-dir") => path,
                _ => &value,
            };
            models.set(&key, Some(value))?;
            catalog.set_models(&models)?;
            catalog.checkpoint()?;
        }
        ConfigVerb::Unset { key } => {
            let catalog = session.write()?;
            let mut models = catalog.models()?;
            models.set(&key, None)?;
            catalog.set_models(&models)?;
            catalog.checkpoint()?;
        }
        ConfigVerb::Export => out.text(session.open()?.export()?),
        ConfigVerb::Import { file } => {
            let mut yaml = String::new();
            if file.as_os_str() == "-" {
                std::io::stdin().lock().take(LONGEST).read_to_string(&mut yaml).at("stdin")?;
            } else {
                let path = session.cli.cwd.join(file);
                yaml = open::read_text(&path, LONGEST).map_err(|e| match path.metadata() {
                    Ok(meta) if !meta.is_file() && !meta.is_dir() => {
                        e.hint(tr!("`-` lit l'entrée standard", "`-` reads the standard input"))
                    }
                    _ => e,
                })?;
            }
            let catalog = Catalog::open_or_create(&session.location)?;
            let added = catalog.import(&yaml)?;
            catalog.checkpoint()?;
            out.note(tr!(
                "configuration reprise, {} collections nouvelles ; rien n'est indexé : {}",
                "configuration taken over, {} new collections; nothing is indexed: {}",
                added.len(),
                catalog.command("update")
            ));
            untrusted(session, &catalog)?;
        }
    }
    Ok(0)
}

/// Names the hooks that wait for an approval.
fn untrusted(session: &Session, catalog: &Catalog) -> Result<()> {
    let trust = Trust::load(&session.cli.env)?;
    for c in catalog.collections()? {
        if !trust.approves(catalog, &c) {
            session.cli.out.note(tr!(
                "hook non approuvé de {} : {} — {}",
                "the hook of {} is not approved: {} — {}",
                c.name,
                terminal(c.update_cmd.as_deref().unwrap_or_default()),
                catalog.command(&format!("trust {}", c.name))
            ));
        }
    }
    Ok(())
}

/// Approves a hook, or lists them.
pub fn trust(session: &Session, args: &TrustArgs) -> Result<u8> {
    let catalog = session.open()?;
    let mut trust = Trust::load(&session.cli.env)?;
    let out = &session.cli.out;
    let Some(name) = &args.collection else {
        for c in catalog.collections()?.iter().filter(|c| c.update_cmd.is_some()) {
            let state = if trust.approves(&catalog, c) {
                tr!("approuvé", "approved")
            } else {
                tr!("non approuvé", "not approved")
            };
            out.line(format!(
                "{}  {state}  {}",
                c.name,
                terminal(c.update_cmd.as_deref().unwrap_or_default())
            ));
        }
        return Ok(0);
    };
    let collection = catalog.collection(name)?;
    let Some(cmd) = &collection.update_cmd else {
        return Err(Error::usage(tr!("{name} n'a pas de hook", "{name} has no hook")));
    };
    confirm(
        session,
        &tr!(
            "approuver que `update --run-hooks` exécute dans {} : {cmd}",
            "approve that `update --run-hooks` runs in {}: {cmd}",
            collection.root
        ),
        args.yes,
    )?;
    trust.approve(&catalog, &collection)?;
    out.note(tr!("approuvé : {name}", "approved: {name}"));
    Ok(0)
}
