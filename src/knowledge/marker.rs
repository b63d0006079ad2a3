//! `.rag`: its presence makes a base, its few keys configure it.
//!
//! `version` and `root` are required, any version but 1 is refused, unknown keys warn.

use std::fs;
use std::path::{Path, PathBuf};

use crate::base::error::IoContext;
use crate::base::lang::Lang;
use crate::base::{Error, Kind, Result};
use crate::markdown::front_matter::{Entry, Node, NodeKind, parse_file};
use crate::markdown::{LineIndex, decode};
use crate::tr;

/// The name of the file.
pub const NAME: &str = ".rag";

/// The limits of `tokens:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Pages above which the manifest is sharded.
    pub pages: usize,
    /// Tokens of a manifest above which it is sharded.
    pub index: usize,
    /// Tokens of a page's front matter above which it is too long.
    pub front_matter: usize,
    /// Default budget of a query, in tokens.
    pub query: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { pages: 500, index: 8_000, front_matter: 400, query: 800 }
    }
}

/// A configured base.
#[derive(Clone, Debug)]
pub struct Marker {
    /// The `.rag` file.
    pub path: PathBuf,
    /// The folder that holds it; `impl_refs` start here.
    pub home: PathBuf,
    /// The root of the base.
    pub root: PathBuf,
    /// The root as written.
    pub root_text: String,
    /// Default language of the pages.
    pub lang: Lang,
    /// Whether `.rag` says so itself.
    pub lang_given: bool,
    /// File name of the manifest.
    pub manifest: String,
    /// File name of the graph.
    pub relations: String,
    /// File name of the map.
    pub overview: String,
    /// Longest summary, in Unicode characters.
    pub summary_max: usize,
    /// Whether `update` ends with `check`.
    pub check_on_update: bool,
    /// `check.ignore`: a code, a glob of pages, or `CODE:glob`.
    pub ignore: Vec<String>,
    /// `check.baseline`: a file of known findings, relative to the folder of `.rag`.
    pub baseline: Option<String>,
    /// Extensions of pages, without dot: `md`, `markdown` and the configured ones.
    pub extensions: Vec<String>,
    /// Limits in tokens and pages.
    pub limits: Limits,
    /// Unknown keys and the like, one sentence each.
    pub warnings: Vec<String>,
}

/// The nearest folder at or above `start` that holds `.rag`.
pub fn find(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|dir| dir.join(NAME)).find(|path| path.is_file())
}

/// The active base at or above `start`.
///
/// # Errors
/// [`Kind::Negative`] (exit 1) when there is no `.rag`; usage errors of a wrong one.
pub fn open(start: &Path) -> Result<Marker> {
    let path = find(start).ok_or_else(|| {
        Error::new(
            Kind::Negative,
            tr!(
                "pas de fichier .rag dans {} ni au-dessus : le RAG n'est pas actif",
                "no .rag file in {} or above: no knowledge base is active",
                start.display()
            ),
        )
        .hint("govrag init")
    })?;
    let text = fs::read(&path).at(&path)?;
    let text = decode::text(text).map_err(|e| {
        Error::usage(format!("{}: {e}", path.display()))
            .hint(tr!("enregistrez {NAME} en UTF-8", "save {NAME} as UTF-8"))
    })?;
    parse(&path, &text)
}

