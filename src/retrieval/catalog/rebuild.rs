//! A new database in the place of a damaged or older one, with whatever of it can still be read.

use std::path::PathBuf;

use rusqlite::{Connection, OpenFlags};

use super::{Catalog, Location, schema};
use crate::base::Result;
use crate::base::error::IoContext;

/// What was carried over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Collections.
    pub collections: usize,
    /// Contexts.
    pub contexts: usize,
    /// Vectors.
    pub vectors: usize,
}

/// Tables that hold what only a user can say again, or what took long to make.
const CARRIED: [&str; 3] = ["collection", "context", "embedding"];
/// Values of `meta` that are carried over.
const META: &str = "'models', 'strategy', 'embedding_model'";

/// Replaces the database at `location` by an empty one that keeps collections, contexts, models and
/// vectors as far as they can be read. An update and `embed` fill it again.
///
/// # Errors
/// I/O; exit 75 when another process writes.
pub fn rebuild(location: &Location) -> Result<Kept> {
    let path = &location.path;
    let _alone = super::lock(path, "update --rebuild")?;
    let temporary = suffixed(path, ".rebuild");
    for stale in [&temporary, &suffixed(&temporary, "-wal"), &suffixed(&temporary, "-shm")] {
        remove(stale)?;
    }
    let fresh = Location { path: temporary.clone(), option: location.option.clone() };
    let catalog = Catalog::open_or_create(&fresh)?;
    let mut kept = Kept::default();
    if path.exists() {
        // Opened on its own first: a file that is no database must not fail the new one.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let readable = Connection::open_with_flags(path, flags)
            .and_then(|db| db.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get::<_, i64>(0)))
            .is_ok();
        let attached = readable
            && catalog.db.execute("ATTACH DATABASE ?1 AS old", [path.to_string_lossy().as_ref()]).is_ok();
        if attached {
            let counts = CARRIED.map(|table| carry(&catalog, table));
            kept = Kept { collections: counts[0], contexts: counts[1], vectors: counts[2] };
            let sql = format!(
                "INSERT OR IGNORE INTO main.meta SELECT key, value FROM old.meta WHERE key IN ({META})"
            );
            if let Err(e) = catalog.db.execute(&sql, []) {
                tracing::debug!("meta: {e}");
            }
            // They were indexed in the old file, not in this one.
            catalog.sql(|| catalog.db.execute("UPDATE collection SET updated = NULL", []))?;
            if let Err(e) = catalog.db.execute("DETACH DATABASE old", []) {
                tracing::debug!("detach: {e}");
            }
        }
    }
    catalog.checkpoint()?;
    drop(catalog);
    for suffix in ["-wal", "-shm"] {
        remove(&suffixed(path, suffix))?;
        remove(&suffixed(&temporary, suffix))?;
    }
    std::fs::rename(&temporary, path).at(path)?;
    crate::store::atomic::sync_parent(path)?;
    Ok(kept)
}

/// Copies the rows of a table that can be read, by the columns both versions have.
fn carry(catalog: &Catalog, table: &str) -> usize {
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
    run().unwrap_or_else(|e| {
        tracing::debug!("{table}: {e} (schema {})", schema::VERSION);
        0
    })
}

fn suffixed(path: &std::path::Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn remove(path: &std::path::Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(crate::base::Error::io(path, &e)),
        _ => Ok(()),
    }
}
