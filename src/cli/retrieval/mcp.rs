//! `mcp`: the protocol on stdin and stdout, until the client goes. Stdout carries nothing else.

use std::sync::Arc;

use super::Session;
use super::models::Lazy;
use crate::base::Result;
use crate::serve::{self, Backend};
use crate::tr;

/// Serves one client.
pub fn run(session: &Session) -> Result<u8> {
    let backend = backend(session);
    session.cli.out.note(tr!(
        "govfind : MCP sur stdin et stdout, configuration {} ; s'arrête avec son client",
        "govfind: MCP on stdin and stdout, configuration {}; ends with its client",
        session.location.path.display()
    ));
    serve::stdio(backend, tokio::io::stdin(), tokio::io::stdout())?;
    Ok(0)
}

/// A backend over the session's index.
pub fn backend(session: &Session) -> Backend {
    let env = session.cli.env.clone();
    let make = Arc::new(move |settings| Arc::new(Lazy::new(settings, &env)) as serve::backend::SharedModels);
    Backend::new(session.location.clone(), session.cli.cwd.clone(), make)
}
