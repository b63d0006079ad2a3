//! Other people's watch notes → notes of our own form below a root of the workspace.
//!
//! A note is written as Markdown that the workspace reads back to the same fields; one that it would
//! read otherwise is left out with its reason. Nothing is overwritten: the same note is *same*,
//! another one of the same name gets a number. Nothing is lost unseen: read = added + same +
//! superseded + not notes + excluded, and fields that nothing reads are counted by name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::collect;
use super::mapping::{Fields, Mapping};
use super::scan::{self, Settings};
use crate::base::error::IoContext;
use crate::base::id::ascii_slug;
use crate::base::{Error, Result};
use crate::memory::excluded::Excluded;
use crate::memory::import::{File, has_extension, items, text};
use crate::memory::secrets;
use crate::memory::tree::Path as Field;
use crate::memory::{Memory, document};
use crate::store::lock::{Reindex, Writing};
use crate::store::{atomic, inside};
use crate::tr;

/// The kinds of files that are looked for in a directory.
pub const EXTENSIONS: [&str; 6] = ["md", "markdown", "yaml", "yml", "json", "jsonl"];
/// Where our own notes lie, relative to the workspace.
const OWN_ROOT: &str = "docs/veille";
/// Longest part of a file name that comes from the title.
const SLUG_CHARS: usize = 60;

/// A note that can be imported.
#[derive(Clone, Debug)]
struct Incoming {
    fields: Fields,
    /// The text below the front matter, when the summary is another.
    body: Option<String>,
    origin: (String, Option<u64>),
}

/// What was read from the files.
#[derive(Clone, Debug, Default)]
pub struct Found {
    notes: Vec<Incoming>,
    read: usize,
    not_notes: usize,
    excluded: Vec<Excluded>,
    unmapped: BTreeMap<String, usize>,
}

/// What an import did, every item counted once.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Imported {
    /// Items read.
    pub read: usize,
    /// Notes written.
    pub added: usize,
    /// Of those, how many got a number because another note had their name.
    pub disambiguated: usize,
    /// Notes that the workspace has already.
    pub same: usize,
    /// Older editions of a title.
    pub superseded: usize,
    /// Files and items that hold no note.
    pub not_notes: usize,
    /// Left out, with the reason.
    pub excluded: Vec<Excluded>,
    /// Fields of the imported documents that no mapping reads, and in how many they stood.
    pub unmapped: BTreeMap<String, usize>,
    /// The files written, relative to the workspace.
    pub paths: Vec<String>,
}

/// Reads `files`; `at` leads to the items of JSON and YAML documents. `excluded` holds what the search
/// for files left out.
///
/// # Errors
/// I/O.
pub fn read(files: &[File], at: Option<&Field>, mapping: &Mapping, excluded: Vec<Excluded>) -> Result<Found> {
    let mut found = Found { excluded, ..Found::default() };
    for file in files {
        let shown = &file.1;
        if has_extension(&file.0, &["md", "markdown"]) {
            let Some(text) = text(file, &mut found.excluded)? else { continue };
            match document::markdown(&text) {
                Ok(Some((front, body))) => found.take(&front, body, mapping, (shown.clone(), None)),
                Ok(None) => found.skip(),
                Err(reason) => found.exclude((shown.clone(), None), reason),
            }
        } else {
            for (line, item) in items(file, at, &mut found.excluded)? {
                found.take(&item, "", mapping, (shown.clone(), line));
            }
        }
    }
    found.read += found.excluded.len();
    Ok(found)
}

impl Found {
    fn take(&mut self, document: &Value, body: &str, mapping: &Mapping, origin: (String, Option<u64>)) {
        let Value::Object(map) = document else { return self.skip() };
        match mapping.apply(document, body, &origin.0) {
            Ok(fields) => {
                for key in map.keys().filter(|key| !mapping.reads(key)) {
                    *self.unmapped.entry(key.clone()).or_default() += 1;
                }
                let body = Some(body.trim()).filter(|b| !b.is_empty() && mapping.has_summary(document));
                let body = body.filter(|b| *b != fields.summary).map(str::to_owned);
                self.read += 1;
                self.notes.push(Incoming { fields, body, origin });
            }
            Err(reason) => self.exclude(origin, reason),
        }
    }

    fn skip(&mut self) {
        self.read += 1;
        self.not_notes += 1;
    }

    fn exclude(&mut self, (origin, line): (String, Option<u64>), reason: String) {
        self.excluded.push(Excluded { origin, line, reason });
    }
}

