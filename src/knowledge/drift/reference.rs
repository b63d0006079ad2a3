//! What an `impl_ref` names: a file, a folder, a glob, a symbol or lines of a file.

/// Files above which a reference is too wide: nearly every change would make its page drift.
pub const WIDE: usize = 100;

/// A reference, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The path from the folder of `.rag`, or the pattern of a glob.
    pub path: String,
    /// What of it.
    pub kind: Kind,
}

/// What of the path is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The file or folder.
    Whole,
    /// Every file that matches.
    Glob,
    /// `file#symbol`.
    Symbol(String),
    /// `file:10-20`, from 1, both included.
    Lines(usize, usize),
}

impl Reference {
    /// Takes `text` apart; `exists` says whether a path is there literally, which wins over any
    /// other reading.
    pub fn parse(text: &str, exists: impl Fn(&str) -> bool) -> Self {
        let path = text.trim().trim_start_matches("./").trim_end_matches('/');
        let whole = |p: &str| Reference { path: p.to_owned(), kind: Kind::Whole };
        if exists(path) {
            return whole(path);
        }
        if let Some((file, symbol)) = path.split_once('#')
            && !file.is_empty()
            && !symbol.is_empty()
        {
            return Reference { path: file.to_owned(), kind: Kind::Symbol(symbol.to_owned()) };
        }
        if let Some((file, lines)) = path.rsplit_once(':') {
            let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
            if let (Ok(from), Ok(to)) = (from.parse(), to.parse())
                && from > 0
                && from <= to
                && !file.is_empty()
            {
                return Reference { path: file.to_owned(), kind: Kind::Lines(from, to) };
            }
        }
        if path.contains(['*', '?', '[', '{']) {
            return Reference { path: path.to_owned(), kind: Kind::Glob };
        }
        whole(path)
    }

    /// Whether it may name several files: a folder (or a file) or a glob.
    pub fn is_wide(&self) -> bool {
        matches!(self.kind, Kind::Whole | Kind::Glob)
    }

    /// The reference as text with another path.
    pub fn with_path(&self, path: &str) -> String {
        match &self.kind {
            Kind::Whole | Kind::Glob => path.to_owned(),
            Kind::Symbol(s) => format!("{path}#{s}"),
            Kind::Lines(a, b) if a == b => format!("{path}:{a}"),
            Kind::Lines(a, b) => format!("{path}:{a}-{b}"),
        }
    }
}

/// Whether a path names something that holds secrets: an environment file, a private key.
pub fn is_secret(path: &str) -> bool {
    let path = path.split('#').next().unwrap_or(path);
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let sample = [".example", ".sample", ".template", ".dist"].iter().any(|s| name.ends_with(s));
    if name == ".env" || name.starts_with(".env.") || name == ".envrc" || name == "*.env" {
        return !sample;
    }
    let keys = [".pem", ".p12", ".pfx", ".key", ".keystore", ".jks", ".kdbx", ".ppk"];
    let names = ["id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".pgpass", ".npmrc", ".htpasswd"];
    keys.iter().any(|k| name.ends_with(k))
        || names.contains(&name.as_str())
        || name.starts_with("credentials")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let of = |t: &str| Reference::parse(t, |p| p == "odd#name.rs" || p == "a/[id].ts");
        assert_eq!(of("./src/a.rs"), Reference { path: "src/a.rs".into(), kind: Kind::Whole });
        assert_eq!(of("src/auth/").path, "src/auth");
        assert_eq!(of("src/**/*.rs").kind, Kind::Glob);
        assert_eq!(of("src/a.rs#Foo::bar").kind, Kind::Symbol("Foo::bar".into()));
        assert_eq!(of("src/a.rs:10-20").kind, Kind::Lines(10, 20));
        assert_eq!(of("src/a.rs:7").kind, Kind::Lines(7, 7));
        assert_eq!(of("src/a.rs:20-10").kind, Kind::Whole);
        assert_eq!(of("odd#name.rs").kind, Kind::Whole);
        assert_eq!(of("a/[id].ts").kind, Kind::Whole);
        assert_eq!(of("src/a.rs:10-20").with_path("b.rs"), "b.rs:10-20");
    }

    #[test]
    fn secrets() {
        for path in [".env", "conf/.env.prod", "k/server.pem", "id_rsa", "CREDENTIALS.json", "a.key"] {
            assert!(is_secret(path), "{path}");
        }
        for path in [".env.example", "src/env.rs", "key.rs", "src/credential.rs"] {
            assert!(!is_secret(path), "{path}");
        }
    }
}
