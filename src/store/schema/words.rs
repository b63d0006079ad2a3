//! Closed vocabularies: enums that are words in JSON.

use unicode_normalization::UnicodeNormalization;

/// `text` trimmed, in lower case, without accents: how people's words are compared.
pub fn fold(text: &str) -> String {
    let marks = unicode_normalization::char::is_combining_mark;
    text.trim().nfkd().filter(|c| !marks(*c)).collect::<String>().to_lowercase()
}

/// Declares an enum of words. `folded` ones are read without regard to accents and case.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident by $read:path { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// Every word, in the order of the contract.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The word.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word),* }
            }

            /// Reads the word.
            pub fn parse(text: &str) -> Option<Self> {
                let text = $read(text);
                Self::ALL.iter().copied().find(|w| w.as_str() == text)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                $name::parse(text).ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|w| w.as_str()).collect();
                    format!("{text:.40?}, {} expected", known.join("|"))
                })
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                s.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(d)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// Words that are read exactly.
pub(super) fn exact(text: &str) -> &str {
    text
}

pub(super) use words;

#[cfg(test)]
mod tests {
    #[test]
    fn folding() {
        assert_eq!(super::fold(" Modéré\t"), "modere");
        assert_eq!(super::fold("MODE\u{301}RE\u{301}"), "modere");
    }
}
