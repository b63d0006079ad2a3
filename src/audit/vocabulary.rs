//! The closed vocabulary of the trail: event names, operations, sources.
//!
//! A word outside these lists makes a line invalid. JSON spells them in snake case.

use std::fmt;

macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every word.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word as the trail spells it.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The word spelled `text`.
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($text => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                // Only a string: serde's own enums would also take `{"word":null}`.
                let text = super::text::Text::deserialize(d)?;
                $name::parse(&text).ok_or_else(|| {
                    serde::de::Error::custom(concat!("a word outside the vocabulary of ", stringify!($name)))
                })
            }
        }
    };
}

vocabulary! {
    /// What an event says happened.
    EventName {
        /// Learnings were put into a block, or retrieved by a traced search.
        LearningInjected = "learning_injected",
        /// Watch notes were.
        VeilleInjected = "veille_injected",
        /// Clarifications were.
        ClarificationInjected = "clarification_injected",
        /// A source could not be searched at step 0; its count is 0.
        SourceUnavailable = "source_unavailable",
        /// A learning received its scope.
        ScopeMigrated = "scope_migrated",
        /// A learning moved to a wider scope.
        LearningPromoted = "learning_promoted",
        /// A learning was archived.
        LearningArchived = "learning_archived",
        /// An archived learning came back.
        LearningRestored = "learning_restored",
        /// A learning's text was replaced.
        LearningRedacted = "learning_redacted",
        /// Clarifications past their retention were purged.
        ClarificationPurged = "clarification_purged",
        /// An operator put the first key into use.
        AuditBootstrapped = "audit_bootstrapped",
        /// A new key version signs from here on.
        AuditKeyRotated = "audit_key_rotated",
        /// An operator rebuilt the chain over the trail as it stands.
        ChainResealed = "chain_resealed",
        /// An operator accepted a clock behind the trail.
        ClockReset = "clock_reset",
    }
}

vocabulary! {
    /// What was being done.
    Operation {
        /// Step 0 of a story; the only operation that scores and KPIs count.
        Step0Injection = "step0_injection",
        /// A traced search by hand.
        Search = "search",
        /// A transition in the life of a learning.
        Lifecycle = "lifecycle",
        /// The end of a retention period.
        Retention = "retention",
        /// An operator's act on the trail or its key.
        Audit = "audit",
    }
}

vocabulary! {
    /// Where the event's subject lives.
    Source {
        /// Learnings.
        Learning = "learning",
        /// Watch notes.
        Veille = "veille",
        /// Clarifications.
        Clarification = "clarification",
        /// The life of learnings.
        Lifecycle = "lifecycle",
        /// Retention.
        Retention = "retention",
        /// The trail itself.
        Audit = "audit",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip_and_nothing_else_parses() {
        for name in EventName::ALL {
            assert_eq!(EventName::parse(name.as_str()), Some(*name));
        }
        assert_eq!(EventName::ALL.len(), 14);
        assert_eq!(Source::ALL.len(), 6);
        assert_eq!(EventName::parse("Learning_injected"), None);
        assert!(serde_json::from_str::<Source>(r#"{"learning":null}"#).is_err());
        assert!(serde_json::from_str::<Source>(r#""learning""#).is_ok());
    }
}
