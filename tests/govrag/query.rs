//! What a question is answered with: the section, its place, its doubts, within the budget.

use govmem::knowledge::tokens::estimate;
use serde_json::Value;

use crate::world::{World, shared};

fn page(title: &str, fields: &str, body: &str) -> String {
    format!(
        "---\ntitle: \"{title}\"\nsummary: \"Une page sur {title}.\"\n{fields}updated: 2026-07-01\n---\n\n# {title}\n\n{body}"
    )
}

fn world() -> World {
    let stable = "type: feature\nstatus: stable\ntags: [auth]\naudience: [dev]\n";
    World::with(&[
        (".rag", "version: \"1\"\nroot: ./kb\nlang: fr\n"),
        (
            "kb/authentification/login.md",
            &page(
                "Connexion",
                &format!("{stable}related: [securite/mfa.md]\n"),
                "## Périmètre\n\nOuverture d'une session.\n\n## Sécurité\n\n- Verrouillage du compte après 5 échecs consécutifs.\n- Messages d'erreur génériques.\n",
            ),
        ),
        (
            "kb/authentification/session.md",
            &page(
                "Session",
                "type: feature\nstatus: needs-review\ntags: [auth, session]\naudience: [ops]\nimpl_refs: [src/session.rs]\n",
                "## Durée\n\nLe cookie expire après une heure. Voir [connexion](login.md).\n",
            ),
        ),
        (
            "kb/securite/mfa.md",
            &page(
                "Second facteur",
                "type: concept\nstatus: deprecated\ntags: [securite]\naudience: [security]\n",
                "## Vérification\n\nUn code à six chiffres est exigé, voir [session](../authentification/session.md).\n",
            ),
        ),
        (
            "kb/securite/vieux.md",
            &page(
                "Verrouillage du compte",
                "type: concept\nstatus: archived\ntags: [securite]\n",
                "Verrouillage du compte après échecs consécutifs, ancienne règle. [mfa](mfa.md)\n",
            ),
        ),
        ("src/session.rs", "fn session() {}\n"),
    ])
}

fn json(world: &World, arguments: &[&str]) -> Value {
    let run = world.govrag(&[&["query", "--json"], arguments].concat());
    serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {} {}", run.out, run.err))
}

