//! Arguments of the reports and the indicators.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::base::id::StoryId;
use crate::memory::kpi::parse_days;

/// `kpi`
#[derive(Debug, Subcommand)]
pub enum Kpi {
    /// Share of GO at the first version of gate 8: ten stories after the merge against ten before
    Cs1(KpiCs1),
    /// Reuse of learnings over 90 days from the merge, target 30 %
    Cs2(KpiCs2),
    /// New stories that found a clarification of their domain in the last 30 days, target 1
    Cs3,
    /// First five stories after the merge that received a strong or moderate watch note, target 5
    Cs4,
}

/// `kpi cs1`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  govmem kpi cs1 --freeze\n  govmem kpi cs1 --json")]
pub struct KpiCs1 {
    /// Write the baseline, once, from the last ten stories judged before the merge
    #[arg(long)]
    pub freeze: bool,
}

/// `kpi cs2`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  govmem kpi cs2 --window 90d")]
pub struct KpiCs2 {
    /// Days from the merge
    #[arg(long, value_name = "DAYS", default_value = "90d", value_parser = parse_days)]
    pub window: i64,
}

/// `report`
#[derive(Debug, Subcommand)]
pub enum Report {
    /// What each source gave: injections, distinct items, reuse
    Compounding(ReportCompounding),
    /// One self-contained page: injections, scores, transitions, indicators, graph
    Html(ReportHtml),
}

/// `report compounding`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  govmem report compounding --story PD-42")]
pub struct ReportCompounding {
    /// A story to report on, before the 30 days of all stories
    #[arg(long)]
    pub story: Option<StoryId>,
}

/// `report html`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  govmem report html --output memory.html")]
pub struct ReportHtml {
    /// Write the page there; on standard output otherwise
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The page's heading; the workspace's folder by default
    #[arg(long)]
    pub title: Option<String>,
}
