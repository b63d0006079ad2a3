//! Search results.

use super::super::args::Format;
use super::{csv_line, fence, numbered, xml};
use crate::cli::context::Context as Cli;
use crate::markdown::sanitize::{inline, terminal};
use crate::retrieval::{Hit, Response};
use crate::tr;

/// Writes the answer to a query.
pub fn response(cli: &Cli, chosen: Option<Format>, response: &Response) {
    match super::format(cli, chosen) {
        Format::Json => cli.out.document(response),
        Format::Text => cli.out.text(text(cli, response)),
        Format::Csv => cli.out.text(csv(response)),
        Format::Md => cli.out.text(markdown(response)),
        Format::Xml => cli.out.text(document(response)),
        Format::Files => {
            let lines: String = response.results.iter().map(|h| format!("{}\n", terminal(&h.uri))).collect();
            cli.out.text(lines);
        }
    }
}

fn text(cli: &Cli, response: &Response) -> String {
    let (bold, dim, reset) = if cli.out.color { ("\x1b[1m", "\x1b[2m", "\x1b[0m") } else { ("", "", "") };
    let mut out = String::new();
    for h in &response.results {
        let stale = if h.stale { tr!("  [périmé]", "  [stale]") } else { String::new() };
        out.push_str(&format!(
            "{bold}#{}{reset}  {:.2}  {}:{}-{}{stale}\n",
            h.docid,
            h.score,
            terminal(&h.uri),
            h.line_start,
            h.line_end
        ));
        out.push_str(&format!("  {bold}{}{reset}\n", terminal(&h.title)));
        for uri in &h.also {
            out.push_str(&format!("  = {}\n", terminal(uri)));
        }
        for c in &h.contexts {
            out.push_str(&format!("  {dim}[{}] {}{reset}\n", terminal(&c.scope), terminal(&c.text)));
        }
        let body = h.text.as_deref().unwrap_or(&h.snippet);
        let first = if h.text.is_some() { 1 } else { h.snippet_line as usize };
        for line in numbered(&terminal(body), first).lines() {
            out.push_str(&format!("  {line}\n"));
        }
        if let Some(e) = &h.explain {
            out.push_str(&format!("  {dim}{}{reset}\n", explain(h, e)));
        }
        out.push('\n');
    }
    out
}

fn explain(hit: &Hit, e: &crate::retrieval::hit::Explain) -> String {
    let mut parts: Vec<String> =
        e.legs.iter().map(|l| format!("{} #{} {:.3} ×{:.3}", l.leg, l.rank, l.score, l.weight)).collect();
    if let Some(fused) = e.fused {
        parts.push(format!("rrf {fused:.5}"));
    }
    if let (Some(score), Some(name)) = (e.reranked, &e.reranker) {
        parts.push(format!("{name} {score:.3}"));
    }
    parts.push(format!("= {:.3}", hit.score));
    parts.join(" · ")
}

fn csv(response: &Response) -> String {
    let mut out =
        String::from("docid,score,uri,collection,path,title,line_start,line_end,stale,contexts,snippet\n");
    for h in &response.results {
        let contexts: Vec<&str> = h.contexts.iter().map(|c| c.text.as_str()).collect();
        out.push_str(&csv_line(&[
            h.docid.clone(),
            format!("{:.4}", h.score),
            h.uri.clone(),
            h.collection.clone(),
            h.path.clone(),
            h.title.clone(),
            h.line_start.to_string(),
            h.line_end.to_string(),
            h.stale.to_string(),
            contexts.join(" | "),
            h.text.clone().unwrap_or_else(|| h.snippet.clone()),
        ]));
        out.push('\n');
    }
    out
}

fn markdown(response: &Response) -> String {
    let mut out = String::new();
    for (i, h) in response.results.iter().enumerate() {
        out.push_str(&format!("## {}. {}\n\n", i + 1, inline(&h.title)));
        out.push_str(&format!(
            "- `{}` · `#{}` · {:.2} · {} {}–{}{}\n",
            terminal(&h.uri).replace('`', "'"),
            h.docid,
            h.score,
            tr!("lignes", "lines"),
            h.line_start,
            h.line_end,
            if h.stale { tr!(" · périmé", " · stale") } else { String::new() }
        ));
        for c in &h.contexts {
            out.push_str(&format!("- {}: {}\n", inline(&c.scope), inline(&c.text)));
        }
        let body = terminal(h.text.as_deref().unwrap_or(&h.snippet));
        let fence = fence(&body);
        out.push_str(&format!("\n{fence}text\n{}\n{fence}\n\n", body.trim_end()));
    }
    out
}

fn document(response: &Response) -> String {
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<results query=\"{}\" mode=\"{}\" count=\"{}\">\n",
        xml(&response.query),
        response.mode,
        response.count
    );
    for h in &response.results {
        out.push_str(&format!(
            "  <result docid=\"{}\" score=\"{:.4}\" uri=\"{}\" collection=\"{}\" path=\"{}\" line_start=\"{}\" \
             line_end=\"{}\" stale=\"{}\">\n    <title>{}</title>\n",
            h.docid,
            h.score,
            xml(&h.uri),
            xml(&h.collection),
            xml(&h.path),
            h.line_start,
            h.line_end,
            h.stale,
            xml(&h.title)
        ));
        for c in &h.contexts {
            out.push_str(&format!("    <context scope=\"{}\">{}</context>\n", xml(&c.scope), xml(&c.text)));
        }
        let (tag, body) = match &h.text {
            Some(text) => ("text", text),
            None => ("snippet", &h.snippet),
        };
        out.push_str(&format!("    <{tag}>{}</{tag}>\n  </result>\n", xml(body)));
    }
    out.push_str("</results>\n");
    out
}
