//! What git knows, by its own binary: one `log` pass for everything, never one call a path.
//!
//! Paths are relative to the folder of `.rag`. Nothing here is needed when every page has been
//! acknowledged and nothing changed.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustc_hash::FxHashMap;

use super::walk::under;
use crate::base::Date;
use crate::tr;

/// A repository that holds the base.
#[derive(Clone, Debug)]
pub struct Repo {
    dir: PathBuf,
}

/// Why there is no history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGit {
    /// The folder is in no repository, or git is not installed.
    Absent,
    /// git refuses or fails; its words.
    Failed(String),
}

/// One changed file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `A`, `M`, `D`, `R`, `C`, `T`.
    pub status: u8,
    /// The path before (the same unless renamed or copied).
    pub old: String,
    /// The path after.
    pub new: String,
    /// The blob before, 40 zeros when there was none.
    pub old_blob: String,
    /// The blob after.
    pub new_blob: String,
    /// A submodule's entry.
    pub submodule: bool,
}

/// A commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// The committer's day, `YYYY-MM-DD`.
    pub day: String,
    /// The first line of its message.
    pub subject: String,
    /// What it changed; empty for merges.
    pub changes: Vec<Change>,
}

impl Repo {
    /// The repository that holds `dir`.
    ///
    /// # Errors
    /// [`NoGit`] with the reason.
    pub fn discover(dir: &Path) -> Result<Repo, NoGit> {
        let repo = Repo { dir: dir.to_owned() };
        match repo.run(&["rev-parse", "--is-inside-work-tree"], b"") {
            Ok(out) if out.starts_with(b"true") => Ok(repo),
            Ok(_) => Err(NoGit::Absent),
            Err(text) if text.contains("not a git repository") || text.is_empty() => Err(NoGit::Absent),
            Err(text) => Err(NoGit::Failed(text)),
        }
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Result<Vec<u8>, String> {
        let mut child = Command::new("git")
            .current_dir(&self.dir)
            .args(["-c", "core.quotepath=off", "-c", "diff.renames=true"])
            .args(args)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|_| String::new())?;
        let stdin = child.stdin.take();
        let bytes = input.to_vec();
        // Written from a thread: git may answer before it has read everything.
        let writer = std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // A git that stopped reading reports its own failure.
                let _ = stdin.write_all(&bytes);
            }
        });
        // The standard library's own way of reading both would panic where a read fails.
        let errors = child.stderr.take().map(|pipe| std::thread::spawn(move || read_all(pipe)));
        let answer = child.stdout.take().map_or(Ok(Vec::new()), read_all);
        let said = errors.and_then(|thread| thread.join().ok()).unwrap_or(Ok(Vec::new()));
        // The writer only fails with the pipe.
        let _ = writer.join();
        let status = child.wait().map_err(|e| e.to_string())?;
        if status.success() {
            answer.map_err(|e| e.to_string())
        } else {
            let said = said.unwrap_or_default();
            let text = String::from_utf8_lossy(&said);
            Err(text.lines().next().unwrap_or("git").to_owned())
        }
    }

    /// Whether history is cut.
    pub fn is_shallow(&self) -> bool {
        self.run(&["rev-parse", "--is-shallow-repository"], b"").is_ok_and(|o| o.starts_with(b"true"))
    }

    /// Commits, newest first, back to `since`, with the files under this folder that each changed;
    /// empty before the first commit.
    ///
    /// # Errors
    /// git's words.
    pub fn history(&self, since: Option<Date>) -> Result<Vec<Commit>, String> {
        let since = since.map(|d| format!("--since={}T00:00:00", d.plus_days(-1)));
        let mut args = vec![
            "log",
            "--relative",
            "--raw",
            "-z",
            "-M",
            "--no-abbrev",
            "--no-ext-diff",
            "--no-color",
            "--format=%x01%H %cs %s",
        ];
        args.extend(since.as_deref());
        match self.run(&args, b"") {
            Ok(out) => Ok(parse_log(&out)),
            Err(text) if text.contains("does not have any commits") => Ok(Vec::new()),
            Err(text) => Err(text),
        }
    }

    /// The oldest commit's day when history is cut.
    pub fn cut_at(&self) -> Option<String> {
        let out = self.run(&["log", "--format=%cs"], b"").ok()?;
        String::from_utf8_lossy(&out).lines().map(str::to_owned).min()
    }

    /// Files under this folder that differ from HEAD in the work tree or are untracked.
    pub fn uncommitted(&self) -> BTreeSet<String> {
        let tracked = self.run(&["diff", "--relative", "--name-only", "-z", "--no-ext-diff", "HEAD"], b"");
        let untracked = self.run(&["ls-files", "--others", "--exclude-standard", "-z"], b"");
        let mut out = BTreeSet::new();
        for list in [tracked, untracked].into_iter().flatten() {
            out.extend(split(&list).map(str::to_owned));
        }
        out
    }

    /// What changed between `revision` and the work tree, or between its merge base and a branch when
    /// `branch` is set.
    ///
    /// # Errors
    /// git's words, such as an unknown revision.
    pub fn changed_since(&self, revision: &str, branch: bool) -> Result<Vec<Change>, String> {
        let range = if branch { format!("HEAD...{revision}") } else { revision.to_owned() };
        let out = self.run(
            &[
                "diff",
                "--relative",
                "--raw",
                "-z",
                "-M",
                "--no-abbrev",
                "--no-ext-diff",
                "--end-of-options",
                &range,
                "--",
            ],
            b"",
        )?;
        Ok(parse_changes(&mut split(&out).peekable()))
    }

    /// Whether `name` is a revision.
    pub fn is_revision(&self, name: &str) -> bool {
        !name.starts_with('-')
            && self
                .run(
                    &["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")],
                    b"",
                )
                .is_ok()
    }

    /// The content of these blobs, as far as the repository has them.
    pub fn blobs(&self, ids: &[String]) -> FxHashMap<String, Vec<u8>> {
        let mut out = FxHashMap::default();
        let known = ids.iter().filter(|id| id.len() == 40 && id.bytes().all(|b| b.is_ascii_hexdigit()));
        let input: String = known.map(|id| format!("{id}\n")).collect();
        if input.is_empty() {
            return out;
        }
        let Ok(bytes) = self.run(&["cat-file", "--batch"], input.as_bytes()) else { return out };
        let mut rest = bytes.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let head = String::from_utf8_lossy(&rest[..end]).into_owned();
            rest = &rest[end + 1..];
            let mut words = head.split(' ');
            let (id, _kind, size) = (words.next(), words.next(), words.next());
            if let (Some(id), Some(size)) = (id, size.and_then(|s| s.parse::<usize>().ok())) {
                let Some(content) = rest.get(..size) else { break };
                out.insert(id.to_owned(), content.to_vec());
                rest = rest.get(size + 1..).unwrap_or_default();
            }
        }
        out
    }

    /// What git has under this folder and keeps out of the work tree: files of a sparse checkout, and
    /// with a `/` at their end submodules that are not checked out.
    pub fn left_out(&self) -> BTreeSet<String> {
        let list = self.run(&["ls-files", "-t", "--stage", "-z"], b"").unwrap_or_default();
        let of = |entry: &str| {
            let (head, path) = entry.split_once('\t')?;
            let submodule = head.split(' ').nth(1) == Some("160000");
            let empty = || std::fs::read_dir(under(&self.dir, path)).map_or(true, |mut d| d.next().is_none());
            match submodule {
                true => empty().then(|| format!("{path}/")),
                false => head.starts_with("S ").then(|| path.to_owned()),
            }
        };
        split(&list).filter_map(of).collect()
    }

    /// Whether any file under `path` (relative to this folder) is tracked.
    pub fn tracks(&self, path: &str) -> bool {
        let path = if path.is_empty() { "." } else { path };
        self.run(&["ls-files", "-z", "--", path], b"").is_ok_and(|o| !o.is_empty())
    }
}

