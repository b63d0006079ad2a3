//! Records on disk: schemas, JSON lines, atomic replacement, locks.
