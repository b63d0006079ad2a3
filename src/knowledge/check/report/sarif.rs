//! SARIF 2.1.0, for code scanning.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::knowledge::check::baseline::fingerprint;
use crate::knowledge::check::{Finding, Report};
use crate::knowledge::code::{Code, Severity};

/// What a URI's path cannot hold.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}')
    .add(b'\\')
    .add(b'^')
    .add(b'|')
    .add(b'[')
    .add(b']');

/// The report as a SARIF log.
pub fn sarif(report: &Report) -> Value {
    let rules: Vec<Value> = Code::ALL
        .iter()
        .map(|code| {
            json!({
                "id": code.name(),
                "shortDescription": {"text": code.title()},
                "defaultConfiguration": {"level": level(code.severity())},
            })
        })
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "govrag",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(f: &Finding) -> Value {
    let end_column = if f.end == f.start { f.start.column + 1 } else { f.end.column };
    json!({
        "ruleId": f.code.name(),
        "ruleIndex": Code::ALL.iter().position(|c| *c == f.code),
        "level": level(f.severity),
        "message": {"text": format!("{} — {}", f.message, f.hint)},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": utf8_percent_encode(&f.file, PATH).to_string()},
            "region": {
                "startLine": f.start.line,
                "startColumn": f.start.column,
                "endLine": f.end.line,
                "endColumn": end_column,
            },
        }}],
        "partialFingerprints": {"govrag/v1": fingerprint(f)},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}
