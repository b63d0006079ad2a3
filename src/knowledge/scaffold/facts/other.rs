//! Any other language: the comment at the head of the file.

use super::{Facts, uncommented};

pub(super) fn read(text: &str) -> Facts {
    let text = text.trim_start_matches(['\n', ' ']);
    let body = if text.starts_with("#!") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    let body = body.trim_start();
    let doc = if body.starts_with("/*") {
        body.split_once("*/").map_or(String::new(), |(comment, _)| uncommented(comment))
    } else {
        let mark = ["//", "#", "--"].into_iter().find(|mark| body.starts_with(mark));
        let lines = body.lines().map_while(|line| mark.and_then(|mark| line.trim().strip_prefix(mark)));
        lines.map(|line| line.trim_start_matches('#').trim()).collect::<Vec<_>>().join("\n").trim().to_owned()
    };
    let is_licence =
        ["copyright", "licen", "spdx"].iter().any(|word| doc.to_ascii_lowercase().contains(word));
    Facts { doc: if is_licence { String::new() } else { doc }, ..Facts::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads() {
        assert_eq!(read("#!/bin/sh\n# Builds it.\n# Twice.\nset -e\n").doc, "Builds it.\nTwice.");
        assert_eq!(read("/**\n * Pays.\n */\nclass A {}\n").doc, "Pays.");
        assert_eq!(read("// Copyright 2026 X\nclass A {}\n").doc, "");
        assert_eq!(read("").doc, "");
    }
}
