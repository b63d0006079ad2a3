//! Workflow commands that GitHub shows on the lines of a pull request.

use std::fmt::Write;

use crate::knowledge::check::Report;
use crate::knowledge::code::Severity;
use crate::markdown::sanitize;

/// The report as workflow commands, one a line.
pub fn github(report: &Report) -> String {
    let mut out = String::new();
    for f in &report.findings {
        let level = match f.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let message = sanitize::terminal(&format!("{} — {}", f.message, f.hint));
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "::{level} file={},line={},endLine={},col={},title={}::{}",
            property(&sanitize::terminal(&f.file)),
            f.start.line,
            f.end.line,
            f.start.column,
            f.code,
            data(&message)
        );
    }
    out
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
