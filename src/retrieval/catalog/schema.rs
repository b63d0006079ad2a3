//! The tables of the catalogue and their version.

/// Version of the tables, in `PRAGMA user_version`. Another one is refused.
pub const VERSION: i64 = 1;
/// `PRAGMA application_id`, "gfnd".
pub const APPLICATION: i64 = 0x6766_6e64;

/// Joints that terms may hold; everything else FTS5 sees is a letter, a digit or a space.
pub const TABLES: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE collection (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  mask TEXT NOT NULL,
  ignores TEXT NOT NULL,
  hook TEXT,
  included INTEGER NOT NULL,
  language TEXT,
  hidden INTEGER NOT NULL,
  follow INTEGER NOT NULL,
  updated INTEGER
);
CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  language TEXT NOT NULL,
  title TEXT NOT NULL,
  first INTEGER NOT NULL,
  count INTEGER NOT NULL,
  strategy TEXT NOT NULL
);
CREATE INDEX document_first ON document (first, count);
CREATE TABLE body (document INTEGER PRIMARY KEY, chunks BLOB NOT NULL, text BLOB NOT NULL);
CREATE TABLE file (
  id INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES collection (id),
  path TEXT NOT NULL,
  document INTEGER NOT NULL REFERENCES document (id),
  size INTEGER NOT NULL,
  mtime INTEGER NOT NULL,
  UNIQUE (collection, path)
);
CREATE INDEX file_document ON file (document);
CREATE TABLE length (block INTEGER PRIMARY KEY, counts BLOB NOT NULL);
CREATE TABLE context (id INTEGER PRIMARY KEY, scope TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
CREATE TABLE embedding (hash BLOB PRIMARY KEY, windows INTEGER NOT NULL, vector BLOB NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  title, path, body, content='', contentless_delete=1, tokenize=\"ascii tokenchars '_.@/+#:'\"
);
";
