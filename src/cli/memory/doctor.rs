//! `govmem doctor`.

use super::args::Doctor;
use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::doctor::{self, Level};
use crate::tr;

/// Examines, and with `--fix` repairs. Exit 1 when an error remains.
pub fn run(ctx: &Context, args: Doctor) -> Result<u8> {
    let memory = open::memory(ctx, "doctor")?;
    let findings = doctor::run(&memory, args.fix)?;
    let errors = findings.iter().filter(|f| f.level == Level::Error).count();
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({"schema": 1, "errors": errors, "findings": findings}));
        return Ok(u8::from(errors > 0));
    }
    for finding in &findings {
        let mark = match finding.level {
            _ if finding.fixed => tr!("réparé", "fixed"),
            Level::Ok => "ok".to_owned(),
            Level::Warning => tr!("avis", "warning"),
            Level::Error => tr!("erreur", "error"),
        };
        ctx.out.line(format!("{mark:<8} {}: {}", finding.subject, render::line(&finding.message, 400)));
        if let Some(hint) = &finding.hint {
            ctx.out.line(format!("         → {}", render::line(hint, 300)));
        }
    }
    Ok(u8::from(errors > 0))
}
