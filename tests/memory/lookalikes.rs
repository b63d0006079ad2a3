//! The workspace as a whole: init, install, status, trust, help.

use crate::space::Space;

#[test]
fn init_refuses_a_second_time_and_says_what_is_missing() {
    let space = Space::bare();
    let args = ["init", "--embedder", "local", "--model-dir", "/nonexistent", "--keyring", "file"];
    let answer = space.run("govmem", &args).expect(3);
    assert!(answer.err.contains("ERR-295-02") && answer.err.contains("govmem reindex"), "{}", answer.err);
    space.run("govmem", &args).expect(2);
    let status = space.run("govmem", &["status"]).expect(0).out;
    assert!(status.contains("next: govmem audit bootstrap"), "{status}");
    space.run("govmem", &["doctor"]).expect(1);
}

#[test]
fn outside_a_workspace_every_command_says_so() {
    let space = Space::bare();
    for args in [&["status"][..], &["reindex"], &["list"], &["audit", "verify"], &["search", "veille", "x"]] {
        let answer = space.run("govmem", args).expect(2);
        assert!(answer.err.contains("govmem init"), "{}", answer.err);
    }
}

#[test]
fn unknown_flags_and_keys_are_errors() {
    let space = Space::new("");
    space.run("govmem", &["status", "--nonsense"]).expect(2);
    let text = space.read("govmem.toml");
    space.write("govmem.toml", format!("{text}\n[limits]\nitem_char = 3\n"));
    let answer = space.run("govmem", &["status"]).expect(2);
    assert!(answer.err.contains("item_char") && answer.err.contains("item_chars"), "{}", answer.err);
}

#[test]
fn install_puts_the_command_beside_what_is_there() {
    let space = Space::new("");
    space.write(".claude/commands/mine.md", "mine\n");
    space.run("govmem", &["install"]).expect(0);
    assert_eq!(space.read(".claude/commands/mine.md"), "mine\n");
    let gov = space.read(".claude/commands/gov.md");
    assert!(gov.contains("step0-inject --from-json - <") && gov.contains("69"), "{gov}");
    space.run("govmem", &["install", "--status"]).expect(0);
    space.write(".claude/commands/gov.md", "our own\n");
    space.run("govmem", &["install"]).expect(3);
    assert_eq!(space.read(".claude/commands/gov.md"), "our own\n");
    space.run("govmem", &["install", "--cli", "emacs"]).expect(2);
}

#[test]
fn an_address_of_the_workspace_needs_the_users_word() {
    let space = Space::new("");
    let text = space
        .read("govmem.toml")
        .replace("keyring = \"file\"", "keyring = \"vault\"\nvault_addr = \"https://vault.invalid:8200\"");
    space.write("govmem.toml", text);
    let answer = space.run("govmem", &["audit", "verify"]).expect(69);
    assert!(answer.err.contains("govmem trust https://vault.invalid:8200"), "{}", answer.err);
    space.run("govmem", &["trust", "https://vault.invalid:8200"]).expect(0);
    assert_eq!(space.run("govmem", &["trust"]).expect(0).out, "https://vault.invalid:8200\n");
    let answer = space.run("govmem", &["audit", "verify"]).expect(69);
    assert!(!answer.err.contains("govmem trust"), "{}", answer.err);
}

#[test]
fn an_embedder_of_the_workspace_needs_it_too() {
    let space = Space::new("");
    let text = space
        .read("govmem.toml")
        .replace("provider = \"local\"", "provider = \"ollama\"\nurl = \"gpu.invalid\"");
    space.write("govmem.toml", text);
    let answer = space.run("govmem", &["search", "veille", "x"]).expect(2);
    assert!(answer.err.contains("govmem trust http://gpu.invalid:11434"), "{}", answer.err);
    space.run("govmem", &["trust", "http://gpu.invalid:11434"]).expect(0);
    assert!(space.run("govmem", &["search", "veille", "x"]).expect(69).err.contains("ERR-295-02"));
}

#[test]
fn manual_and_completions() {
    let space = Space::bare();
    assert!(space.run("govmem", &["man"]).expect(0).out.contains(".TH govmem"));
    assert!(space.run("govmem", &["completions", "bash"]).expect(0).out.contains("_govmem"));
    assert!(space.run("step0-inject", &["--help"]).expect(0).out.contains("Example"));
}

#[test]
fn both_languages() {
    let mut space = Space::new("");
    space.env.push(("GOVMEM_LANG".into(), "fr".into()));
    let answer = space.run("govmem", &["search", "clarifications", "x"]).expect(2);
    assert!(answer.err.contains("a besoin d'un domaine"), "{}", answer.err);
    assert!(space.inject("PD-1", "x").expect(0).json()["block"].as_str().unwrap().contains("état : complet"));
}
