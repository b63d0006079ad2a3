//! What is found, in which order, and how it is shown.

use std::collections::BTreeSet;

use crate::world::World;

fn world() -> World {
    World::indexed(&[
        ("vault.md", "# Vault\n\nThe vault keeps the signing key. Keys rotate every week.\n"),
        (
            "cle.md",
            "# Clés\n\nLa clé d'audit est gardée dans le coffre ; les clés tournent chaque semaine.\n",
        ),
        ("code.md", "# Code\n\nCall `getUserName` from snake_case_name in path/to/file.rs with C++.\n"),
        ("jp.md", "# 日本\n\n日本語の文書です。検索できます。\n"),
        ("common.md", "# And\n\nthe and of with the\n"),
        ("deploy.md", "# Deploy\n\nDeploy the site. The exact phrase here is deploy the key twice.\n"),
    ])
}

#[test]
fn words_are_folded_stemmed_and_split() {
    let w = world();
    let first = |q: &str| w.paths(&["search", q]).first().cloned().unwrap_or_default();
    assert_eq!(first("VAULTS rotating"), "vault.md");
    assert_eq!(first("cle coffres"), "cle.md");
    assert_eq!(first("CLÉ tournée"), "cle.md");
    assert_eq!(first("getusername"), "code.md");
    assert_eq!(first("user name"), "code.md");
    assert_eq!(first("get_user_name"), "code.md", "parts serve when the whole is unknown");
    assert_eq!(first("path/to/file.rs"), "code.md");
    assert_eq!(first("file.rs"), "code.md");
    assert_eq!(first("C++"), "code.md");
    assert_eq!(first("日本語"), "jp.md");
    assert_eq!(first("検索"), "jp.md");
    assert_eq!(first("文"), "jp.md", "one character finds its pairs");
}

#[test]
fn common_words_are_never_empty() {
    let w = world();
    for q in ["the", "and of", "with the of", "les"] {
        let found = w.paths(&["search", q]);
        assert_eq!(found.is_empty(), q == "les" && !found.contains(&"cle.md".to_owned()), "{q}: {found:?}");
    }
    assert_eq!(w.paths(&["search", "the vault"])[0], "vault.md");
}

#[test]
fn phrases_and_exclusions_are_exact() {
    let w = world();
    assert_eq!(w.paths(&["search", "\"deploy the key\""]), ["deploy.md"]);
    assert!(w.paths(&["search", "\"deploy key\""]).is_empty());
    assert_eq!(w.paths(&["search", "\"la clé d'audit\""]), ["cle.md"]);
    assert_eq!(w.paths(&["search", "\"本語の\""]), ["jp.md"]);
    let with = w.paths(&["search", "key"]);
    assert!(with.contains(&"deploy.md".into()) && with.contains(&"vault.md".into()));
    // `rotate` is excluded, `rotating` is another word.
    assert_eq!(w.paths(&["search", "key -rotate"]), ["deploy.md"]);
    assert!(w.paths(&["search", "key -rotating"]).contains(&"vault.md".into()));
    assert_eq!(w.paths(&["search", "key -\"deploy the\""]), ["vault.md"]);
}

#[test]
fn every_format_shows_the_same_results() {
    let w = world();
    let json = w.run(&["search", "key", "--json"]).exits(0).json();
    assert_eq!(json["schema"], 1);
    assert_eq!(json["mode"], "search");
    let results = json["results"].as_array().unwrap();
    assert_eq!(json["count"].as_u64().unwrap() as usize, results.len());
    let hit = &results[0];
    for field in [
        "docid",
        "uri",
        "collection",
        "path",
        "title",
        "score",
        "line_start",
        "line_end",
        "snippet",
        "contexts",
        "stale",
    ] {
        assert!(!hit[field].is_null(), "{field}");
    }
    let uris: Vec<&str> = results.iter().map(|r| r["uri"].as_str().unwrap()).collect();
    for format in ["text", "csv", "md", "xml", "files"] {
        let out = w.run(&["search", "key", "--format", format]).exits(0).stdout;
        let mut places: Vec<usize> =
            uris.iter().map(|u| out.find(u).unwrap_or_else(|| panic!("{format}: {u}"))).collect();
        let sorted = places.clone();
        places.sort_unstable();
        assert_eq!(places, sorted, "{format}: the same order");
        assert_eq!(out.matches("gf://").count(), uris.len(), "{format}: nothing else");
    }
    for alias in ["--csv", "--md", "--xml", "--files"] {
        let full = w.run(&["search", "key", "--format", &alias[2..]]).stdout;
        assert_eq!(w.run(&["search", "key", alias]).stdout, full);
    }
    assert_eq!(w.run(&["search", "key", "--files"]).stdout.lines().collect::<Vec<_>>(), uris);
}