/// Reads the text of the `.rag` file at `path`.
///
/// # Errors
/// A usage error (exit 2) that names the line.
pub fn parse(path: &Path, text: &str) -> Result<Marker> {
    let lines = LineIndex::new(text);
    let wrong = |at: usize, message: String, hint: String| {
        Error::usage(format!("{}:{}: {message}", path.display(), lines.line(at))).hint(hint)
    };
    let fields = parse_file(text).map_err(|f| wrong(f.span.start, f.message, f.hint))?;
    let mut reader = Reader { wrong: &wrong, warnings: Vec::new(), path, lines: &lines };
    let home = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned();
    let mut m = Marker {
        path: path.to_owned(),
        root: PathBuf::new(),
        root_text: String::new(),
        home,
        lang: Lang::Fr,
        lang_given: false,
        manifest: "INDEX.md".to_owned(),
        relations: "RELATIONS.yaml".to_owned(),
        overview: "OVERVIEW.md".to_owned(),
        summary_max: 240,
        check_on_update: true,
        ignore: Vec::new(),
        baseline: None,
        extensions: vec!["md".to_owned(), "markdown".to_owned()],
        limits: Limits::default(),
        warnings: Vec::new(),
    };
    let mut version = None;
    for entry in &fields {
        match entry.key.as_str() {
            "version" => version = Some((reader.text(entry)?, entry.value.span.start)),
            "root" => m.root_text = reader.text(entry)?,
            "lang" => {
                let text = reader.text(entry)?;
                m.lang_given = Lang::from_locale(&text).is_some();
                m.lang = Lang::from_locale(&text).unwrap_or_else(|| {
                    reader.warn(entry, tr!("langue inconnue : {text}", "unknown language: {text}"));
                    Lang::Fr
                });
            }
            "summary_max" => m.summary_max = reader.number(entry)?,
            "check_on_update" => m.check_on_update = reader.flag(entry)?,
            "extensions" => {
                let more = reader.list(entry)?;
                let more = more.into_iter().map(|e| e.trim_start_matches('.').to_ascii_lowercase());
                m.extensions.extend(more.filter(|e| e != "md" && e != "markdown"));
            }
            "index" => {
                for e in reader.map(entry)? {
                    match e.key.as_str() {
                        "manifest" => m.manifest = reader.file_name(e)?,
                        "relations" => m.relations = reader.file_name(e)?,
                        "overview" => m.overview = reader.file_name(e)?,
                        _ => reader.unknown(e),
                    }
                }
            }
            "check" => {
                for e in reader.map(entry)? {
                    match e.key.as_str() {
                        "ignore" => m.ignore = reader.list(e)?,
                        "baseline" => m.baseline = Some(reader.text(e)?),
                        _ => reader.unknown(e),
                    }
                }
            }
            "tokens" => {
                for e in reader.map(entry)? {
                    match e.key.as_str() {
                        "pages" => m.limits.pages = reader.number(e)?,
                        "index" => m.limits.index = reader.number(e)?,
                        "front_matter" => m.limits.front_matter = reader.number(e)?,
                        "query" => m.limits.query = reader.number(e)?,
                        _ => reader.unknown(e),
                    }
                }
            }
            _ => reader.unknown(entry),
        }
    }
    match version {
        Some((v, _)) if v == "1" => {}
        Some((v, at)) => {
            return Err(wrong(
                at,
                tr!(
                    "version {v} de la norme : seule la version 1 est connue",
                    "version {v} of the norm: only version 1 is known"
                ),
                tr!("mettez version: \"1\" ou mettez govrag à jour", "set version: \"1\" or update govrag"),
            ));
        }
        None => {
            return Err(wrong(
                0,
                tr!("clé version absente", "the key version is missing"),
                "version: \"1\"".to_owned(),
            ));
        }
    }
    if m.root_text.trim().is_empty() {
        return Err(wrong(
            0,
            tr!("clé root absente", "the key root is missing"),
            "root: ./docs-rag".to_owned(),
        ));
    }
    let names = [&m.manifest, &m.relations, &m.overview];
    if names[0] == names[1] || names[1] == names[2] || names[0] == names[2] {
        return Err(wrong(
            0,
            tr!("deux index ont le même nom", "two indexes have the same name"),
            "index:".to_owned(),
        ));
    }
    m.root = normal(&m.home.join(&m.root_text));
    m.warnings = reader.warnings;
    Ok(m)
}

/// Without `.` components; `..` stays, so that links on the way keep their meaning.
fn normal(path: &Path) -> PathBuf {
    path.components().filter(|c| !matches!(c, std::path::Component::CurDir)).collect()
}

impl Marker {
    /// Whether the root exists and holds at least one page or folder.
    pub fn is_initialised(&self) -> bool {
        fs::read_dir(&self.root).is_ok_and(|mut entries| entries.next().is_some())
    }

    /// Refuses a root that is missing or empty.
    ///
    /// # Errors
    /// [`Kind::Negative`] (exit 1), with the command to run.
    pub fn require_initialised(&self) -> Result<()> {
        if self.is_initialised() {
            return Ok(());
        }
        let root = self.root.display();
        Err(Error::new(
            Kind::Negative,
            tr!(
                "la racine {root} est absente ou vide : base non initialisée",
                "the root {root} is missing or empty: the base is not initialised"
            ),
        )
        .hint("govrag init"))
    }

    /// The path of the root from the folder of `.rag` with `/`, when it lies inside; `""` for the
    /// folder itself.
    pub fn root_from_home(&self) -> Option<String> {
        let home = fs::canonicalize(&self.home).unwrap_or_else(|_| self.home.clone());
        let root = fs::canonicalize(&self.root).unwrap_or_else(|_| self.root.clone());
        let inside = root.strip_prefix(&home).ok()?;
        Some(
            inside
                .components()
                .map(|c| c.as_os_str().to_string_lossy().into_owned())
                .collect::<Vec<_>>()
                .join("/"),
        )
    }
}

