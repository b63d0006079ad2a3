//! For machines.

use serde_json::{Value, json};

use crate::knowledge::check::baseline::fingerprint;
use crate::knowledge::check::{Finding, Report};
use crate::knowledge::code::Severity;

/// The report as one JSON document.
pub fn json(report: &Report) -> Value {
    json!({
        "pages": report.pages,
        "unreadable": report.unreadable,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "infos": report.count(Severity::Info),
        "suppressed": report.suppressed,
        "unjudged_links": report.unjudged,
        "repaired": report.repaired,
        "notes": report.notes,
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(f: &Finding) -> Value {
    json!({
        "code": f.code,
        "severity": f.severity,
        "file": f.file,
        "page": f.page,
        "line": f.start.line,
        "column": f.start.column,
        "end_line": f.end.line,
        "end_column": f.end.column,
        "span": [f.span.start, f.span.end],
        "message": f.message,
        "hint": f.hint,
        "fixable": f.repair.is_some(),
        "fingerprint": fingerprint(f),
    })
}
