//! What a line of each record file holds: one record a file, read strictly, written back losslessly.
//!
//! Reading gives a typed record or an [`Exclusion`] that says why and where. Writing changes the
//! fields that changed and leaves everything else of the line as it was, unknown fields included.

pub mod clarification;
pub mod learning;
pub mod metric;
pub mod score;
pub mod veille;
mod words;

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use clarification::{Answer, Clarification, Theme};
pub use learning::{Learning, Scope, Status};
pub use metric::{Metric, Verdict};
pub use score::{SCHEMA_VERSION as SCORE_VERSION, Score};
pub use veille::{Impact, Stance, Veille};
pub use words::fold;

use rayon::prelude::*;

use super::jsonl::{Line, Snapshot, Torn};
use super::strict::{self, Fields, Object};
use crate::base::Code;
use crate::tr;

/// A record of one of the files.
pub trait Record: Sized + Send {
    /// The code under which a line that is none is excluded.
    const CODE: Code;
    /// Other names under which a field is read: `(field, names in order of preference)`.
    const ALIASES: &'static [(&'static str, &'static [&'static str])] = &[];

    /// Makes a record of the fields of its line.
    fn read(object: Object) -> Result<Self, Invalid>;

    /// The record's own fields as JSON texts, in the order of a new line; absent ones are `None`.
    fn fields(&self) -> Vec<(&'static str, Option<String>)>;

    /// The line as it was read; empty for a new record.
    fn source(&self) -> &Object;

    /// Reads a record from the text of its line.
    fn parse(text: &str) -> Result<Self, Invalid> {
        let object =
            Object::parse(text).map_err(|f| Invalid { reason: f.name, field: None, detail: f.message })?;
        Self::read(object)
    }

    /// The line of this record (without `\n`): only fields whose value changed differ from the source.
    fn to_line(&self) -> String {
        let mut object = self.source().clone();
        let old: BTreeMap<_, _> = match Self::read(object.clone()) {
            Ok(old) => old.fields().into_iter().collect(),
            Err(_) => BTreeMap::new(),
        };
        for (name, value) in self.fields() {
            if old.get(name) == Some(&value) {
                continue;
            }
            let key = key_of::<Self>(&object, name).unwrap_or(name).to_owned();
            match value {
                Some(value) => object.set(&key, value),
                None => object.remove(&key),
            }
        }
        object.to_line()
    }
}

/// The key under which `object` holds the field `name`.
pub fn key_of<T: Record>(object: &Fields<'_>, name: &'static str) -> Option<&'static str> {
    let others = T::ALIASES.iter().find(|(n, _)| *n == name).map_or(&[][..], |(_, others)| others);
    std::iter::once(&name).chain(others).copied().find(|k| object.get(k).is_some_and(|v| v != "null"))
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// A stable name for counts, such as `field_missing` or `duplicate_key`.
    pub reason: &'static str,
    /// The offending field.
    pub field: Option<&'static str>,
    /// What is wrong, for people.
    pub detail: String,
}

/// A line that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusion {
    /// The contract code.
    pub code: Code,
    /// A stable name for counts: `not_json`, `field_missing`, `duplicate_id`, `learning_id_drift` …
    pub reason: &'static str,
    /// The offending field.
    pub field: Option<&'static str>,
    /// Line number, from 1.
    pub line: usize,
    /// Byte offset of the line in its file.
    pub offset: u64,
    /// What is wrong, for people.
    pub detail: String,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, code, reason) = (self.line, self.code, self.reason);
        f.write_str(&tr!("ligne {line} : {code} {reason}", "line {line}: {code} {reason}"))?;
        if let Some(field) = self.field {
            write!(f, " ({field})")?;
        }
        if !self.detail.is_empty() {
            write!(f, ": {}", self.detail)?;
        }
        Ok(())
    }
}

/// The records of one file.
#[derive(Clone, Debug)]
pub struct Loaded<T> {
    /// Index of the line in its snapshot, from 0, and the record.
    pub records: Vec<(usize, T)>,
    /// The lines that were left out, in file order.
    pub excluded: Vec<Exclusion>,
    /// A last line that an append did not finish.
    pub torn: Option<Torn>,
    /// How many lines were looked at; blank ones do not count.
    pub read: usize,
}

