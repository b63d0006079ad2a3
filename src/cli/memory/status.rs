//! `govmem status`.

use super::{open, render};
use crate::base::Result;
use crate::cli::Context;
use crate::memory::status;
use crate::tr;

/// Says what is there and what to do next.
pub fn run(ctx: &Context) -> Result<u8> {
    let memory = open::memory(ctx, "status")?;
    let status = status::run(&memory)?;
    if ctx.out.json {
        let mut document = serde_json::to_value(&status).unwrap_or_default();
        if let Some(map) = document.as_object_mut() {
            map.insert("schema".into(), 1.into());
        }
        ctx.out.document(&document);
        return Ok(0);
    }
    ctx.out.line(status.workspace.display().to_string());
    for s in &status.sources {
        let mut parts = vec![
            tr!("{} enregistrements", "{} records", s.records),
            tr!("{} en attente", "{} pending", s.pending),
        ];
        if s.retired > 0 {
            parts.push(tr!("{} retirés", "{} retired", s.retired));
        }
        if s.excluded > 0 {
            parts.push(tr!("{} exclus", "{} excluded", s.excluded));
        }
        match (&s.model, &s.fault) {
            (Some(model), _) => parts.push(model.clone()),
            (None, Some(fault)) => parts.push(render::line(fault, 200)),
            (None, None) => {}
        }
        ctx.out.line(format!("  {:<15} {}", s.source.stem(), parts.join(" · ")));
    }
    let gates = tr!("{} verdicts", "{} verdicts", status.gates);
    ctx.out.line(format!("  {:<15} {gates}", "gates"));
    ctx.out.line(format!("  {:<15} {}", "trail", tr!("{} octets", "{} bytes", status.trail_bytes)));
    let (keyring, fault) = &status.keyring;
    let keyring = fault.as_ref().map_or_else(|| keyring.clone(), |f| render::line(f, 300));
    ctx.out.line(format!("  {:<15} {keyring}", "keyring"));
    for command in &status.next {
        ctx.out.line(tr!("à faire : {command}", "next: {command}"));
    }
    Ok(0)
}
