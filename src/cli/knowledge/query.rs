//! `govrag query`: the few sections that answer a question.

use super::marker;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::knowledge::query::{self, Filters, Format, Options};
use crate::knowledge::schema::{AUDIENCES, STATUSES, TYPES};
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag query \"verrouillage après échecs de connexion\" --status stable")]
pub struct Args {
    /// The question
    #[arg(value_name = "QUESTION", required = true)]
    question: Vec<String>,
    /// Only pages of this type; may be repeated
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    types: Vec<String>,
    /// Only pages of this status; may be repeated
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    status: Vec<String>,
    /// Only pages with this tag; repeated, with all of them
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
    /// Only pages for these readers; may be repeated
    #[arg(long, value_name = "AUDIENCE", value_delimiter = ',')]
    audience: Vec<String>,
    /// Most tokens of the answer (800 unless .rag says otherwise)
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    /// One phase alone: 0 marker, 1 manifest, 2 front matter, 3 sections, 4 neighbours
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=4))]
    phase: Option<u8>,
    /// Show scores and the rarity of the question's words
    #[arg(long)]
    explain: bool,
}

/// Answers. Exits 1 when nothing was found.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    known("--type", &args.types, &TYPES)?;
    known("--status", &args.status, &STATUSES)?;
    known("--audience", &args.audience, &AUDIENCES)?;
    let marker = marker(ctx)?;
    let format = if ctx.out.json { Format::Json } else { Format::Text };
    let options = Options {
        filters: Filters {
            types: args.types.clone(),
            statuses: args.status.clone(),
            tags: args.tag.clone(),
            audiences: args.audience.clone(),
        },
        max_tokens: args.max_tokens,
        phase: args.phase,
        explain: args.explain,
        format,
    };
    let answer = query::run(&marker, &args.question.join(" "), &options)?;
    ctx.out.text(query::render(&answer, format));
    Ok(u8::from(!answer.is_hit()))
}

fn known(flag: &str, values: &[String], allowed: &[&str]) -> Result<()> {
    match values.iter().find(|v| !allowed.contains(&v.as_str())) {
        None => Ok(()),
        Some(value) => {
            Err(Error::usage(tr!("{flag} {value} : valeur inconnue", "{flag} {value}: unknown value"))
                .hint(allowed.join(", ")))
        }
    }
}
