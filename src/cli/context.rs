//! What every command has in common: its common flags, the environment, the clock, the streams, and
//! the one conversion from errors to exit codes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::french;
use super::output::{ColorChoice, Output, lost};
use crate::base::env::Env;
use crate::base::lang::{self, Lang};
use crate::base::{Clock, Error, Result, SystemClock};

/// The flags that every command takes.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Common {
    /// Where to work; otherwise here, or in the nearest parent directory that is configured
    #[arg(long, global = true, value_name = "DIR", help_heading = "Common")]
    pub workspace: Option<PathBuf>,
    /// Machine output: one JSON document on stdout
    #[arg(long, global = true, help_heading = "Common")]
    pub json: bool,
    /// Print results and errors only
    #[arg(short, long, global = true, help_heading = "Common")]
    pub quiet: bool,
    /// Say more on stderr; twice for debugging
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Common")]
    pub verbose: u8,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        help_heading = "Common"
    )]
    pub color: ColorChoice,
}

/// What a command is handed.
pub struct Context {
    /// The common flags.
    pub common: Common,
    /// The environment at start.
    pub env: Env,
    /// The current directory at start.
    pub cwd: PathBuf,
    /// The clock.
    pub clock: Box<dyn Clock>,
    /// The streams.
    pub out: Output,
}

impl Context {
    /// Prepares a command: signals, processor, language, logs, streams.
    pub fn new(common: Common) -> Result<Self> {
        let env = Env::from_process();
        set_language(&env);
        let out = Output::new(common.json, common.quiet, common.color, env.get("NO_COLOR").is_some());
        init_logs(common.verbose, &env);
        let cwd = std::env::current_dir().map_err(|e| Error::io(".", &e))?;
        Ok(Context { common, env, cwd, clock: Box::new(SystemClock), out })
    }
}

/// Chooses the language from `GOVMEM_LANG`, else the locale. A workspace's `lang` comes later, when
/// neither is set ([`explicit_language`]).
fn set_language(env: &Env) {
    let tag = ["GOVMEM_LANG", "LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(|name| env.get(name));
    if let Some(lang) = tag.and_then(Lang::from_locale) {
        lang::set(lang);
    }
}

/// Whether the user asked for a language by `GOVMEM_LANG`, which wins over a workspace's `lang`.
pub fn explicit_language(env: &Env) -> bool {
    env.get("GOVMEM_LANG").and_then(Lang::from_locale).is_some()
}

fn init_logs(verbose: u8, env: &Env) {
    use tracing_subscriber::EnvFilter;
    let default = ["warn", "info", "debug"][usize::from(verbose.min(2))];
    let filter = match env.get("GOVMEM_LOG") {
        Some(text) => EnvFilter::try_new(text).unwrap_or_else(|_| EnvFilter::new(default)),
        None => EnvFilter::new(format!("govmem={default}")),
    };
    // A second call (tests) keeps the first subscriber.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_target(false)
        .without_time()
        .try_init();
}

/// Parses the arguments, runs the command and turns its result into an exit code.
///
/// `split` separates the common flags from the command's own; `language` is that of what is configured
/// at a folder, for help and usage errors, which come before any command. Wrong usage exits 2, help and
/// version exit 0. The command returns its exit code when it has none of the errors.
pub fn run<P: clap::Parser>(
    split: impl FnOnce(P) -> (Common, Command<'static>),
    language: impl FnOnce(&Path, &Env) -> Option<Lang>,
) -> ExitCode {
    super::signals::install();
    crate::vector::threads::calm();
    if let Some(what) = super::cpu::missing() {
        let error = Error::new(
            crate::base::Kind::Unavailable,
            format!("this build needs a processor with {what} (x86-64-v3)"),
        )
        .hint("rebuild with RUSTFLAGS='-C target-cpu=x86-64' and CXXFLAGS=-march=x86-64");
        Output::new(false, false, ColorChoice::Auto, true).error(&error);
        return ExitCode::from(error.exit());
    }
    let env = Env::from_process();
    set_language(&env);
    let parsed = match P::try_parse() {
        Ok(parsed) => parsed,
        Err(e) => return unparsed::<P>(e, &env, language),
    };
    let (common, command) = split(parsed);
    let json = common.json;
    let ctx = match Context::new(common) {
        Ok(ctx) => ctx,
        Err(e) => {
            Output::new(json, false, ColorChoice::Auto, true).error(&e);
            return ExitCode::from(e.exit());
        }
    };
    let code = command(&ctx).unwrap_or_else(|e| {
        ctx.out.error(&e);
        e.exit()
    });
    // A result that nobody has is no result, whatever it was.
    match ctx.out.complete() {
        Ok(()) => ExitCode::from(code),
        Err(e) => {
            ctx.out.error(&e);
            ExitCode::from(e.exit())
        }
    }
}

/// Help, version or wrong usage, in the language of the user or of the place.
fn unparsed<P: clap::Parser>(
    mut e: clap::Error,
    env: &Env,
    language: impl FnOnce(&Path, &Env) -> Option<Lang>,
) -> ExitCode {
    let code = if e.use_stderr() { 2 } else { 0 };
    let here = std::env::current_dir().ok();
    if let Some(lang) = here.filter(|_| !explicit_language(env)).and_then(|dir| language(&dir, env)) {
        lang::set(lang);
    }
    if lang::current() == Lang::Fr {
        // The same arguments fail in the same way in the translated table.
        if let Err(french) = french::command(P::command()).try_get_matches() {
            e = french;
        }
        if let Some(error) = french::error(&e) {
            Output::new(false, false, ColorChoice::Auto, env.get("NO_COLOR").is_some()).error(&error);
            return ExitCode::from(code);
        }
    }
    // A closed pipe leaves nothing to say, and so does an error that cannot be told.
    match e.print().and_then(|()| std::io::stdout().flush()) {
        Err(failed) if code == 0 && failed.kind() != std::io::ErrorKind::BrokenPipe => {
            let error = lost(&failed);
            Output::new(false, false, ColorChoice::Auto, env.get("NO_COLOR").is_some()).error(&error);
            ExitCode::from(error.exit())
        }
        _ => ExitCode::from(code),
    }
}

/// A parsed command, ready to run: it returns the exit code of a command that did its work.
pub type Command<'a> = Box<dyn FnOnce(&Context) -> Result<u8> + 'a>;
