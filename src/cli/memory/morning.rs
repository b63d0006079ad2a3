//! `govmem morning`.

use super::open;
use super::render::schema_1;
use crate::base::Result;
use crate::cli::Context;
use crate::memory::morning;

/// Publishes the morning report: exit 0, or ERR-295-19.
pub fn run(ctx: &Context) -> Result<u8> {
    let memory = open::memory(ctx, "morning")?;
    let report = morning::make(&memory)?;
    if ctx.out.json {
        ctx.out.document(&schema_1(&report));
    } else {
        ctx.out.text(morning::render(&report));
    }
    Ok(0)
}
