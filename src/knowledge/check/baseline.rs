//! A baseline: the findings an old base is known to have.
//!
//! One line a finding, sorted: code, path, a hash of what it says. Line numbers are not part of it,
//! so that edits elsewhere in a page do not bring old findings back.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::finding::Finding;
use crate::base::error::IoContext;
use crate::base::id::sha256_hex;
use crate::base::{Error, Result};
use crate::knowledge::read;
use crate::store::atomic;

/// Known findings and how many of each are left.
#[derive(Clone, Debug, Default)]
pub struct Baseline(BTreeMap<String, usize>);

impl Baseline {
    /// Reads the file; none is an empty baseline.
    ///
    /// # Errors
    /// An input error.
    pub fn read(path: &Path) -> Result<Self> {
        match read::text(path) {
            Ok(text) => Ok(Self::parse(&text)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Error::io(path, &e)),
        }
    }

    fn parse(text: &str) -> Self {
        let mut known = BTreeMap::new();
        for line in text.lines().filter(|l| l.contains('\t')) {
            *known.entry(line.to_owned()).or_default() += 1;
        }
        Baseline(known)
    }

    /// The text that holds exactly these findings.
    pub fn render(findings: &[Finding]) -> String {
        let mut lines: Vec<String> = findings.iter().map(key).collect();
        lines.sort_unstable();
        lines.iter().map(|l| format!("{l}\n")).collect()
    }

    /// Writes a baseline of these findings.
    ///
    /// # Errors
    /// An output error.
    pub fn write(path: &Path, findings: &[Finding]) -> Result<()> {
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).at(parent)?;
        }
        atomic::replace_unlocked(path, Self::render(findings).as_bytes())
    }

    /// Whether the finding is known; each known one is used up once.
    pub fn takes(&mut self, finding: &Finding) -> bool {
        match self.0.get_mut(&key(finding)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

/// What a finding is, without where exactly it stands.
pub fn fingerprint(finding: &Finding) -> String {
    let said = format!("{}\0{}\0{}", finding.code, finding.file, finding.message);
    sha256_hex(said)[..16].to_owned()
}

fn key(finding: &Finding) -> String {
    format!("{}\t{}\t{}", finding.code, finding.file, fingerprint(finding))
}
