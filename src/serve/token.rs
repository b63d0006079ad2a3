//! The bearer token: a secret line in a file that its owner alone can read.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use subtle::ConstantTimeEq;

use crate::base::error::IoContext;
use crate::base::{Error, Kind, Result};
use crate::store::{atomic, open};
use crate::tr;

/// Shortest token accepted from a file.
const SHORTEST: usize = 16;
/// Longest token accepted from a file.
const LONGEST: usize = 512;

/// A bearer token. It is never printed.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Draws a token of 256 bits and keeps it in the file at `path`, mode 0600.
    ///
    /// # Errors
    /// I/O; exit 69 without a source of randomness.
    pub fn create(path: &Path) -> Result<Token> {
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).map_err(|e| Error::new(Kind::Unavailable, e.to_string()))?;
        let text = hex::encode(bytes);
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir).at(dir)?;
        }
        atomic::replace_private(path, format!("{text}\n").as_bytes())?;
        Ok(Token(text))
    }

    /// Reads the token in the file at `path`.
    ///
    /// # Errors
    /// Usage when others may read the file or when it holds no token; I/O.
    pub fn read(path: &Path) -> Result<Token> {
        let file = open::regular(path, OpenOptions::new().read(true)).at(path)?;
        if file.metadata().at(path)?.permissions().mode() & 0o077 != 0 {
            return Err(Error::usage(tr!(
                "{} est lisible par d'autres que son propriétaire",
                "{} can be read by others than its owner",
                path.display()
            ))
            .hint(format!("chmod 600 {}", path.display())));
        }
        let mut text = String::new();
        file.take(LONGEST as u64 + 2).read_to_string(&mut text).at(path)?;
        let text = text.trim_end();
        let sound = (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        if !sound {
            return Err(Error::usage(tr!(
                "{} ne contient pas de jeton ({SHORTEST} à {LONGEST} caractères ASCII visibles)",
                "{} holds no token ({SHORTEST} to {LONGEST} visible ASCII characters)",
                path.display()
            )));
        }
        Ok(Token(text.to_owned()))
    }

    /// Whether `given` is the token, in a time that does not depend on where they differ.
    pub fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_hold_a_private_token() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state/token");
        let token = Token::create(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.trim_end().len(), 64);
        let again = Token::read(&path).unwrap();
        assert!(again.is(text.trim_end().as_bytes()) && token.is(text.trim_end().as_bytes()));
        assert!(!again.is(b"") && !again.is(text.as_bytes()) && !again.is(&text.as_bytes()[..63]));
        assert_eq!(format!("{again:?}"), "Token(…)");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(Token::read(&path).unwrap_err().exit(), 2);
        for bad in ["", "short\n", "sixteen chars no\n", &"x".repeat(600)] {
            atomic::replace_private(&path, bad.as_bytes()).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
            assert_eq!(Token::read(&path).unwrap_err().exit(), 2, "{bad:?}");
        }
    }
}
