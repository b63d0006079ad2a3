//! Findings left out on purpose: by `.rag`, by a comment with a reason, by the baseline.

use globset::Glob;
use rustc_hash::FxHashMap;

use super::baseline::Baseline;
use super::finding::Finding;
use super::{Report, Suppressed};
use crate::base::Result;
use crate::knowledge::code::Code;
use crate::knowledge::load::Base;
use crate::tr;

/// The comment's keyword.
const DISABLE: &str = "govrag-disable";

pub(super) fn apply(base: &Base, findings: &mut Vec<Finding>, report: &mut Report) -> Result<()> {
    let rules: Vec<Rule> = base.marker.ignore.iter().map(|r| Rule::parse(r)).collect();
    let disabled = disabled(base, &mut report.notes);
    let mut baseline = match &base.marker.baseline {
        Some(file) => Some(Baseline::read(&base.marker.home.join(file))?),
        None => None,
    };
    let mut count = Suppressed::default();
    findings.retain(|f| {
        if rules.iter().any(|r| r.covers(f)) {
            count.ignored += 1;
            return false;
        }
        let page = f.page.as_deref().unwrap_or_default();
        if disabled.get(page).is_some_and(|codes| codes.contains(&f.code)) {
            count.disabled += 1;
            return false;
        }
        if baseline.as_mut().is_some_and(|b| b.takes(f)) {
            count.baseline += 1;
            return false;
        }
        true
    });
    report.suppressed = count;
    Ok(())
}

struct Rule {
    code: Option<Code>,
    glob: Option<globset::GlobMatcher>,
}

impl Rule {
    /// `W002`, `archives/**` or `W002:archives/**`.
    fn parse(text: &str) -> Self {
        if let Some(code) = Code::parse(text) {
            return Rule { code: Some(code), glob: None };
        }
        let (code, pattern) = match text.split_once(':') {
            Some((head, rest)) if Code::parse(head).is_some() => (Code::parse(head), rest),
            _ => (None, text),
        };
        // A pattern that does not parse covers nothing.
        Rule { code, glob: Glob::new(pattern).ok().map(|g| g.compile_matcher()).or_else(never) }
    }

    fn covers(&self, f: &Finding) -> bool {
        let code = self.code.is_none_or(|c| c == f.code);
        let path = f.page.as_deref().unwrap_or(&f.file);
        code && self.glob.as_ref().is_none_or(|g| g.is_match(path))
    }
}

fn never() -> Option<globset::GlobMatcher> {
    Glob::new("\u{0}").ok().map(|g| g.compile_matcher())
}

/// Codes disabled by each page, with a note for a disabling that gives no reason and so does nothing.
fn disabled<'a>(base: &'a Base, notes: &mut Vec<String>) -> FxHashMap<&'a str, Vec<Code>> {
    let mut out: FxHashMap<&str, Vec<Code>> = FxHashMap::default();
    for page in &base.pages {
        for (text, _) in &page.body.comments {
            let Some(rest) = text.strip_prefix(DISABLE) else { continue };
            let mut words = rest.split_whitespace().peekable();
            let mut codes = Vec::new();
            while let Some(word) = words.peek() {
                let known: Vec<Code> =
                    word.split(',').filter(|w| !w.is_empty()).filter_map(Code::parse).collect();
                if known.is_empty() {
                    break;
                }
                codes.extend(known);
                words.next();
            }
            if words.next().is_some() && !codes.is_empty() {
                out.entry(&page.path).or_default().extend(codes);
            } else {
                notes.push(tr!(
                    "{} : {DISABLE} sans code ou sans raison, sans effet",
                    "{}: {DISABLE} without a code or a reason has no effect",
                    page.path
                ));
            }
        }
    }
    out
}
