//! The keyring in Vault or OpenBao: KV version 2, one path for the current key, archives below it.
//!
//! `key_version` is the version Vault counts. Old keys lie at `<path>/archive/<YYYY-MM-DD>`, a second
//! one of a day at `.2` and so on, each with the version it had. Keys are kept for the life of the
//! process and no longer.

use std::sync::{Arc, Mutex, PoisonError};

use super::key::Key;
use super::keyring::{CurrentKey, Keyring, Replaced};
use super::vault_client::{Act, Answer, VaultClient, status};
use super::vault_settings::VaultSettings;
use super::vault_trouble::Trouble;
use crate::base::{Error, Instant, Result};

/// Archives tried on one day before giving up.
const ARCHIVES_A_DAY: u32 = 1000;
/// Writes spent to get a version above the trail's last.
const MAX_BUMPS: u64 = 10_000;

/// A keyring in Vault.
pub struct VaultKeyring {
    client: VaultClient,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    current: Option<CurrentKey>,
    archived: Option<Vec<Archived>>,
    former: Vec<(u64, Option<Arc<Key>>)>,
}

#[derive(Clone)]
struct Archived {
    version: u64,
    key: Arc<Key>,
}

/// What a read found.
enum Found<T> {
    Value(T),
    Absent,
}

#[derive(serde::Deserialize)]
struct Reply<T> {
    data: T,
}

#[derive(serde::Deserialize)]
struct Secret<T> {
    data: Option<T>,
    metadata: Metadata,
}

#[derive(serde::Deserialize)]
struct Metadata {
    version: u64,
}

#[derive(serde::Deserialize)]
struct Names {
    keys: Vec<String>,
}

#[derive(serde::Deserialize)]
struct MainData {
    #[serde(deserialize_with = "wiped")]
    key: zeroize::Zeroizing<String>,
}

#[derive(serde::Deserialize)]
struct ArchiveData {
    #[serde(deserialize_with = "wiped")]
    key: zeroize::Zeroizing<String>,
    key_version: Version,
}

/// A number, or a string of digits as `vault kv put key_version=3` writes it.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Version {
    Number(u64),
    Text(String),
}

fn wiped<'de, D: serde::Deserializer<'de>>(
    d: D,
) -> std::result::Result<zeroize::Zeroizing<String>, D::Error> {
    serde::Deserialize::deserialize(d).map(zeroize::Zeroizing::new)
}

impl VaultKeyring {
    /// A keyring with these settings; nothing is sent yet. ERR-295-16 when they cannot be used.
    pub fn new(settings: VaultSettings) -> Result<Self> {
        let place = place(&settings);
        let client = VaultClient::new(settings).map_err(|t| t.at(&place))?;
        Ok(VaultKeyring { client, cache: Mutex::default() })
    }

    fn fail(&self, trouble: &Trouble) -> Error {
        trouble.at(&self.describe())
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self) -> &str {
        &self.client.settings().path
    }

    fn fetch_current(&self, act: &Act<'_>) -> std::result::Result<Option<CurrentKey>, Trouble> {
        let answer = act.read(self.path(), None)?;
        let (version, data) = match secret::<MainData>(&answer)? {
            Found::Absent => return Ok(None),
            Found::Value(found) => found,
        };
        let key = Key::from_hex(&data.key).ok_or(Trouble::Malformed("key is not 64 hex digits"))?;
        Ok(Some(CurrentKey { version, key: Arc::new(key) }))
    }

    /// Every archived key, read once per process.
    fn archived(&self, act: &Act<'_>) -> std::result::Result<Vec<Archived>, Trouble> {
        if let Some(archived) = &self.cache().archived {
            return Ok(archived.clone());
        }
        let folder = format!("{}/archive", self.path());
        let answer = act.list(&folder)?;
        let mut archived = Vec::new();
        if let Found::Value(Names { keys }) = value::<Names>(&answer)? {
            for name in keys.iter().filter(|name| !name.ends_with('/')) {
                if let Some(found) = self.read_archive(act, &format!("{folder}/{name}"))? {
                    archived.push(found);
                }
            }
        }
        self.cache().archived = Some(archived.clone());
        Ok(archived)
    }

