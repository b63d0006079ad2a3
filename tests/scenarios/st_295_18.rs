//! ST-295-18: the baseline of CS-1 is frozen.

use crate::governed::{Governed, ago, stderr, stdout};

/// Twelve stories judged before the merge of 30 days ago; of the last ten, four had GO at version 1.
fn world() -> Governed {
    let g = Governed::new("en", 30);
    for i in 1..=12 {
        let verdict = if i <= 6 { "GO" } else { "RESERVE" };
        g.gate8(&format!("PD-{i}"), 1, verdict, ago(60 - i, 0));
        g.gate8(&format!("PD-{i}"), 2, "GO", ago(59 - i, 0));
    }
    g
}

/// Given ten stories before the merge, when the baseline is frozen, then it holds the last ten, and a
/// second freeze is ERR-295-18 and changes nothing; when ten stories follow, CS-1 is the difference.
#[test]
fn st_295_18_baseline_is_frozen_once() {
    let g = world();
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/measure-cs1-baseline.py");
    let freeze = || {
        let bins = crate::governed::binary("govmem");
        let path = format!("{}:/usr/bin:/bin", bins.parent().expect("parent").display());
        g.command(&script).env("PATH", path).output().expect("run")
    };
    let said = stdout(&freeze());
    assert!(said.contains("4 GO at v1 of 10"), "{said}");
    let path = g.dir.path().join("data/cs1-baseline.json");
    let frozen = std::fs::read(&path).expect("baseline");
    let json: serde_json::Value = serde_json::from_slice(&frozen).expect("JSON");
    assert_eq!((&json["go_v1"], &json["stories"][0]["story"]), (&4.into(), &"PD-3".into()));

    let said = stderr(&freeze(), 2);
    assert!(said.starts_with("ERR-295-18 BASELINE_FROZEN"), "{said}");
    assert_eq!(std::fs::read(&path).expect("baseline"), frozen);

    let measure = || -> serde_json::Value {
        serde_json::from_str(&stdout(&g.run("govmem", &["kpi", "cs1", "--json"]))).expect("JSON")
    };
    for i in 1..=9 {
        g.gate8(&format!("NEW-{i}"), 1, if i <= 7 { "GO" } else { "REJECTED" }, ago(29 - i, 0));
    }
    assert_eq!(measure()["status"], "insufficient_data");
    let text = stdout(&g.run("govmem", &["kpi", "cs1"]));
    assert!(text.contains("données insuffisantes"), "{text}");
    g.gate8("NEW-10", 1, "NON_CONFORME", ago(2, 0));
    g.gate8("NEW-11", 1, "GO", ago(1, 0));
    let cs1 = measure();
    assert_eq!(cs1["kpi"], "cs1");
    // Seven of the first ten after, four of the last ten before.
    assert_eq!((&cs1["numerator"], &cs1["denominator"], &cs1["value"]), (&3.into(), &10.into(), &0.3.into()));
    assert_eq!((&cs1["target"], &cs1["status"]), (&serde_json::Value::Null, &"measured".into()));
}

/// Given fewer than ten judged stories before the merge, then the freeze is refused and writes nothing.
#[test]
fn st_295_18_fewer_than_ten_are_refused() {
    let g = Governed::new("fr", 30);
    for i in 1..=9 {
        g.gate8(&format!("PD-{i}"), 1, "GO", ago(60 - i, 0));
    }
    g.gate8("PD-10", 1, "GO", ago(1, 0));
    let said = stderr(&g.run("govmem", &["kpi", "cs1", "--freeze"]), 2);
    assert!(said.contains("9 stories jugées"), "{said}");
    assert!(!g.dir.path().join("data/cs1-baseline.json").exists());
}
