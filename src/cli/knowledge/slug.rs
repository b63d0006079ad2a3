//! `govrag slug`: the normative slug.

use serde_json::json;

use super::start;
use crate::base::lang::{self, Lang};
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::knowledge::marker;
use crate::markdown::slug::slug;
use crate::tr;

/// Arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: govrag slug \"Gestion des accès\"")]
pub struct Args {
    /// A title
    #[arg(required = true, num_args = 1..)]
    title: Vec<String>,
    /// Language that reads `&`: fr or en; otherwise the base's
    #[arg(long, value_name = "LANG")]
    lang: Option<String>,
}

/// Prints it; a title without slug is refused with a proposal.
pub fn run(ctx: &Context, args: &Args) -> Result<u8> {
    let title = args.title.join(" ");
    let lang = match &args.lang {
        Some(text) => Lang::from_locale(text).ok_or_else(|| {
            Error::usage(tr!("langue inconnue : {text}", "unknown language: {text}")).hint("fr, en")
        })?,
        None => marker::open(&start(ctx)).map_or_else(|_| lang::current(), |m| m.lang),
    };
    match slug(&title, lang) {
        Ok(slug) if ctx.out.json => ctx.out.document(&json!({"title": title, "slug": slug})),
        Ok(slug) => ctx.out.line(slug),
        Err(refused) => {
            let error = Error::usage(format!("{title:?}: {refused}"));
            return Err(match refused.proposal() {
                Some(proposal) => error.hint(tr!("par exemple {proposal}", "{proposal}, for example")),
                None => error.hint(tr!("choisissez un autre titre", "choose another title")),
            });
        }
    }
    Ok(0)
}
