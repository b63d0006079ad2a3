//! `govmem init`.

use std::path::{Path, PathBuf};

use super::args::Init;
use super::{open, settings};
use crate::base::config::Config;
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
    let embedder = choose_embedder(ctx, &args, &dir)?;
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
    /// The lines that say where the model is.
    Local(String),
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
            Choice::Local(place) => format!("provider = \"local\"\n{place}\n"),
        }
    }
}

fn choose_embedder(ctx: &Context, args: &Init, workspace: &Path) -> Result<Choice> {
    let dir = args.model_dir.as_deref().map(|d| open::user_path(ctx, d));
    let local = |dir: PathBuf| {
        let cache = Config::model_cache(&ctx.env);
        place(&dir, workspace, cache.as_deref(), ctx.env.home().as_deref()).map(Choice::Local)
    };
    match (args.embedder.as_deref(), dir) {
        (Some("ollama"), _) => Ok(Choice::Ollama),
        (Some("local") | None, Some(dir)) => local(dir),
        (Some("local"), None) => local(known_model(ctx).ok_or_else(|| {
            Error::usage(tr!("aucun modèle local trouvé", "no local model found")).hint("--model-dir DIR")
        })?),
        (Some(other), _) => {
            Err(Error::usage(tr!("embedder inconnu {other:?}", "unknown embedder {other:?}"))
                .hint("ollama, local"))
        }
        // Nothing named: the service that answers, else a model on this machine, else the service
        // that the team will start.
        (None, None) if ollama_answers(ctx) => Ok(Choice::Ollama),
        (None, None) => known_model(ctx).map_or(Ok(Choice::Ollama), local),
    }
}

/// Where the model is, in words that hold on a colleague's machine too: its name in the model cache,
/// a path from the workspace or from the home directory; only elsewhere the whole path.
fn place(dir: &Path, workspace: &Path, cache: Option<&Path>, home: Option<&Path>) -> Result<String> {
    let text = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| {
            Error::usage(tr!(
                "{} : ce chemin n'est pas en UTF-8 et ne peut pas être écrit dans govmem.toml",
                "{}: this path is not UTF-8 and cannot be written into govmem.toml",
                path.display()
            ))
            .hint(tr!("renommez le dossier, ou passez par un lien", "rename the directory, or use a link"))
        })
    };
    let below = |base: Option<&Path>| {
        let tail = dir.strip_prefix(base?).ok()?;
        let named = tail.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        (named && tail.components().next().is_some()).then_some(tail)
    };
    let hidden = |p: &Path| p.components().any(|c| c.as_os_str().to_string_lossy().starts_with('.'));
    let (key, value) = match (below(cache), below(Some(workspace)), below(home)) {
        (Some(name), ..) if !hidden(name) => ("model", text(name)?),
        (_, Some(inside), _) => ("dir", text(inside)?),
        (_, _, Some(tail)) => ("dir", format!("~/{}", text(tail)?)),
        _ => ("dir", text(dir)?),
    };
    Ok(format!("{key} = {}", toml::Value::String(value)))
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
    let cached = Config::model_cache(&ctx.env).map(|c| c.join("all-MiniLM-L6-v2"));
    let installed = ctx.env.home().map(|h| h.join(".cache/govmem/models/all-MiniLM-L6-v2"));
    let holds_model = |dir: &Path| dir.join("model.safetensors").is_file();
    [named, cached, installed].into_iter().flatten().find(|d| holds_model(d))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_named_so_that_it_is_found_elsewhere() {
        let of = |dir: &str| {
            let home = Some(Path::new("/home/u"));
            place(
                Path::new(dir),
                Path::new("/home/u/team"),
                Some(Path::new("/home/u/.cache/govmem/models")),
                home,
            )
        };
        assert_eq!(of("/home/u/.cache/govmem/models/m").unwrap(), r#"model = "m""#);
        assert_eq!(of("/home/u/.cache/govmem/models/org/m").unwrap(), r#"model = "org/m""#);
        assert_eq!(of("/home/u/.cache/govmem/models/.m").unwrap(), r#"dir = "~/.cache/govmem/models/.m""#);
        assert_eq!(of("/home/u/team/models/m").unwrap(), r#"dir = "models/m""#);
        assert_eq!(of("/home/u/été/m").unwrap(), r#"dir = "~/été/m""#);
        assert_eq!(of("/opt/m").unwrap(), r#"dir = "/opt/m""#);
        // A path that only begins like the home directory leaves it again.
        assert_eq!(of("/home/u/../v/m").unwrap(), r#"dir = "/home/u/../v/m""#);
        use std::os::unix::ffi::OsStrExt;
        let odd = Path::new(std::ffi::OsStr::from_bytes(b"/opt/\xff"));
        assert_eq!(place(odd, Path::new("/w"), None, None).unwrap_err().exit(), 2);
    }
}