    fn read_archive(&self, act: &Act<'_>, path: &str) -> std::result::Result<Option<Archived>, Trouble> {
        let answer = act.read(path, None)?;
        let data = match secret::<ArchiveData>(&answer) {
            Ok(Found::Value((_, data))) => data,
            // A deleted archive is no archive.
            Ok(Found::Absent) | Err(Trouble::Deleted) => return Ok(None),
            Err(trouble) => return Err(trouble),
        };
        let version = match data.key_version {
            Version::Number(n) => n,
            Version::Text(text) => text.parse().map_err(|_| Trouble::Malformed("archived key_version"))?,
        };
        let key = Key::from_hex(&data.key).ok_or(Trouble::Malformed("archived key is not 64 hex digits"))?;
        Ok(Some(Archived { version, key: Arc::new(key) }))
    }

    /// Whether something is, or was and can be undeleted, at a path.
    fn stands(&self, act: &Act<'_>, path: &str) -> std::result::Result<bool, Trouble> {
        match secret::<ArchiveData>(&act.read(path, None)?) {
            Ok(Found::Absent) => Ok(false),
            Ok(Found::Value(_)) | Err(Trouble::Deleted) => Ok(true),
            Err(trouble) => Err(trouble),
        }
    }

    /// What Vault itself still keeps under an older version of the main path.
    fn former(&self, act: &Act<'_>, version: u64) -> std::result::Result<Option<Arc<Key>>, Trouble> {
        if let Some((_, key)) = self.cache().former.iter().find(|(v, _)| *v == version) {
            return Ok(key.clone());
        }
        let answer = act.read(self.path(), Some(version))?;
        let key = match secret::<MainData>(&answer) {
            Ok(Found::Value((_, data))) => Key::from_hex(&data.key).map(Arc::new),
            Ok(Found::Absent) | Err(Trouble::Deleted) => None,
            Err(trouble) => return Err(trouble),
        };
        self.cache().former.push((version, key.clone()));
        Ok(key)
    }

    fn keys_of(&self, version: u64) -> std::result::Result<Vec<Arc<Key>>, Trouble> {
        let act = self.client.act();
        let cached = self.cache().current.clone();
        let current = match cached {
            Some(current) => Some(current),
            None => self.fetch_current(&act)?,
        };
        let mut keys: Vec<Arc<Key>> = Vec::new();
        let mut add = |key: Arc<Key>| {
            if !keys.contains(&key) {
                keys.push(key);
            }
        };
        let newest = current.as_ref().map_or(0, |c| c.version);
        if let Some(current) = current.filter(|c| c.version == version) {
            add(current.key);
        }
        for archived in self.archived(&act)?.into_iter().filter(|a| a.version == version) {
            add(archived.key);
        }
        if version > 0 && version < newest {
            self.former(&act, version)?.into_iter().for_each(add);
        }
        Ok(keys)
    }

    fn keep(&self, current: &CurrentKey, at: Instant) -> std::result::Result<(), Trouble> {
        let act = self.client.act();
        self.cache().archived = None;
        let same = |a: &Archived| a.version == current.version && a.key == current.key;
        if self.archived(&act)?.iter().any(same) {
            return Ok(());
        }
        self.cache().archived = None;
        for n in 1..=ARCHIVES_A_DAY {
            let suffix = if n == 1 { String::new() } else { format!(".{n}") };
            let path = format!("{}/archive/{}{suffix}", self.path(), at.date());
            let data = serde_json::json!({
                "key": current.key.to_hex().as_str(),
                "key_version": current.version,
                "rotated_at": at.to_string(),
            });
            let made = match act.write(&path, data, 0) {
                // A rotator may add archives and change none: for one that stands, the server refuses
                // the change before it compares versions.
                Err(Trouble::Denied) if self.stands(&act, &path)? => None,
                answer => written(&answer?)?,
            };
            if made.is_some() {
                return Ok(());
            }
            // Taken: by a rotation of ours that went no further, or by another key of the day.
            if self.read_archive(&act, &path)?.is_some_and(|a| same(&a)) {
                return Ok(());
            }
        }
        Err(Trouble::Malformed("too many archives of one day"))
    }