#[test]
fn limits_and_scores() {
    let w = world();
    assert_eq!(w.paths(&["search", "key", "-n", "1"]).len(), 1);
    assert_eq!(w.paths(&["search", "key deploy vault semaine", "--all"]).len(), 3);
    let all = w.run(&["search", "vault", "--json"]).json();
    let score = all["results"][0]["score"].as_f64().unwrap();
    assert!(score > 0.2 && score <= 1.0, "{score}");
    // A word that no document holds lowers what the query reaches.
    let less = w.run(&["search", "vault xyzzy", "--json"]).json();
    assert!(less["results"][0]["score"].as_f64().unwrap() < score);
    w.run(&["search", "vault", "--min-score", "0.99"]).exits(1);
    w.run(&["search", "vault", "--min-score", "1.5"]).exits(2);
    let none = w.run(&["search", "xyzzy"]).exits(1);
    assert!(none.stdout.is_empty() && none.stderr.contains("no result"));
}

#[test]
fn snippets_and_lines_are_those_of_the_file() {
    let long: String =
        (1..=400).map(|i| format!("Line {i} says nothing of interest to anyone today.\n")).collect();
    let text = format!("# Long\n\n{long}\nThe zebra sleeps in line 404.\n{long}");
    let w = World::indexed(&[("long.md", &text)]);
    let hit = w.run(&["search", "zebra", "--json"]).exits(0).json()["results"][0].clone();
    let line = hit["snippet_line"].as_u64().unwrap() as usize;
    let file: Vec<&str> = text.lines().collect();
    let snippet = hit["snippet"].as_str().unwrap();
    assert!(snippet.contains("zebra"));
    assert_eq!(snippet.lines().next().unwrap(), file[line - 1]);
    let (start, end) = (hit["line_start"].as_u64().unwrap(), hit["line_end"].as_u64().unwrap());
    assert!(start <= 404 && 404 <= end && end - start < 200, "{start}-{end}");
}

#[test]
fn contexts_show_under_their_scope_and_are_no_text() {
    let w = world();
    w.write("sub/other.md", "# Other\n\nAnother key lies here.\n");
    w.run(&["update"]).exits(0);
    w.run(&["context", "add", "/", "everything is about locksmiths"]).exits(0);
    w.run(&["context", "add", "docs/sub", "notes of the basement"]).exits(0);
    let json = w.run(&["search", "key", "--json"]).json();
    for r in json["results"].as_array().unwrap() {
        let texts: BTreeSet<&str> =
            r["contexts"].as_array().unwrap().iter().map(|c| c["text"].as_str().unwrap()).collect();
        assert!(texts.contains("everything is about locksmiths"));
        assert_eq!(texts.contains("notes of the basement"), r["path"] == "sub/other.md");
    }
    w.run(&["search", "locksmiths basement"]).exits(1);
    let gaps = w.run(&["context", "check", "--json"]).exits(1).json();
    let gaps: Vec<&str> =
        gaps["without_context"].as_array().unwrap().iter().map(|g| g.as_str().unwrap()).collect();
    assert!(gaps.contains(&"gf://docs/vault.md") && !gaps.iter().any(|g| g.ends_with("/sub")));
    w.run(&["context", "rm", "/"]).exits(0);
    w.run(&["context", "rm", "/"]).exits(1);
    w.run(&["context", "add", "gf://nowhere/", "x"]).exits(2);
}

#[test]
fn explain_names_legs_and_scores() {
    let w = world();
    let json = w.run(&["search", "vault", "--json", "--explain"]).json();
    let leg = &json["results"][0]["explain"]["legs"][0];
    assert_eq!((leg["leg"].as_str(), leg["rank"].as_u64()), (Some("lexical"), Some(1)));
    let hybrid = w.run(&["query", "vault key", "--json", "--explain"]).json();
    let explain = &hybrid["results"][0]["explain"];
    assert!(explain["fused"].as_f64().unwrap() > 0.0);
}

#[test]
fn hostile_text_drives_no_terminal() {
    let w = World::indexed(&[(
        "evil.md",
        "# Evil \u{1b}[31m\n\nzebra \u{1b}]0;x\u{7} \u{202e}reversed ``` fence\n",
    )]);
    for format in ["text", "md", "xml", "files"] {
        let out = w.run(&["search", "zebra", "--format", format]).exits(0).stdout;
        assert!(!out.contains('\u{1b}') && !out.contains('\u{7}'), "{format}");
    }
    assert!(!w.run(&["get", "evil.md"]).stdout.contains('\u{1b}'));
    // Machines get the text as it is.
    assert!(
        w.run(&["search", "zebra", "--json"]).json()["results"][0]["snippet"]
            .as_str()
            .unwrap()
            .contains('\u{1b}')
    );
}
