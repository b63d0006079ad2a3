//! The catalogue: one SQLite database per index, in WAL mode.
//!
//! Readers open it read-only and run beside a writer; in a folder they cannot write they read the
//! file as immutable (every writer leaves an empty WAL). Another version or a damaged file is refused
//! with the command that rebuilds it. No other room names SQLite.

pub mod collections;

pub mod contexts;
pub mod documents;
pub mod rebuild;
pub mod schema;
pub mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension};

use super::faiss_file::Kept;
use crate::base::env::Env;
use crate::base::{Error, Kind, Result};
use crate::store::lock::{LockSettings, Single};
use crate::tr;

/// An open index.
pub struct Catalog {
    pub(crate) db: Connection,
    path: PathBuf,
    /// How commands name this index: nothing for the default one, else `--index …`.
    option: String,
    /// Vectors that the process keeps open between queries.
    kept: Option<Kept>,
}

/// One state of the database, whatever is committed meanwhile; see [`Catalog::snapshot`].
pub struct Snapshot<'c> {
    catalog: &'c Catalog,
    own: bool,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Nothing was written, so nothing can be lost.
        if self.own
            && let Err(e) = self.catalog.db.execute_batch("ROLLBACK")
        {
            tracing::debug!("snapshot: {e}");
        }
    }
}

/// Where an index is and how commands name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The database file.
    pub path: PathBuf,
    /// ` --index NAME`, or nothing for the default index.
    pub option: String,
}

impl Location {
    /// The index called `name`: a path when it holds `/` or ends in `.db`, else a file of the user's
    /// data directory. Without a name, `.govfind/index.db` of the nearest parent of `cwd` that has
    /// one, else the user's index `default`.
    ///
    /// # Errors
    /// Usage when the name is no file name, when it names what is no regular file, or when there is no
    /// home directory.
    pub fn resolve(name: Option<&str>, cwd: &Path, env: &Env) -> Result<Location> {
        let location = Location::named(name, cwd, env)?;
        // SQLite would wait for the other end of a FIFO.
        match location.path.metadata() {
            Ok(meta) if !meta.is_file() => Err(Error::usage(tr!(
                "{} n'est pas un fichier ordinaire, donc pas un index",
                "{} is not a regular file, hence no index",
                location.path.display()
            ))),
            _ => Ok(location),
        }
    }

    fn named(name: Option<&str>, cwd: &Path, env: &Env) -> Result<Location> {
        let Some(name) = name else {
            let project = cwd.ancestors().map(|dir| dir.join(".govfind/index.db")).find(|p| p.is_file());
            return match project {
                Some(path) => Ok(Location { path, option: String::new() }),
                None => Ok(Location { path: data_dir(env)?.join("default.db"), option: String::new() }),
            };
        };
        let option = format!(" --index {}", super::plan::quote(name));
        if name.contains('/') || name.ends_with(".db") {
            let mut path = cwd.join(name);
            if name.ends_with('/') || path.is_dir() {
                path = path.join("index.db");
            }
            return Ok(Location { path, option });
        }
        if name.is_empty() || name.starts_with('.') || name.contains('\0') {
            return Err(Error::usage(tr!("nom d'index refusé : {name:?}", "not an index name: {name:?}")));
        }
        Ok(Location { path: data_dir(env)?.join(format!("{name}.db")), option })
    }
}

fn data_dir(env: &Env) -> Result<PathBuf> {
    env.xdg("DATA", ".local/share").map(|dir| dir.join("govfind")).ok_or_else(|| {
        Error::usage(tr!("ni XDG_DATA_HOME ni HOME", "neither XDG_DATA_HOME nor HOME is set"))
            .hint("govfind --index PATH …")
    })
}

impl Catalog {
    /// Opens the index for reading.
    ///
    /// # Errors
    /// Exit 3 with the command to run when there is none; exit 65 when it is damaged or of another
    /// version; I/O.
    pub fn open(location: &Location) -> Result<Catalog> {
        let path = &location.path;
        if !path.exists() {
            return Err(absent(location));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let plain = Connection::open_with_flags(path, flags).and_then(|db| {
            db.busy_timeout(Duration::from_secs(10))?;
            db.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get::<_, i64>(0))?;
            Ok(db)
        });
        let db = match plain {
            Ok(db) => db,
            // A WAL database needs its `-shm` file, which a foreign folder does not let us make.
            Err(e) if cannot_share(&e) => {
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                Connection::open_with_flags(immutable_uri(path), flags).map_err(|e| failed(location, &e))?
            }
            Err(e) => return Err(failed(location, &e)),
        };
        let catalog = Catalog { db, path: path.clone(), option: location.option.clone(), kept: None };
        catalog
            .db
            .execute_batch(
                "PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY;",
            )
            .map_err(|e| failed(location, &e))?;
        catalog.check_version(location)?;
        Ok(catalog)
    }

