//! What a job leaves out, with its place and reason: nothing is lost unseen.

/// A record or file that was left out.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Excluded {
    /// The file, as shown to the user.
    pub origin: String,
    /// The line in it, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Why, in the user's language.
    pub reason: String,
}
