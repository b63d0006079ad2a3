//! Descriptions in data files: OpenAPI, JSON Schema, SQL. Only what stands in the file.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use super::facts::Route;
use super::text::{cut, flat};

/// What a data file describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Described {
    /// An OpenAPI (or Swagger) description.
    Api {
        /// `info.title`.
        title: String,
        /// `info.description`.
        about: String,
        /// The operations; the handler is their summary.
        routes: Vec<Route>,
    },
    /// A JSON Schema.
    Schema {
        /// `title`.
        title: String,
        /// `description`.
        about: String,
        /// Properties: name, type, description.
        fields: Vec<(String, String, String)>,
    },
}

/// Reads a JSON or YAML file; `None` when it is neither an API description nor a schema.
pub fn read(path: &str, text: &str) -> Option<Described> {
    let json = path.ends_with(".json");
    let head: String = text.chars().take(4_000).collect();
    if !["openapi", "swagger", "$schema"].iter().any(|key| head.contains(key)) {
        return None;
    }
    let value: Value =
        if json { serde_json::from_str(text).ok()? } else { serde_saphyr::from_str(text).ok()? };
    let told = |value: Option<&Value>| value.and_then(Value::as_str).map(flat).unwrap_or_default();
    if value.get("openapi").is_some() || value.get("swagger").is_some() {
        let info = value.get("info");
        let mut routes = Vec::new();
        for (path, operations) in value.get("paths").and_then(Value::as_object).into_iter().flatten() {
            for (verb, operation) in operations.as_object().into_iter().flatten() {
                if ["get", "post", "put", "patch", "delete", "head", "options"].contains(&verb.as_str()) {
                    let summary = told(operation.get("summary").or_else(|| operation.get("operationId")));
                    routes.push(Route {
                        method: verb.to_ascii_uppercase(),
                        path: path.clone(),
                        handler: summary,
                    });
                }
            }
        }
        let (title, about) =
            (told(info.and_then(|i| i.get("title"))), told(info.and_then(|i| i.get("description"))));
        return Some(Described::Api { title, about, routes });
    }
    let properties = value.get("properties")?.as_object()?;
    value.get("$schema")?.as_str()?;
    let fields = properties.iter().map(|(name, field)| {
        let kind = field.get("type").map(|t| t.as_str().map_or_else(|| t.to_string(), str::to_owned));
        (name.clone(), kind.unwrap_or_default(), told(field.get("description")))
    });
    Some(Described::Schema {
        title: told(value.get("title")),
        about: told(value.get("description")),
        fields: fields.collect(),
    })
}

static STATEMENT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\b(create\s+(?:unique\s+)?(?:table|index|view|type)(?:\s+if\s+not\s+exists)?|alter\s+table|drop\s+table)\s+["`]?([\w.]+)"#,
    )
    .ok()
});

/// The statements of an SQL file: what is done and to what, in order.
pub fn statements(text: &str) -> Vec<(String, String)> {
    let found = STATEMENT.iter().flat_map(|regex| regex.captures_iter(text));
    found.map(|c| (flat(&c[1]).to_ascii_uppercase(), c[2].to_owned())).collect()
}

/// The columns and constraints of `table` in the file that creates it, one each, comments left out.
/// Nothing when the statement gives none (`CREATE TABLE … AS SELECT`).
pub fn columns(text: &str, table: &str) -> Vec<String> {
    let mut found = STATEMENT.iter().flat_map(|regex| regex.captures_iter(text));
    let creates = |c: &regex::Captures<'_>| {
        let what = flat(&c[1]).to_ascii_uppercase();
        what.starts_with("CREATE") && what.contains("TABLE") && &c[2] == table
    };
    let Some(end) = found.find(creates).and_then(|c| c.get(2)).map(|name| name.end()) else {
        return Vec::new();
    };
    let Some(inside) = text[end..].trim_start_matches(['"', '`']).trim_start().strip_prefix('(') else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let (mut item, mut depth, mut quote) = (String::new(), 1, None::<char>);
    let mut rest = inside.chars().peekable();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) => quote = (c != open).then_some(open),
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '-') if rest.peek() == Some(&'-') => {
                rest.find(|c| *c == '\n');
                item.push(' ');
                continue;
            }
            (None, '/') if rest.peek() == Some(&'*') => {
                while let Some(c) = rest.next() {
                    if c == '*' && rest.next_if_eq(&'/').is_some() {
                        break;
                    }
                }
                item.push(' ');
                continue;
            }
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if depth == 0 || depth == 1 && c == ',' && quote.is_none() {
            out.push(cut(&flat(&std::mem::take(&mut item)), 100));
            if depth == 0 {
                break;
            }
        } else {
            item.push(c);
        }
    }
    out.retain(|item| !item.is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_and_a_schema() {
        let yaml = "openapi: 3.0.0\ninfo:\n  title: Shop\n  description: Sells.\npaths:\n  /a:\n    get:\n      summary: Lists\n    parameters: []\n";
        let Some(Described::Api { title, routes, .. }) = read("openapi.yaml", yaml) else { panic!("api") };
        assert_eq!((title.as_str(), routes.len(), routes[0].handler.as_str()), ("Shop", 1, "Lists"));
        let json = r#"{"$schema":"https://json-schema.org/x","title":"Line","properties":{"id":{"type":"string","description":"Its id."}}}"#;
        let Some(Described::Schema { fields, .. }) = read("line.json", json) else { panic!("schema") };
        assert_eq!(fields, [("id".to_owned(), "string".to_owned(), "Its id.".to_owned())]);
        for (path, text) in
            [("a.json", "{}"), ("a.json", "{\"$schema\""), ("a.yaml", "openapi: ["), ("b.yaml", "a: 1")]
        {
            assert_eq!(read(path, text), None, "{text}");
        }
    }

    #[test]
    fn tables() {
        let sql = "CREATE TABLE IF NOT EXISTS users (\n  id INT PRIMARY KEY, -- key\n  name TEXT\n);\nalter table users add x int;\n";
        assert_eq!(
            statements(sql),
            [("CREATE TABLE IF NOT EXISTS".into(), "users".into()), ("ALTER TABLE".into(), "users".into())]
        );
        assert_eq!(columns(sql, "users"), ["id INT PRIMARY KEY", "name TEXT"]);
        // On one line, with commas inside, after other mentions of the table.
        let sql = "-- room (old)\nDROP TABLE room;\ncreate table \"room\" (id INT, price NUMERIC(8,2) DEFAULT 0, /* why, x */ name TEXT DEFAULT 'a,(b');\nCREATE TABLE copy AS SELECT max(x) FROM room;";
        assert_eq!(
            columns(sql, "room"),
            ["id INT", "price NUMERIC(8,2) DEFAULT 0", "name TEXT DEFAULT 'a,(b'"]
        );
        assert!(columns(sql, "copy").is_empty() && columns(sql, "none").is_empty());
        for cut in 0..sql.len() {
            let _ = columns(&sql[..cut], "room");
        }
    }
}
