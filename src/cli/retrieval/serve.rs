//! `serve`: the HTTP service, in the foreground or as the user's daemon.
//!
//! The daemon is this program started again, detached from the terminal. Its first line on stdout
//! tells its parent where it serves, or why it does not.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader};
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Session;
use super::mcp::backend;
use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::serve::daemon::State;
use crate::serve::{self, Server, Settings, Token};
use crate::tr;

/// `serve`
#[derive(Debug, clap::Args)]
pub struct ServeArgs {
    /// Serve HTTP, which is what it does anyway (`mcp` serves stdin and stdout)
    #[arg(long)]
    pub http: bool,
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 8181, value_name = "PORT")]
    pub port: u16,
    /// Go on in the background, with a bearer token; `govfind stop` ends it
    #[arg(long)]
    pub daemon: bool,
    /// The address to listen on
    #[arg(long, default_value = "127.0.0.1", value_name = "IP")]
    pub address: IpAddr,
    /// Accept an address that other machines reach; needs a token
    #[arg(long)]
    pub allow_remote: bool,
    /// A name of this machine that requests may be for, beside localhost (repeatable)
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
    /// Ask for the token in this file, which its owner alone can read
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Started by `serve --daemon`
    #[arg(long, hide = true, conflicts_with = "daemon")]
    pub detached: bool,
}

/// Serves until it is stopped; with `--daemon`, until the daemon answers.
pub fn run(session: &Session, args: &ServeArgs) -> Result<u8> {
    if args.daemon {
        return start(session, args);
    }
    if args.detached {
        return detached(session, args);
    }
    let token = args.token_file.as_deref().map(Token::read).transpose()?;
    let server = Server::bind(settings(args, token))?;
    let backend = backend(session);
    let place = place(session, &server, args.token_file.clone(), "foreground", "Ctrl-C");
    announce(session, &place);
    match serve::gaps(&backend) {
        Ok(gaps) => gaps.iter().for_each(|gap| session.cli.out.note(gap)),
        Err(e) => session.cli.out.note(format!("{e} — {}", e.hint_text().unwrap_or_default())),
    }
    server.run(backend)?;
    Ok(0)
}

/// The files of the user's daemon.
pub fn state(session: &Session) -> Result<State> {
    session.cli.env.xdg("STATE", ".local/state").map(|dir| State::new(dir.join("govfind"))).ok_or_else(|| {
        Error::usage(tr!("ni XDG_STATE_HOME ni HOME", "neither XDG_STATE_HOME nor HOME is set"))
    })
}

fn settings(args: &ServeArgs, token: Option<Token>) -> Settings {
    Settings {
        address: args.address,
        port: args.port,
        allow_remote: args.allow_remote,
        hosts: args.allow_host.clone(),
        token,
    }
}

fn place(session: &Session, server: &Server, token: Option<PathBuf>, mode: &str, stop: &str) -> Value {
    let endpoint = format!("http://{}", server.address());
    json!({
        "schema": 1,
        "endpoint": endpoint,
        "mcp": format!("{endpoint}/mcp"),
        "mode": mode,
        "pid": std::process::id(),
        "configuration": session.location.path,
        "token_file": token,
        "stop": stop,
    })
}

fn announce(session: &Session, place: &Value) {
    let out = &session.cli.out;
    if out.json {
        return out.document(place);
    }
    let text = |key: &str| place[key].as_str().unwrap_or("-").to_owned();
    out.line(text("endpoint"));
    out.line(tr!(
        "  mode           HTTP et MCP ({}), {}, processus {}",
        "  mode           HTTP and MCP ({}), {}, process {}",
        text("mcp"),
        text("mode"),
        place["pid"]
    ));
    out.line(format!("  configuration  {}", text("configuration")));
    out.line(tr!("  jeton          {}", "  token          {}", text("token_file")));
    out.line(tr!("  arrêt          {}", "  stop           {}", text("stop")));
}

/// Starts the daemon and waits until it serves.
fn start(session: &Session, args: &ServeArgs) -> Result<u8> {
    let state = state(session)?;
    // Refused here already, where it can be said plainly.
    drop(state.become_daemon()?);
    let log = state.log();
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    let stderr = crate::store::open::regular(&log, &options).at(&log)?;
    let program = std::env::current_exe().map_err(|e| Error::io("govfind", &e))?;
    let mut child = Command::new(&program)
        .args(arguments(session, args))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .at(&program)?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line).at(&program)?;
    }
    let place: Value = serde_json::from_str(&line).unwrap_or_default();
    if place["endpoint"].is_string() {
        announce(session, &place);
        return Ok(0);
    }
    let message = place["error"]["message"].as_str().map_or_else(
        || tr!("le démon n'a pas démarré : voir {}", "the daemon did not start: see {}", log.display()),
        str::to_owned,
    );
    let kind = match place["exit"].as_u64() {
        Some(2) => Kind::Usage,
        Some(65) => Kind::Corrupt,
        Some(74) => Kind::Io,
        Some(75) => Kind::TryLater,
        _ => Kind::Unavailable,
    };
    let error = Error::new(kind, message);
    Err(match place["error"]["hint"].as_str() {
        Some(hint) => error.hint(hint),
        None => error,
    })
}

/// The arguments that make the same service of a detached process.
fn arguments(session: &Session, args: &ServeArgs) -> Vec<std::ffi::OsString> {
    let mut out: Vec<std::ffi::OsString> =
        vec!["--index".into(), session.location.path.clone().into(), "serve".into(), "--detached".into()];
    out.extend(["--port".into(), args.port.to_string().into()]);
    out.extend(["--address".into(), args.address.to_string().into()]);
    if args.allow_remote {
        out.push("--allow-remote".into());
    }
    for host in &args.allow_host {
        out.extend(["--allow-host".into(), host.into()]);
    }
    if let Some(file) = &args.token_file {
        out.extend(["--token-file".into(), file.into()]);
    }
    out
}

fn detached(session: &Session, args: &ServeArgs) -> Result<u8> {
    // SAFETY: makes this process the leader of a session without a terminal; it takes nothing.
    unsafe { libc::setsid() };
    let ready = || -> Result<_> {
        let state = state(session)?;
        let lock = state.become_daemon()?;
        let (file, token) = match &args.token_file {
            Some(file) => (file.clone(), Token::read(file)?),
            None => (state.token(), Token::create(&state.token())?),
        };
        let server = Server::bind(settings(args, Some(token)))?;
        let place = place(session, &server, Some(file), "daemon", "govfind stop");
        let endpoint = place["endpoint"].as_str().unwrap_or_default();
        state.announce(&lock, endpoint, &session.location.path)?;
        Ok((lock, server, place))
    };
    match ready() {
        Ok((_lock, server, place)) => {
            session.cli.out.document(&place);
            server.run(backend(session))?;
            Ok(0)
        }
        Err(e) => {
            let mut told = serve::backend::trouble(&e);
            told["exit"] = e.exit().into();
            session.cli.out.document(&told);
            Err(e)
        }
    }
}
