//! The corpus of bad input, through the snapshot and every schema: counted, named, never a panic.

use std::path::Path;

use govmem::base::Code;
use govmem::store::jsonl::{MAX_LINE, Snapshot};
use govmem::store::schema::{Clarification, Learning, Loaded, Metric, Record, Score, Veille, load};

/// A valid line of each file.
const LEARNING: &str = r#"{"story":"PD-1","gate":3,"tags":["a"],"lesson":"l","domain":"d","project":"p","created_at":"2026-01-01T00:00:00Z"}"#;
const SCORE: &str = r#"{"story":"PD-1","gate":3,"tag_hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","learning_id":"x","reuse_score_brut":1.0,"reuse_score":0.1,"nb_injections":1,"nb_stories":1,"nb_domains":1,"domains":[],"computed_at":"2026-01-01T00:00:00Z","schema_version":3}"#;
const METRIC: &str = r#"{"story":"PD-1","gate":8,"version":1,"verdict":"GO","timestamp":"2026-01-01T00:00:00Z","domain":"d","project":"p"}"#;
const VEILLE: &str = r#"{"id":"a","title":"t","date":"2026-01-01","path":"a.md","tags":[],"impact_pv":"fort","verdict":"adopter","summary":"","content_hash":""}"#;
const CLARIFICATION: &str = r#"{"story":"PD-1","domain":"d","project":"p","date":"2026-01-01","path":"a.md","questions":[{"id":"Q1","theme":"probleme","answer":"a"}],"retention_until":"2027-07-01"}"#;

fn read<T: Record>(bytes: &[u8]) -> Loaded<T> {
    load(&Snapshot::from_bytes(Path::new("f.jsonl"), bytes.to_vec()).unwrap())
}

/// Lines that are no record of any file, with the reason that is counted. `VALID` stands for a record.
fn corpus() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let deep = format!("{{\"x\":{}1{}}}", "[".repeat(200), "]".repeat(200));
    vec![
        ("CRLF", b"VALID\r".to_vec(), "crlf"),
        ("BOM", b"\xef\xbb\xbfVALID".to_vec(), "bom"),
        ("invalid UTF-8", b"{\"x\":\"\xff\"}".to_vec(), "not_utf8"),
        ("overlong UTF-8", b"{\"x\":\"\xc0\xaf\"}".to_vec(), "not_utf8"),
        ("surrogate in UTF-8", b"{\"x\":\"\xed\xa0\x80\"}".to_vec(), "not_utf8"),
        ("NUL run", vec![0; 4096], "nul"),
        ("NUL inside", b"VALID\0".to_vec(), "nul"),
        ("duplicate key", b"{\"story\":\"PD-1\",\"story\":\"PD-2\"}".to_vec(), "duplicate_key"),
        ("nested duplicate", b"{\"x\":[{\"a\":1,\"a\":1}]}".to_vec(), "duplicate_key"),
        ("missing keys", b"{}".to_vec(), "field_missing"),
        ("huge integer", b"{\"story\":\"PD-1\",\"gate\":1e400}".to_vec(), "not_json"),
        ("NaN", b"{\"gate\":NaN}".to_vec(), "not_json"),
        ("Infinity", b"{\"gate\":-Infinity}".to_vec(), "not_json"),
        ("lone surrogate", b"{\"x\":\"\\ud800\"}".to_vec(), "not_json"),
        ("depth 200", deep.into_bytes(), "too_deep"),
        ("two objects", b"VALID VALID".to_vec(), "not_json"),
        ("array", b"[VALID]".to_vec(), "not_object"),
        ("string", b"\"x\"".to_vec(), "not_object"),
        ("null", b"null".to_vec(), "not_object"),
        ("cut object", b"{\"story\":\"PD-1\"".to_vec(), "not_json"),
        ("comment", b"// note".to_vec(), "not_json"),
        ("conflict start", b"<<<<<<< HEAD".to_vec(), "merge_conflict"),
        ("conflict middle", b"=======".to_vec(), "merge_conflict"),
        ("conflict end", b">>>>>>> branch".to_vec(), "merge_conflict"),
    ]
}

