//! For people: a line a finding, what to do below it, and a last line that counts.

use std::fmt::Write;

use crate::knowledge::check::Report;
use crate::knowledge::code::{Code, Severity};
use crate::markdown::sanitize;
use crate::tr;

/// The report as text; `infos` shows the infos too; `color` uses terminal colours.
pub fn text(report: &Report, infos: bool, color: bool) -> String {
    let mut out = String::new();
    let reset = if color { "\x1b[0m" } else { "" };
    for f in report.findings.iter().filter(|f| infos || f.severity != Severity::Info) {
        let paint = match (color, f.severity) {
            (false, _) => "",
            (true, Severity::Error) => "\x1b[1;31m",
            (true, Severity::Warning) => "\x1b[33m",
            (true, Severity::Info) => "\x1b[36m",
        };
        let file = sanitize::terminal(&f.file);
        let message = sanitize::terminal(&f.message).replace('\n', " ");
        // Writing to a String cannot fail.
        let _ =
            writeln!(out, "{file}:{}:{}: {paint}{}{reset} {message}", f.start.line, f.start.column, f.code);
        let _ = writeln!(out, "    → {}", sanitize::terminal(&f.hint).replace('\n', " "));
    }
    for path in &report.repaired {
        let _ = writeln!(out, "{}", tr!("réparé : {}", "repaired: {}", sanitize::terminal(path)));
    }
    for note in &report.notes {
        let _ = writeln!(out, "{}", tr!("note : {}", "note: {}", sanitize::terminal(note)));
    }
    let links = report.findings.iter().filter(|f| f.code == Code::I005).count();
    if !infos && links > 0 {
        let _ = writeln!(
            out,
            "{}",
            tr!(
                "note : {links} liens symboliques ne sont pas suivis ; govrag check les nomme (I005)",
                "note: {links} symbolic links are not followed; govrag check names them (I005)"
            )
        );
    }
    let (e, w, i) =
        (report.count(Severity::Error), report.count(Severity::Warning), report.count(Severity::Info));
    let (pages, unreadable) = (report.pages, report.unreadable);
    let _ = writeln!(
        out,
        "{}",
        tr!(
            "{pages} pages vues, {unreadable} illisibles ; {e} erreurs, {w} alertes, {i} infos",
            "{pages} pages seen, {unreadable} unreadable; {e} errors, {w} warnings, {i} infos"
        )
    );
    let s = report.suppressed;
    if s.ignored + s.disabled + s.baseline > 0 {
        let (a, b, c) = (s.ignored, s.disabled, s.baseline);
        let _ = writeln!(
            out,
            "{}",
            tr!(
                "laissés de côté : {a} par .rag, {b} par des commentaires, {c} connus",
                "left out: {a} by .rag, {b} by comments, {c} known"
            )
        );
    }
    if report.unjudged > 0 {
        let n = report.unjudged;
        let _ = writeln!(
            out,
            "{}",
            tr!(
                "{n} liens d'un schéma ou modèle inconnu, non jugés",
                "{n} links of an unknown scheme or template, not judged"
            )
        );
    }
    out
}