/// Writes the notes that the workspace does not have; with `dry_run` nothing. With `latest` only the
/// newest of equal titles counts.
///
/// # Errors
/// Usage when the workspace's configuration would not find the notes; ERR-295-09; I/O.
pub fn add(memory: &Memory<'_>, mut found: Found, latest: bool, dry_run: bool) -> Result<Imported> {
    let mut locks = memory.locks();
    let (guard, _) = locks.begin().exclusive::<Reindex>()?;
    let settings = Settings { by_title: false, ..collect::settings(memory)? };
    let shelf = Shelf::open(memory, &settings)?;
    let mut report = Imported { read: found.read, not_notes: found.not_notes, ..Imported::default() };
    if latest {
        report.superseded = scan::keep_latest(&mut found.notes, |note| &note.fields);
    }
    let mut known: HashMap<String, Vec<Fields>> = HashMap::new();
    for note in scan::scan(&settings)?.notes {
        known.entry(note.fields.title.clone()).or_default().push(note.fields);
    }
    let mut taken = HashSet::new();
    for note in found.notes {
        let same = known.entry(note.fields.title.clone()).or_default();
        if same.contains(&note.fields) {
            report.same += 1;
            continue;
        }
        let (path, text, numbered) = match shelf.place(&note, &settings.mapping, &taken) {
            Ok(placed) => placed,
            Err(reason) => {
                found.excluded.push(Excluded { origin: note.origin.0, line: note.origin.1, reason });
                continue;
            }
        };
        if !dry_run {
            shelf.write(&path, &text, &guard)?;
        }
        same.push(note.fields);
        taken.insert(path.clone());
        report.added += 1;
        report.disambiguated += usize::from(numbered);
        report.paths.push(path);
    }
    report.excluded = found.excluded;
    report.unmapped = found.unmapped;
    Ok(report)
}

/// Where imported notes go.
struct Shelf {
    workspace: PathBuf,
    /// Relative to the workspace.
    root: String,
}

impl Shelf {
    /// The root of our own notes, else the first root inside the workspace.
    fn open(memory: &Memory<'_>, settings: &Settings) -> Result<Shelf> {
        let workspace = memory.workspace.root();
        let inside = |root: &PathBuf| {
            let relative = root.strip_prefix(workspace).ok()?.to_str()?.to_owned();
            inside::is_plain(&relative).then_some(relative)
        };
        let mut roots: Vec<String> = settings.roots.iter().filter_map(inside).collect();
        roots.sort_by_key(|root| root != OWN_ROOT);
        let glob = globset::GlobBuilder::new(&settings.glob).literal_separator(true).build();
        let matches = glob.is_ok_and(|glob| glob.compile_matcher().is_match("2026-01-01-note.md"));
        match roots.into_iter().next().filter(|_| matches) {
            Some(root) => Ok(Shelf { workspace: workspace.to_owned(), root }),
            None => Err(Error::usage(tr!(
                "[veille] roots et glob ne mènent à aucun Markdown de cet espace : rien n'a été écrit",
                "[veille] roots and glob lead to no Markdown of this workspace: nothing was written"
            ))
            .hint(tr!(
                "ajoutez \"{OWN_ROOT}\" à roots, et le Markdown à glob, comme **/*.{{md,yaml}}",
                "add \"{OWN_ROOT}\" to roots, and Markdown to glob, such as **/*.{{md,yaml}}"
            ))),
        }
    }

    /// Path and text of a note, and whether it got a number; the reason when it cannot be one.
    fn place(
        &self,
        note: &Incoming,
        mapping: &Mapping,
        taken: &HashSet<String>,
    ) -> Result<(String, String, bool), String> {
        refuse_secrets(note)?;
        let mut slug: String = ascii_slug(&note.fields.title).chars().take(SLUG_CHARS).collect();
        slug.truncate(slug.trim_end_matches('-').len());
        let slug = if slug.is_empty() { "note" } else { &slug };
        let text = render(note);
        for n in 1.. {
            let number = if n == 1 { String::new() } else { format!("-{n}") };
            let path = format!("{}/{}-{slug}{number}.md", self.root, note.fields.date);
            if taken.contains(&path) || self.workspace.join(&path).symlink_metadata().is_ok() {
                continue;
            }
            let again = document::markdown(&text).and_then(|read| {
                let (front, body) = read.ok_or_else(|| tr!("sans front matter", "without front matter"))?;
                mapping.apply(&front, body, &path)
            });
            return match again {
                Ok(fields) if fields == note.fields => Ok((path, text, n > 1)),
                Ok(_) => Err(tr!(
                    "[veille] de cet espace lirait la note autrement ; ajoutez nos noms à fields, comme verdict = \"ring|verdict\"",
                    "[veille] of this workspace would read the note otherwise; add our names to fields, such as verdict = \"ring|verdict\""
                )),
                Err(why) => Err(tr!(
                    "[veille] de cet espace ne lirait pas la note ({why}) ; ajoutez nos noms à fields, comme verdict = \"ring|verdict\"",
                    "[veille] of this workspace would not read the note ({why}); add our names to fields, such as verdict = \"ring|verdict\""
                )),
            };
        }
        Err(String::new())
    }

    fn write(&self, path: &str, text: &str, guard: &impl Writing) -> Result<()> {
        let full = inside::join(&self.workspace, path)?;
        if let Some(dir) = full.parent() {
            std::fs::create_dir_all(dir).at(dir)?;
        }
        atomic::replace(&full, text.as_bytes(), guard)
    }
}

fn refuse_secrets(note: &Incoming) -> Result<(), String> {
    let tags = note.fields.tags.join("\n");
    let texts = [
        ("title", note.fields.title.as_str()),
        ("summary", &note.fields.summary),
        ("body", note.body.as_deref().unwrap_or("")),
        ("url", note.fields.url.as_deref().unwrap_or("")),
        ("tags", &tags),
    ];
    secrets::refuse(&texts)
}

