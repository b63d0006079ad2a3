//! The arguments of `govfind`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::serve::ServeArgs;
use crate::cli::context::Common;
use crate::retrieval::query::DEFAULT_LIMIT;

/// Search your documents by words and by meaning, on this machine
///
/// Collections of files are indexed when you say so (`update`, `embed`) and searched by words
/// (`search`), by meaning (`vsearch`) or by both (`query`). Nothing is added, indexed, embedded or
/// started by itself: what a command lacks, it names.
#[derive(Debug, Parser)]
#[command(
    name = "govfind",
    version,
    propagate_version = true,
    after_help = "Example:\n  govfind collection add ~/notes --name notes\n  govfind update\n  govfind search \"vault rotation\""
)]
pub struct Args {
    /// Common flags.
    #[command(flatten)]
    pub common: Common,
    /// The index: a name, or a path; otherwise the project's `.govfind/index.db`, else `default`
    #[arg(long, global = true, value_name = "NAME|PATH", help_heading = "Common")]
    pub index: Option<String>,
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Manage the directories that are indexed
    #[command(subcommand)]
    Collection(CollectionVerb),
    /// Manage notes about scopes, kept apart from the documents
    #[command(subcommand)]
    Context(ContextVerb),
    /// List indexed files, all, of a collection or under a prefix
    Ls(LsArgs),
    /// Print a document, whole or some lines of it
    Get(GetArgs),
    /// Print several documents: a glob, or names separated by commas
    MultiGet(MultiGetArgs),
    /// Find documents by words (BM25, no model)
    Search(SearchArgs),
    /// Find documents by meaning (vectors)
    Vsearch(SearchArgs),
    /// Find documents by both, expanded, fused and reranked
    Query(SearchArgs),
    /// Index what changed
    Update(UpdateArgs),
    /// Compute the vectors that are missing
    Embed(EmbedArgs),
    /// Tell the state of the index; change nothing
    Status,
    /// Look for problems; change nothing
    Doctor,
    /// Remove what nothing uses any more and shorten the files
    Cleanup,
    /// Measure search quality against a fixture
    Bench(BenchArgs),
    /// Show, set, export or import the configuration of the index
    #[command(subcommand)]
    Config(ConfigVerb),
    /// Approve the update hook of a collection
    Trust(TrustArgs),
    /// Serve one client by MCP on stdin and stdout, until it goes
    Mcp,
    /// Serve by HTTP and MCP on this machine
    Serve(ServeArgs),
    /// End the daemon that `serve --daemon` started
    Stop,
    /// Print a completion script
    Completions {
        /// For which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

impl Verb {
    /// Whether a format option asks for JSON.
    pub fn wants_json(&self) -> bool {
        let format = match self {
            Verb::Ls(a) => a.format,
            Verb::Get(a) => a.format,
            Verb::MultiGet(a) => a.format,
            Verb::Search(a) | Verb::Vsearch(a) | Verb::Query(a) => a.format,
            _ => return false,
        };
        format.chosen() == Some(Format::Json)
    }
}

/// How results are written; the same results in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// One JSON document
    Json,
    /// Comma-separated values with a header
    Csv,
    /// Markdown
    Md,
    /// XML
    Xml,
    /// Addresses, one a line
    Files,
}

/// The format option and its aliases.
#[derive(Clone, Copy, Debug, ClapArgs)]
pub struct FormatArgs {
    /// How results are written (`--json` is one of them)
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Same as `--format csv`
    #[arg(long, conflicts_with_all = ["format", "md", "xml", "files"])]
    csv: bool,
    /// Same as `--format md`
    #[arg(long, conflicts_with_all = ["format", "xml", "files"])]
    md: bool,
    /// Same as `--format xml`
    #[arg(long, conflicts_with_all = ["format", "files"])]
    xml: bool,
    /// Same as `--format files`
    #[arg(long, conflicts_with = "format")]
    files: bool,
}

impl FormatArgs {
    /// The format that was asked for.
    pub fn chosen(self) -> Option<Format> {
        self.format
            .or(self.csv.then_some(Format::Csv))
            .or(self.md.then_some(Format::Md))
            .or(self.xml.then_some(Format::Xml))
            .or(self.files.then_some(Format::Files))
    }
}

/// `collection …`
#[derive(Debug, Subcommand)]
pub enum CollectionVerb {
    /// Add a directory; nothing is indexed until `update`
    Add(CollectionAddArgs),
    /// List the collections
    List,
    /// Show a collection, its hook included
    Show {
        /// Its name
        name: String,
    },
    /// Give a collection another name
    Rename {
        /// Its name
        name: String,
        /// The new name
        new: String,
    },
    /// Search a collection when none is named
    Include {
        /// Its name
        name: String,
    },
    /// Leave a collection out when none is named; it stays indexed
    Exclude {
        /// Its name
        name: String,
    },
    /// Forget a collection, its documents and vectors; the files stay
    Remove {
        /// Its name
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Set the shell command run before an update (with `--run-hooks`); without CMD, clear it
    SetUpdate {
        /// The collection
        name: String,
        /// The command
        cmd: Option<String>,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// `collection add`
#[derive(Debug, ClapArgs)]
pub struct CollectionAddArgs {
    /// The directory
    pub path: PathBuf,
    /// Its name
    #[arg(long)]
    pub name: String,
    /// Files to take
    #[arg(long, default_value = "**/*.md", value_name = "GLOB")]
    pub mask: String,
    /// Files to leave out, beside what gitignore files say (repeatable)
    #[arg(long, value_name = "GLOB")]
    pub ignore: Vec<String>,
    /// Shell command run before an update (with `--run-hooks`)
    #[arg(long, value_name = "CMD")]
    pub update_cmd: Option<String>,
    /// Search it only when it is named
    #[arg(long)]
    pub exclude_by_default: bool,
    /// Language of all documents (en, fr, …); otherwise detected
    #[arg(long, value_name = "TAG")]
    pub language: Option<String>,
    /// Take hidden files
    #[arg(long)]
    pub hidden: bool,
    /// Follow symbolic links that stay inside the directory
    #[arg(long)]
    pub follow: bool,
}

/// `context …`
#[derive(Debug, Subcommand)]
pub enum ContextVerb {
    /// Say what a scope is about: the current directory, a path, `gf://collection/path`, or `/`
    Add {
        /// `[SCOPE] TEXT`
        #[arg(num_args = 1..=2, required = true, value_names = ["SCOPE", "TEXT"])]
        words: Vec<String>,
    },
    /// List the contexts
    List,
    /// Show directories that no context is about
    Check,
    /// Remove the context of a scope
    Rm {
        /// The scope
        scope: String,
    },
}

/// `ls`
#[derive(Debug, ClapArgs)]
pub struct LsArgs {
    /// A collection, or `collection/prefix`, or `gf://…`
    pub scope: Option<String>,
    /// Print paths on the disk
    #[arg(long)]
    pub full_path: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `get`
#[derive(Debug, ClapArgs)]
pub struct GetArgs {
    /// `PATH|gf://…|#docid[:FROM[:COUNT]]`
    #[arg(value_name = "DOCUMENT[:FROM[:COUNT]]")]
    pub document: String,
    /// First line
    #[arg(long, value_name = "LINE", value_parser = clap::value_parser!(u64).range(1..))]
    pub from: Option<u64>,
    /// Number of lines
    #[arg(short = 'l', long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub lines: Option<u64>,
    /// Leave line numbers out
    #[arg(long)]
    pub no_line_numbers: bool,
    /// Print the path on the disk
    #[arg(long)]
    pub full_path: bool,
    /// Read the file instead of the stored text
    #[arg(long)]
    pub disk: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `multi-get`
#[derive(Debug, ClapArgs)]
pub struct MultiGetArgs {
    /// A glob, or names separated by commas
    pub pattern: String,
    /// Leave out files of more lines
    #[arg(long, default_value_t = crate::retrieval::fetch::MAX_LINES as u64, value_name = "N")]
    pub max_lines: u64,
    /// Leave out files of more bytes
    #[arg(long, default_value_t = crate::retrieval::fetch::MAX_BYTES as u64, value_name = "N")]
    pub max_bytes: u64,
    /// Leave line numbers out
    #[arg(long)]
    pub no_line_numbers: bool,
    /// Print paths on the disk
    #[arg(long)]
    pub full_path: bool,
    /// Read the files instead of the stored texts
    #[arg(long)]
    pub disk: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `search`, `vsearch`, `query`
#[derive(Debug, ClapArgs)]
pub struct SearchArgs {
    /// Words, `"exact phrases"`, `-excluded`; lines `lex:`, `vec:`, `hyde:`, `intent:`; `-` reads stdin
    #[arg(required = true, value_name = "QUERY")]
    pub query: Vec<String>,
    /// Search this collection only (repeatable)
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    /// Most results
    #[arg(short = 'n', long, default_value_t = DEFAULT_LIMIT as u64, value_name = "N",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// All results
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Least score, 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SCORE")]
    pub min_score: f64,
    /// Print whole documents
    #[arg(long)]
    pub full: bool,
    /// What you are after; refines the order
    #[arg(long, value_name = "TEXT")]
    pub intent: Option<String>,
    /// Do not expand the query
    #[arg(long)]
    pub no_expand: bool,
    /// Do not rerank
    #[arg(long)]
    pub no_rerank: bool,
    /// Say why each result stands where it does
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub format: FormatArgs,
}

/// `update`
#[derive(Debug, ClapArgs)]
pub struct UpdateArgs {
    /// Only this collection (repeatable)
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    /// Run the approved hooks of the collections first
    #[arg(long)]
    pub run_hooks: bool,
    /// How documents are cut; documents cut otherwise are cut again
    #[arg(long, value_name = "STRATEGY", value_parser = ["regex", "auto"])]
    pub chunk_strategy: Option<String>,
    /// Make a new database in the place of a damaged or older one, then index everything
    #[arg(long)]
    pub rebuild: bool,
}

/// `embed`
#[derive(Debug, ClapArgs)]
pub struct EmbedArgs {
    /// Only this collection (repeatable)
    #[arg(short, long, value_name = "NAME")]
    pub collection: Vec<String>,
    /// Name of an Ollama model, or directory of a local one; kept in the configuration
    #[arg(long, value_name = "NAME|DIR")]
    pub model: Option<String>,
    /// Drop the vectors there are and compute all again
    #[arg(long)]
    pub force: bool,
}

/// `bench`
#[derive(Debug, ClapArgs)]
pub struct BenchArgs {
    /// The fixture, JSON or YAML
    pub fixture: PathBuf,
    /// How to search (repeatable); all three when absent
    #[arg(long, value_enum, value_name = "MODE")]
    pub mode: Vec<BenchMode>,
    /// Write the run to this file
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Compare with the run in this file
    #[arg(long, value_name = "FILE")]
    pub compare: Option<PathBuf>,
    /// Run and compare even across indexes, models, configurations and stale documents
    #[arg(long)]
    pub force: bool,
}

/// A mode of `bench`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchMode {
    /// By words
    Search,
    /// By meaning
    Vsearch,
    /// By both
    Query,
}

/// `config …`
#[derive(Debug, Subcommand)]
pub enum ConfigVerb {
    /// Show the models of the index
    Show,
    /// Set a value: embedder, embedder-dir, query-prefix, document-prefix, generator, reranker-dir,
    /// factory, semantic-weight, feedback-weight, allow-remote-models
    Set {
        /// The key
        key: String,
        /// The value
        value: String,
    },
    /// Clear a value
    Unset {
        /// The key
        key: String,
    },
    /// Print the whole configuration as YAML
    Export,
    /// Take over a configuration from YAML; hooks in it need `govfind trust`
    Import {
        /// The file, `-` for stdin
        file: PathBuf,
    },
}

/// `trust`
#[derive(Debug, ClapArgs)]
pub struct TrustArgs {
    /// The collection; without it, hooks are listed
    pub collection: Option<String>,
    /// Do not ask
    #[arg(long)]
    pub yes: bool,
}
