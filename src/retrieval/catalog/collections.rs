//! Collections: named roots with their masks, inclusion and hooks.

use rusqlite::{OptionalExtension, Row};
use serde::{Deserialize, Serialize};

use super::Catalog;
use crate::base::{Error, Result};
use crate::tr;

/// A collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// Row id; 0 before it is stored.
    #[serde(skip)]
    pub id: i64,
    /// Unique name.
    pub name: String,
    /// Absolute path of the root directory.
    pub root: String,
    /// Glob of the files it takes, relative to the root.
    #[serde(default = "default_mask")]
    pub mask: String,
    /// Globs of files it leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignore: Vec<String>,
    /// Shell command run before an update, when asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_cmd: Option<String>,
    /// Whether unscoped queries search it.
    #[serde(default = "yes")]
    pub included: bool,
    /// Language of all its documents; detected when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Whether hidden files are taken.
    #[serde(default)]
    pub hidden: bool,
    /// Whether symbolic links are followed (never out of the root).
    #[serde(default)]
    pub follow: bool,
    /// Unix seconds of its last complete update.
    #[serde(skip)]
    pub updated: Option<i64>,
}

impl Collection {
    /// Checks what can be checked without an index.
    ///
    /// # Errors
    /// Usage when the name is no name or a glob no glob.
    pub fn check(&self) -> Result<()> {
        if !valid_name(&self.name) {
            return Err(Error::usage(tr!(
                "nom de collection refusé : {:?} (lettres, chiffres, - _ .)",
                "not a collection name: {:?} (letters, digits, - _ .)",
                self.name
            )));
        }
        crate::retrieval::walk::masks(self).map(drop)
    }
}

/// `**/*.md`.
pub fn default_mask() -> String {
    "**/*.md".to_owned()
}

fn yes() -> bool {
    true
}

/// What a collection holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Size {
    /// Indexed files.
    pub files: i64,
    /// Distinct documents.
    pub documents: i64,
    /// Bytes of their files.
    pub bytes: i64,
    /// Chunks of its documents.
    pub chunks: i64,
    /// Documents that no other collection holds.
    pub own_documents: i64,
    /// Chunks of those.
    pub own_chunks: i64,
}

const COLUMNS: &str = "id, name, root, mask, ignores, hook, included, language, hidden, follow, updated";

fn read(row: &Row) -> rusqlite::Result<Collection> {
    let ignores: String = row.get(4)?;
    Ok(Collection {
        id: row.get(0)?,
        name: row.get(1)?,
        root: row.get(2)?,
        mask: row.get(3)?,
        ignore: serde_json::from_str(&ignores).unwrap_or_default(),
        update_cmd: row.get(5)?,
        included: row.get(6)?,
        language: row.get(7)?,
        hidden: row.get(8)?,
        follow: row.get(9)?,
        updated: row.get(10)?,
    })
}

/// Whether `name` can name a collection: letters, digits, `-`, `_`, `.`, not starting with `-` or `.`.
pub fn valid_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 100
        && !name.starts_with(['-', '.'])
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