    /// Opens the index for writing; makes it when there is none.
    ///
    /// # Errors
    /// Exit 65 when it is damaged or of another version; I/O.
    pub fn open_or_create(location: &Location) -> Result<Catalog> {
        let path = &location.path;
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).map_err(|e| Error::io(dir, &e))?;
        }
        let fail = |e: &rusqlite::Error| failed(location, e);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).map_err(|e| fail(&e))?;
        db.busy_timeout(Duration::from_secs(30)).map_err(|e| fail(&e))?;
        let empty = db
            .query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |r| r.get::<_, bool>(0))
            .map_err(|e| fail(&e))?;
        let mut catalog = Catalog { db, path: path.clone(), option: location.option.clone(), kept: None };
        if empty {
            catalog.create().map_err(|e| fail(&e))?;
        } else {
            catalog.check_version(location)?;
        }
        catalog
            .db
            .execute_batch(
                "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA mmap_size = 1073741824;",
            )
            .map_err(|e| fail(&e))?;
        Ok(catalog)
    }

    /// Opens an existing index for writing.
    ///
    /// # Errors
    /// As [`Catalog::open`].
    pub fn open_existing(location: &Location) -> Result<Catalog> {
        if !location.path.exists() {
            return Err(absent(location));
        }
        Catalog::open_or_create(location)
    }

    fn create(&mut self) -> rusqlite::Result<()> {
        self.db.execute_batch("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL;")?;
        let tx = self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // Another process may have been first.
        let empty = tx.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |r| r.get::<_, bool>(0))?;
        if empty {
            tx.execute_batch(schema::TABLES)?;
            tx.execute_batch(&format!(
                "PRAGMA user_version = {}; PRAGMA application_id = {};
                 INSERT INTO words (words, rank) VALUES ('hashsize', 67108864);",
                schema::VERSION,
                schema::APPLICATION
            ))?;
        }
        tx.commit()
    }

    fn check_version(&self, location: &Location) -> Result<()> {
        let pragma = |name: &str| {
            self.db
                .query_row(&format!("PRAGMA {name}"), [], |r| r.get::<_, i64>(0))
                .map_err(|e| failed(location, &e))
        };
        if pragma("application_id")? != schema::APPLICATION {
            return Err(not_ours(&self.path));
        }
        let version = pragma("user_version")?;
        if version == schema::VERSION {
            return Ok(());
        }
        Err(Error::new(
            Kind::Corrupt,
            tr!(
                "{} : schéma {version}, cette version lit {}",
                "{}: schema {version}, this version reads {}",
                self.path.display(),
                schema::VERSION
            ),
        )
        .hint(format!("govfind{} update --rebuild", self.option)))
    }

    /// Keeps other updates and embeddings of this index away while the guard lives. Single changes
    /// need none: SQLite orders them.
    ///
    /// # Errors
    /// Exit 75 when another one holds it for 30 s; I/O.
    pub fn lock(&self, command: &str) -> Result<Single> {
        lock(&self.path, command)
    }

    /// The same index, whose open vectors are kept in `kept` for the next query.
    #[must_use]
    pub fn keeping(mut self, kept: Kept) -> Catalog {
        self.kept = Some(kept);
        self
    }

    pub(super) fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// Holds the state of the database still while the guard lives: an update that commits meanwhile
    /// is not seen. Within another guard it does nothing of its own.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn snapshot(&self) -> Result<Snapshot<'_>> {
        let own = self.db.is_autocommit();
        if own {
            // The first read fixes the state.
            let sql = "BEGIN; SELECT count(*) FROM sqlite_schema;";
            self.sql(|| self.db.execute_batch(sql))?;
        }
        Ok(Snapshot { catalog: self, own })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A command line on this index, such as `govfind --index notes update`.
    pub fn command(&self, rest: &str) -> String {
        format!("govfind{} {rest}", self.option)
    }

    /// A value of the `meta` table.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn meta<T: rusqlite::types::FromSql>(&self, key: &str) -> Result<Option<T>> {
        self.db
            .prepare_cached("SELECT value FROM meta WHERE key = ?1")
            .and_then(|mut s| s.query_row([key], |r| r.get(0)).optional())
            .map_err(|e| self.fail(&e))
    }

    /// Sets a value of the `meta` table.
    ///
    /// # Errors
    /// I/O.
    pub fn set_meta(&self, key: &str, value: impl rusqlite::ToSql) -> Result<()> {
        self.db
            .execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", (key, value))
            .map(drop)
            .map_err(|e| self.fail(&e))
    }

    /// Makes everything written durable and leaves an empty WAL, so that readers of a folder they
    /// cannot write see it.
    ///
    /// # Errors
    /// I/O.
    pub fn checkpoint(&self) -> Result<()> {
        self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(|e| self.fail(&e))
    }

    /// Checks the whole database, as `doctor` asks.
    ///
    /// # Errors
    /// Exit 65 when SQLite finds damage.
    pub fn check_integrity(&self) -> Result<()> {
        let verdict: String =
            self.db.query_row("PRAGMA integrity_check(1)", [], |r| r.get(0)).map_err(|e| self.fail(&e))?;
        if verdict == "ok" { Ok(()) } else { Err(self.damaged(&verdict)) }
    }

    /// Runs statements and sorts their error.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub(crate) fn sql<T>(&self, run: impl FnOnce() -> rusqlite::Result<T>) -> Result<T> {
        run().map_err(|e| self.fail(&e))
    }

    /// The error of a failed statement.
    pub fn fail(&self, error: &rusqlite::Error) -> Error {
        failed(&Location { path: self.path.clone(), option: self.option.clone() }, error)
    }

    /// A damaged index: exit 65 with the command that rebuilds it.
    pub fn damaged(&self, why: &str) -> Error {
        corrupt(&self.path, &self.option, why)
    }
}