/// The note as Markdown of our own form.
fn render(note: &Incoming) -> String {
    let fields = &note.fields;
    let mut out = format!("---\ntitle: {}\ndate: {}\n", quoted(&fields.title), fields.date);
    for (name, value) in [("url", &fields.url), ("domain", &fields.domain)] {
        if let Some(value) = value {
            out.push_str(&format!("{name}: {}\n", quoted(value)));
        }
    }
    if !fields.tags.is_empty() {
        let tags: Vec<String> = fields.tags.iter().map(|t| quoted(t)).collect();
        out.push_str(&format!("tags: [{}]\n", tags.join(", ")));
    }
    out.push_str(&format!("impact_pv: {}\nverdict: {}\n", fields.impact, fields.verdict));
    if note.body.is_some() {
        out.push_str(&format!("summary: {}\n", quoted(&fields.summary)));
    }
    let (origin, line) = &note.origin;
    // An absolute path says where somebody's files lie, not where the note comes from.
    let name = Path::new(origin);
    let name = if name.is_absolute() { name.file_name().unwrap_or_default() } else { name.as_os_str() };
    let line = line.map(|n| format!(":{n}")).unwrap_or_default();
    out.push_str(&format!("imported_from: {}\n", quoted(&format!("{}{line}", name.to_string_lossy()))));
    out.push_str(&format!("---\n\n{}\n", note.body.as_deref().unwrap_or(&fields.summary)));
    out
}

/// `text` as a double-quoted YAML scalar on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // Line ends of YAML, and what it does not call printable.
            '\u{2028}' | '\u{2029}' | '\u{feff}' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own() -> Mapping {
        Mapping::new(&BTreeMap::new(), &BTreeMap::new(), None).unwrap()
    }

    fn read_back(note: &Incoming) -> Result<Fields, String> {
        let text = render(note);
        let (front, body) = document::markdown(&text)?.ok_or("no front matter")?;
        own().apply(&front, body, "x.md")
    }

    proptest! {
        #[test]
        fn a_rendered_note_reads_back(title in "\\PC{1,40}", summary in "(?s).{1,200}", tag in "[^,]{1,10}", body in proptest::option::of("(?s).{1,100}")) {
            let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
            let (summary, tag) = (summary.trim().to_owned(), tag.trim().to_owned());
            prop_assume!(!title.is_empty() && !summary.is_empty() && !tag.is_empty());
            let fields = Fields {
                title, date: crate::base::Date::parse("2026-03-12").unwrap(), url: Some("https://x/?a=1#b".into()),
                domain: None, tags: vec![tag], impact: "fort".into(), verdict: "adopter".into(), summary,
            };
            let body = body.map(|b| b.trim().to_owned()).filter(|b| !b.is_empty());
            let note = Incoming { fields: fields.clone(), body, origin: ("a \"b\".md".into(), Some(3)) };
            // What YAML cannot carry is refused, never changed.
            if let Ok(read) = read_back(&note) {
                prop_assert_eq!(read, fields);
            }
        }
    }

    #[test]
    fn foreign_documents_are_counted_and_keep_their_text() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &[u8]| {
            std::fs::write(dir.path().join(name), text).unwrap();
            (dir.path().join(name), format!("radar/{name}"))
        };
        let files = [
            file(
                "2023-01-31-a.md",
                b"---\nname: A\nring: Trial\nintro: Short\nfeatured: true\n---\nLong text\n",
            ),
            file("b.yaml", b"- {name: B, ring: adopt, date: 2024-02-29, intro: x}\n- 7\n"),
            file(
                "c.jsonl",
                b"{\"name\":\"C\",\"ring\":\"maybe\",\"date\":\"2024-01-01\",\"intro\":\"x\"}\nrubbish\n",
            ),
            file("d.md", b"# none\n"),
            file("e.md", b"\xff\xfe\x00"),
            file("f.yaml", b"a: [\n"),
        ];
        let pairs = [("title", "name"), ("verdict", "ring"), ("summary", "intro")];
        let fields = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let mapping = Mapping::new(&fields, &BTreeMap::new(), Some("faible")).unwrap();
        let found = read(&files, None, &mapping, Vec::new()).unwrap();
        // a, b[0], b[1], c:1, c:2, d, e, f.
        assert_eq!((found.read, found.notes.len(), found.not_notes, found.excluded.len()), (8, 2, 2, 4));
        assert_eq!(found.unmapped, BTreeMap::from([("featured".to_owned(), 1)]));
        assert_eq!(found.notes[0].fields.date.to_string(), "2023-01-31");
        assert_eq!(found.notes[0].body.as_deref(), Some("Long text"));
        let text = render(&found.notes[0]);
        assert!(text.contains("summary: \"Short\"") && text.ends_with("---\n\nLong text\n"), "{text}");
        assert!(text.contains("imported_from: \"radar/2023-01-31-a.md\""), "{text}");
        assert_eq!(read_back(&found.notes[0]).unwrap(), found.notes[0].fields);
    }
}
