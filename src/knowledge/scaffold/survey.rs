//! What a repository holds, in one walk that respects its ignore files.
//!
//! Nothing is written and nothing outside the repository is read. Files that may hold secrets, lock
//! files, vendored and built folders are left out. A folder with very many files is sampled: the
//! first ones by name, evenly spread, are kept and the rest is counted.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::base::{Error, Result, secret};
use crate::knowledge::read;
use crate::knowledge::walk::{slashed, under};

/// Most files whose content is read.
const MOST_FILES: usize = 6_000;
/// Largest file whose content is read, in bytes.
const MOST_BYTES: u64 = 512 * 1024;

/// Folders of built or foreign code, wherever they stand.
const FOREIGN: &[&str] = &[
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "vendor",
    "third_party",
    "__pycache__",
    "venv",
    "env",
    "site-packages",
    "coverage",
    "bower_components",
    "Pods",
    "obj",
    "htmlcov",
    "tmp",
    "logs",
];

/// What a file is by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    /// Prose: Markdown or plain text with a telling name.
    Document,
    /// Source code.
    Source,
    /// A test.
    Test,
    /// SQL.
    Sql,
    /// YAML or JSON that may be an API description or a schema.
    Data,
    /// Settings, manifests, containers, pipelines.
    Config,
}

/// A file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path from the repository, with `/`.
    pub path: String,
    /// What it is.
    pub sort: Sort,
}

/// A walked repository.
#[derive(Clone, Debug)]
pub struct Survey {
    /// The repository.
    pub home: PathBuf,
    /// The folder of the knowledge base from the repository, with a final `/`; empty when it lies elsewhere.
    pub base: String,
    /// Its files worth reading, sorted by path.
    pub files: Vec<File>,
    /// Files left out because their folder holds very many.
    pub sampled_out: usize,
}

