//! Rooms use rooms below them only, and each foreign system is named in one room.

use crate::{Source, none, sources};

/// The floors, from the ground up. Rooms of one floor do not know each other.
const FLOORS: [&[&str]; 7] = [
    &["base"],
    &["store", "markdown"],
    &["embed", "vector", "guard", "audit", "assistants"],
    &["memory", "knowledge", "retrieval"],
    &["serve"],
    &["cli"],
    &["bin"],
];

/// Libraries that one room alone may name.
const ONE_ROOM: [(&str, &str); 12] = [
    ("faiss", "vector"),
    ("ndarray", "vector"),
    ("vaultrs", "audit"),
    ("rustify", "audit"),
    ("rmcp", "serve"),
    ("fs4", "store"),
    ("rusqlite", "retrieval"),
    ("candle_core", "embed"),
    ("candle_nn", "embed"),
    ("candle_transformers", "embed"),
    ("tokenizers", "embed"),
    ("reqwest", "embed"),
];

/// The one file outside its room that may name a library. vaultrs cannot be told to refuse redirects
/// and proxies, so the client that carries the Vault token is built beside it.
const EXCEPTION: (&str, &str) = ("reqwest", "src/audit/vault_client.rs");

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn may_use(from: &str, to: &str) -> bool {
    let below = floor(to) < floor(from);
    // The service knows one system; a pure parser needs no file.
    from == to
        || below
            && match from {
                "serve" => !matches!(to, "memory" | "knowledge"),
                "markdown" => to == "base",
                _ => true,
            }
}

/// The first names after `crate::` in a file, groups included, and those reached by `super::`.
fn names(source: &Source) -> Vec<(usize, String)> {
    let depth = source.path.trim_end_matches("/mod.rs").matches('/').count();
    let mut names = Vec::new();
    let text: Vec<(usize, &str)> = source.code().collect();
    for (i, (number, line)) in text.iter().enumerate() {
        for start in ["crate::", "govmem::"] {
            for (at, _) in line.match_indices(start) {
                let rest = &line[at + start.len()..];
                if rest.starts_with('{') {
                    let group = text[i..].iter().map(|(_, l)| *l).collect::<Vec<_>>().join("\n");
                    let group = &group[at + start.len()..];
                    names.extend(heads(group).into_iter().map(|n| (*number, n)));
                } else {
                    names.push((*number, head(rest)));
                }
            }
        }
        for (at, _) in line.match_indices("super::") {
            if line[..at].ends_with("super::") {
                continue;
            }
            let ups = line[at..].split("super::").take_while(|s| s.is_empty()).count();
            if ups >= depth {
                names.push((*number, head(&line[at + ups * "super::".len()..])));
            }
        }
    }
    names
}

fn head(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first name of each member of a group `{a::b, c::{d, e}}`.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut member, mut out) = (0, String::new(), Vec::new());
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && c == ',') {
            out.push(head(member.trim()));
            member.clear();
            if depth == 0 {
                break;
            }
        } else if !(depth == 1 && c == '{') {
            member.push(c);
        }
    }
    out
}

#[test]
fn rooms_use_only_the_rooms_below() {
    let mut offences = Vec::new();
    for source in sources("src").iter().filter(|s| s.path != "src/lib.rs") {
        let room = source.room();
        assert!(floor(room).is_some(), "{}: no such room in the plan", source.path);
        for (line, name) in names(source) {
            if floor(&name).is_some() && !may_use(room, &name) {
                offences.push(format!("{}:{line}: {room} may not use {name}", source.path));
            }
        }
    }
    none(offences);
}

#[test]
fn each_foreign_system_is_named_in_one_room() {
    let mut offences = Vec::new();
    for source in sources("src") {
        for (line, text) in source.code() {
            for (library, room) in ONE_ROOM {
                let named = text.match_indices(library).any(|(at, _)| {
                    let before = text[..at].chars().next_back();
                    let after = &text[at + library.len()..];
                    before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '"' | '.'))
                        && (after.starts_with("::") || text.trim() == format!("use {library};"))
                });
                let excepted = EXCEPTION == (library, source.path.as_str());
                if named && source.room() != room && !excepted {
                    offences.push(format!("{}:{line}: {library} belongs to {room}/", source.path));
                }
            }
        }
    }
    none(offences);
}

#[test]
fn the_reader_of_names_reads() {
    let source = Source {
        path: "src/store/lock/file.rs".into(),
        text: "use crate::{base::{Error, Result}, vector};\nlet x = crate::audit::y();\n\
               use super::super::super::memory;\nuse super::super::open;\n// crate::cli\n#[cfg(test)]\ncrate::serve\n"
            .into(),
    };
    let found: Vec<String> = names(&source).into_iter().map(|(_, n)| n).collect();
    assert_eq!(found, ["base", "vector", "audit", "memory"]);
    assert!(may_use("audit", "store") && !may_use("audit", "vector") && !may_use("store", "markdown"));
    assert!(!may_use("serve", "memory") && may_use("serve", "retrieval") && may_use("bin", "cli"));
}
