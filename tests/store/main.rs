//! Locks, JSON lines and schemas on a real file system: kills, stops, torn tails, odd paths.

mod locks;