impl Catalog {
    /// All collections, by name.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn collections(&self) -> Result<Vec<Collection>> {
        let sql = format!("SELECT {COLUMNS} FROM collection ORDER BY name");
        self.sql(|| self.db.prepare_cached(&sql)?.query_map([], read)?.collect())
    }

    /// The collection called `name`.
    ///
    /// # Errors
    /// Usage, with the names there are, when there is none.
    pub fn collection(&self, name: &str) -> Result<Collection> {
        let sql = format!("SELECT {COLUMNS} FROM collection WHERE name = ?1");
        let found = self
            .db
            .prepare_cached(&sql)
            .and_then(|mut s| s.query_row([name], read).optional())
            .map_err(|e| self.fail(&e))?;
        match found {
            Some(found) => Ok(found),
            None => {
                let names: Vec<String> = self.collections()?.into_iter().map(|c| c.name).collect();
                let error =
                    Error::usage(tr!("aucune collection {name:?}", "there is no collection {name:?}"));
                Err(match names.is_empty() {
                    true => error.hint(self.command("collection add DIR --name NAME")),
                    false => error.hint(tr!("collections : {}", "collections: {}", names.join(", "))),
                })
            }
        }
    }

    /// Stores a new collection.
    ///
    /// # Errors
    /// Usage when the name is taken or not a name, or the mask is no glob; I/O.
    pub fn add_collection(&self, c: &Collection) -> Result<()> {
        c.check()?;
        let taken = self.db.query_row("SELECT 1 FROM collection WHERE name = ?1", [&c.name], |_| Ok(()));
        if taken.optional().map_err(|e| self.fail(&e))?.is_some() {
            return Err(Error::usage(tr!(
                "la collection {:?} existe déjà",
                "there is already a collection {:?}",
                c.name
            ))
            .hint(self.command(&format!("collection show {}", c.name))));
        }
        let ignores = serde_json::to_string(&c.ignore).unwrap_or_default();
        self.db
            .execute(
                "INSERT INTO collection (name, root, mask, ignores, hook, included, language, hidden, follow)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                (
                    &c.name,
                    &c.root,
                    &c.mask,
                    ignores,
                    &c.update_cmd,
                    c.included,
                    &c.language,
                    c.hidden,
                    c.follow,
                ),
            )
            .map(drop)
            .map_err(|e| self.fail(&e))
    }

    /// Gives a collection another name.
    ///
    /// # Errors
    /// Usage when the new name is taken or not a name, or the old one unknown.
    pub fn rename_collection(&self, name: &str, new: &str) -> Result<()> {
        let old = self.collection(name)?;
        if !valid_name(new) || self.collections()?.iter().any(|c| c.name == new) {
            return Err(Error::usage(tr!("nom pris ou refusé : {new:?}", "taken or not a name: {new:?}")));
        }
        let scope = |name: &str| format!("gf://{name}/");
        self.sql(|| {
            let tx = self.db.unchecked_transaction()?;
            tx.execute("UPDATE collection SET name = ?1 WHERE id = ?2", (new, old.id))?;
            // Contexts name collections by their address.
            tx.execute(
                "UPDATE context SET scope = ?1 || substr(scope, ?2) WHERE substr(scope, 1, ?2 - 1) = ?3",
                (scope(new), scope(name).chars().count() as i64 + 1, scope(name)),
            )?;
            tx.commit()
        })
    }

    /// Includes a collection in unscoped queries, or leaves it out.
    ///
    /// # Errors
    /// Usage when it is unknown.
    pub fn set_included(&self, name: &str, included: bool) -> Result<()> {
        let c = self.collection(name)?;
        self.db
            .execute("UPDATE collection SET included = ?1 WHERE id = ?2", (included, c.id))
            .map(drop)
            .map_err(|e| self.fail(&e))
    }

    /// Sets or clears the hook of a collection.
    ///
    /// # Errors
    /// Usage when it is unknown.
    pub fn set_hook(&self, name: &str, hook: Option<&str>) -> Result<()> {
        let c = self.collection(name)?;
        self.db
            .execute("UPDATE collection SET hook = ?1 WHERE id = ?2", (hook, c.id))
            .map(drop)
            .map_err(|e| self.fail(&e))
    }

    /// What a collection holds, and what would be lost with it.
    ///
    /// # Errors
    /// Exit 65 or I/O.
    pub fn size(&self, collection: i64) -> Result<Size> {
        self.sql(|| {
            let files = "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE collection = ?1";
            let (files, bytes) = self.db.query_row(files, [collection], |r| Ok((r.get(0)?, r.get(1)?)))?;
            let of = |extra: &str| {
                let sql = format!(
                    "SELECT count(*), coalesce(sum(count), 0) FROM document AS d
                     WHERE EXISTS (SELECT 1 FROM file WHERE document = d.id AND collection = ?1) {extra}"
                );
                self.db.query_row(&sql, [collection], |r| Ok((r.get(0)?, r.get(1)?)))
            };
            let (documents, chunks) = of("")?;
            let (own_documents, own_chunks) =
                of("AND NOT EXISTS (SELECT 1 FROM file WHERE document = d.id AND collection <> ?1)")?;
            Ok(Size { files, documents, bytes, chunks, own_documents, own_chunks })
        })
    }
}
