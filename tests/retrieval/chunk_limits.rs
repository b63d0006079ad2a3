//! How long chunks may be, by the tokeniser that the estimate stands for, and where code may be cut.

use std::path::{Path, PathBuf};

use govmem::retrieval::chunk::{OVERLAP, Strategy, TARGET, cut};
use govmem::retrieval::tokens::estimate;

/// Markdown pages below a directory.
fn pages(root: &Path) -> Vec<PathBuf> {
    let (mut out, mut waiting) = (Vec::new(), vec![root.to_owned()]);
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|e| e.to_str()) {
                _ if path.is_dir() => waiting.push(path),
                Some("md" | "mdx") => out.push(path),
                _ => {}
            }
        }
    }
    out.sort();
    out
}

/// Byte ranges of closed fences, by a reading of our own: a line of three marks or more up to one with
/// as many of the same.
fn fences(text: &str) -> Vec<std::ops::Range<usize>> {
    let (mut out, mut open, mut at) = (Vec::new(), None::<(usize, char, usize)>, 0);
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let mark = trimmed.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = trimmed.chars().take_while(|c| Some(*c) == mark).count();
        match (open, mark) {
            (None, Some(mark)) if length >= 3 && line.len() - line.trim_start().len() < 4 => {
                open = Some((at, mark, length));
            }
            (Some((start, kind, least)), Some(mark))
                if mark == kind && length >= least && trimmed.len() == length =>
            {
                out.push(start..at + line.len());
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    out
}

#[test]
fn chunks_of_real_pages_keep_their_limits() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/kb/rumdl");
    if !data.is_dir() {
        eprintln!("SKIPPED: ../shared/data absent");
        return;
    }
    let o200k = tiktoken_rs::o200k_base().unwrap();
    let real = |text: &str| o200k.encode_ordinary(text).len();
    let (mut chunks, mut long) = (0, 0);
    for page in pages(&data) {
        let text = std::fs::read_to_string(&page).unwrap();
        let fences = fences(&text);
        let cuts = cut(&text, page.to_str().unwrap(), Strategy::Regex, &real);
        for pair in cuts.windows(2) {
            assert!(pair[0].start < pair[1].start && pair[0].end < pair[1].end, "{page:?}");
            let shared = &text[pair[1].start as usize..(pair[0].end.max(pair[1].start)) as usize];
            assert!(real(shared) <= OVERLAP + 2, "{page:?}");
        }
        for chunk in &cuts {
            let body = &text[chunk.range()];
            // A fence that is longer than a chunk stays whole.
            let fence = fences.iter().any(|f| f.start < chunk.end as usize && f.end > chunk.start as usize);
            assert!(fence || real(body) <= TARGET, "{page:?}: {} tokens", real(body));
            for edge in [chunk.start as usize, chunk.end as usize] {
                assert!(
                    !fences.iter().any(|f| f.start < edge && edge < f.end),
                    "{page:?}: a fence is cut at {edge}"
                );
            }
            chunks += 1;
            // The estimate, where no tokeniser is at hand, is near enough to what it stands for.
            let ratio = estimate(body) as f64 / real(body).max(1) as f64;
            long += usize::from(real(body) > 200 && !(0.6..=1.6).contains(&ratio));
        }
    }
    // 700 KB at four bytes a token or less.
    assert!(chunks >= 194, "{chunks}");
    assert!(long * 50 < chunks, "{long} of {chunks} estimates are far off");
}

#[test]
fn five_languages_are_cut_where_something_begins() {
    let body = |line: &str| line.repeat(30);
    let cases: [(&str, &str, String); 5] = [
        ("a.rs", "fn ", format!("fn NAME(a: u32) {{\n{}}}\n\n", body("    compute(a, 12);\n"))),
        ("a.py", "def ", format!("def NAME(a):\n{}\n", body("    compute(a, 12)\n"))),
        ("a.js", "function ", format!("function NAME(a) {{\n{}}}\n\n", body("    compute(a, 12);\n"))),
        (
            "a.ts",
            "function ",
            format!("function NAME(a: number): void {{\n{}}}\n\n", body("    compute(a, 12);\n")),
        ),
        ("a.go", "func ", format!("func NAME(a int) {{\n{}}}\n\n", body("\tcompute(a, 12)\n"))),
    ];
    for (path, head, function) in cases {
        let text: String = (0..40).map(|i| function.replace("NAME", &format!("f{i}"))).collect();
        let chunks = cut(&text, path, Strategy::Auto, &estimate);
        assert!(chunks.len() > 3, "{path}");
        for chunk in &chunks {
            assert!(text[chunk.range()].starts_with(head), "{path}: {:?}", &text[chunk.range()][..20]);
        }
        // Without syntax trees some chunk begins elsewhere: the neighbours overlap.
        let plain = cut(&text, path, Strategy::Regex, &estimate);
        assert!(plain.iter().any(|c| !text[c.range()].starts_with(head)), "{path}");
    }
}