impl<T> Loaded<T> {
    /// How many lines were left out, by reason.
    pub fn counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for exclusion in &self.excluded {
            *counts.entry(exclusion.reason).or_default() += 1;
        }
        counts
    }

    /// The records alone.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.records.iter().map(|(_, r)| r)
    }
}

impl<T: Record> Loaded<T> {
    /// Leaves out the records for which `judge` names a reason and a detail; exclusions stay in file order.
    pub fn exclude(
        &mut self,
        snapshot: &Snapshot,
        mut judge: impl FnMut(&T) -> Option<(&'static str, String)>,
    ) {
        let excluded = &mut self.excluded;
        self.records.retain(|(index, record)| {
            let Some((reason, detail)) = judge(record) else { return true };
            let offset = snapshot.line(*index).map_or(0, |l| l.offset);
            excluded.push(Exclusion { code: T::CODE, reason, field: None, line: index + 1, offset, detail });
            false
        });
        excluded.sort_by_key(|e| e.line);
    }
}

/// Reads every line of `snapshot` as a `T`, on all cores.
pub fn load<T: Record>(snapshot: &Snapshot) -> Loaded<T> {
    let lines: Vec<Line<'_>> = snapshot.lines().filter(|l| !l.is_blank()).collect();
    let mut loaded =
        Loaded { records: Vec::new(), excluded: Vec::new(), torn: snapshot.torn(), read: lines.len() };
    let read: Vec<_> = lines.par_iter().with_min_len(64).map(read_line).collect();
    for (line, read) in lines.iter().zip(read) {
        match read {
            Ok(record) => loaded.records.push((line.number - 1, record)),
            Err(exclusion) => loaded.excluded.push(exclusion),
        }
    }
    loaded
}

/// Reads one line as a `T`.
///
/// # Errors
/// Why the line is no record.
pub fn read_line<T: Record>(line: &Line<'_>) -> Result<T, Exclusion> {
    let result = match line.text() {
        Err(fault) => Err(Invalid { reason: fault.name(), field: None, detail: fault.message() }),
        Ok(text) if is_conflict_marker(text) => Err(Invalid {
            reason: "merge_conflict",
            field: None,
            detail: tr!("marque de conflit de fusion", "merge-conflict marker"),
        }),
        Ok(text) => T::parse(text),
    };
    result.map_err(|Invalid { reason, field, detail }| Exclusion {
        code: T::CODE,
        reason,
        field,
        line: line.number,
        offset: line.offset,
        detail,
    })
}

fn is_conflict_marker(text: &str) -> bool {
    ["<<<<<<<", "|||||||", "=======", ">>>>>>>"].iter().any(|m| text.starts_with(m))
}

/// A required field; `null` counts as absent.
fn required<T: DeserializeOwned>(object: &Object, field: &'static str) -> Result<T, Invalid> {
    optional(object, field)?.ok_or_else(|| missing(field))
}

/// An optional field; `null` counts as absent.
fn optional<T: DeserializeOwned>(object: &Object, field: &'static str) -> Result<Option<T>, Invalid> {
    match object.get(field) {
        None => Ok(None),
        Some(text) => serde_json::from_str(text).map_err(|e| invalid(field, strict::short(&e.to_string()))),
    }
}

fn missing(field: &'static str) -> Invalid {
    Invalid { reason: "field_missing", field: Some(field), detail: String::new() }
}

fn invalid(field: &'static str, detail: impl Into<String>) -> Invalid {
    Invalid { reason: "field_invalid", field: Some(field), detail: detail.into() }
}

/// Refuses a text that is empty or white.
fn filled(field: &'static str, text: &str) -> Result<(), Invalid> {
    if text.trim().is_empty() { Err(invalid(field, tr!("vide", "empty"))) } else { Ok(()) }
}

/// A gate number: an integer of at most four digits, not negative.
fn gate(object: &Object) -> Result<i64, Invalid> {
    let gate: i64 = required(object, "gate")?;
    if (0..=9999).contains(&gate) { Ok(gate) } else { Err(invalid("gate", gate.to_string())) }
}

/// The JSON text of a value. Values of records always have one.
fn json(value: &impl Serialize) -> Option<String> {
    serde_json::to_string(value).ok().filter(|text| text != "null")
}