fn meets_the_corpus<T: Record>(valid: &str, code: Code) {
    let line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        // Only where it is text: the others hold no placeholder.
        if text.contains("VALID") && std::str::from_utf8(bytes).is_ok() {
            text.replace("VALID", valid).into_bytes()
        } else {
            bytes.to_vec()
        }
    };
    for (name, bytes, reason) in corpus() {
        let file = [valid.as_bytes(), b"\n\n", &line(&bytes), b"\n", valid.as_bytes(), b"\n"].concat();
        let loaded = read::<T>(&file);
        assert_eq!(loaded.records.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [0, 3], "{name}");
        assert_eq!(loaded.read, 3, "{name}");
        let excluded = &loaded.excluded[..];
        assert_eq!(excluded.len(), 1, "{name}");
        assert_eq!((excluded[0].reason, excluded[0].code, excluded[0].line), (reason, code, 3), "{name}");
        assert_eq!(excluded[0].offset, valid.len() as u64 + 2, "{name}");
        assert!(excluded[0].to_string().contains(reason), "{name}");
    }
    // Every field with a value of another type, and every required one away.
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(valid).unwrap();
    for key in object.keys() {
        for wrong in
            [serde_json::json!({"x": 1}), serde_json::json!([[]]), serde_json::json!(1.5), true.into()]
        {
            let mut changed = object.clone();
            changed.insert(key.clone(), wrong.clone());
            let text = serde_json::to_string(&changed).unwrap();
            // Scores are numbers of any kind: 1.5 may be one.
            if wrong == serde_json::json!(1.5) && key == "reuse_score_brut" {
                continue;
            }
            let error = T::parse(&text).err().unwrap_or_else(|| panic!("{key} = {wrong} passes"));
            assert_eq!((error.reason, error.field), ("field_invalid", Some(key.as_str())), "{wrong}");
        }
    }
}

#[test]
fn every_schema_meets_the_corpus() {
    meets_the_corpus::<Learning>(LEARNING, Code::SchemaInvalid);
    meets_the_corpus::<Score>(SCORE, Code::SchemaInvalid);
    meets_the_corpus::<Metric>(METRIC, Code::SchemaInvalid);
    meets_the_corpus::<Veille>(VEILLE, Code::VeilleInvalid);
    meets_the_corpus::<Clarification>(CLARIFICATION, Code::ClarificationInvalid);
}

#[test]
fn empty_files() {
    for bytes in [&b""[..], b"\n", b"\n\n\n", b"  \n\t\n"] {
        let loaded = read::<Learning>(bytes);
        assert_eq!((loaded.records.len(), loaded.excluded.len(), loaded.read), (0, 0, 0));
        assert_eq!(loaded.torn, None);
    }
    // A last line without its end was never acknowledged, however whole it looks.
    let loaded = read::<Learning>(format!("{LEARNING}\n{LEARNING}").as_bytes());
    assert_eq!((loaded.records.len(), loaded.excluded.len()), (1, 0));
    assert_eq!(loaded.torn.unwrap().number, 2);
}

#[test]
fn a_line_of_a_hundred_megabytes_is_left_out() {
    let mut file = format!("{LEARNING}\n{{\"lesson\":\"").into_bytes();
    file.resize(file.len() + 100_000_000, b'x');
    file.extend_from_slice(format!("\"}}\n{LEARNING}\n").as_bytes());
    let loaded = read::<Learning>(&file);
    assert_eq!(loaded.records.len(), 2);
    assert_eq!((loaded.excluded[0].reason, loaded.excluded[0].line), ("too_long", 2));
    // One that just fits is read.
    let fits = LEARNING.replace("\"l\"", &format!("\"{}\"", "x".repeat(MAX_LINE - LEARNING.len())));
    assert_eq!(read::<Learning>(format!("{fits}\n").as_bytes()).records.len(), 1);
}

#[test]
fn a_compressed_file_is_refused_as_a_whole() {
    let error = Snapshot::from_bytes(Path::new("f.jsonl"), b"\x1f\x8b\x08\x00\0\n".to_vec()).unwrap_err();
    assert_eq!((error.code(), error.exit()), (Some(Code::SchemaInvalid), 65));
    assert!(error.hint_text().is_some());
}
