//! The file keyring of a single user: one JSON document of mode 0600 with every version.
//!
//! Old keys stay beside the current one, so that archive and replacement are one atomic rename.
//! Wider permissions, another kind of file, and a document that is not exactly ours are refused.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zeroize::Zeroizing;

use super::key::Key;
use super::keyring::{CurrentKey, Keyring, Replaced, unavailable};
use crate::base::{Error, Instant, Result};
use crate::store::lock::{LockSettings, Single};
use crate::store::{atomic, open};

const MAX_BYTES: u64 = 1 << 20;

/// A keyring in a file.
#[derive(Clone, Debug)]
pub struct FileKeyring {
    path: PathBuf,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    current: u64,
    keys: BTreeMap<u64, Entry>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(deserialize_with = "secret")]
    key: Zeroizing<String>,
    created_at: Instant,
    #[serde(default)]
    rotated_at: Option<Instant>,
}

fn secret<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Zeroizing<String>, D::Error> {
    serde::Deserialize::deserialize(d).map(Zeroizing::new)
}

impl FileKeyring {
    /// The keyring at `path`; nothing is read yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        FileKeyring { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The document, `None` when the file does not exist.
    fn load(&self) -> Result<Option<Document>> {
        // A link is refused here as it is when the file is replaced, and a FIFO does not hang us.
        let file = match open::regular(&self.path, OpenOptions::new().read(true)) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) if self.path.is_symlink() => {
                return Err(self.failed(&e).hint(crate::tr!(
                    "nommez le fichier lui-même sous [audit] keyring_path",
                    "name the file itself under [audit] keyring_path"
                )));
            }
            Err(e) => return Err(self.failed(&e)),
        };
        let meta = file.metadata().map_err(|e| self.failed(&e))?;
        let path = self.path.display();
        if meta.mode() & 0o077 != 0 {
            return Err(unavailable(crate::tr!(
                "{path} est lisible par d'autres (mode {:o})",
                "{path} is open to others (mode {:o})",
                meta.mode() & 0o777
            ))
            .hint(crate::tr!("chmod 600 {path}", "chmod 600 {path}")));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(meta.len().min(MAX_BYTES) as usize + 1));
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| self.failed(&e))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(self.malformed("larger than 1 MiB"));
        }
        // serde's message could quote the content: only its position is told.
        let doc: Document = serde_json::from_slice(&bytes)
            .map_err(|e| self.malformed(&format!("line {} column {}", e.line(), e.column())))?;
        if !doc.keys.contains_key(&doc.current) {
            return Err(self.malformed("no key under the current version"));
        }
        if doc.keys.keys().next_back() != Some(&doc.current) || doc.keys.contains_key(&0) {
            return Err(self.malformed("the current version is not the highest"));
        }
        Ok(Some(doc))
    }

    fn key(&self, version: u64, entry: &Entry) -> Result<Arc<Key>> {
        Key::from_hex(&entry.key)
            .map(Arc::new)
            .ok_or_else(|| self.malformed(&format!("version {version} is not 64 hex digits")))
    }

    fn malformed(&self, what: &str) -> Error {
        let path = self.path.display();
        unavailable(crate::tr!(
            "le porte-clés {path} est malformé ({what})",
            "the keyring {path} is malformed ({what})"
        ))
        .hint(crate::tr!("restaurez-le depuis une sauvegarde", "restore it from a backup"))
    }

    fn failed(&self, e: &std::io::Error) -> Error {
        let io = Error::io(&self.path, e);
        let error = unavailable(io.message());
        match io.hint_text() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }

    /// An exclusive lock beside the keyring, so that two rotations cannot both read version v.
    fn lock(&self) -> Result<Single> {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".lock");
        // The keyring lies in the user's own configuration, not in the workspace.
        let settings = LockSettings { allow_network: true, ..LockSettings::default() };
        Single::take(Path::new(&name), &settings)
    }
}

fn render(doc: &Document) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(128 + 192 * doc.keys.len()));
    out.push_str(&format!("{{\n  \"current\": {},\n  \"keys\": {{", doc.current));
    for (i, (version, entry)) in doc.keys.iter().enumerate() {
        let rotated = match entry.rotated_at {
            Some(at) => format!("\"{at}\""),
            None => "null".to_owned(),
        };
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&format!("    \"{version}\": {{\"key\": \""));
        out.push_str(&entry.key);
        out.push_str(&format!("\", \"created_at\": \"{}\", \"rotated_at\": {rotated}}}", entry.created_at));
    }
    out.push_str("\n  }\n}\n");
    out
}

impl Keyring for FileKeyring {
    fn describe(&self) -> String {
        format!("file {}", self.path.display())
    }

    fn read_current(&self) -> Result<Option<CurrentKey>> {
        let Some(doc) = self.load()? else { return Ok(None) };
        let Some(entry) = doc.keys.get(&doc.current) else { return Ok(None) };
        Ok(Some(CurrentKey { version: doc.current, key: self.key(doc.current, entry)? }))
    }

