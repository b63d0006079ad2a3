//! Documents and lists of files.

use super::super::args::Format;
use super::{csv_line, fence, numbered, xml};
use crate::cli::context::Context as Cli;
use crate::markdown::sanitize::{inline, terminal};
use crate::retrieval::fetch::{Failed, Fetched, Listed, Many, Skipped};
use crate::tr;

/// Writes one document.
pub fn one(cli: &Cli, chosen: Option<Format>, fetched: &Fetched, numbers: bool) {
    match super::format(cli, chosen) {
        Format::Json => cli.out.document(&serde_json::json!({"schema": 1, "document": fetched})),
        Format::Text => {
            if let Some(path) = &fetched.full_path {
                cli.out.line(terminal(path));
            }
            let text = terminal(&fetched.text);
            cli.out.text(if numbers { numbered(&text, fetched.line_start) } else { text });
        }
        format => many_in(cli, format, (std::slice::from_ref(fetched), &[], &[]), numbers),
    }
}

/// Writes several documents, and in the formats that programs read also what is missing.
pub fn many(cli: &Cli, chosen: Option<Format>, many: &Many, numbers: bool) {
    match super::format(cli, chosen) {
        Format::Json => cli.out.document(many),
        format => many_in(cli, format, (&many.fetched, &many.skipped, &many.failed), numbers),
    }
}

fn many_in(
    cli: &Cli,
    format: Format,
    (fetched, skipped, failed): (&[Fetched], &[Skipped], &[Failed]),
    numbers: bool,
) {
    let body = |f: &Fetched| {
        let text = terminal(&f.text);
        if numbers { numbered(&text, f.line_start) } else { text }
    };
    let name = |f: &Fetched| f.full_path.clone().unwrap_or_else(|| f.uri.clone());
    let mut out = String::new();
    match format {
        // One document and several differ; each caller writes its own.
        Format::Json => {}
        Format::Text => {
            for f in fetched {
                let stale = if f.stale { tr!("  [périmé]", "  [stale]") } else { String::new() };
                out.push_str(&format!("==> #{} {}{stale} <==\n{}", f.docid, terminal(&name(f)), body(f)));
                if !out.ends_with('\n') {
                    out.push('\n');
                }
                out.push('\n');
            }
        }
        Format::Csv => {
            out.push_str("docid,uri,title,line_start,lines_total,stale,text,error\n");
            for f in fetched {
                let fields = [
                    f.docid.clone(),
                    name(f),
                    f.title.clone(),
                    f.line_start.to_string(),
                    f.lines_total.to_string(),
                    f.stale.to_string(),
                    f.text.clone(),
                    String::new(),
                ];
                out.push_str(&csv_line(&fields));
                out.push('\n');
            }
            let missing = skipped.iter().map(|s| (&s.uri, s.reason.clone()));
            for (name, why) in missing.chain(failed.iter().map(|f| (&f.name, f.error.to_string()))) {
                let mut fields = vec![String::new(); 8];
                fields[1].clone_from(name);
                fields[7] = why;
                out.push_str(&csv_line(&fields));
                out.push('\n');
            }
        }
        Format::Md => {
            for f in fetched {
                let text = body(f);
                let fence = fence(&text);
                out.push_str(&format!(
                    "## {}\n\n`#{}`{}\n\n{fence}text\n{}\n{fence}\n\n",
                    inline(&name(f)),
                    f.docid,
                    if f.stale { tr!(" · périmé", " · stale") } else { String::new() },
                    text.trim_end()
                ));
            }
            let missing = skipped.iter().map(|s| (&s.uri, s.reason.clone()));
            for (name, why) in missing.chain(failed.iter().map(|f| (&f.name, f.error.to_string()))) {
                out.push_str(&format!("## {}\n\n> {}\n\n", inline(name), inline(&why)));
            }
        }
        Format::Xml => {
            out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<documents>\n");
            for f in fetched {
                out.push_str(&format!(
                    "  <document docid=\"{}\" uri=\"{}\" line_start=\"{}\" lines_total=\"{}\" stale=\"{}\">{}</document>\n",
                    f.docid,
                    xml(&name(f)),
                    f.line_start,
                    f.lines_total,
                    f.stale,
                    xml(&f.text)
                ));
            }
            for s in skipped {
                out.push_str(&format!(
                    "  <skipped uri=\"{}\" reason=\"{}\" command=\"{}\"/>\n",
                    xml(&s.uri),
                    xml(&s.reason),
                    xml(&s.command)
                ));
            }
            for f in failed {
                out.push_str(&format!(
                    "  <failed name=\"{}\" code=\"{}\">{}</failed>\n",
                    xml(&f.name),
                    f.error.code_text(),
                    xml(&f.error.to_string())
                ));
            }
            out.push_str("</documents>\n");
        }
        Format::Files => fetched.iter().for_each(|f| out.push_str(&format!("{}\n", terminal(&name(f))))),
    }
    cli.out.text(out);
}

/// Writes a list of files.
pub fn listed(cli: &Cli, chosen: Option<Format>, listed: &[Listed], full_path: bool) {
    let name = |l: &Listed| if full_path { l.full_path.clone() } else { l.uri.clone() };
    let mut out = String::new();
    match super::format(cli, chosen) {
        Format::Json => {
            let files: Vec<_> = listed
                .iter()
                .map(|l| {
                    let mut value = serde_json::json!(l);
                    if full_path {
                        value["full_path"] = l.full_path.clone().into();
                    }
                    value
                })
                .collect();
            return cli.out.document(&serde_json::json!({"schema": 1, "count": files.len(), "files": files}));
        }
        Format::Text => {
            for l in listed {
                out.push_str(&format!("#{}  {:>9}  {}\n", l.docid, l.bytes, terminal(&name(l))));
            }
        }
        Format::Csv => {
            out.push_str("docid,bytes,uri,title\n");
            for l in listed {
                out.push_str(&csv_line(&[l.docid.clone(), l.bytes.to_string(), name(l), l.title.clone()]));
                out.push('\n');
            }
        }
        Format::Md => {
            for l in listed {
                out.push_str(&format!("- `{}` {}\n", terminal(&name(l)).replace('`', "'"), inline(&l.title)));
            }
        }
        Format::Xml => {
            out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<files>\n");
            for l in listed {
                out.push_str(&format!(
                    "  <file docid=\"{}\" bytes=\"{}\" uri=\"{}\">{}</file>\n",
                    l.docid,
                    l.bytes,
                    xml(&name(l)),
                    xml(&l.title)
                ));
            }
            out.push_str("</files>\n");
        }
        Format::Files => listed.iter().for_each(|l| out.push_str(&format!("{}\n", terminal(&name(l))))),
    }
    cli.out.text(out);
}