fn lock(path: &Path, command: &str) -> Result<Single> {
    let settings = LockSettings { command: format!("govfind {command}"), ..LockSettings::default() };
    Single::take(&path.with_extension("lock"), &settings)
}

fn absent(location: &Location) -> Error {
    Error::new(
        Kind::Partial,
        tr!("aucun index ici : {}", "there is no index here: {}", location.path.display()),
    )
    .hint(format!("govfind{0} collection add DIR --name NAME && govfind{0} update", location.option))
}

fn not_ours(path: &Path) -> Error {
    let path = path.display();
    Error::new(Kind::Corrupt, tr!("{path} n'est pas un index de govfind", "{path} is not a govfind index"))
        .hint(tr!("nommez un autre fichier avec --index", "name another file with --index"))
}

/// Whether the user named this file, and it holds something that is no index of ours, not even a damaged
/// one: our mark in its header is enough to be one. Where we choose the name, the file is ours.
fn foreign(path: &Path, option: &str) -> bool {
    use std::io::Read;
    let named = option.contains('/') || option.trim_end_matches('\'').ends_with(".db");
    let mut header = Vec::new();
    let read = crate::store::open::regular(path, std::fs::OpenOptions::new().read(true))
        .and_then(|file| file.take(100).read_to_end(&mut header));
    let ours = header.get(68..72).is_some_and(|id| id == (schema::APPLICATION as u32).to_be_bytes());
    // Cut off before our mark, it may have been one.
    let cut = header.len() < 72 && header.starts_with(b"SQLite format 3\0");
    named && read.is_ok() && !header.is_empty() && !ours && !cut
}

fn corrupt(path: &Path, option: &str, why: &str) -> Error {
    if foreign(path, option) {
        return not_ours(path);
    }
    Error::new(Kind::Corrupt, tr!("{} : index abîmé ({why})", "{}: damaged index ({why})", path.display()))
        .hint(format!("govfind{option} update --rebuild"))
}

/// Sorts SQLite's errors into ours.
pub(crate) fn failed(location: &Location, error: &rusqlite::Error) -> Error {
    let path = location.path.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            corrupt(&location.path, &location.option, &error.to_string())
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::new(
            Kind::TryLater,
            tr!("{path} : un autre govfind y écrit", "{path}: another govfind is writing"),
        ),
        // A column that is absent or of another type was not written by us.
        None => corrupt(&location.path, &location.option, &error.to_string()),
        _ => Error::new(Kind::Io, format!("{path}: {error}")),
    }
}

fn cannot_share(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
    )
}

fn immutable_uri(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let encoded = percent_encoding::percent_encode(path.as_os_str().as_bytes(), PATH);
    format!("file:{encoded}?immutable=1")
}

const PATH: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');
