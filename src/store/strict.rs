//! JSON read strictly: no duplicate key at any depth, no second value, nothing lost.
//!
//! [`Fields`] keep each value of a line as the text it was, in the order of the file, so that a
//! rewritten line changes only where it was changed: large integers and odd spacing survive.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeOwned, DeserializeSeed, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// Why a text is not JSON of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A stable name for counts: `not_json`, `duplicate_key`, `too_deep`, `not_object`, `wrong_type`.
    pub name: &'static str,
    /// What is wrong, for people.
    pub message: String,
}

impl Fault {
    fn of(error: &serde_json::Error) -> Fault {
        let message = short(&error.to_string());
        let name = if message.starts_with(DUPLICATE) {
            "duplicate_key"
        } else if message.starts_with("recursion limit") {
            "too_deep"
        } else if error.is_data() {
            "wrong_type"
        } else {
            "not_json"
        };
        Fault { name, message }
    }
}

const DUPLICATE: &str = "duplicate key";

/// Checks that `text` is exactly one JSON value, nested less than 128 deep, without duplicate keys.
pub fn check(text: &str) -> Result<(), Fault> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Check.deserialize(&mut deserializer).and_then(|()| deserializer.end()).map_err(|e| Fault::of(&e))
}

/// Reads `text` as a `T` after [`check`].
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    check(text)?;
    serde_json::from_str(text).map_err(|e| Fault::of(&e))
}

/// The fields of one JSON object, each value as its text; borrowed from a line as far as possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

/// Fields that stand alone.
pub type Object = Fields<'static>;

impl Object {
    /// Reads one object after [`check`].
    pub fn parse(text: &str) -> Result<Object, Fault> {
        Fields::borrow(text).map(Fields::into_owned)
    }
}

impl<'a> Fields<'a> {
    /// Reads one object after [`check`], keeping what it can of `text`.
    pub fn borrow(text: &'a str) -> Result<Fields<'a>, Fault> {
        check(text)?;
        let mut deserializer = serde_json::Deserializer::from_str(text);
        deserializer.deserialize_any(Borrowing).map_err(|e| {
            let fault = Fault::of(&e);
            if fault.name == "wrong_type" { Fault { name: "not_object", ..fault } } else { fault }
        })
    }

    /// These fields apart from their text.
    pub fn into_owned(self) -> Object {
        let owned = |text: Cow<'a, str>| Cow::Owned(text.into_owned());
        Fields(self.0.into_iter().map(|(key, value)| (owned(key), owned(value))).collect())
    }

    /// The JSON text of the value of `key`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, v)| &**v)
    }

    /// Sets the value of `key` to the JSON text `value`: in place, or at the end when new.
    pub fn set(&mut self, key: &str, value: impl Into<String>) {
        let value = Cow::Owned(value.into());
        match self.0.iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((Cow::Owned(key.to_owned()), value)),
        }
    }

    /// Removes `key`.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(k, _)| k != key);
    }

    /// Keys and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(k, v)| (&**k, &**v))
    }

    /// Whether there is no field.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object as one line.
    pub fn to_line(&self) -> String {
        let mut out =
            String::with_capacity(2 + self.iter().map(|(k, v)| k.len() + v.len() + 4).sum::<usize>());
        out.push('{');
        for (i, (key, value)) in self.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            match key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                true => out.extend(["\"", key, "\""]),
                false => out.push_str(&serde_json::Value::from(key).to_string()),
            }
            out.push(':');
            if value.contains(['\n', '\r']) { squeeze(value, &mut out) } else { out.push_str(value) }
        }
        out.push('}');
        out
    }
}

/// Adds the JSON text `value` without the white space between its tokens.
fn squeeze(value: &str, out: &mut String) {
    let (mut in_string, mut escaped) = (false, false);
    for c in value.chars() {
        if in_string {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if c.is_ascii_whitespace() {
            continue;
        } else {
            in_string = c == '"';
        }
        out.push(c);
    }
}

/// An error text without serde's position and not longer than a line of a terminal or two.
pub(super) fn short(message: &str) -> String {
    let message = message.split(" at line ").next().unwrap_or(message);
    message.chars().take(160).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

struct Borrowing;

impl<'de> Visitor<'de> for Borrowing {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields<'de>, A::Error> {
        let mut fields = Vec::with_capacity(16);
        while let Some((Key(key), value)) = map.next_entry::<Key<'de>, &RawValue>()? {
            fields.push((key, Cow::Borrowed(value.get())));
        }
        Ok(Fields(fields))
    }
}

/// A key, borrowed from the text where it holds no escape.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct Check;

impl<'de> DeserializeSeed<'de> for Check {
    type Value = ();
    fn deserialize<D: serde::Deserializer<'de>>(self, d: D) -> Result<(), D::Error> {
        d.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Check {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut seen = HashSet::new();
        while let Some(Key(key)) = map.next_key()? {
            map.next_value_seed(Check)?;
            if let Some(key) = seen.replace(key) {
                return Err(serde::de::Error::custom(format!("{DUPLICATE} {key:.60?}")));
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Check)?.is_some() {}
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> &'static str {
        check(text).err().map_or("ok", |f| f.name)
    }

    #[test]
    fn what_is_refused() {
        assert_eq!(name(r#"{"a":1,"b":{"c":[{"d":1,"e":null}]}}"#), "ok");
        assert_eq!(name(r#"{"a":1,"a":1}"#), "duplicate_key");
        assert_eq!(name(r#"{"a":1,"\u0061":1}"#), "duplicate_key");
        assert_eq!(name(r#"[{"x":{"a":1,"a":2}}]"#), "duplicate_key");
        assert_eq!(name(&format!("{}{}", "[".repeat(200), "]".repeat(200))), "too_deep");
        for bad in
            ["", "{", "{} {}", "{}{}", "NaN", "1e999", "{'a':1}", r#""\ud800""#, "{\"a\":1,}", "<<<<<<< HEAD"]
        {
            assert_eq!(name(bad), "not_json", "{bad}");
        }
        assert_eq!(Object::parse("[1]").unwrap_err().name, "not_object");
        assert_eq!(parse::<u8>("300").unwrap_err().name, "wrong_type");
    }

    #[test]
    fn objects_keep_what_is_not_changed() {
        let text = r#"{"z": 12345678901234567890123, "a":1.50, "s":"é\u00e9" , "n":{"x" : [ 1 ]}}"#;
        let mut object = Object::parse(text).unwrap();
        assert_eq!(
            object.to_line(),
            r#"{"z":12345678901234567890123,"a":1.50,"s":"é\u00e9","n":{"x" : [ 1 ]}}"#
        );
        object.set("a", "2");
        object.set("new\"", "true");
        object.remove("n");
        assert_eq!(object.to_line(), r#"{"z":12345678901234567890123,"a":2,"s":"é\u00e9","new\"":true}"#);
    }

    #[test]
    fn values_over_several_lines_become_one() {
        let object = Object::parse("{\"a\":[\n  1,\r\n \"x \\\" y\\\\\",\n 2 ]}").unwrap();
        assert_eq!(object.to_line(), r#"{"a":[1,"x \" y\\",2]}"#);
    }
}
