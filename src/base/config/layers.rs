//! The places a setting may come from, in the order that decides: environment, workspace, user.
//!
//! A file is checked whole when it is read: unknown keys and wrong types are errors with their line.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::keys::{self, Kind};
use crate::base::env::Env;
use crate::base::{Date, Error, Instant, Result};
use crate::tr;

/// Where a setting came from. What comes from a workspace's file needs trust before text or tokens
/// are sent to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A variable of the environment.
    Env,
    /// The workspace's `govmem.toml`.
    Workspace,
    /// The user's own configuration.
    User,
    /// Nobody set it.
    Default,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    List(Vec<String>),
    Map(BTreeMap<String, String>),
    Time(Instant),
}

type Values = BTreeMap<(&'static str, &'static str), Value>;

/// Every place, read and checked.
#[derive(Debug)]
pub(super) struct Layers<'a> {
    env: &'a Env,
    files: Vec<(Origin, Values)>,
}

impl<'a> Layers<'a> {
    pub(super) fn new(env: &'a Env) -> Self {
        Layers { env, files: Vec::new() }
    }

    /// Adds a file below the places added before. `name` stands in messages.
    pub(super) fn file(mut self, origin: Origin, name: &str, text: &str) -> Result<Self> {
        self.files.push((origin, read_file(name, text)?));
        Ok(self)
    }

    /// The value of a key and where it came from; `variables` are other environment variables that
    /// are honoured after the key's own.
    pub(super) fn get(
        &self,
        section: &'static str,
        name: &'static str,
        variables: &[&str],
    ) -> Result<Option<(Value, Origin)>> {
        let own = format!("GOVMEM_{section}_{name}").to_uppercase();
        let kind = keys::find(section, name).map_or(Kind::Text, |k| k.kind);
        for variable in std::iter::once(own.as_str()).chain(variables.iter().copied()) {
            if let Some(text) = self.env.get(variable) {
                let value = from_env(kind, text)
                    .and_then(|v| bounded(kind, v))
                    .map_err(|what| Error::usage(format!("{variable}: {what}")))?;
                return Ok(Some((value, Origin::Env)));
            }
        }
        Ok(self
            .files
            .iter()
            .find_map(|(origin, values)| Some((values.get(&(section, name))?.clone(), *origin))))
    }
}

fn read_file(name: &str, text: &str) -> Result<Values> {
    let fail = |offset: usize, what: String| {
        let line = text.get(..offset).map_or(1, |head| head.matches('\n').count() + 1);
        Error::usage(format!("{name}:{line}: {what}"))
    };
    let table =
        DeTable::parse(text).map_err(|e| fail(e.span().map_or(0, |s| s.start), e.message().to_owned()))?;
    let mut values = Values::new();
    let mut add = |section: &str, table: &DeTable<'_>| -> Result<()> {
        for (key, value) in table {
            let Some(known) = keys::find(section, key.get_ref()) else {
                if section.is_empty() && keys::names(key.get_ref()).is_empty() {
                    return Err(unknown(fail, section, key.get_ref(), key.span().start));
                }
                if section.is_empty() {
                    continue;
                }
                return Err(unknown(fail, section, key.get_ref(), key.span().start));
            };
            let place =
                if section.is_empty() { known.name.to_owned() } else { format!("{section}.{}", known.name) };
            let value = from_toml(known.kind, value.get_ref())
                .and_then(|v| bounded(known.kind, v))
                .map_err(|what| fail(value.span().start, format!("{place}: {what}")))?;
            values.insert((known.section, known.name), value);
        }
        Ok(())
    };
    add("", table.get_ref())?;
    for (key, value) in table.get_ref() {
        if keys::find("", key.get_ref()).is_some() {
            continue;
        }
        match value.get_ref() {
            DeValue::Table(section) => add(key.get_ref(), section)?,
            _ => {
                let what = tr!("une section [{}] est attendue", "a section [{}] is expected", key.get_ref());
                return Err(fail(value.span().start, what));
            }
        }
    }
    Ok(values)
}

fn unknown(fail: impl Fn(usize, String) -> Error, section: &str, key: &str, offset: usize) -> Error {
    let known = keys::names(section);
    let place = if section.is_empty() { String::new() } else { tr!(" dans [{section}]", " in [{section}]") };
    let error = fail(offset, tr!("clé inconnue `{key}`{place}", "unknown key `{key}`{place}"));
    error.hint(match crate::base::near::nearest(key, &known) {
        Some(near) => tr!("vouliez-vous dire `{near}` ?", "did you mean `{near}`?"),
        None => {
            let list = known.join(", ");
            tr!("clés connues : {list}", "known keys: {list}")
        }
    })
}