#[test]
fn the_section_is_answered_with_its_place() {
    let world = world();
    let run = world.govrag(&["query", "Comment fonctionne le verrouillage du compte après des échecs ?"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let first = run.out.lines().next().unwrap();
    // Front matter is nine lines, a blank, the title, a blank, then the sections.
    let source = world.read("kb/authentification/login.md");
    let line = 1 + source.lines().position(|l| l == "## Sécurité").unwrap();
    assert!(first.starts_with(&format!("[1] authentification/login.md:{line}-{} ", line + 3)), "{}", run.out);
    assert!(run.out.contains("Verrouillage du compte après 5 échecs consécutifs."));
    assert!(run.out.contains("estimate-o200k-v1"));
}

#[test]
fn accents_case_and_endings_are_forgiven() {
    let world = world();
    for question in ["verrouillages comptes echec", "VERROUILLAGE ÉCHECS", "verrouillage échec consécutif"]
    {
        let answer = json(&world, &[question, "--status", "stable"]);
        assert_eq!(answer["entries"][0]["path"], "authentification/login.md", "{question}");
        assert_eq!(answer["entries"][0]["heading"], "Sécurité", "{question}");
    }
}

#[test]
fn doubtful_pages_are_marked() {
    let world = world();
    let run = world.govrag(&["query", "expiration du cookie"]);
    assert!(
        run.out.contains("needs-review") && run.out.contains("! authentification/session.md"),
        "{}",
        run.out
    );
    assert!(run.out.contains("src/session.rs"));
    let run = world.govrag(&["query", "code à six chiffres"]);
    assert!(run.out.contains("deprecated") && run.out.contains("! securite/mfa.md"), "{}", run.out);
    std::fs::remove_file(world.path("src/session.rs")).unwrap();
    let answer = json(&world, &["expiration du cookie"]);
    assert_eq!(answer["entries"][0]["drifted"], serde_json::json!(["src/session.rs"]));
}

#[test]
fn filters_leave_pages_out() {
    let world = world();
    let paths = |arguments: &[&str]| -> Vec<String> {
        let answer = json(&world, arguments);
        answer["entries"].as_array().unwrap().iter().map(|e| e["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(paths(&["page", "--type", "feature", "--audience", "ops"]), ["authentification/session.md"]);
    assert_eq!(paths(&["page", "--tag", "auth", "--tag", "session"]), ["authentification/session.md"]);
    assert_eq!(paths(&["verrouillage", "--status", "archived"]), ["securite/vieux.md"]);
    assert_eq!(paths(&["verrouillage compte"])[0], "authentification/login.md");
    assert_eq!(world.govrag(&["query", "x", "--type", "recipe"]).code, 2);
}

#[test]
fn neighbours_phases_and_scores() {
    let world = world();
    let answer = json(&world, &["verrouillage échecs consécutifs", "--status", "stable"]);
    let neighbours: Vec<String> = answer["neighbours"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| format!("{} {}", n["relation"].as_str().unwrap(), n["path"].as_str().unwrap()))
        .collect();
    assert_eq!(neighbours, ["related securite/mfa.md", "linked_by authentification/session.md"]);
    let phase = |n: &str| world.govrag(&["query", "verrouillage", "--phase", n]).out;
    assert!(phase("0").contains(".rag"));
    assert!(phase("1").contains("| authentification/login.md | feature | stable |"), "{}", phase("1"));
    assert!(phase("2").starts_with("---\ntitle:"), "{}", phase("2"));
    assert!(phase("3").contains("[1]") && !phase("3").contains("~ "));
    assert!(phase("4").contains("~ ") && !phase("4").contains("[1]"), "{}", phase("4"));
    for n in ["0", "1", "2", "3", "4"] {
        let run = world.govrag(&["query", "verrouillage", "--phase", n]);
        assert!(run.code == 0 && !run.out.contains("no hit"), "{n}: {}", run.out);
    }
    assert_eq!(world.govrag(&["query", "x", "--phase", "5"]).code, 2);
    let explained = json(&world, &["verrouillage du compte", "--explain"]);
    assert!(explained["entries"][0]["score"].as_f64().unwrap() > 0.0);
    assert_eq!(explained["words"].as_array().unwrap().len(), 2, "{explained}");
}

#[test]
fn without_a_hit_the_nearest_themes_are_offered() {
    let world = world();
    let run = world.govrag(&["query", "sécuritaire zzz"]);
    assert_eq!(run.code, 1);
    assert!(
        run.out.contains("no hit") && run.out.contains("- securite (2) ~ authentification"),
        "{}",
        run.out
    );
    assert_eq!(world.govrag(&["query", "?!"]).code, 2);
    let bare = World::new();
    let run = bare.govrag(&["query", "x"]);
    assert!(run.code == 1 && run.err.contains("govrag init"), "{}", run.err);
}

#[test]
fn function_words_alone_are_looked_for() {
    let world = world();
    let run = world.govrag(&["query", "du"]);
    assert!(run.code == 0 && run.out.contains("[1]"), "{}", run.out);
}

#[test]
fn the_budget_is_never_passed() {
    let Some(root) = shared("kb/astro-docs/src/content/docs/fr") else { return };
    let world = World::with(&[(
        ".rag",
        &format!("version: \"1\"\nroot: {}\nlang: fr\nextensions: [mdx]\n", root.display()),
    )]);
    let questions = [
        "déployer un site",
        "comment créer une collection de contenu",
        "îlots",
        "erreur",
        "a de la",
        "zzzz",
        "configuration des images et des polices",
    ];
    for question in questions {
        for max in ["90", "150", "300", "800", "2000"] {
            for format in [&[][..], &["--json"]] {
                let arguments = [&["query", question, "--max-tokens", max], format].concat();
                let run = world.govrag(&arguments);
                let most: usize = max.parse().unwrap();
                assert!(estimate(&run.out) <= most, "{question} {max} {format:?}: {}", estimate(&run.out));
                assert!(run.code != 2 || run.err.contains("--max-tokens"), "{}", run.err);
                assert!(run.code != 2 || most <= 150, "{question} {max}: {}", run.err);
            }
        }
    }
}

#[test]
fn a_budget_too_small_is_refused_with_one_that_suffices() {
    let world = world();
    for question in ["verrouillage", "zzzz"] {
        for max in ["0", "1", "9", "10", "40", "60"] {
            let run = world.govrag(&["query", question, "--max-tokens", max]);
            let Some((_, hint)) = run.err.split_once("--max-tokens ") else {
                assert!(estimate(&run.out) <= max.parse().unwrap(), "{question} {max}: {}", run.out);
                continue;
            };
            let hinted = hint.split_whitespace().next().unwrap();
            let again = world.govrag(&["query", question, "--max-tokens", hinted]);
            assert!(run.code == 2 && again.code < 2, "{question} {max} {hinted}: {}", again.err);
        }
    }
}

#[test]
fn a_hit_is_never_called_none_and_no_budget_is_passed() {
    let world = world();
    for phase in [None, Some("1"), Some("2"), Some("3"), Some("4")] {
        for format in [&[][..], &["--json"], &["--explain"]] {
            let mut answered = 0;
            for max in (1..130).step_by(4).chain((130..=2000).step_by(110)) {
                let max = max.to_string();
                let mut arguments = vec!["query", "verrouillage échecs", "--max-tokens", &max];
                arguments.extend(phase.iter().flat_map(|n| ["--phase", n]));
                arguments.extend(format);
                let run = world.govrag(&arguments);
                assert!(!run.out.contains("no hit") && run.code != 1, "{arguments:?}: {}", run.out);
                assert!(estimate(&run.out) <= max.parse().unwrap(), "{arguments:?}: {}", run.out);
                answered += u32::from(run.code == 0);
                let too_small = run.code == 2 && run.err.contains("--max-tokens");
                assert!(
                    run.code == 0 && answered > 0 || too_small && answered == 0,
                    "{arguments:?}: {}",
                    run.err
                );
            }
            assert!(answered > 12, "{phase:?} {format:?}");
        }
    }
}

/// Every line of every text that an answer gives is where the answer says.
#[test]
fn citations_have_the_lines_of_their_texts() {
    let world = world();
    let long = (0..40).map(|n| format!("Alinéa {n} : le verrouillage dure.\n\n")).collect::<String>();
    let crlf = page("Long", "type: guide\nstatus: stable\ntags: [a]\n", &format!("## Détails\n\n{long}"));
    world.write("kb/long.md", &crlf.replace('\n', "\r\n"));
    let mut texts = 0;
    for question in ["verrouillage", "le verrouillage dure alinéa 17", "cookie", "code à six chiffres"] {
        for max in ["120", "200", "400", "800", "2000"] {
            let run = world.govrag(&["query", question, "--max-tokens", max, "--json"]);
            let answer: Value = serde_json::from_str(&run.out).unwrap_or_default();
            for entry in answer["entries"].as_array().into_iter().flatten() {
                let Some(text) = entry["text"].as_str() else { continue };
                let source = world.read(&format!("kb/{}", entry["path"].as_str().unwrap()));
                let (from, to) = (entry["line"].as_u64().unwrap(), entry["end_line"].as_u64().unwrap());
                let lines: Vec<&str> = source.split('\n').collect();
                let cited = lines[from as usize - 1..to as usize].join("\n");
                assert_eq!(cited.trim(), text.trim(), "{question} {max}");
                texts += 1;
            }
        }
    }
    assert!(texts > 10, "{texts}");
}

#[test]
fn the_same_question_gives_the_same_bytes() {
    let world = world();
    let one = world.govrag(&["query", "session compte"]).out;
    assert!((0..5).all(|_| world.govrag(&["query", "session compte"]).out == one));
}

/// The sentences of a section, each of some twelve tokens.
fn sentences(count: usize, about: &str) -> String {
    (1..=count).map(|n| format!("- Règle {n} : {about} suit la procédure du manuel.\n")).collect()
}

/// Where one page is clearly ahead its section is given whole when it fits; where several are alike a
/// long text is likely the wrong one, and the places to look come first.
#[test]
fn the_text_of_a_clear_answer_is_whole_and_of_a_doubtful_one_short() {
    let stable = "type: feature\nstatus: stable\ntags: [auth]\n";
    let section = |about: &str| format!("## Procédure\n\n{}", sentences(30, about));
    let world = World::with(&[
        (".rag", "version: \"1\"\nroot: ./kb\nlang: fr\n"),
        ("kb/purge/purge.md", &page("Purge", stable, &section("la purge nocturne"))),
        ("kb/sauvegarde/une.md", &page("Sauvegarde locale", stable, &section("la sauvegarde"))),
        ("kb/sauvegarde/deux.md", &page("Sauvegarde distante", stable, &section("la sauvegarde"))),
    ]);
    let whole = section("la purge nocturne");
    let tokens = estimate(&whole);
    assert!(tokens > 800 * 3 / 8 && tokens < 700, "{tokens}");
    let clear = world.govrag(&["query", "purge nocturne"]);
    assert!(clear.out.contains(whole.trim_start_matches("## Procédure\n\n").trim_end()), "{}", clear.out);
    assert!(!clear.out.contains("excerpt") && estimate(&clear.out) <= 800, "{}", clear.out);

    let doubtful = world.govrag(&["query", "sauvegarde"]).out;
    for place in ["sauvegarde/une.md", "sauvegarde/deux.md"] {
        assert!(doubtful.contains(place), "{doubtful}");
    }
    assert!(estimate(&doubtful) < tokens, "{} tokens: {doubtful}", estimate(&doubtful));
    // All of the budget, when it is asked for.
    let all = world.govrag(&["query", "sauvegarde", "--phase", "3"]).out;
    assert!(estimate(&all) > tokens, "{} tokens: {all}", estimate(&all));
}
