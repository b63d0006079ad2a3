//! Skills, commands and pointer for every assistant: in place, kept, removed.

use govmem::knowledge::tokens::estimate;
use serde_json::Value;

use crate::world::World;

const LAYOUTS: [(&str, [&str; 3]); 5] = [
    ("claude", [".claude/skills/rag/SKILL.md", ".claude/commands/rag-query.md", "CLAUDE.md"]),
    ("kilo", [".kilo/skills/rag-sync/SKILL.md", ".kilo/commands/rag-check.md", "AGENTS.md"]),
    ("opencode", [".opencode/skills/rag/SKILL.md", ".opencode/commands/rag-init.md", "AGENTS.md"]),
    ("codex", [".agents/skills/rag/SKILL.md", ".agents/skills/rag-update/SKILL.md", "AGENTS.md"]),
    ("gemini", [".gemini/skills/rag/SKILL.md", ".gemini/commands/rag-query.toml", "GEMINI.md"]),
];

fn world() -> World {
    World::with(&[
        (".rag", "version: \"1\"\nroot: ./docs-rag\nlang: fr\n"),
        ("AGENTS.md", "# Consignes\n\n- Une règle.\n"),
    ])
}

#[test]
fn every_assistant_gets_its_own_layout() {
    for (cli, wanted) in LAYOUTS {
        let world = world();
        let before = world.files();
        let run = world.govrag(&["install", "--cli", cli]);
        assert_eq!(run.code, 0, "{}", run.err);
        assert!(run.out.contains("restart the assistant"), "{}", run.out);
        for path in wanted {
            let text = world.read(path);
            assert!(text.contains("govrag"), "{path}");
        }
        assert!(world.read("AGENTS.md").starts_with("# Consignes\n\n- Une règle.\n"));
        let made = world.files();
        let again = world.govrag(&["install", "--cli", cli]);
        assert!(again.code == 0 && !again.out.contains("restart"), "{}", again.out);
        assert_eq!(world.files(), made);
        assert_eq!(world.govrag(&["install", "--cli", cli, "--status"]).code, 0);
        let removed = world.govrag(&["install", "--cli", cli, "--remove"]);
        assert_eq!((removed.code, world.files()), (0, before), "{cli}: {}", removed.out);
    }
}

#[test]
fn skills_follow_their_rules_and_their_first_step_is_the_marker() {
    let world = world();
    world.govrag(&["install", "--cli", "claude"]);
    for name in ["rag", "rag-sync"] {
        let text = world.read(&format!(".claude/skills/{name}/SKILL.md"));
        assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")));
        assert!(text.lines().count() < 500);
        let first = text.split("\n## ").nth(1).expect("a first section");
        assert!(first.contains("`.rag`"), "{first}");
    }
    let agents = world.read("AGENTS.md");
    let block = &agents[agents.find("<!-- govrag:begin").unwrap()..];
    assert!(estimate(block) <= 150 && block.contains("govrag query"), "{}", estimate(block));
}

#[test]
fn what_the_team_changed_stays() {
    let world = world();
    world.write(".claude/commands/rag-query.md", "ours\n");
    world.govrag(&["install", "--cli", "claude"]);
    let changed = world.read(".claude/skills/rag/SKILL.md").replace("Phase 0", "Étape 0");
    world.write(".claude/skills/rag/SKILL.md", &changed);
    let agents = world.read("AGENTS.md").replace("Avant d'agir", "Toujours");
    world.write("AGENTS.md", &agents);
    for flags in [&["install", "--cli", "claude"][..], &["install", "--cli", "claude", "--remove"]] {
        assert_eq!(world.govrag(flags).code, 0);
        assert_eq!(world.read(".claude/commands/rag-query.md"), "ours\n");
        assert_eq!(world.read(".claude/skills/rag/SKILL.md"), changed);
        assert_eq!(world.read("AGENTS.md"), agents);
    }
}

#[test]
fn status_says_what_is_missing_behind_and_changed() {
    let world = world();
    world.govrag(&["install", "--cli", "kilo,gemini"]);
    // An older version of ours: same mark, another body.
    let body = "older";
    let hash = {
        use sha2::{Digest, Sha256};
        hex::encode(Sha256::digest(body))[..16].to_owned()
    };
    world.write(".kilo/commands/rag-init.md", &format!("{body}\n\n<!-- govrag 0.0.1 sha256:{hash} -->\n"));
    std::fs::remove_file(world.path(".gemini/commands/rag-check.toml")).unwrap();
    world.write(".gemini/commands/rag-init.toml", "description = \"ours\"\nprompt = \"x\"\n");
    let run = world.govrag(&["install", "--status", "--json"]);
    assert_eq!(run.code, 1);
    let files: Value = serde_json::from_str(&run.out).expect("json");
    let state = |end: &str| {
        let files = files["files"].as_array().unwrap();
        let file = files.iter().find(|f| f["path"].as_str().unwrap().ends_with(end)).expect("file");
        file["state"].as_str().unwrap().to_owned()
    };
    assert_eq!(state(".kilo/commands/rag-init.md"), "behind");
    assert_eq!(state(".gemini/commands/rag-check.toml"), "missing");
    assert_eq!(state(".gemini/commands/rag-init.toml"), "changed");
    assert_eq!(state(".kilo/skills/rag/SKILL.md"), "current");
    world.govrag(&["install", "--cli", "kilo"]);
    assert!(world.read(".kilo/commands/rag-init.md").contains("govrag init"));
}

#[test]
fn for_a_user_and_by_links() {
    let world = world();
    let run = world.govrag(&["install", "--cli", "opencode,codex", "--global"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for path in [
        ".home/.config/opencode/skills/rag/SKILL.md",
        ".home/.config/opencode/commands/rag-init.md",
        ".home/.codex/prompts/rag-query.md",
        ".home/.agents/skills/rag/SKILL.md",
    ] {
        assert!(world.path(path).is_file(), "{path}");
    }
    assert_eq!(world.read("AGENTS.md"), "# Consignes\n\n- Une règle.\n");
    let run = world.govrag(&["install", "--cli", "claude", "--link"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let link = std::fs::read_link(world.path(".claude/skills/rag")).expect("link");
    assert_eq!(link, std::path::Path::new("../../.agents/skills/rag"));
    assert!(world.read(".claude/skills/rag/SKILL.md").contains("name: rag"));
    assert_eq!(world.govrag(&["install", "--cli", "claude", "--status"]).code, 0);
    world.govrag(&["install", "--cli", "claude", "--remove"]);
    assert!(!world.path(".claude/skills/rag").exists());
}

#[test]
fn unknown_assistants_are_refused() {
    let world = world();
    let run = world.govrag(&["install", "--cli", "emacs"]);
    assert!(run.code == 2 && run.err.contains("claude"), "{}", run.err);
    assert_eq!(world.govrag(&["install"]).code, 2);
}