impl Survey {
    /// Walks `home`; what lies under `base` (the knowledge base) is left out.
    ///
    /// # Errors
    /// An input error when the repository cannot be read.
    pub fn walk(home: &Path, base: &Path) -> Result<Self> {
        fs::read_dir(home).map_err(|e| Error::io(home, &e))?;
        let inside = base.strip_prefix(home).ok().and_then(slashed).filter(|p| !p.is_empty());
        let (base, norm) = (base.to_owned(), home.join("rag.md"));
        let walker = WalkBuilder::new(home)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .follow_links(false)
            .filter_entry(move |e| {
                let name = e.file_name().to_string_lossy();
                let hidden = name.starts_with('.') && !matches!(&*name, ".github" | ".gitlab-ci.yml");
                let built = e.file_type().is_some_and(|t| t.is_dir()) && FOREIGN.contains(&&*name);
                e.depth() == 0 || !(hidden || built || e.path() == base || e.path() == norm)
            })
            .build();
        let mut files = Vec::new();
        for entry in walker {
            let entry = match entry {
                Ok(entry) => entry,
                // What nobody may read, or what is gone meanwhile, is no source; anything else is a failure.
                Err(e) => match e.io_error() {
                    Some(io) if !matches!(io.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
                        return Err(Error::io(home, io));
                    }
                    _ => continue,
                },
            };
            let small = entry.metadata().is_ok_and(|m| m.is_file() && m.len() <= MOST_BYTES);
            let path = entry.path().strip_prefix(home).ok().and_then(slashed);
            if let (true, Some(path)) = (small, path)
                && let Some(sort) = sort_of(&path)
            {
                files.push(File { path, sort });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let before = files.len();
        let files = sample(files, MOST_FILES);
        let base = inside.map(|path| format!("{path}/")).unwrap_or_default();
        Ok(Survey { home: home.to_owned(), base, sampled_out: before - files.len(), files })
    }

    /// The text of a file, secrets masked; `None` when it is not UTF-8 or is gone.
    pub fn read(&self, path: &str) -> Option<String> {
        let bytes = read::bytes(under(&self.home, path)).ok()?;
        let text = crate::markdown::decode::text(bytes).ok()?;
        Some(secret::mask(&text).trim_start_matches('\u{feff}').replace("\r\n", "\n"))
    }

    /// The files of a sort.
    pub fn of(&self, sort: Sort) -> impl Iterator<Item = &str> {
        self.files.iter().filter(move |f| f.sort == sort).map(|f| f.path.as_str())
    }
}

/// What a file is by its name; `None` for what is not read.
pub fn sort_of(path: &str) -> Option<Sort> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    let secret =
        lower.starts_with(".env") || ["key", "pem", "p12", "pfx", "jks", "keystore"].contains(&extension);
    let lock = lower.ends_with(".lock") || lower.ends_with("-lock.json") || lower.ends_with("-lock.yaml");
    let made = stem.ends_with(".min") || stem.ends_with(".generated") || stem.ends_with("_pb2");
    if secret || lock || made || ["secrets", "credentials", "id_rsa"].contains(&stem) {
        return None;
    }
    match extension {
        "md" | "markdown" | "mdx" => Some(Sort::Document),
        "rs" | "py" | "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" | "mts" | "go" | "java" | "kt" | "rb"
        | "php" | "cs" | "c" | "cc" | "cpp" | "h" | "hpp" | "swift" | "scala" | "vue" | "svelte" | "sh" => {
            if is_config_script(&lower) {
                Some(Sort::Config)
            } else {
                Some(if is_test(&path.to_ascii_lowercase()) { Sort::Test } else { Sort::Source })
            }
        }
        "sql" => Some(Sort::Sql),
        "toml" | "ini" | "cfg" | "properties" => Some(Sort::Config),
        "yml" | "yaml" | "json"
            if path.starts_with(".github/") || is_manifest(&lower) || is_settings(stem) =>
        {
            Some(Sort::Config)
        }
        "yml" | "yaml" | "json" => Some(Sort::Data),
        _ if is_manifest(&lower) => Some(Sort::Config),
        "txt" | "" if ["readme", "contributing"].contains(&stem) || lower == "readme" => Some(Sort::Document),
        _ => None,
    }
}

fn is_manifest(name: &str) -> bool {
    matches!(
        name,
        "package.json"
            | "tsconfig.json"
            | "dockerfile"
            | "makefile"
            | "justfile"
            | "compose.yml"
            | "compose.yaml"
            | "docker-compose.yml"
            | "docker-compose.yaml"
            | ".gitlab-ci.yml"
            | "go.mod"
            | "pom.xml"
            | "requirements.txt"
            | "gemfile"
            | "procfile"
    ) || name.starts_with("dockerfile.")
}

/// `config`, `settings.local`, `application-prod`: settings by their name.
fn is_settings(stem: &str) -> bool {
    let first = stem.split(['.', '-', '_']).next().unwrap_or(stem);
    matches!(first, "config" | "configuration" | "settings" | "application" | "appsettings")
        && !stem.ends_with("schema")
}

fn is_config_script(name: &str) -> bool {
    name.contains(".config.") || matches!(name, "setup.py" | "conftest.py" | "build.rs")
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let folder = path.split('/').rev().skip(1);
    let mut folders = folder.map(|f| matches!(f, "tests" | "test" | "__tests__" | "spec" | "e2e"));
    folders.any(|is| is)
        || name.starts_with("test_")
        || [".test.", ".spec.", "_test."].iter().any(|mark| name.contains(mark))
}

/// At most `most` files: folders that hold very many give an even sample of theirs.
fn sample(files: Vec<File>, most: usize) -> Vec<File> {
    if files.len() <= most {
        return files;
    }
    let mut folders: BTreeMap<String, Vec<File>> = BTreeMap::new();
    for file in files {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        folders.entry(folder).or_default().push(file);
    }
    let share = [200, 100, 50, 20, 10, 5, 2, 1]
        .into_iter()
        .find(|share| folders.values().map(|f| f.len().min(*share)).sum::<usize>() <= most)
        .unwrap_or(1);
    let mut out: Vec<File> = folders
        .into_values()
        .flat_map(|inside| {
            let step = inside.len().div_ceil(share).max(1);
            inside.into_iter().step_by(step)
        })
        .collect();
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out.truncate(most);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_name() {
        for (path, sort) in [
            ("README.md", Some(Sort::Document)),
            ("src/auth/login.py", Some(Sort::Source)),
            ("tests/test_login.py", Some(Sort::Test)),
            ("src/a.test.ts", Some(Sort::Test)),
            ("db/001_init.sql", Some(Sort::Sql)),
            ("openapi.yaml", Some(Sort::Data)),
            ("Cargo.toml", Some(Sort::Config)),
            ("Dockerfile", Some(Sort::Config)),
            (".github/workflows/ci.yml", Some(Sort::Config)),
            ("vite.config.ts", Some(Sort::Config)),
            ("config.yaml", Some(Sort::Config)),
            ("src/main/resources/application-prod.yml", Some(Sort::Config)),
            ("appsettings.json", Some(Sort::Config)),
            ("config.schema.json", Some(Sort::Data)),
            ("applications.json", Some(Sort::Data)),
            ("Cargo.lock", None),
            ("package-lock.json", None),
            (".env", None),
            ("deploy/server.pem", None),
            ("logo.png", None),
        ] {
            assert_eq!(sort_of(path), sort, "{path}");
        }
    }

    #[test]
    fn very_many_files_are_sampled_evenly() {
        let files = (0..1000).map(|n| File { path: format!("a/{n:04}.md"), sort: Sort::Document });
        let mut files: Vec<File> = files.collect();
        files.push(File { path: "b/x.md".into(), sort: Sort::Document });
        let kept = sample(files, 101);
        assert!(kept.len() <= 101 && kept.iter().any(|f| f.path == "b/x.md"));
        assert!(kept.iter().any(|f| f.path.as_str() > "a/0900.md"));
    }
}
