//! Hooks run when told to, and only those the user approved.

use crate::world::World;

#[test]
fn a_hook_runs_on_command_alone() {
    let w = World::new();
    w.write("a.md", "zebra\n");
    let cmd = "echo giraffe > made.md";
    w.run(&["collection", "add", "docs", "--name", "docs", "--update-cmd", cmd]).exits(0);
    assert!(w.run(&["collection", "show", "docs"]).stdout.contains(cmd));
    let update = w.run(&["update"]).exits(0);
    assert!(update.stderr.contains("was not run") && update.stderr.contains(cmd), "{}", update.stderr);
    assert!(!w.docs().join("made.md").exists());
    w.run(&["update", "--run-hooks"]).exits(0);
    assert_eq!(w.paths(&["search", "giraffe"]), ["made.md"]);
    // The same hook of the same collection is still the approved one under another name.
    w.run(&["collection", "rename", "docs", "pages"]).exits(0);
    w.run(&["update", "--run-hooks"]).exits(0);
    w.run(&["collection", "rename", "pages", "docs"]).exits(0);
    w.run(&["collection", "set-update", "docs", "exit 7"]).exits(2);
    w.run(&["collection", "set-update", "docs", "exit 7", "--yes"]).exits(0);
    w.run(&["update", "--run-hooks"]).exits(3);
    w.run(&["collection", "set-update", "docs", "--yes"]).exits(0);
    w.run(&["update", "--run-hooks"]).exits(0);
}

#[test]
fn hooks_from_elsewhere_need_trust() {
    let w = World::new();
    w.write("a.md", "zebra\n");
    let root = w.docs();
    let yaml = format!(
        "version: 1\ncollections:\n  - name: docs\n    root: {}\n    update_cmd: touch ran.md\n",
        root.display()
    );
    let imported = w.run_with_input(&["config", "import", "-"], yaml.as_bytes()).exits(0);
    assert!(imported.stderr.contains("not approved") && imported.stderr.contains("govfind trust docs"));
    let refused = w.run(&["update", "--run-hooks"]).exits(2);
    assert!(refused.stderr.contains("govfind trust docs"), "{}", refused.stderr);
    assert!(!root.join("ran.md").exists());
    w.run(&["update"]).exits(0);
    // A rename brings no approval that was not there.
    w.run(&["collection", "rename", "docs", "pages"]).exits(0);
    w.run(&["update", "--run-hooks"]).exits(2);
    w.run(&["collection", "rename", "pages", "docs"]).exits(0);
    w.run(&["trust", "docs"]).exits(2);
    w.run(&["trust", "docs", "--yes"]).exits(0);
    w.run(&["update", "--run-hooks"]).exits(0);
    assert!(root.join("ran.md").exists());
    // The approval is for this command, this index and this root.
    let copied = w.root().join("stolen.db");
    std::fs::copy(w.database(), &copied).unwrap();
    w.run(&["--index", "./stolen.db", "update", "--run-hooks"]).exits(2);
}
