//! The arguments of `govmem` and of the five batch jobs, in one table: help, man pages and
//! completions come from it.

mod audit;
mod reports;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::import::Import;
use super::{promote::Promote, purge::Purge, redact::Redact, restore::Restore, score::Score};
use crate::base::id::{Slug, StoryId};
use crate::cli::Common;
pub use audit::{Audit, AuditVerify, Reason};
pub use reports::{Kpi, KpiCs1, KpiCs2, Report, ReportCompounding, ReportHtml};

/// The governance memory: lessons, watch notes and clarifications, found and injected at step 0.
#[derive(Debug, Parser)]
#[command(
    name = "govmem",
    version,
    after_help = "Example:\n  govmem init --lang en\n  govmem learn --story PD-7 --gate 8 --domain auth --project backend --tags mfa,timing --lesson \"Compare codes in constant time\"\n  govmem inject --story PD-42 --title \"MFA for partners\" --domain auth --project backend"
)]
pub struct Govmem {
    /// Common flags.
    #[command(flatten)]
    pub common: Common,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands of `govmem`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a workspace: configuration, stores, empty indexes, git settings
    Init(Init),
    /// Say what is there and what to do next
    Status,
    /// Examine the workspace; change nothing without --fix
    Doctor(Doctor),
    /// Approve what a workspace's configuration asks for: an address, a remote model, a CA, a credential
    Trust(Trust),
    /// Put the assistants' commands into a repository, beside what it has
    Install(Install),
    /// Ask the four questions of step 0 and record the answers verbatim
    Clarify(Clarify),
    /// Record a lesson
    Learn(Learn),
    /// Record the verdict of a gate
    Gate(Gate),
    /// List learnings, watch notes, clarifications or gate records
    List(List),
    /// Show one record whole
    Show(Show),
    /// B2: collect the clarifications and index them
    Collect(Collect),
    /// B1: index a source
    #[command(subcommand)]
    Index(Index),
    /// B3: reuse scores from verified events
    Score(Score),
    /// B4: promote and archive learnings, one step
    Promote(Promote),
    /// B5: inject step 0 for a story
    Inject(Inject),
    /// Search one source
    #[command(subcommand)]
    Search(Search),
    /// Collect and index all three sources again
    Reindex(Reindex),
    /// Bring an archived learning back (an operator's act)
    Restore(Restore),
    /// Replace a leaked text by `[redacted]` (an operator's act)
    Redact(Redact),
    /// Remove what has passed its retention
    #[command(subcommand)]
    Purge(Purge),
    /// Import other people's records
    #[command(subcommand)]
    Import(Import),
    /// The signed trail: verify, bootstrap, rotate, reseal
    #[command(subcommand)]
    Audit(Audit),
    /// Say what was reused, injected, and needs a hand
    Morning,
    /// The four indicators of PD-295
    #[command(subcommand)]
    Kpi(Kpi),
    /// Reports: compounding, HTML page
    #[command(subcommand)]
    Report(Report),
    /// Print shell completions
    Completions(Shell),
    /// Print the manual page
    Man,
}

/// `init`
#[derive(Debug, Args)]
pub struct Init {
    /// The directory; the current one by default
    pub dir: Option<PathBuf>,
    /// Language of messages and blocks: fr or en
    #[arg(long)]
    pub lang: Option<String>,
    /// Embedder: ollama or local; probed when absent
    #[arg(long, value_name = "PROVIDER")]
    pub embedder: Option<String>,
    /// Directory of the local model
    #[arg(long, value_name = "DIR")]
    pub model_dir: Option<PathBuf>,
    /// Keyring: vault or file
    #[arg(long, value_name = "KEYRING")]
    pub keyring: Option<String>,
}

/// `doctor`
#[derive(Debug, Args)]
pub struct Doctor {
    /// Repair, naming each file
    #[arg(long)]
    pub fix: bool,
}

/// `trust`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  govmem trust https://vault.example:8200\n  govmem trust remote-model:gpt-oss:120b-cloud\n  govmem trust ca-cert:deploy/ca.pem\n  govmem trust credential-file:/etc/govmem/role-id"
)]
pub struct Trust {
    /// An address, remote-model:NAME, ca-cert:FILE or credential-file:FILE; without it, what is approved is listed
    #[arg(value_name = "WHAT")]
    pub what: Option<String>,
    /// Withdraw the approval
    #[arg(long, requires = "what")]
    pub remove: bool,
}