    fn by_version(&self, version: u64) -> Result<Vec<Arc<Key>>> {
        let Some(doc) = self.load()? else {
            return self.current().map(|c| vec![c.key]);
        };
        doc.keys.get(&version).map(|entry| self.key(version, entry)).into_iter().collect()
    }

    fn archive(&self, _: &CurrentKey, _: Instant) -> Result<()> {
        // The replacement keeps every older key in the same document.
        Ok(())
    }

    fn replace(&self, expected: u64, key: &Key, at: Instant, above: u64) -> Result<Replaced> {
        let _lock = self.lock()?;
        let mut doc = self.load()?.unwrap_or(Document { current: 0, keys: BTreeMap::new() });
        if doc.current != expected {
            return Ok(Replaced::Lost);
        }
        if let Some(old) = doc.keys.get_mut(&doc.current) {
            old.rotated_at = Some(at);
        }
        let version = doc.current.max(above) + 1;
        doc.current = version;
        doc.keys.insert(version, Entry { key: key.to_hex(), created_at: at, rotated_at: None });
        atomic::replace_private(&self.path, render(&doc).as_bytes())?;
        Ok(Replaced::Done(version))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::base::Code;

    fn at(text: &str) -> Instant {
        Instant::parse(text).expect("instant")
    }

    #[test]
    fn versions_stay_and_compare_and_set_holds() {
        let dir = tempfile::tempdir().expect("dir");
        let ring = FileKeyring::new(dir.path().join("sub/keyring.json"));
        assert_eq!(ring.current().expect_err("absent").code(), Some(Code::AuditKeyUnavailable));
        let (a, b) = (Key::generate().expect("key"), Key::generate().expect("key"));
        let day = at("2026-04-11T09:42:17Z");
        assert_eq!(ring.replace(0, &a, day, 0).expect("first"), Replaced::Done(1));
        assert_eq!(ring.replace(0, &b, day, 0).expect("second"), Replaced::Lost);
        assert_eq!(ring.replace(1, &b, day, 6).expect("third"), Replaced::Done(7));
        assert_eq!(*ring.current().expect("current").key, b);
        assert_eq!(*ring.by_version(1).expect("old")[0], a);
        assert!(ring.by_version(2).expect("none").is_empty());
        let text = std::fs::read_to_string(ring.path()).expect("file");
        let json: serde_json::Value = serde_json::from_str(&text).expect("json");
        assert_eq!(json["current"], 7);
        assert_eq!(json["keys"]["1"]["rotated_at"], "2026-04-11T09:42:17Z");
        assert_eq!(json["keys"]["7"]["key"].as_str().map(str::len), Some(64));
        assert_eq!(std::fs::metadata(ring.path()).expect("meta").mode() & 0o777, 0o600);
    }

    #[test]
    fn bad_files_are_refused_without_quoting_them() {
        let dir = tempfile::tempdir().expect("dir");
        let path = dir.path().join("keyring.json");
        let ring = FileKeyring::new(&path);
        let secret = "5a".repeat(32);
        let good = format!(
            r#"{{"current":1,"keys":{{"1":{{"key":"{secret}","created_at":"2026-01-01T00:00:00Z"}}}}}}"#
        );
        let write = |text: &str, mode| {
            std::fs::write(&path, text).expect("write");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("mode");
        };
        write(&good, 0o600);
        assert_eq!(ring.current().expect("good").version, 1);
        let bad = [
            (good.clone(), 0o640),
            (good.clone(), 0o604),
            (good.replace("\"current\":1", "\"current\":2"), 0o600),
            (good.replace(&secret, &secret[1..]), 0o600),
            (good.replace(&secret, &"z".repeat(64)), 0o600),
            (good.replace("\"key\":", "\"key\":5,\"kez\":"), 0o600),
            (good.replace("2026-01-01T00:00:00Z", &secret), 0o600),
            (String::new(), 0o600),
            (format!("{good}{good}"), 0o600),
        ];
        for (text, mode) in bad {
            write(&text, mode);
            let e = ring.current().expect_err("refused");
            assert_eq!(e.code(), Some(Code::AuditKeyUnavailable), "{text}");
            assert!(!format!("{e} {e:?}").contains(&secret[..16]), "{e}");
        }
        std::fs::remove_file(&path).expect("remove");
        // Reading and rotating agree about links.
        let target = dir.path().join("target.json");
        std::fs::write(&target, &good).expect("target");
        std::fs::set_permissions(&target, std::fs::Permissions::from_mode(0o600)).expect("mode");
        std::os::unix::fs::symlink(&target, &path).expect("link");
        let refused = ring.current().expect_err("link");
        assert_eq!(refused.code(), Some(Code::AuditKeyUnavailable));
        assert!(refused.hint_text().expect("hint").contains("keyring_path"));
        let key = Key::generate().expect("key");
        assert_eq!(ring.replace(1, &key, at("2026-01-01T00:00:00Z"), 0).expect_err("link").exit(), 69);
        assert_eq!(std::fs::read_to_string(&target).expect("target"), good);
        std::fs::remove_file(&path).expect("remove");
        std::fs::create_dir(&path).expect("dir");
        assert_eq!(ring.current().expect_err("directory").code(), Some(Code::AuditKeyUnavailable));
    }
}
