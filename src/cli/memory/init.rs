//! `govmem init`.

use std::path::{Path, PathBuf};

use super::args::Init;
use super::{open, settings};
use crate::base::lang::{self, Lang};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::embed::{self, EmbedderSettings};
use crate::memory::init;
use crate::store::Workspace;
use crate::store::lock::LockSettings;
use crate::tr;

/// Makes a workspace, probing for an embedder unless one is named.
pub fn run(ctx: &Context, args: Init) -> Result<u8> {
    let dir = args.dir.as_ref().map_or_else(|| ctx.cwd.clone(), |d| open::user_path(ctx, d));
    let lang = match &args.lang {
        Some(tag) => Lang::from_locale(tag).ok_or_else(|| {
            Error::usage(tr!("langue inconnue {tag:?}", "unknown language {tag:?}")).hint("fr, en")
        })?,
        None => lang::current(),
    };
    lang::set(lang);
    let embedder = choose_embedder(ctx, &args)?;
    let keyring = choose_keyring(ctx, args.keyring.as_deref())?;
    std::fs::create_dir_all(&dir).map_err(|e| Error::io(&dir, &e))?;
    let text = format!(
        "lang = \"{}\"\n\n[embedder]\n{}\n[audit]\nkeyring = \"{keyring}\"\n",
        lang.tag(),
        embedder.toml()
    );
    let made = init::run(&dir, &text)?;
    let workspace = Workspace::open(&dir)?;
    let config = workspace.load_config(&ctx.env)?;
    let opened = embed::open(&settings::embedder(ctx, &workspace, &config)?);
    let ready = match &opened {
        Ok(embedder) => {
            let locks = LockSettings::of(&config, "init");
            init::empty_indexes(&workspace, locks, embedder.identity(), &config.index.factory)?;
            true
        }
        Err(_) => false,
    };
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "workspace": dir, "files": made.files, "embedder": embedder.provider(),
            "keyring": keyring, "indexes": ready,
        }));
    } else {
        ctx.out.line(tr!("espace de travail : {}", "workspace: {}", dir.display()));
        for file in &made.files {
            ctx.out.line(format!("  {}", file.display()));
        }
        ctx.out.line(format!("  embedder: {} · keyring: {keyring}", embedder.provider()));
    }
    if let Err(error) = opened {
        ctx.out.error(&error);
        ctx.out.note(tr!("quand c'est réparé : govmem reindex", "once repaired: govmem reindex"));
        return Ok(3);
    }
    ctx.out.note(tr!("ensuite : govmem audit bootstrap", "next: govmem audit bootstrap"));
    Ok(0)
}

/// The choice that goes into `govmem.toml`.
enum Choice {
    Ollama,
    Local(PathBuf),
}

impl Choice {
    fn provider(&self) -> &'static str {
        match self {
            Choice::Ollama => "ollama",
            Choice::Local(_) => "local",
        }
    }

    fn toml(&self) -> String {
        match self {
            Choice::Ollama => "provider = \"ollama\"\nmodel = \"nomic-embed-text\"\n".into(),
            Choice::Local(dir) => {
                let dir = toml::Value::String(dir.display().to_string());
                format!("provider = \"local\"\ndir = {dir}\n")
            }
        }
    }
}

fn choose_embedder(ctx: &Context, args: &Init) -> Result<Choice> {
    let dir = args.model_dir.as_deref().map(|d| open::user_path(ctx, d));
    match (args.embedder.as_deref(), dir) {
        (Some("ollama"), _) => Ok(Choice::Ollama),
        (Some("local") | None, Some(dir)) => Ok(Choice::Local(dir)),
        (Some("local"), None) => known_model(ctx).map(Choice::Local).ok_or_else(|| {
            Error::usage(tr!("aucun modèle local trouvé", "no local model found")).hint("--model-dir DIR")
        }),
        (Some(other), _) => {
            Err(Error::usage(tr!("embedder inconnu {other:?}", "unknown embedder {other:?}"))
                .hint("ollama, local"))
        }
        // Nothing named: the service that answers, else a model on this machine, else the service
        // that the team will start.
        (None, None) if ollama_answers(ctx) => Ok(Choice::Ollama),
        (None, None) => Ok(known_model(ctx).map_or(Choice::Ollama, Choice::Local)),
    }
}

fn ollama_answers(ctx: &Context) -> bool {
    let url = ctx.env.get("OLLAMA_HOST").map(str::to_owned);
    let timeout = std::time::Duration::from_secs(2);
    // The address comes from the environment or is this machine's; opening sends no text.
    embed::open(&EmbedderSettings { url, trusted: true, timeout, ..EmbedderSettings::default() }).is_ok()
}

/// The model that this project's scripts install, or the one the environment names.
fn known_model(ctx: &Context) -> Option<PathBuf> {
    let named = ctx.env.get("GOVMEM_MODEL_DIR").map(PathBuf::from);
    let cached = ctx.env.xdg("CACHE", ".cache").map(|c| c.join("govmem/models/all-MiniLM-L6-v2"));
    let holds_model = |dir: &Path| dir.join("model.safetensors").is_file();
    [named, cached].into_iter().flatten().find(|d| holds_model(d))
}

fn choose_keyring(ctx: &Context, named: Option<&str>) -> Result<&'static str> {
    match named {
        Some("vault") => Ok("vault"),
        Some("file") => Ok("file"),
        Some(other) => {
            Err(Error::usage(tr!("keyring inconnu {other:?}", "unknown keyring {other:?}"))
                .hint("vault, file"))
        }
        None if ctx.env.get("VAULT_ADDR").or_else(|| ctx.env.get("BAO_ADDR")).is_some() => Ok("vault"),
        None => Ok("file"),
    }
}
