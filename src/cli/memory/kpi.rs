//! `govmem kpi cs1|cs2|cs3|cs4`.

use super::args::Kpi;
use super::open;
use super::render::schema_1;
use crate::base::Result;
use crate::cli::Context;
use crate::memory::facts;
use crate::memory::kpi::{self, Baseline, Measure};
use crate::tr;

/// Measures one indicator, or freezes the baseline of CS-1.
pub fn run(ctx: &Context, kpi: Kpi) -> Result<u8> {
    let memory = open::memory(ctx, "kpi")?;
    let measure = match kpi {
        Kpi::Cs1(args) if args.freeze => {
            let baseline = kpi::freeze(&memory, &facts::records(&memory)?)?;
            if ctx.out.json {
                ctx.out.document(&baseline);
            } else {
                let (go, n) = (baseline.go_v1(), baseline.stories.len());
                let path = memory.workspace.baseline().display().to_string();
                ctx.out.line(tr!(
                    "baseline CS-1 gelée : {go} GO à la v1 sur {n}",
                    "CS-1 baseline frozen: {go} GO at v1 of {n}"
                ));
                ctx.out.note(tr!("à valider dans git : {path}", "commit it: {path}"));
            }
            return Ok(0);
        }
        // CS-1 is computed from gate results alone: no key is needed.
        Kpi::Cs1(_) => {
            let baseline = Baseline::read(&memory.workspace.baseline())?;
            if baseline.is_none() {
                ctx.out.note(tr!(
                    "aucune baseline ; gelez-la avec `govmem kpi cs1 --freeze`",
                    "no baseline; freeze it with `govmem kpi cs1 --freeze`"
                ));
            }
            kpi::cs1::measure(&facts::records(&memory)?, baseline.as_ref())
        }
        Kpi::Cs2(args) => {
            let facts = facts::load(&memory)?;
            kpi::require_merge(&facts)?;
            kpi::cs2::measure(&facts, args.window)
        }
        Kpi::Cs3 => kpi::cs3::measure(&facts::load(&memory)?),
        Kpi::Cs4 => {
            let facts = facts::load(&memory)?;
            kpi::require_merge(&facts)?;
            kpi::cs4::measure(&facts)
        }
    };
    show(ctx, &measure);
    Ok(0)
}

fn show(ctx: &Context, measure: &Measure) {
    if ctx.out.json {
        ctx.out.document(&schema_1(measure));
    } else {
        ctx.out.text(kpi::render(measure));
    }
}
