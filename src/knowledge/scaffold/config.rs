//! Settings: the keys of configuration files (TOML ones sorted), the steps of pipelines and containers. Values are not
//! taken over, for they may be secret or differ by machine.

use super::text::flat;

/// The keys of the file at `path`, at most `most`, with their section: `server.port`.
pub fn keys(path: &str, text: &str, most: usize) -> Vec<String> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, e)| e);
    let mut out = match extension {
        "toml" => toml(text),
        "ini" | "cfg" | "properties" => ini(text),
        "json" => json(text),
        "yml" | "yaml" => yaml(text),
        _ if name.starts_with("dockerfile") => container(text),
        _ if name == "makefile" || name == "justfile" => targets(text),
        _ => Vec::new(),
    };
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|key| seen.insert(key.clone()));
    out.truncate(most);
    out
}

fn toml(text: &str) -> Vec<String> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut out = Vec::new();
    for (key, value) in &table {
        match value.as_table() {
            Some(inner) => out.extend(inner.keys().map(|k| format!("{key}.{k}"))),
            None => out.push(key.clone()),
        }
    }
    out
}

fn ini(text: &str) -> Vec<String> {
    let mut section = String::new();
    let mut out = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            section = format!("{name}.");
        } else if let Some((key, _)) = line.split_once('=').filter(|_| !line.starts_with(['#', ';'])) {
            out.push(format!("{section}{}", key.trim()));
        }
    }
    out
}

fn json(text: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(map)) = serde_json::from_str(text) else { return Vec::new() };
    let mut out = Vec::new();
    for (key, value) in &map {
        match value.as_object().filter(|_| key == "scripts" || key == "compilerOptions") {
            Some(inner) => out.extend(inner.keys().map(|k| format!("{key}.{k}"))),
            None => out.push(key.clone()),
        }
    }
    out
}

/// Top-level keys, and the names one level below.
fn yaml(text: &str) -> Vec<String> {
    let Ok(serde_json::Value::Object(map)) = serde_saphyr::from_str(text) else { return Vec::new() };
    let mut out = Vec::new();
    for (key, value) in &map {
        match value.as_object().filter(|inner| !inner.is_empty()) {
            Some(inner) => out.extend(inner.keys().map(|k| format!("{key}.{k}"))),
            None => out.push(key.clone()),
        }
    }
    out
}

fn container(text: &str) -> Vec<String> {
    let wanted =
        |line: &str| ["FROM ", "EXPOSE ", "ENTRYPOINT ", "CMD ", "USER "].iter().any(|w| line.starts_with(w));
    text.lines().map(str::trim).filter(|line| wanted(line)).map(flat).collect()
}

fn targets(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let (name, rest) = line.split_once(':')?;
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
        (plain && !rest.starts_with('=')).then(|| name.to_owned())
    };
    text.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_each_format() {
        assert_eq!(keys("a.toml", "x = 1\n[server]\nport = 2\n", 9), ["server.port", "x"]);
        assert_eq!(keys("a.ini", "[db]\n; c = 1\nurl = x\n", 9), ["db.url"]);
        assert_eq!(
            keys("package.json", r#"{"name":"a","scripts":{"test":"t"}}"#, 9),
            ["name", "scripts.test"]
        );
        assert_eq!(keys("ci.yml", "on: push\njobs:\n  build:\n    steps: []\n", 9), ["on", "jobs.build"]);
        assert_eq!(keys("Dockerfile", "FROM rust\nRUN x\nEXPOSE 80\n", 9), ["FROM rust", "EXPOSE 80"]);
        assert_eq!(keys("Makefile", "V := 1\nall: a\n\techo: no\n", 9), ["all"]);
        assert_eq!(keys("a.toml", "broken = [", 9), Vec::<String>::new());
    }
}