    fn put(&self, expected: u64, key: &Key, above: u64) -> std::result::Result<Replaced, Trouble> {
        self.cache().current = None;
        let mut cas = expected;
        for _ in 0..MAX_BUMPS {
            let act = self.client.act();
            let data = serde_json::json!({ "key": key.to_hex().as_str() });
            match written(&act.write(self.path(), data, cas)?)? {
                None => return Ok(Replaced::Lost),
                Some(version) if version > above => return Ok(Replaced::Done(version)),
                // Vault counts anew after its metadata was deleted: write until the version is new.
                Some(version) => cas = version,
            }
        }
        Err(Trouble::Malformed("version does not advance"))
    }
}

impl Keyring for VaultKeyring {
    fn describe(&self) -> String {
        place(self.client.settings())
    }

    fn read_current(&self) -> Result<Option<CurrentKey>> {
        let current = self.fetch_current(&self.client.act()).map_err(|t| self.fail(&t))?;
        self.cache().current.clone_from(&current);
        Ok(current)
    }

    fn by_version(&self, version: u64) -> Result<Vec<Arc<Key>>> {
        self.keys_of(version).map_err(|t| self.fail(&t))
    }

    fn archive(&self, current: &CurrentKey, at: Instant) -> Result<()> {
        self.keep(current, at).map_err(|t| self.fail(&t))
    }

    fn replace(&self, expected: u64, key: &Key, _: Instant, above: u64) -> Result<Replaced> {
        self.put(expected, key, above).map_err(|t| self.fail(&t))
    }
}

fn place(settings: &VaultSettings) -> String {
    format!("Vault {} {}/{}", settings.address, settings.mount, settings.path)
}

/// The value of an answer, or its absence: 404 `{"errors":[]}`.
fn value<T: serde::de::DeserializeOwned>(answer: &Answer) -> std::result::Result<Found<T>, Trouble> {
    #[derive(serde::Deserialize)]
    struct NotFound {
        errors: Option<Vec<String>>,
        data: Option<serde_json::Value>,
    }
    if answer.status == 404 {
        let not_found: NotFound =
            serde_json::from_slice(&answer.body).map_err(|_| Trouble::Malformed("404, not from Vault"))?;
        return match (not_found.errors, not_found.data) {
            (_, Some(_)) => Err(Trouble::Deleted),
            (Some(errors), None) if errors.is_empty() => Ok(Found::Absent),
            _ => Err(Trouble::NoMount),
        };
    }
    status(answer.status)?;
    let reply: Reply<T> =
        serde_json::from_slice(&answer.body).map_err(|_| Trouble::Malformed("unexpected form"))?;
    Ok(Found::Value(reply.data))
}

/// A secret with its version.
fn secret<T: serde::de::DeserializeOwned>(answer: &Answer) -> std::result::Result<Found<(u64, T)>, Trouble> {
    match value::<Secret<T>>(answer)? {
        Found::Absent => Ok(Found::Absent),
        Found::Value(Secret { data: None, .. }) => Err(Trouble::Deleted),
        Found::Value(Secret { data: Some(data), metadata }) if metadata.version > 0 => {
            Ok(Found::Value((metadata.version, data)))
        }
        Found::Value(_) => Err(Trouble::Malformed("version 0")),
    }
}

/// The version a write made, `None` when somebody else wrote first.
fn written(answer: &Answer) -> std::result::Result<Option<u64>, Trouble> {
    if answer.status == 400 {
        // The one refusal that is ours to expect; its text is Vault's contract.
        let text = String::from_utf8_lossy(&answer.body);
        return if text.contains("check-and-set") { Ok(None) } else { Err(Trouble::Status(400)) };
    }
    match value::<Metadata>(answer)? {
        Found::Value(metadata) => Ok(Some(metadata.version)),
        Found::Absent => Err(Trouble::NoMount),
    }
}
