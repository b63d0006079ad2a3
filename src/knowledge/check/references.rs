//! `impl_refs`: missing, drifted, secret, too wide.

use super::finding::{Finding, Place};
use crate::knowledge::code::{Code, Severity};
use crate::knowledge::drift::reference::{WIDE, is_secret};
use crate::knowledge::drift::{Changed, Drift, Missing, State, Unknown, Verdict};
use crate::knowledge::load::Base;
use crate::markdown::sanitize;
use crate::tr;

pub(super) fn check(base: &Base, drift: &Drift, place: &Place) -> Vec<Finding> {
    let mut out = Vec::new();
    let (mut shallow, mut sparse) = (0, 0);
    for page in &base.pages {
        let mut own: Vec<Finding> = Vec::new();
        for item in page.meta.impl_refs.iter().filter(|i| is_secret(&i.text)) {
            own.push(Finding::on(
                page,
                Code::E005,
                item.span.clone(),
                tr!("impl_refs nomme un fichier de secrets", "impl_refs names a file of secrets"),
                tr!("retirez-le", "remove it"),
            ));
        }
        let is_decision = page.meta.kind.as_deref() == Some("decision");
        for v in drift.of(&page.path) {
            let on = |code, message, hint| Finding::on(page, code, v.span.clone(), message, hint);
            match &v.state {
                State::Missing(why) => {
                    let (message, hint) = missing(v, why);
                    let finding = on(Code::W003, message, hint);
                    // A decision may name code that is not written yet.
                    let severity = if is_decision { Severity::Info } else { Severity::Warning };
                    own.push(finding.graded(severity));
                }
                State::Changed(changed) => {
                    let (message, hint) = describe(&page.path, v, changed);
                    let severity = if changed.whitespace_only { Severity::Info } else { Severity::Warning };
                    own.push(on(Code::W006, message, hint).graded(severity));
                }
                State::Unknown(Unknown::Shallow) => shallow += 1,
                State::Unknown(Unknown::Sparse) => sparse += 1,
                State::Unknown(Unknown::Git(text)) => own.push(on(
                    Code::W006,
                    tr!("dérive inconnue : git dit « {text} »", "drift unknown: git says '{text}'"),
                    tr!(
                        "rendez le dépôt lisible, ou : govrag ack {}",
                        "make the repository readable, or: govrag ack {}",
                        page.path
                    ),
                )),
                State::Unknown(Unknown::Unreadable(why)) => own.push(on(
                    Code::W006,
                    tr!(
                        "dérive inconnue : {} ne se lit pas ({why})",
                        "drift unknown: {} cannot be read ({why})",
                        sanitize::terminal(&v.text)
                    ),
                    tr!("vérifiez ses droits, puis relancez", "check its permissions, then run again"),
                )),
                State::Unknown(Unknown::NoDate) | State::Fresh => {}
            }
            if v.files > WIDE {
                own.push(on(
                    Code::W006,
                    tr!(
                        "{} désigne {} fichiers : presque tout changement la fera dériver",
                        "{} names {} files: nearly every change will make it drift",
                        sanitize::terminal(&v.text),
                        v.files
                    ),
                    tr!("nommez les fichiers que la page décrit", "name the files that the page describes"),
                ));
            }
        }
        out.extend(place.locate(page, own));
    }
    if sparse > 0 {
        out.push(Finding::file(
            Code::W006,
            ".rag".to_owned(),
            tr!(
                "extraction partielle, ou sous-module absent : {sparse} références ne peuvent pas être jugées",
                "sparse checkout, or a submodule not checked out: {sparse} references cannot be judged"
            ),
            tr!(
                "git submodule update --init ; git sparse-checkout disable, ou ajoutez ces chemins",
                "git submodule update --init; git sparse-checkout disable, or add these paths"
            ),
        ));
    }
    if shallow > 0 {
        out.push(Finding::file(
            Code::W006,
            ".rag".to_owned(),
            tr!(
                "clone superficiel : {shallow} références ne peuvent pas être jugées",
                "shallow clone: {shallow} references cannot be judged"
            ),
            tr!(
                "git fetch --unshallow, ou fetch-depth: 0 en intégration continue",
                "git fetch --unshallow, or fetch-depth: 0 in CI"
            ),
        ));
    }
    out
}

fn missing(v: &Verdict, why: &Missing) -> (String, String) {
    let text = sanitize::terminal(&v.text);
    match why {
        Missing::Renamed(to) => (
            tr!("{text} a été déplacé vers {to}", "{text} moved to {to}"),
            tr!("govrag update suit le déplacement", "govrag update follows the move"),
        ),
        Missing::WrongCase(real) => (
            tr!("{text} s'écrit {real}", "{text} is spelled {real}"),
            tr!("écrivez le nom exact", "write the exact name"),
        ),
        Missing::Outside => (
            tr!("{text} sort du dépôt", "{text} leaves the repository"),
            tr!("les impl_refs partent du dossier de .rag", "impl_refs start at the folder of .rag"),
        ),
        Missing::Unreadable(why) => (
            tr!("{text} ne se lit pas : {why}", "{text} cannot be read: {why}"),
            tr!("vérifiez ses droits", "check its permissions"),
        ),
        Missing::Lines => (
            tr!("{text} : le fichier n'a pas ces lignes", "{text}: the file does not have these lines"),
            tr!("corrigez les numéros, ou nommez un symbole", "correct the numbers, or name a symbol"),
        ),
        Missing::Gone => (
            tr!("{text} n'existe pas", "{text} does not exist"),
            tr!(
                "corrigez impl_refs, ou archivez la page : govrag update --archive",
                "correct impl_refs, or archive the page: govrag update --archive"
            ),
        ),
    }
}

fn describe(page: &str, v: &Verdict, c: &Changed) -> (String, String) {
    let mut parts = Vec::new();
    if let Some(first) = c.files.first() {
        let more = if c.files.len() > 1 { format!(" … {}", c.files.len()) } else { String::new() };
        parts.push(format!("{}{more}", sanitize::terminal(first)));
    }
    if c.added + c.removed > 0 {
        parts.push(format!("+{} −{}", c.added, c.removed));
    }
    if c.whitespace_only {
        parts.push(tr!("espaces seulement", "white space only"));
    }
    for commit in c.commits.iter().take(3) {
        let subject: String = sanitize::terminal(&commit.subject).chars().take(60).collect();
        parts.push(format!("{} {} {subject}", commit.id, commit.day).trim_end().to_owned());
    }
    if c.commits.len() > 3 {
        parts.push(format!("… {}", c.commits.len()));
    }
    if c.uncommitted {
        parts.push(tr!("non commité", "not committed"));
    }
    if c.by_time {
        parts.push(tr!("sans git, d'après la date du fichier", "without git, by the file's date"));
    }
    let detail = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(" ; ")) };
    let text = sanitize::terminal(&v.text);
    (
        tr!(
            "{text} a changé depuis la dernière relecture{detail}",
            "{text} changed since the page was acknowledged{detail}"
        ),
        tr!("relisez la page, puis : govrag ack {page}", "read the page again, then: govrag ack {page}"),
    )
}
