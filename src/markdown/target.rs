//! Where a link's destination points, as text: nothing is looked up.
//!
//! A destination is split at `/` first and each segment decoded exactly once, so that `%2F` never
//! becomes a separator and `%2520` stays `%20`.

use percent_encoding::percent_decode_str;

/// A destination, classified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A path of this base or repository, or an anchor of the page itself.
    Local(Local),
    /// A URL of a known scheme; the scheme in lower case (`//host` counts as `https`).
    External(String),
    /// Something only another tool understands: an unknown scheme, a template, `~/`.
    Unjudged(String),
}

/// A local path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Local {
    /// The decoded segments, `.` and empty ones dropped, `..` kept; empty for an anchor alone.
    pub segments: Vec<String>,
    /// Starts with `/`: from the root of the base.
    pub absolute: bool,
    /// Ends with `/`: a folder.
    pub folder: bool,
    /// Written with backslashes.
    pub backslash: bool,
    /// The decoded fragment, without `#`.
    pub fragment: Option<String>,
}

const KNOWN: [&str; 18] = [
    "http",
    "https",
    "mailto",
    "ftp",
    "ftps",
    "sftp",
    "tel",
    "sms",
    "data",
    "news",
    "irc",
    "ircs",
    "ssh",
    "git",
    "javascript",
    "ws",
    "wss",
    "urn",
];

impl Target {
    /// Classifies a destination (already unescaped by the Markdown parser).
    pub fn parse(destination: &str) -> Self {
        let d = destination.trim();
        if d.starts_with("{{") || d.starts_with("{%") || d.starts_with("${") || d.starts_with("<%") {
            return Target::Unjudged(d.chars().take(2).collect());
        }
        if d == "~" || d.starts_with("~/") {
            return Target::Unjudged("~".to_owned());
        }
        if d.starts_with("//") {
            return Target::External("https".to_owned());
        }
        if let Some(scheme) = scheme(d) {
            return if KNOWN.contains(&scheme.as_str()) {
                Target::External(scheme)
            } else {
                Target::Unjudged(scheme)
            };
        }
        let (rest, fragment) = match d.split_once('#') {
            Some((rest, fragment)) => (rest, Some(decode(fragment))),
            None => (d, None),
        };
        let path = rest.split_once('?').map_or(rest, |(path, _)| path);
        Target::Local(Local {
            segments: path.split('/').map(decode).filter(|s| !s.is_empty() && s != ".").collect(),
            absolute: path.starts_with('/'),
            folder: path.ends_with('/'),
            backslash: path.contains('\\'),
            fragment,
        })
    }
}

/// `scheme:` in lower case; one letter is a drive, still no path of ours.
fn scheme(d: &str) -> Option<String> {
    let (head, _) = d.split_once(':')?;
    let mut bytes = head.bytes();
    (bytes.next()?.is_ascii_alphabetic()
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'.' | b'-')))
    .then(|| head.to_ascii_lowercase())
    // `page.md:12` is a file and a line, not a scheme.
    .filter(|s| !s.ends_with(".md"))
}

/// One round of percent-decoding; what is not UTF-8 stays as written.
fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), |t| t.into_owned())
}

/// A path relative to the root of the base: how many levels above it, then downwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Resolved {
    /// Levels above the root.
    pub up: usize,
    /// The rest, `/`-separated, without leading or trailing slash.
    pub path: String,
}

impl Local {
    /// Whether only an anchor (or nothing) is given.
    pub fn is_self(&self) -> bool {
        self.segments.is_empty() && !self.absolute && !self.folder
    }

    /// The path from the root, as linked from `page` (a path relative to the root).
    ///
    /// `None` when a segment holds an encoded separator, which no file name can.
    pub fn resolve(&self, page: &str) -> Option<Resolved> {
        let mut parts: Vec<&str> = Vec::new();
        let mut up = 0;
        if !self.absolute
            && let Some((folder, _)) = page.rsplit_once('/')
        {
            parts.extend(folder.split('/'));
        }
        for segment in &self.segments {
            if segment == ".." {
                if parts.pop().is_none() {
                    up += 1;
                }
            } else if segment.contains(['/', '\0']) {
                return None;
            } else {
                parts.push(segment);
            }
        }
        Some(Resolved { up, path: parts.join("/") })
    }
}

/// `path` percent-encoded where CommonMark or a URL needs it; slashes and letters stay.
pub fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '%' | '#' | '?' | '\\' | '"' | '`' | '[' | ']' => {
                out.push_str(&format!("%{:02X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// The relative path from the page `from` to `to`, both relative to the same root.
pub fn relative(from: &str, to: &str) -> String {
    let from: Vec<&str> = from.split('/').collect();
    let to: Vec<&str> = to.split('/').collect();
    let here = &from[..from.len() - 1];
    let common = here.iter().zip(&to[..to.len() - 1]).take_while(|(a, b)| a == b).count();
    let mut parts = vec![".."; here.len() - common];
    parts.extend(&to[common..]);
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local(d: &str) -> Local {
        match Target::parse(d) {
            Target::Local(l) => l,
            other => panic!("{d}: {other:?}"),
        }
    }

    fn resolved(page: &str, d: &str) -> (usize, String) {
        let r = local(d).resolve(page).expect("path");
        (r.up, r.path)
    }

    #[test]
    fn segments_are_decoded_once() {
        assert_eq!(local("my%20doc.md").segments, ["my doc.md"]);
        assert_eq!(local("%C3%A9t%C3%A9.md#l%27%C3%A9t%C3%A9").fragment.as_deref(), Some("l'été"));
        assert_eq!(local("a%2520b.md").segments, ["a%20b.md"]);
        assert_eq!(local("a%2Fb.md").resolve("x.md"), None);
        assert_eq!(local("%FF.md").segments, ["%FF.md"]);
    }

    #[test]
    fn paths_resolve_from_the_page_or_the_root() {
        assert_eq!(resolved("a/b/c.md", "../x.md?v=1#s"), (0, "a/x.md".to_owned()));
        assert_eq!(resolved("a/b/c.md", "/x.md"), (0, "x.md".to_owned()));
        assert_eq!(resolved("a/c.md", "../../src/a.rs"), (1, "src/a.rs".to_owned()));
        assert_eq!(resolved("c.md", "./d/./e.md"), (0, "d/e.md".to_owned()));
        assert!(local("#s").is_self());
        assert!(!local("/").is_self());
        assert!(local("dir\\x.md").backslash);
    }

    #[test]
    fn other_destinations() {
        assert_eq!(Target::parse("HTTPS://x"), Target::External("https".into()));
        assert_eq!(Target::parse("//x/y"), Target::External("https".into()));
        for unjudged in ["xref:a.b", "{{< ref >}}", "{% link a %}", "~/x", "vscode://x"] {
            assert!(matches!(Target::parse(unjudged), Target::Unjudged(_)), "{unjudged}");
        }
    }

    #[test]
    fn relative_paths() {
        assert_eq!(relative("a/b/c.md", "a/d.md"), "../d.md");
        assert_eq!(relative("c.md", "a/d.md"), "a/d.md");
        assert_eq!(relative("a/c.md", "a/d.md"), "d.md");
        assert_eq!(relative("a/c.md", "b/d.md"), "../b/d.md");
        assert_eq!(relative("a/b/c.md", "a/d/b/e.md"), "../d/b/e.md");
    }
}
