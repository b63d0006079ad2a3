//! The codes of `check`: what each means and how grave it is.

use crate::tr;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The base breaks the norm.
    Error,
    /// Something is probably wrong.
    Warning,
    /// Worth knowing.
    Info,
}

macro_rules! codes {
    ($($code:ident $fr:literal $en:literal;)*) => {
        /// A code of `check`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $en] $code,)*
        }

        impl Code {
            /// Every code, errors first.
            pub const ALL: &[Code] = &[$(Code::$code),*];

            /// `E001` ….
            pub fn name(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// What it stands for, in a few words.
            pub fn title(self) -> String {
                match self { $(Code::$code => tr!($fr, $en),)* }
            }
        }
    };
}

codes! {
    E001 "nom de fichier ou de dossier" "name of a file or folder";
    E002 "front matter" "front matter";
    E003 "énumération ou type d'un champ" "enumeration or type of a field";
    E004 "résumé trop long" "summary too long";
    E005 "secret dans une page" "secret in a page";
    E006 "nom réservé ou collision" "reserved name or collision";
    W001 "lien cassé" "broken link";
    W002 "page orpheline" "orphan page";
    W003 "impl_ref introuvable" "missing impl_ref";
    W004 "page stable non mise à jour depuis 90 jours" "stable page not updated for 90 days";
    W005 "index périmé" "index out of date";
    W006 "dérive du code depuis la dernière relecture" "code drifted since the page was acknowledged";
    W007 "référence non définie ou lien mal écrit" "undefined reference or malformed link";
    W008 "page trop longue ou trop profonde" "page too long or too deep";
    W009 "trop de tokens" "too many tokens";
    W010 "URL absolue d'une page de la base" "absolute URL of a page of the base";
    W011 "page à revoir" "page needs review";
    I001 "pointeur AGENTS.md absent" "AGENTS.md pointer missing";
    I002 "skills ou commandes absents ou en retard" "skills or commands missing or behind";
    I003 "base hors de git" "base not in git";
    I004 "brouillon" "draft";
    I005 "page derrière un lien symbolique, non lue" "page behind a symbolic link, not read";
}

impl Code {
    /// The code of this name.
    pub fn parse(name: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|c| c.name().eq_ignore_ascii_case(name))
    }

    /// By its letter.
    pub fn severity(self) -> Severity {
        match self.name().as_bytes()[0] {
            b'E' => Severity::Error,
            b'W' => Severity::Warning,
            _ => Severity::Info,
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_give_severities() {
        assert_eq!(Code::ALL.len(), 22);
        assert_eq!(Code::parse("w010"), Some(Code::W010));
        assert_eq!(Code::parse("W012"), None);
        assert_eq!(Code::E006.severity(), Severity::Error);
        assert_eq!(Code::I001.severity(), Severity::Info);
    }
}