fn read_all(mut pipe: impl Read) -> std::io::Result<Vec<u8>> {
    let mut out = Vec::new();
    pipe.read_to_end(&mut out)?;
    Ok(out)
}

fn split(bytes: &[u8]) -> impl Iterator<Item = &str> {
    bytes.split(|b| *b == 0).filter_map(|p| std::str::from_utf8(p).ok()).filter(|p| !p.is_empty())
}

fn parse_log(out: &[u8]) -> Vec<Commit> {
    let mut tokens = split(out).peekable();
    let mut commits = Vec::new();
    while let Some(token) = tokens.next() {
        let Some(head) = token.trim_start_matches('\n').strip_prefix('\u{1}') else { continue };
        let mut words = head.splitn(3, ' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        let (id, day, subject) = (word(), word(), word());
        commits.push(Commit { id, day, subject, changes: parse_changes(&mut tokens) });
    }
    commits
}

fn parse_changes<'a>(tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>) -> Vec<Change> {
    let mut out = Vec::new();
    while let Some(head) = tokens.next_if(|t| t.trim_start_matches('\n').starts_with(':')) {
        let words: Vec<&str> = head.trim_start_matches('\n').trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old_blob, new_blob, status] = words[..] else { continue };
        let Some(old) = tokens.next() else { break };
        let status = status.bytes().next().unwrap_or(b'M');
        let new = if matches!(status, b'R' | b'C') { tokens.next().unwrap_or(old) } else { old };
        out.push(Change {
            status,
            old: old.to_owned(),
            new: new.to_owned(),
            old_blob: old_blob.to_owned(),
            new_blob: new_blob.to_owned(),
            submodule: old_mode == "160000" || new_mode == "160000",
        });
    }
    out
}

impl std::fmt::Display for NoGit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NoGit::Absent => f.write_str(&tr!("pas de dépôt git", "no git repository")),
            NoGit::Failed(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read() {
        let (a, b, z) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let log = format!(
            "\u{1}{a} 2026-01-02 two words\0\n:100644 100644 {a} {b} M\0x y.txt\0:100644 100644 {a} {a} R100\0old\0new\0\u{1}{b} 2026-01-01 \0\u{1}{b} 2026-01-01 one\0\n:000000 160000 {z} {a} A\0sub\0"
        );
        let commits = parse_log(log.as_bytes());
        assert_eq!(commits.len(), 3);
        assert_eq!((commits[0].day.as_str(), commits[0].subject.as_str()), ("2026-01-02", "two words"));
        assert_eq!(commits[0].changes[0].new, "x y.txt");
        assert_eq!((commits[0].changes[1].old.as_str(), commits[0].changes[1].new.as_str()), ("old", "new"));
        assert!(commits[1].changes.is_empty());
        assert!(commits[2].changes[0].submodule);
    }
}
