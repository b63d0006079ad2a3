//! `scripts/release.sh` in a repository of its own: what it makes, what it refuses, and that nothing
//! leaves the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CHANGELOG: &str = "# Changelog

## [Unreleased]

Index format: manifest version 2.

### Changed

- Searches end sooner.

### Benchmarks

- A search takes 9 ms instead of 12.

### Migrations

- `govmem reindex --full` in every workspace.

## [0.3.0] - 2026-01-05

### Added

- The first thing of the series.

## [0.2.9] - 2025-12-01

### Added

- A thing of the series before.
";

/// A clone with two authors, a tag, a remote, and programs that would publish.
struct Clone {
    dir: tempfile::TempDir,
}

impl Clone {
    fn new() -> Self {
        let clone = Clone { dir: tempfile::tempdir().expect("dir") };
        let scripts = super::scripts();
        for name in ["release.sh", "lib/release.py"] {
            let to = clone.path("scripts").join(name);
            fs::create_dir_all(to.parent().expect("parent")).expect("dir");
            fs::copy(scripts.join(name), to).expect("copy");
        }
        clone.write(
            "Cargo.toml",
            "[package]\nname = \"thing\"\nversion = \"0.3.0\"\n\n[dependencies]\nserde = { version = \"1\" }\n",
        );
        clone.write(
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"thing\"\nversion = \"0.3.0\"\n\n[[package]]\nname = \"serde\"\nversion = \"0.3.0\"\n",
        );
        clone.write("CHANGELOG.md", CHANGELOG);
        clone.program(".ci/run", "echo 'test result: ok. 7 passed; 0 failed'\necho 'SKIPPED: no model'\n");
        clone.write("src/retrieval/catalog/schema.rs", "pub const VERSION: i64 = 1;\n");
        clone.git(&["init", "-q", "-b", "main"]);
        clone.commit("Ada", "The series begins");
        clone.git(&["tag", "-a", "-m", "x", "v0.3.0"]);
        clone.write("src/retrieval/catalog/schema.rs", "pub const VERSION: i64 = 2;\n");
        clone.commit("Grace", "Change the tables\n\nCo-authored-by: Émilie <emilie@example.org>");
        clone.git(&["init", "-q", "--bare", "../remote.git"]);
        clone.git(&["remote", "add", "origin", "../remote.git"]);
        clone.git(&["push", "-q", "origin", "HEAD~1:refs/heads/main"]);
        for name in ["cargo", "gh", "npm", "curl"] {
            clone.program(&format!("../bin/{name}"), "echo \"$0 $*\" >>\"$PUBLISHED\"\n");
        }
        clone
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join("repo").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("parent")).expect("dir");
        fs::write(path, text).expect("write");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("read")
    }

    fn program(&self, name: &str, body: &str) {
        self.write(name, &format!("#!/bin/sh\n{body}"));
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o755)).expect("mode");
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let bin = self.dir.path().join("bin");
        command
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
            .env("PUBLISHED", self.dir.path().join("published"))
            .env("HOME", self.dir.path())
            .env("SOURCE_DATE_EPOCH", "1772323200")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_EMAIL"), "x@example.org");
        }
        command
    }

    fn git(&self, args: &[&str]) -> String {
        self.git_as("Ada", args)
    }

    fn git_as(&self, author: &str, args: &[&str]) -> String {
        let mut command = self.command(Path::new("git"));
        command.env("GIT_AUTHOR_NAME", author).env("GIT_COMMITTER_NAME", author).args(args);
        let output = command.output().expect("git");
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn commit(&self, author: &str, message: &str) {
        self.git(&["add", "-A"]);
        self.git_as(author, &["commit", "-q", "-m", message]);
    }

    fn release(&self, args: &[&str]) -> Output {
        self.git(&["config", "user.name", "Ada"]);
        self.git(&["config", "user.email", "ada@example.org"]);
        self.command(&self.path("scripts/release.sh")).args(args).output().expect("release")
    }

    /// Asserts that nothing happened, with this exit code and these words in the message.
    #[track_caller]
    fn refuses(&self, args: &[&str], code: i32, words: &str) {
        let before = (self.git(&["status", "--porcelain"]), self.git(&["for-each-ref"]));
        let output = self.release(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
        let after = (self.git(&["status", "--porcelain"]), self.git(&["for-each-ref"]));
        assert_eq!(before, after, "{args:?}");
        self.published_nothing();
    }

    #[track_caller]
    fn published_nothing(&self) {
        assert!(!self.dir.path().join("published").exists());
        let remote = self.git(&["ls-remote", "origin"]);
        assert_eq!(remote.lines().count(), 1, "{remote}");
        assert!(remote.starts_with(self.git(&["rev-parse", "v0.3.0^{}"]).trim()), "{remote}");
    }
}

#[test]
fn a_release_is_a_commit_and_a_tag_and_no_more() {
    let clone = Clone::new();
    let output = clone.release(&["0.3.1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");

    let (head, tail) = CHANGELOG.split_once("## [Unreleased]\n").expect("Unreleased");
    let (body, older) = tail.split_once("\n## [0.3.0]").expect("0.3.0");
    let credits = "### Contributors\n\n- Grace\n- Émilie\n";
    let wanted =
        format!("{head}## [Unreleased]\n\n## [0.3.1] - 2026-03-01\n{body}\n{credits}\n## [0.3.0]{older}");
    assert_eq!(clone.read("CHANGELOG.md"), wanted);
    assert_eq!(clone.read("Cargo.toml").matches("0.3.1").count(), 1);
    assert!(clone.read("Cargo.lock").contains("name = \"thing\"\nversion = \"0.3.1\""));
    assert!(clone.read("Cargo.lock").contains("name = \"serde\"\nversion = \"0.3.0\""));

    assert_eq!(clone.git(&["status", "--porcelain"]), "");
    assert_eq!(clone.git(&["log", "-1", "--format=%s"]).trim(), "Release 0.3.1");
    assert_eq!(clone.git(&["rev-parse", "v0.3.1^{}"]), clone.git(&["rev-parse", "HEAD"]));
    assert_eq!(clone.git(&["cat-file", "-t", "v0.3.1"]).trim(), "tag");
    clone.published_nothing();

    let notes = clone.git(&["tag", "-l", "--format=%(contents)", "v0.3.1"]);
    assert_eq!(notes.trim(), String::from_utf8_lossy(&output.stdout).trim());
    let titles: Vec<&str> = notes.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    let wanted = [
        "Behaviour",
        "Index and schema compatibility",
        "Tests run",
        "Effect on benchmarks",
        "Migrations",
        "Left to you",
        "Contributors",
    ];
    assert_eq!(titles, wanted);
    for line in [
        "- Searches end sooner.",
        "- The first thing of the series.",
        "- search index (govfind): version 2, was 1 in v0.3.0; `govfind update --rebuild && govfind embed`.",
        "- 0.3.1: Index format: manifest version 2.",
        "`.ci/run`: 7 tests in 1 binaries passed.",
        "- SKIPPED: no model",
        "- A search takes 9 ms instead of 12.",
        "- `govmem reindex --full` in every workspace.",
        "    git push origin HEAD v0.3.1",
        "- Émilie",
    ] {
        assert!(notes.lines().any(|l| l == line), "{line:?} is not in\n{notes}");
    }
    assert!(!notes.contains("series before"), "another series");

    // The next one finds nothing to release.
    clone.refuses(&["0.3.2"], 2, "Unreleased of CHANGELOG.md is empty");
}

#[test]
fn what_is_refused_changes_nothing() {
    let clone = Clone::new();
    for bad in ["", "v0.4.0", "0.4", "1.2.3.4", "01.2.3", "0.4.0;x", "latest", "0.4.0-"] {
        clone.refuses(&[bad], 2, "is not a version");
    }
    clone.refuses(&[], 2, "one argument");
    clone.refuses(&["0.4.0", "--force"], 2, "one argument");
    clone.refuses(&["0.3.0"], 2, "already has a section 0.3.0");
    clone.refuses(&["0.2.10"], 2, "0.2.10 does not come after 0.3.0");
    clone.refuses(&["0.3.0-rc.1"], 2, "does not come after");
    clone.git(&["tag", "v0.4.0", "HEAD~1"]);
    clone.refuses(&["0.4.0"], 2, "the tag v0.4.0 exists");
    clone.git(&["tag", "-d", "v0.4.0"]);
    clone.write("stray.txt", "x");
    clone.refuses(&["0.4.0"], 2, "the tree is not clean");
    fs::remove_file(clone.path("stray.txt")).expect("remove");
    clone.git(&["checkout", "-q", "--detach"]);
    clone.refuses(&["0.4.0"], 2, "no branch");
    clone.git(&["checkout", "-q", "main"]);
    clone.write("CHANGELOG.md", &CHANGELOG.replace("### Changed", "### Chnaged"));
    clone.commit("Ada", "A slip");
    clone.refuses(&["0.4.0"], 2, "unknown heading ### Chnaged");
    for empty in ["## [Unreleased]\n", "## [Unreleased]\n\n### Added\n\n## [0.3.0] - 2026-01-05\n\n- x\n"] {
        clone.write("CHANGELOG.md", empty);
        clone.commit("Ada", "Nothing");
        clone.refuses(&["0.4.0"], 2, "is empty");
    }
}

#[test]
fn a_failing_test_or_hook_stops_before_the_tag() {
    let clone = Clone::new();
    clone.program(".ci/run", "echo 'test result: FAILED'\nexit 101\n");
    clone.commit("Ada", "A failing test");
    clone.refuses(&["0.3.1"], 101, "test result: FAILED");
    clone.program(".ci/run", "exit 0\n");
    clone.commit("Ada", "A passing test");
    for hook in ["pre-commit", "pre-push", "commit-msg"] {
        let path = format!(".git/hooks/{hook}");
        clone.program(&path, "echo \"the hook says no\" >&2\nexit 1\n");
        clone.refuses(&["0.3.1"], 1, "the hook says no");
        fs::remove_file(clone.path(&path)).expect("remove");
    }
    // Checks that write into the tree would be released without having been seen.
    clone.program(".ci/run", "echo x >made.txt\n");
    clone.commit("Ada", "A check that writes");
    let output = clone.release(&["0.3.1"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("changed other files"), "{said}");
    assert_eq!(clone.git(&["status", "--porcelain"]), "?? made.txt\n");
    clone.published_nothing();
}

#[test]
fn the_first_release_needs_no_earlier_one() {
    let clone = Clone::new();
    clone.git(&["tag", "-d", "v0.3.0"]);
    let output = clone.release(&["0.3.1"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let notes = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(notes.contains("- search index (govfind): version 2.\n"), "{notes}");
    assert!(clone.read("CHANGELOG.md").contains("- Ada\n- Grace\n- Émilie\n"));
}