fn from_toml(kind: Kind, value: &DeValue<'_>) -> Result<Value, String> {
    let wrong = || tr!("{} attendu", "{} expected", name_of(kind));
    match (kind, value) {
        (Kind::Text | Kind::Word(_), DeValue::String(s)) => Ok(Value::Text(s.to_string())),
        (Kind::Bool, DeValue::Boolean(b)) => Ok(Value::Bool(*b)),
        (Kind::Int(..), DeValue::Integer(n)) => {
            i64::from_str_radix(&n.as_str().replace('_', ""), n.radix()).map(Value::Int).map_err(|_| wrong())
        }
        (Kind::Float(..), DeValue::Integer(n)) => n.as_str().parse().map(Value::Float).map_err(|_| wrong()),
        (Kind::Float(..), DeValue::Float(n)) => n.as_str().parse().map(Value::Float).map_err(|_| wrong()),
        (Kind::List, DeValue::Array(items)) => items
            .iter()
            .map(|i| i.get_ref().as_str().map(str::to_owned).ok_or_else(wrong))
            .collect::<Result<_, _>>()
            .map(Value::List),
        (Kind::Map, DeValue::Table(items)) => items
            .iter()
            .map(|(k, v)| Ok((k.get_ref().to_string(), v.get_ref().as_str().ok_or_else(wrong)?.to_owned())))
            .collect::<Result<_, _>>()
            .map(Value::Map),
        (Kind::Time, DeValue::Datetime(t)) => time(&t.to_string()).ok_or_else(wrong),
        (Kind::Time, DeValue::String(s)) => time(s).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

/// Lists are separated by commas, tables are `name=value` separated by commas.
fn from_env(kind: Kind, text: &str) -> Result<Value, String> {
    let wrong = || tr!("{} attendu", "{} expected", name_of(kind));
    let items = || text.split(',').map(str::trim).filter(|s| !s.is_empty());
    match kind {
        Kind::Text | Kind::Word(_) => Ok(Value::Text(text.to_owned())),
        Kind::Int(..) => text.parse().map(Value::Int).map_err(|_| wrong()),
        Kind::Float(..) => text.parse().map(Value::Float).map_err(|_| wrong()),
        Kind::Bool => match text {
            "true" | "1" | "yes" | "on" => Ok(Value::Bool(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Bool(false)),
            _ => Err(wrong()),
        },
        Kind::List => Ok(Value::List(items().map(str::to_owned).collect())),
        Kind::Map => items()
            .map(|i| {
                i.split_once('=').map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned())).ok_or_else(wrong)
            })
            .collect::<Result<_, _>>()
            .map(Value::Map),
        Kind::Time => time(text).ok_or_else(wrong),
    }
}

fn bounded(kind: Kind, value: Value) -> Result<Value, String> {
    let outside = |low: &dyn std::fmt::Display, high: &dyn std::fmt::Display| {
        tr!("entre {low} et {high} attendu", "between {low} and {high} expected")
    };
    match (kind, &value) {
        (Kind::Int(low, high), Value::Int(n)) if !(low..=high).contains(n) => Err(outside(&low, &high)),
        // A NaN is in no range.
        (Kind::Float(low, high), Value::Float(n)) if !(low..=high).contains(n) => Err(outside(&low, &high)),
        (Kind::Word(words), Value::Text(text)) if !words.contains(&text.as_str()) => Err(words.join(" | ")),
        _ => Ok(value),
    }
}

fn time(text: &str) -> Option<Value> {
    let day = || Date::parse(text).map(Date::midnight);
    Instant::parse(text).or_else(day).map(Value::Time)
}

fn name_of(kind: Kind) -> String {
    match kind {
        Kind::Text => tr!("texte", "text"),
        Kind::Word(words) => words.join(" | "),
        Kind::Int(..) => tr!("entier", "integer"),
        Kind::Float(..) => tr!("nombre", "number"),
        Kind::Bool => "true | false".to_owned(),
        Kind::List => tr!("liste de textes", "list of texts"),
        Kind::Map => tr!("table de textes", "table of texts"),
        Kind::Time => tr!("jour AAAA-MM-JJ ou instant RFC 3339", "day YYYY-MM-DD or RFC 3339 instant"),
    }
}
