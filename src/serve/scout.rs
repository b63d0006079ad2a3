//! The `id` of a JSON-RPC message that is too long to be kept, found while its bytes pass by.

use serde_json::Value;

/// Longest key or scalar remembered.
const LONGEST: usize = 1024;

/// What is known so far of a message.
#[derive(Debug, Default)]
pub struct Scout {
    depth: usize,
    string: bool,
    escaped: bool,
    /// The key or the scalar of the outermost object that is passing by, as written.
    token: Vec<u8>,
    /// Whether the value passing by is that of `id`.
    here: bool,
    id: Option<Value>,
}

impl Scout {
    /// Looks at the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.step(*byte));
    }

    /// The id, when the outermost object has one that is a string or a number.
    pub fn id(&self) -> Value {
        self.id.clone().unwrap_or_default()
    }

    fn step(&mut self, byte: u8) {
        if self.string {
            self.keep(byte);
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b':' if self.depth == 1 => {
                self.here = self.token == b"\"id\"";
                self.token.clear();
            }
            b',' if self.depth == 1 => self.value_ends(),
            b'}' | b']' => {
                if self.depth == 1 {
                    self.value_ends();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b'{' | b'[' => {
                // Makes the token no scalar.
                self.keep(byte);
                self.depth += 1;
            }
            b' ' | b'\t' | b'\r' => {}
            _ => {
                self.string = byte == b'"';
                self.keep(byte);
            }
        }
        if self.depth == 0 {
            self.token.clear();
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.token.len() < LONGEST {
            self.token.push(byte);
        }
    }

    fn value_ends(&mut self) {
        let token = std::mem::take(&mut self.token);
        if std::mem::take(&mut self.here) {
            self.id = serde_json::from_slice(&token).ok().filter(|v: &Value| v.is_string() || v.is_number());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_the_outermost_id_counts() {
        for (text, id) in [
            (r#"{"id":5,"method":"x"}"#, json!(5)),
            (r#"{ "method" : "x", "id" : "a\"b" }"#, json!("a\"b")),
            (r#"{"params":{"id":1,"x":[{"id":2}]},"id":3}"#, json!(3)),
            (r#"{"id":-7.5,"params":{"id":1}}"#, json!(-7.5)),
            (r#"{"x":"\"id\":9,","id":4}"#, json!(4)),
            (r#"{"x":"id","y":1}"#, Value::Null),
            (r#"{"id":{"id":1}}"#, Value::Null),
            (r#"{"id":null}"#, Value::Null),
            (r#"[{"id":1}]"#, Value::Null),
            ("{{{{", Value::Null),
            (r#"}}}]"id":1"#, Value::Null),
        ] {
            let mut whole = Scout::default();
            whole.feed(text.as_bytes());
            assert_eq!(whole.id(), id, "{text}");
        }
        let mut long = Scout::default();
        long.feed(format!(r#"{{"{}":1,"id":"{}"}}"#, "k".repeat(9999), "v".repeat(9999)).as_bytes());
        assert!(long.id().is_null() && long.token.len() <= LONGEST);
    }
}
