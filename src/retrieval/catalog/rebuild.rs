//! A new database in the place of a damaged or older one, with whatever of it can still be read.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{Catalog, Location, schema};
use crate::base::error::IoContext;
use crate::base::{Instant, Result};

/// What was carried over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Collections.
    pub collections: usize,
    /// Contexts.
    pub contexts: usize,
    /// Vectors.
    pub vectors: usize,
    /// Where the old file is, if not all of it could be read.
    pub aside: Option<PathBuf>,
}

/// Tables that hold what only a user can say again, or what took long to make.
const CARRIED: [&str; 3] = ["collection", "context", "embedding"];
/// Values of `meta` that are carried over.
const META: &str = "'models', 'strategy', 'tokens', 'embedding_model'";

/// Replaces the database at `location` by an empty one that keeps collections, contexts, models and
/// vectors as far as they can be read. An update and `embed` fill it again. A file that cannot be read
/// whole is kept beside the new one, under a name with the time `now`.
///
/// # Errors
/// Exit 65 when the file is no index of ours: it is left alone; I/O; exit 75 when another process writes.
pub fn rebuild(location: &Location, now: Instant) -> Result<Kept> {
    let path = &location.path;
    let _alone = super::lock(path, "update --rebuild")?;
    if super::foreign(path, &location.option) {
        return Err(super::not_ours(path));
    }
    let temporary = suffixed(path, ".rebuild");
    for stale in [&temporary, &suffixed(&temporary, "-wal"), &suffixed(&temporary, "-shm")] {
        remove(stale)?;
    }
    let fresh = Location { path: temporary.clone(), option: location.option.clone() };
    let catalog = Catalog::open_or_create(&fresh)?;
    let (mut kept, mut whole) = (Kept::default(), true);
    if path.exists() {
        (kept, whole) = carry_all(&catalog, path)?;
    }
    catalog.checkpoint()?;
    drop(catalog);
    remove(&suffixed(&temporary, "-wal"))?;
    remove(&suffixed(&temporary, "-shm"))?;
    if whole {
        remove(&suffixed(path, "-wal"))?;
        remove(&suffixed(path, "-shm"))?;
    } else {
        let time = now.to_string().replace(['-', ':'], "");
        let aside = suffixed(path, &format!(".damaged-{time}"));
        for suffix in ["", "-wal", "-shm"] {
            let (from, to) = (suffixed(path, suffix), suffixed(&aside, suffix));
            if from.symlink_metadata().is_ok() {
                std::fs::rename(&from, &to).at(&from)?;
            }
        }
        kept.aside = Some(aside);
    }
    std::fs::rename(&temporary, path).at(path)?;
    crate::store::atomic::sync_parent(path)?;
    Ok(kept)
}

/// Copies what can be read of the database at `path`, and says whether that was all of it.
fn carry_all(catalog: &Catalog, path: &Path) -> Result<(Kept, bool)> {
    // Opened on its own first: a file that is no database must not fail the new one.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let sound = Connection::open_with_flags(path, flags)
        .and_then(|db| {
            db.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get::<_, i64>(0))?;
            Ok(db.query_row("PRAGMA integrity_check(1)", [], |r| r.get::<_, String>(0)))
        })
        .map(|verdict| verdict.is_ok_and(|verdict| verdict == "ok"));
    let Ok(sound) = sound else { return Ok((Kept::default(), false)) };
    if catalog.db.execute("ATTACH DATABASE ?1 AS old", [path.to_string_lossy().as_ref()]).is_err() {
        return Ok((Kept::default(), false));
    }
    let counts = CARRIED.map(|table| carry(catalog, table));
    let sql =
        format!("INSERT OR IGNORE INTO main.meta SELECT key, value FROM old.meta WHERE key IN ({META})");
    let meta = catalog.db.execute(&sql, []);
    let whole = sound && counts.iter().all(Option::is_some) && meta.is_ok();
    if counts[2] == Some(0) {
        // Nothing hangs on how texts were cut.
        catalog.sql(|| catalog.db.execute("DELETE FROM meta WHERE key = 'tokens'", []))?;
    }
    // They were indexed in the old file, not in this one.
    catalog.sql(|| catalog.db.execute("UPDATE collection SET updated = NULL", []))?;
    if let Err(e) = catalog.db.execute("DETACH DATABASE old", []) {
        tracing::debug!("detach: {e}");
    }
    let [collections, contexts, vectors] = counts.map(Option::unwrap_or_default);
    Ok((Kept { collections, contexts, vectors, aside: None }, whole))
}

/// Copies the rows of a table, by the columns both versions have; `None` when they cannot be read.
fn carry(catalog: &Catalog, table: &str) -> Option<usize> {
    let columns = |schema: &str| -> rusqlite::Result<Vec<String>> {
        let sql = format!("SELECT name FROM pragma_table_info('{table}', '{schema}')");
        catalog.db.prepare(&sql)?.query_map([], |r| r.get(0))?.collect()
    };
    let run = || -> rusqlite::Result<usize> {
        let old = columns("old")?;
        let shared: Vec<String> = columns("main")?.into_iter().filter(|c| old.contains(c)).collect();
        let list = shared.join(", ");
        catalog.db.execute(
            &format!("INSERT OR IGNORE INTO main.{table} ({list}) SELECT {list} FROM old.{table}"),
            [],
        )
    };
    run().inspect_err(|e| tracing::debug!("{table}: {e} (schema {})", schema::VERSION)).ok()
}

fn suffixed(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(crate::base::Error::io(path, &e)),
        _ => Ok(()),
    }
}