/// `install`
#[derive(Debug, Args)]
pub struct Install {
    /// The assistant: claude, kilo, opencode, codex, gemini
    #[arg(long, default_value = "claude")]
    pub cli: String,
    /// The repository; the current directory by default
    pub dir: Option<PathBuf>,
    /// Say which copies are missing, changed or behind
    #[arg(long, conflicts_with = "remove")]
    pub status: bool,
    /// Remove what was installed and not changed since
    #[arg(long)]
    pub remove: bool,
}

/// `clarify`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  govmem clarify --story PD-42 --domain auth --project backend --answers answers.json\n\nanswers.json: {\"Q1\": \"…\", \"Q2\": \"…\", \"Q3\": \"…\", \"Q4\": \"…\"} (or the four as a list)"
)]
pub struct Clarify {
    /// The story
    #[arg(long)]
    pub story: StoryId,
    /// Its domain
    #[arg(long)]
    pub domain: Slug,
    /// Its project
    #[arg(long)]
    pub project: Slug,
    /// The slug of its folder; `clarifications` by default
    #[arg(long)]
    pub slug: Option<Slug>,
    /// The four answers as JSON, from a file or `-`; asked on the terminal otherwise
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// Replace existing answers, keeping the old file as `.1`
    #[arg(long)]
    pub replace: bool,
}

/// `learn`
#[derive(Debug, Args)]
pub struct Learn {
    /// The story the lesson comes from
    #[arg(long, required_unless_present = "from_json")]
    pub story: Option<StoryId>,
    /// The gate it was learnt at
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..=9999), required_unless_present = "from_json")]
    pub gate: Option<i64>,
    /// Domain
    #[arg(long, required_unless_present = "from_json")]
    pub domain: Option<Slug>,
    /// Project
    #[arg(long, required_unless_present = "from_json")]
    pub project: Option<Slug>,
    /// Tags, separated by commas
    #[arg(long, value_delimiter = ',', required_unless_present = "from_json")]
    pub tags: Vec<String>,
    /// The lesson; `-` reads standard input
    #[arg(long, required_unless_present = "from_json")]
    pub lesson: Option<String>,
    /// Title
    #[arg(long)]
    pub title: Option<String>,
    /// Code paths it speaks of, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub refs: Vec<String>,
    /// Read story, gate, domain, project, tags, lesson, title and refs as JSON from a file or `-`
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["story", "gate", "domain", "project", "tags", "lesson", "title", "refs"])]
    pub from_json: Option<PathBuf>,
}

/// `gate`
#[derive(Debug, Args)]
pub struct Gate {
    /// The story
    #[arg(long)]
    pub story: StoryId,
    /// The gate
    #[arg(long, value_parser = clap::value_parser!(i64).range(0..=9999))]
    pub gate: i64,
    /// Iteration, from 1
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=9999))]
    pub version: i64,
    /// GO, RESERVE, NON_CONFORME or REJECTED
    #[arg(long)]
    pub verdict: String,
    /// Domain; that of the story's clarifications by default
    #[arg(long)]
    pub domain: Option<Slug>,
    /// Project; that of the story's clarifications by default
    #[arg(long)]
    pub project: Option<Slug>,
}

/// A store to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Lessons
    Learnings,
    /// Watch notes
    Veille,
    /// Clarifications
    Clarifications,
    /// Gate records
    Gates,
}

/// `list`
#[derive(Debug, Args)]
pub struct List {
    /// What to list
    #[arg(value_enum, default_value = "learnings")]
    pub kind: Kind,
    /// Of one story
    #[arg(long)]
    pub story: Option<StoryId>,
    /// Of one domain
    #[arg(long)]
    pub domain: Option<Slug>,
    /// Of one project
    #[arg(long)]
    pub project: Option<Slug>,
    /// Archived learnings too
    #[arg(long)]
    pub include_archived: bool,
    /// The most rows
    #[arg(short = 'n', long, default_value_t = 50)]
    pub limit: usize,
}

/// `show`
#[derive(Debug, Args)]
pub struct Show {
    /// Identifier of a learning, watch note, clarification or story
    pub id: String,
}

/// `collect` and `clarifications-collect`
#[derive(Debug, Args)]
pub struct Collect {
    /// Exit 3 when a file is excluded
    #[arg(long)]
    pub strict: bool,
}

/// What to index.
#[derive(Debug, Subcommand)]
pub enum Index {
    /// Watch notes
    Veille(IndexVeille),
}

/// `index veille` and `veille-index`
#[derive(Debug, Args)]
pub struct IndexVeille {
    /// Exit 3 when a note is excluded
    #[arg(long)]
    pub strict: bool,
}

