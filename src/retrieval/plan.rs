//! What is not done unasked: the exact command, the files it takes, time and disk it needs.

use serde::Serialize;

use crate::base::{Error, Kind};
use crate::tr;

/// Work that a command needs and does not do by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// The command that does it.
    pub command: String,
    /// What it takes: files or chunks.
    pub items: u64,
    /// What the items are.
    pub unit: &'static str,
    /// Estimated seconds.
    pub seconds: u64,
    /// Estimated bytes on disk.
    pub bytes: u64,
}

impl Plan {
    /// An index of `files` files with `bytes` bytes together.
    pub fn update(command: String, files: u64, bytes: u64) -> Self {
        // Measured on two cores: some 15 MB a second; database about as large as the text.
        Plan { command, items: files, unit: "files", seconds: bytes / 15_000_000 + 1, bytes }
    }

    /// Vectors of `width` values for `chunks` chunks, `per_second` of them a second.
    pub fn embed(command: String, chunks: u64, width: u64, per_second: u64) -> Self {
        // Once in the database, once in the FAISS file.
        let bytes = chunks * width * 8;
        Plan { command, items: chunks, unit: "chunks", seconds: chunks / per_second.max(1) + 1, bytes }
    }

    /// One line that says all of it.
    pub fn line(&self) -> String {
        let what = match (self.unit, crate::base::lang::current()) {
            ("files", crate::base::lang::Lang::Fr) => "fichiers",
            ("chunks", crate::base::lang::Lang::Fr) => "segments",
            (unit, _) => unit,
        };
        tr!(
            "{} ({} {what}, environ {}, environ {} sur le disque)",
            "{} ({} {what}, about {}, about {} on disk)",
            self.command,
            self.items,
            duration(self.seconds),
            size(self.bytes)
        )
    }

    /// The refusal of a command that needs it: exit 3, the plan as hint.
    pub fn needed(&self, why: impl Into<String>) -> Error {
        Error::new(Kind::Partial, why).hint(self.line())
    }
}

/// `850 B`, `12 KB`, `3.4 MB`, `1.2 GB`.
pub fn size(bytes: u64) -> String {
    let b = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.0} KB", b / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", b / 1e6),
        _ => format!("{:.1} GB", b / 1e9),
    }
}

/// `5 s`, `12 min`, `3 h`.
pub fn duration(seconds: u64) -> String {
    match seconds {
        0..90 => format!("{} s", seconds.max(1)),
        90..5_400 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// `text` as one word of a shell command.
pub fn quote(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_command_and_cost() {
        let plan = Plan::update("govfind update".into(), 4800, 30_000_000);
        let error = plan.needed("not indexed yet");
        assert_eq!(error.exit(), 3);
        assert_eq!(error.hint_text(), Some("govfind update (4800 files, about 3 s, about 30.0 MB on disk)"));
    }

    #[test]
    fn shell_words() {
        for (text, quoted) in
            [("notes", "notes"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("é", "é")]
        {
            assert_eq!(quote(text), quoted);
        }
    }
}