struct Reader<'a> {
    wrong: &'a dyn Fn(usize, String, String) -> Error,
    warnings: Vec<String>,
    path: &'a Path,
    lines: &'a LineIndex<'a>,
}

impl Reader<'_> {
    fn warn(&mut self, entry: &Entry, message: String) {
        let line = self.lines.line(entry.key_span.start);
        self.warnings.push(format!("{}:{line}: {message}", self.path.display()));
    }

    fn unknown(&mut self, entry: &Entry) {
        self.warn(entry, tr!("clé inconnue « {} »", "unknown key '{}'", entry.key));
    }

    fn text(&self, entry: &Entry) -> Result<String> {
        entry.value.text().map(str::to_owned).ok_or_else(|| self.expected(entry, &tr!("un texte", "a text")))
    }

    fn number(&self, entry: &Entry) -> Result<usize> {
        entry
            .value
            .text()
            .and_then(|t| t.parse().ok())
            .filter(|n| *n > 0)
            .ok_or_else(|| self.expected(entry, &tr!("un entier positif", "a positive integer")))
    }

    fn flag(&self, entry: &Entry) -> Result<bool> {
        match entry.value.text() {
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            _ => Err(self.expected(entry, "true, false")),
        }
    }

    fn list(&self, entry: &Entry) -> Result<Vec<String>> {
        let fault = || self.expected(entry, &tr!("une liste de textes", "a list of texts"));
        match &entry.value.kind {
            NodeKind::List(items) => {
                items.iter().map(|n: &Node| n.text().map(str::to_owned).ok_or_else(fault)).collect()
            }
            _ => Err(fault()),
        }
    }

    fn map<'e>(&self, entry: &'e Entry) -> Result<&'e [Entry]> {
        match &entry.value.kind {
            NodeKind::Map(entries) => Ok(entries),
            NodeKind::Null => Ok(&[]),
            _ => Err(self.expected(entry, &tr!("des clés", "keys"))),
        }
    }

    fn file_name(&self, entry: &Entry) -> Result<String> {
        let name = self.text(entry)?;
        let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && !name.starts_with('.');
        if plain { Ok(name) } else { Err(self.expected(entry, &tr!("un nom de fichier", "a file name"))) }
    }

    fn expected(&self, entry: &Entry, what: &str) -> Error {
        (self.wrong)(
            entry.key_span.start,
            tr!("{} : {what} est attendu", "{}: {what} is expected", entry.key),
            tr!("corrigez la valeur de {}", "correct the value of {}", entry.key),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Marker> {
        parse(Path::new("/w/.rag"), text)
    }

    #[test]
    fn the_norm_s_example() {
        let m = read("# c\nversion: \"1\"   # v\nroot: ./docs-rag\nlang: fr\nindex:\n  manifest: INDEX.md\n  relations: RELATIONS.yaml\n  overview: OVERVIEW.md\nsummary_max: 240\ncheck_on_update: true\n").expect("marker");
        assert_eq!(
            (m.root.as_path(), m.summary_max, m.check_on_update),
            (Path::new("/w/docs-rag"), 240, true)
        );
        assert!(m.warnings.is_empty());
        let m = read("version: 1\nroot: /mnt/kb\nindex:\n  manifest: LISTE.md\ncheck:\n  ignore: [W002]\n  baseline: b.json\nextensions: [.mdx]\ntokens:\n  index: 4000\nfoo: x\n").expect("marker");
        assert_eq!((m.root.as_path(), m.manifest.as_str()), (Path::new("/mnt/kb"), "LISTE.md"));
        assert_eq!((m.ignore.len(), m.baseline.as_deref(), m.extensions.len()), (1, Some("b.json"), 3));
        assert_eq!((m.limits.index, m.limits.pages), (4000, 500));
        assert!(m.warnings[0].contains(":11:") && m.warnings[0].contains("foo"));
    }

    #[test]
    fn wrong_markers_name_the_line() {
        for (text, line) in [
            ("version: \"2\"\nroot: x\n", ":1:"),
            ("root: x\n", ":1:"),
            ("version: 1\n", ":1:"),
            ("version: 1\nroot: x\nsummary_max: many\n", ":3:"),
            ("version: 1\nroot: x\nindex:\n  manifest: a/b.md\n", ":4:"),
            ("version: 1\nroot: x\nindex:\n  manifest: OVERVIEW.md\n", ":1:"),
            ("version: 1\nroot: x\nroot: y\n", ":3:"),
        ] {
            let e = read(text).expect_err(text);
            assert_eq!(e.exit(), 2, "{text}");
            assert!(e.message().contains(line), "{text}: {}", e.message());
            assert!(e.hint_text().is_some());
        }
    }
}