/// `inject` and `step0-inject`
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  step0-inject --story PD-42 --title \"MFA for partners\" --domain auth-identity --project backend\n  echo '{\"story_id\":\"PD-42\",\"title\":\"MFA\",\"domain\":\"auth\",\"project\":\"backend\"}' | step0-inject --from-json -"
)]
pub struct Inject {
    /// The story
    #[arg(long, required_unless_present = "from_json")]
    pub story: Option<StoryId>,
    /// Its title
    #[arg(long)]
    pub title: Option<String>,
    /// Its domain
    #[arg(long, required_unless_present = "from_json")]
    pub domain: Option<Slug>,
    /// Its project
    #[arg(long, required_unless_present = "from_json")]
    pub project: Option<Slug>,
    /// The query, instead of title, domain and project
    #[arg(long)]
    pub query: Option<String>,
    /// Read story_id, title, domain, project and query as JSON from a file or `-`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["story", "title", "domain", "project", "query"])]
    pub from_json: Option<PathBuf>,
}

/// What to search.
#[derive(Debug, Subcommand)]
pub enum Search {
    /// Lessons
    Learnings(SearchLearnings),
    /// Watch notes
    Veille(SearchVeille),
    /// Clarifications; domain and project are required
    Clarifications(SearchClarifications),
}

/// What every search takes.
#[derive(Clone, Debug, Args)]
pub struct SearchCommon {
    /// What to look for, at most 500 characters
    pub query: String,
    /// The most results
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub top_k: u32,
    /// Sign an event for this search
    #[arg(long, requires = "story")]
    pub trace: bool,
    /// The story the search is for
    #[arg(long)]
    pub story: Option<StoryId>,
}

/// `search learnings`
#[derive(Debug, Args)]
pub struct SearchLearnings {
    /// Common to the three sources.
    #[command(flatten)]
    pub common: SearchCommon,
    /// Least reuse score, 0 to 0.99
    #[arg(long)]
    pub min_score: Option<f64>,
    /// story, domain or global
    #[arg(long)]
    pub scope: Option<String>,
    /// Of one domain
    #[arg(long)]
    pub domain: Option<Slug>,
    /// Of one project
    #[arg(long)]
    pub project: Option<Slug>,
    /// Archived learnings too
    #[arg(long)]
    pub include_archived: bool,
}

/// `search veille`
#[derive(Debug, Args)]
pub struct SearchVeille {
    /// Common to the three sources.
    #[command(flatten)]
    pub common: SearchCommon,
    /// fort, modere, faible, nul; several separated by commas
    #[arg(long, value_delimiter = ',')]
    pub impact: Vec<String>,
    /// adopter, experimenter, surveiller, ignorer; several separated by commas
    #[arg(long, value_delimiter = ',')]
    pub verdict: Vec<String>,
}

/// `search clarifications`
#[derive(Debug, Args)]
pub struct SearchClarifications {
    /// Common to the three sources.
    #[command(flatten)]
    pub common: SearchCommon,
    /// The domain (required)
    #[arg(long)]
    pub domain: Option<Slug>,
    /// The project (required)
    #[arg(long)]
    pub project: Option<Slug>,
}

/// `reindex`
#[derive(Debug, Args)]
pub struct Reindex {
    /// Embed every text again, even the unchanged ones
    #[arg(long)]
    pub full: bool,
    /// Exit 3 when a record is excluded
    #[arg(long)]
    pub strict: bool,
}

/// `completions`
#[derive(Debug, Args)]
pub struct Shell {
    /// The shell
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

macro_rules! job {
    ($(#[$doc:meta])* $name:ident, $bin:literal, $args:ty) => {
        $(#[$doc])*
        #[derive(Debug, Parser)]
        #[command(name = $bin, version)]
        pub struct $name {
            /// Common flags.
            #[command(flatten)]
            pub common: Common,
            /// Arguments.
            #[command(flatten)]
            pub args: $args,
        }
    };
}

job!(
    /// B1: index the watch notes.
    VeilleIndex, "veille-index", IndexVeille
);
job!(
    /// B2: collect the clarifications and index them.
    ClarificationsCollect, "clarifications-collect", Collect
);
job!(
    /// B3: reuse scores from verified events.
    LearningsScore, "learnings-score", Score
);
job!(
    /// B4: promote and archive learnings, one step.
    LearningsPromote, "learnings-promote", Promote
);
job!(
    /// B5: inject step 0 for a story.
    Step0Inject, "step0-inject", Inject
);
