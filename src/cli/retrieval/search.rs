//! `search`, `vsearch`, `query`.

use std::io::Read;

use super::Session;
use super::args::SearchArgs;
use super::models::Lazy;
use super::render;
use crate::base::{Error, Result};
use crate::retrieval::query::syntax::LONGEST;
use crate::retrieval::query::{Mode, Request, run as answer};
use crate::tr;

/// Answers a query: 0 with results, 1 without, 3 when a leg that was asked for is missing or incomplete.
pub fn run(session: &Session, mode: Mode, args: SearchArgs) -> Result<u8> {
    let query = match args.query.as_slice() {
        [dash] if dash == "-" => stdin()?,
        words => words.join(" "),
    };
    let request = Request {
        query,
        mode,
        collections: args.collection,
        limit: (!args.all).then(|| usize::try_from(args.limit).unwrap_or(usize::MAX)),
        min_score: args.min_score,
        full: args.full,
        intent: args.intent,
        expand: !args.no_expand,
        rerank: !args.no_rerank,
        explain: args.explain,
    };
    // Refused before anything is opened.
    request.check()?;
    crate::retrieval::query::syntax::Query::parse(&request.query)?;
    let catalog = session.open()?;
    let models = Lazy::new(catalog.models()?, &session.cli.env);
    let response = answer(&catalog, &request, &models)?;
    render::response(session.cli, args.format.chosen(), &response);
    for note in &response.notes {
        session.cli.out.note(note);
    }
    if response.count == 0 {
        session.cli.out.note(tr!("aucun résultat", "no result"));
    }
    // With a leg missing, no result does not mean that there is none.
    Ok(match (response.degraded, response.count) {
        (true, _) => 3,
        (false, 0) => 1,
        (false, _) => 0,
    })
}

fn stdin() -> Result<String> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(LONGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Error::io("stdin", &e))?;
    String::from_utf8(bytes).map_err(|e| {
        // A query cut inside a character is too long, not malformed.
        if e.as_bytes().len() > LONGEST {
            Error::usage(tr!("requête trop longue", "the query is too long"))
        } else {
            Error::usage(tr!("la requête n'est pas de l'UTF-8", "the query is not UTF-8"))
        }
    })
}
