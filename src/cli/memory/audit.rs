//! `govmem audit verify|bootstrap|rotate|reseal|accept-clock`.

use super::args::{Audit, AuditVerify, Reason};
use super::open;
use crate::audit::{self, ChainState, TrailPaths, VerifyReport};
use crate::base::{Instant, Result};
use crate::cli::Context;
use crate::memory::Memory;
use crate::store::lock::Trail;
use crate::tr;

/// Runs an audit command.
pub fn run(ctx: &Context, command: Audit) -> Result<u8> {
    let memory = open::memory(ctx, "audit")?;
    let paths = TrailPaths::of(&memory.workspace);
    let keyring = memory.keyring()?;
    let now = memory.clock.now();
    if let Audit::Verify(args) = command {
        return verify(ctx, &memory, &args);
    }
    // Which key was in force is asked before the lock: a rotation that wins meanwhile is noticed.
    let seen = match &command {
        Audit::Rotate => keyring.current()?.version,
        _ => 0,
    };
    let mut locks = memory.locks();
    let (lock, _) = locks.begin().exclusive::<Trail>()?;
    match command {
        Audit::Verify(_) => Ok(0),
        Audit::Bootstrap => {
            let done = audit::bootstrap(&paths, keyring.as_ref(), now, &lock)?;
            let (what, version) = (keyring.describe(), done.version);
            let text = if done.created {
                tr!("clé créée dans {what}, version {version}", "key created in {what}, version {version}")
            } else {
                tr!("clé trouvée dans {what}, version {version}", "key found in {what}, version {version}")
            };
            say(
                ctx,
                &text,
                &serde_json::json!({"key_version": version, "created": done.created, "head": done.receipt.head}),
            );
            Ok(0)
        }
        Audit::Rotate => {
            let done = audit::rotate(&paths, keyring.as_ref(), seen, now, &lock, &mut |_| Ok(()))?;
            let (from, to) = (done.from, done.to);
            let mut text = tr!("clé {from} → {to}", "key {from} → {to}");
            if done.resumed {
                text.push_str(&tr!(
                    " (rotation interrompue, achevée)",
                    " (an interrupted rotation, completed)"
                ));
            }
            say(ctx, &text, &serde_json::json!({"from": from, "to": to, "resumed": done.resumed}));
            Ok(0)
        }
        Audit::Reseal(Reason { reason }) => {
            let done = audit::reseal(&paths, keyring.as_ref(), now, &reason, &lock)?;
            let (lines, head) = (done.lines, done.receipt.head);
            let text = tr!("{lines} lignes chaînées, tête {head}", "{lines} lines chained, head {head}");
            say(ctx, &text, &serde_json::json!({"lines": lines, "head": head, "kept": done.kept}));
            Ok(0)
        }
        Audit::AcceptClock(Reason { reason }) => accept(ctx, &paths, keyring.as_ref(), now, &reason, &lock),
    }
}

fn accept(
    ctx: &Context,
    paths: &TrailPaths,
    keyring: &dyn audit::Keyring,
    now: Instant,
    reason: &str,
    lock: &audit::TrailLock<'_>,
) -> Result<u8> {
    let receipt = audit::accept_clock(paths, keyring, now, reason, lock)?;
    let text = tr!("horloge acceptée à {now}", "clock accepted at {now}");
    say(ctx, &text, &serde_json::json!({"at": now, "head": receipt.head}));
    Ok(0)
}

fn say(ctx: &Context, text: &str, document: &serde_json::Value) {
    if !ctx.out.json {
        return ctx.out.line(text);
    }
    let mut document = document.clone();
    if let Some(map) = document.as_object_mut() {
        map.insert("schema".into(), 1.into());
    }
    ctx.out.document(&document);
}

/// Verifies; exit 1 when anything is wrong.
fn verify(ctx: &Context, memory: &Memory<'_>, args: &AuditVerify) -> Result<u8> {
    let keyring = memory.keyring()?;
    let paths = TrailPaths::of(&memory.workspace);
    let report = audit::verify(&paths, keyring.as_ref(), args.anchor.as_deref(), &mut |_, _| {})?;
    if ctx.out.json {
        let mut document = serde_json::to_value(&report).unwrap_or_default();
        if let Some(map) = document.as_object_mut() {
            map.insert("schema".into(), 1.into());
        }
        ctx.out.document(&document);
    } else {
        text(ctx, &report);
    }
    Ok(u8::from(!report.is_good()))
}

fn text(ctx: &Context, report: &VerifyReport) {
    for finding in report.invalid.iter().take(20).chain(&report.chain_finding) {
        let (line, offset, reason) = (finding.line, finding.offset, &finding.reason);
        ctx.out.line(tr!("ligne {line}, octet {offset} : {reason}", "line {line}, byte {offset}: {reason}"));
    }
    if report.invalid_total > 20 {
        let more = report.invalid_total - 20;
        ctx.out.line(tr!("… et {more} autres", "… and {more} more"));
    }
    let chain = match report.chain {
        ChainState::Ok => "ok",
        ChainState::Absent => "absent",
        ChainState::Unacknowledged => "unacknowledged",
        ChainState::Broken => "broken",
    };
    let (events, valid) = (report.events, report.valid);
    ctx.out.line(tr!(
        "{events} événements · {valid} valides · chaîne {chain}",
        "{events} events · {valid} valid · chain {chain}"
    ));
    if let Some(head) = &report.head {
        ctx.out.line(tr!("tête {head}", "head {head}"));
    }
    ctx.out.note(report.blind_spot());
}
