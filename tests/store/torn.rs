//! F4 and F5: a file cut at every byte of its last lines, and appends that the disk refuses.

use std::path::Path;
use std::process::Command;

use govmem::base::Instant;
use govmem::store::jsonl::{self, Snapshot, Torn};
use govmem::store::lock::{LockSettings, Single};

const LINES: [&str; 6] = [
    r#"{"n":1}"#,
    r#"{"n":2,"é":"ligne"}"#,
    r#"{"n":3}"#,
    r#"{"n":4,"t":"日本 — 🔑"}"#,
    r#"{"n":5,"e":"\n\u0000"}"#,
    r#"{"n":6,"last":"Œuvre"}"#,
];

/// F5: all whole lines are read, the tail is reported once, the next append sets it aside.
#[test]
fn a_file_cut_at_every_byte_of_its_last_three_lines() {
    let dir = tempfile::tempdir().unwrap();
    let guard = Single::take(&dir.path().join("lock"), &LockSettings::default()).unwrap();
    let text = LINES.map(|l| format!("{l}\n")).concat();
    let start: usize = LINES[..3].iter().map(|l| l.len() + 1).sum();
    for cut in start..=text.len() {
        let path = dir.path().join(format!("{cut}.jsonl"));
        let bytes = &text.as_bytes()[..cut];
        std::fs::write(&path, bytes).unwrap();
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
        let count = bytes.iter().filter(|b| **b == b'\n').count();
        let snapshot = Snapshot::read(&path).unwrap();
        let read: Vec<&str> = snapshot.lines().map(|l| l.text().unwrap()).collect();
        assert_eq!(read, &LINES[..count]);
        let torn = (whole < cut).then(|| Torn { number: count + 1, offset: whole as u64, len: cut - whole });
        assert_eq!(snapshot.torn(), torn);

        let done = jsonl::append(&path, &["{\"n\":7}"], Instant::from_unix(0), &guard).unwrap();
        let after = Snapshot::read(&path).unwrap();
        assert_eq!((after.torn(), after.len()), (None, count + 1));
        assert_eq!(&after.bytes()[..whole], &bytes[..whole]);
        assert_eq!(done.torn.map(|p| std::fs::read(p).unwrap()).unwrap_or_default(), &bytes[whole..]);
    }
}

/// F4, sample: an append that a file size limit refuses is undone, at every size.
#[test]
fn an_append_that_the_disk_refuses_is_undone() {
    let dir = tempfile::tempdir().unwrap();
    let lock = dir.path().join("lock");
    let block: Vec<String> = (0..20).map(|n| format!("{{\"n\":{n},\"t\":\"{}\"}}", "x".repeat(90))).collect();
    let path = dir.path().join("f.jsonl");
    for kib in [0, 1, 2, 3] {
        std::fs::write(&path, "{\"n\":-1}\n".repeat(kib * 100)).unwrap();
        let before = std::fs::read(&path).unwrap();
        let status = limited(&path, &lock, &block, kib);
        let after = Snapshot::read(&path).unwrap();
        assert_eq!(after.torn(), None);
        if status {
            assert_eq!(after.len(), kib * 100 + 20);
        } else {
            assert_eq!(after.bytes(), before);
        }
        assert!(!status, "the limit of {kib} KiB was not met");
    }
}

/// Appends in a child whose files may not grow above `kib` KiB. Whether it said that it is done.
fn limited(path: &Path, lock: &Path, block: &[String], kib: usize) -> bool {
    let role = format!("{}\x1f{}\x1f{}", path.display(), lock.display(), block.join("\n"));
    let script =
        format!("trap '' XFSZ; ulimit -f {kib}; exec \"$0\" --exact torn::a_limited_child --nocapture");
    let out = Command::new("bash")
        .args(["-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env("GOVMEM_TEST_LIMITED", role)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("exit 74") || text.contains("exit 0"), "{text} {:?}", out.stderr);
    text.contains("exit 0")
}

#[test]
fn a_limited_child() {
    #[expect(clippy::disallowed_methods, reason = "the role of a child process")]
    let role = std::env::var("GOVMEM_TEST_LIMITED");
    let dir = tempfile::tempdir().unwrap();
    let role = role.unwrap_or_else(|_| {
        let file = |name| dir.path().join(name).display().to_string();
        format!("{}\x1f{}\x1f{{}}", file("f"), file("lock"))
    });
    let parts: Vec<&str> = role.split('\x1f').collect();
    let lines: Vec<&str> = parts[2].split('\n').collect();
    let guard = Single::take(Path::new(parts[1]), &LockSettings::default()).unwrap();
    let result = jsonl::append(Path::new(parts[0]), &lines, Instant::from_unix(0), &guard);
    let exit = result.as_ref().err().map_or(0, govmem::base::Error::exit);
    println!("exit {exit}");
    let here = Snapshot::read(Path::new(parts[0])).unwrap();
    assert!(result.is_err() || here.len() >= lines.len());
}
