//! `stop`: ends the daemon that `serve --daemon` started, and no other process.

use super::Session;
use super::serve::state;
use crate::base::Result;
use crate::tr;

/// Ends the daemon: exit 1 when none serves.
pub fn run(session: &Session) -> Result<u8> {
    let record = state(session)?.stop()?;
    let out = &session.cli.out;
    if out.json {
        out.document(&serde_json::json!({"schema": 1, "stopped": record}));
    } else {
        out.line(tr!("arrêté : {} (processus {})", "stopped: {} (process {})", record.endpoint, record.pid));
    }
    Ok(0)
}
