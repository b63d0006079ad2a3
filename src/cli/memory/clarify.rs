//! `govmem clarify`: the four questions of step 0.

use std::io::{BufRead, IsTerminal, Write};

use super::args::Clarify;
use super::open;
use crate::base::{Error, Result};
use crate::cli::Context;
use crate::memory::clarifications::form::{self, QUESTIONS};
use crate::memory::clarifications::record;
use crate::memory::{Memory, index};
use crate::store::Source;
use crate::tr;

/// Asks or reads the answers, records them, collects and indexes.
pub fn run(ctx: &Context, args: Clarify) -> Result<u8> {
    let memory = open::memory(ctx, "clarify")?;
    refuse_existing(&memory, &args)?;
    let answers = match &args.answers {
        Some(path) => record::check(&parse(&open::read_input(ctx, path)?)?)?,
        None if std::io::stdin().is_terminal() => ask()?,
        None => {
            return Err(Error::usage(tr!(
                "les réponses manquent et l'entrée n'est pas un terminal",
                "the answers are missing and the input is no terminal"
            ))
            .hint("--answers FILE|-"));
        }
    };
    let date = memory.clock.now().date();
    let form = record::form(args.story.clone(), args.domain.clone(), args.project.clone(), date, answers);
    let recorded = record::write(&memory, &form, args.slug.as_ref(), args.replace)?;
    if let Some(kept) = &recorded.kept {
        ctx.out.note(tr!("ancien fichier gardé : {}", "the old file is kept: {}", kept.display()));
    }
    let report = index::run(&memory, &[Source::Clarification], false, &mut |_, _, _| {}).map_err(|e| {
        let path = &recorded.path;
        let hint = tr!(
            "les réponses sont dans {path} ; quand c'est réparé : govmem collect",
            "the answers are in {path}; once repaired: govmem collect"
        );
        match e.hint_text().map(str::to_owned) {
            Some(first) => e.hint(format!("{first}\n{hint}")),
            None => e.hint(hint),
        }
    })?;
    let kept = report.first().map_or(0, |r| r.kept);
    if ctx.out.json {
        ctx.out.document(&serde_json::json!({
            "schema": 1, "path": recorded.path, "replaced": recorded.kept, "collected": kept,
        }));
    } else {
        ctx.out.line(&recorded.path);
        ctx.out.note(tr!(
            "{kept} clarifications collectées et indexées",
            "{kept} clarifications collected and indexed"
        ));
    }
    Ok(0)
}

/// An existing file is refused before anybody types four answers.
fn refuse_existing(memory: &Memory<'_>, args: &Clarify) -> Result<()> {
    let path = record::place(memory, &args.story, &args.domain, args.slug.as_ref())?;
    if !args.replace && memory.workspace.root().join(&path).exists() {
        return Err(record::exists(&path));
    }
    Ok(())
}

/// `{"Q1": …, "Q2": …, "Q3": …, "Q4": …}` or a list of four.
fn parse(text: &str) -> Result<[String; 4]> {
    let refuse = |why: String| {
        Error::memory(crate::base::Code::ClarificationInvalid, format!("--answers: {why}"))
            .hint(r#"{"Q1": "…", "Q2": "…", "Q3": "…", "Q4": "…"}"#)
    };
    if let Ok(four) = serde_json::from_str::<[String; 4]>(text) {
        return Ok(four);
    }
    let object: std::collections::BTreeMap<String, String> =
        crate::store::strict::parse(text).map_err(|f| refuse(f.message))?;
    if let Some(other) = object.keys().find(|k| QUESTIONS.iter().all(|q| q.id != k.as_str())) {
        return Err(refuse(tr!("question inconnue {other:?}", "unknown question {other:?}")));
    }
    let mut answers: [String; 4] = Default::default();
    for (slot, question) in answers.iter_mut().zip(QUESTIONS) {
        let id = question.id;
        *slot = object
            .get(id)
            .cloned()
            .ok_or_else(|| refuse(tr!("réponse {id} absente", "answer {id} is missing")))?;
    }
    Ok(answers)
}

/// Asks on the terminal. An empty answer or one with a secret is asked again.
fn ask() -> Result<[String; 4]> {
    let mut answers: [String; 4] = Default::default();
    let mut input = std::io::stdin().lock();
    let mut say = std::io::stderr().lock();
    for (i, question) in QUESTIONS.iter().enumerate() {
        loop {
            let help =
                tr!("(plusieurs lignes ; une ligne « . » termine)", "(several lines; a line `.` ends it)");
            // The terminal may be gone; reading says so next.
            let _ = writeln!(say, "\n{} — {}\n{}\n{help}", question.id, question.heading, question.text());
            let mut lines = Vec::new();
            loop {
                let mut line = String::new();
                if input.read_line(&mut line).map_err(|e| Error::io("stdin", &e))? == 0 {
                    return Err(Error::usage(tr!(
                        "entrée terminée avant les quatre réponses ; rien n'a été écrit",
                        "the input ended before the four answers; nothing was written"
                    )));
                }
                let line = line.strip_suffix('\n').unwrap_or(&line);
                if line == "." {
                    break;
                }
                lines.push(line.to_owned());
            }
            match form::accept(question, &lines.join("\n"))
                .and_then(|a| record::refuse_secret(question, &a).map(|()| a))
            {
                Ok(answer) => {
                    answers[i] = answer;
                    break;
                }
                Err(reason) => {
                    let _ = writeln!(say, "{reason}");
                }
            }
        }
    }
    Ok(answers)
}
