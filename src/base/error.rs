//! One error type for the whole house: what happened, where, what to do, and the exit code.
//!
//! The nineteen codes of PD-295 keep their number and name; everything else is one of the general
//! kinds. Conversion to an exit code happens here once, so that no command invents its own.

use std::fmt;

/// Result of every fallible function of the library.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The error codes of PD-295, `ERR-295-01` to `ERR-295-19`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Code {
    /// 01: a watch note is excluded.
    VeilleInvalid = 1,
    /// 02: no embedder, or a vector of the wrong width, zero or not finite.
    EmbeddingInvalid,
    /// 03: a clarification is excluded or refused.
    ClarificationInvalid,
    /// 04: a clarification search without domain and project.
    FilterRequired,
    /// 05: one source cannot be searched.
    SourceUnavailable,
    /// 06: no source can be searched.
    AllSourcesUnavailable,
    /// 07: the scope migration needs a clean commit of `learnings.jsonl`.
    MigrationPrecondition,
    /// 08: an index is corrupt or was made with another model.
    IndexInvalid,
    /// 09: a lock was not granted in time.
    LockTimeout,
    /// 10: the idempotency state cannot be read.
    IdempotencyState,
    /// 11: the sliding window is full.
    RateLimited,
    /// 12: the trace is not on disk, so there is no block.
    TraceFailed,
    /// 13: a transition outside the closed state machine.
    TransitionForbidden,
    /// 14: the clock is behind the trail.
    ClockIncoherent,
    /// 15: a record or a whole file does not follow its schema.
    SchemaInvalid,
    /// 16: the audit key is away, sealed, denied, absent or malformed.
    AuditKeyUnavailable,
    /// 17: a query above 500 Unicode scalar values.
    QueryTooLong,
    /// 18: the baseline exists already.
    BaselineFrozen,
    /// 19: the morning report cannot be made.
    MorningFailed,
}

impl Code {
    /// Every code, in number order.
    pub const ALL: [Code; 19] = [
        Code::VeilleInvalid,
        Code::EmbeddingInvalid,
        Code::ClarificationInvalid,
        Code::FilterRequired,
        Code::SourceUnavailable,
        Code::AllSourcesUnavailable,
        Code::MigrationPrecondition,
        Code::IndexInvalid,
        Code::LockTimeout,
        Code::IdempotencyState,
        Code::RateLimited,
        Code::TraceFailed,
        Code::TransitionForbidden,
        Code::ClockIncoherent,
        Code::SchemaInvalid,
        Code::AuditKeyUnavailable,
        Code::QueryTooLong,
        Code::BaselineFrozen,
        Code::MorningFailed,
    ];

    /// The contract name, such as `AUDIT_KEY_UNAVAILABLE`.
    pub fn name(self) -> &'static str {
        match self {
            Code::VeilleInvalid => "VEILLE_INVALID",
            Code::EmbeddingInvalid => "EMBEDDING_INVALID",
            Code::ClarificationInvalid => "CLARIFICATION_INVALID",
            Code::FilterRequired => "FILTER_REQUIRED",
            Code::SourceUnavailable => "SOURCE_UNAVAILABLE",
            Code::AllSourcesUnavailable => "ALL_SOURCES_UNAVAILABLE",
            Code::MigrationPrecondition => "MIGRATION_PRECONDITION",
            Code::IndexInvalid => "INDEX_INVALID",
            Code::LockTimeout => "LOCK_TIMEOUT",
            Code::IdempotencyState => "IDEMPOTENCY_STATE",
            Code::RateLimited => "RATE_LIMITED",
            Code::TraceFailed => "TRACE_FAILED",
            Code::TransitionForbidden => "TRANSITION_FORBIDDEN",
            Code::ClockIncoherent => "CLOCK_INCOHERENT",
            Code::SchemaInvalid => "SCHEMA_INVALID",
            Code::AuditKeyUnavailable => "AUDIT_KEY_UNAVAILABLE",
            Code::QueryTooLong => "QUERY_TOO_LONG",
            Code::BaselineFrozen => "BASELINE_FROZEN",
            Code::MorningFailed => "MORNING_FAILED",
        }
    }

    /// The exit code when the error stops a command (a call site may override it).
    pub fn exit(self) -> u8 {
        match self {
            Code::VeilleInvalid => 3,
            Code::ClarificationInvalid
            | Code::FilterRequired
            | Code::MigrationPrecondition
            | Code::TransitionForbidden
            | Code::QueryTooLong
            | Code::BaselineFrozen => 2,
            Code::SourceUnavailable => 3,
            Code::IndexInvalid | Code::IdempotencyState | Code::SchemaInvalid => 65,
            Code::EmbeddingInvalid
            | Code::AllSourcesUnavailable
            | Code::AuditKeyUnavailable
            | Code::MorningFailed => 69,
            Code::TraceFailed => 74,
            Code::LockTimeout | Code::RateLimited | Code::ClockIncoherent => 75,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ERR-295-{:02}", *self as u8)
    }
}

/// What kind of failure an [`Error`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One of the contract's codes.
    Memory(Code),
    /// A negative result: no hit, check found errors, signature invalid. Exit 1.
    Negative,
    /// Wrong usage, argument or refused state. Exit 2.
    Usage,
    /// Partial, degraded, or nothing done and the command to run is printed. Exit 3.
    Partial,
    /// Corrupt data. Exit 65.
    Corrupt,
    /// A service or key is unavailable. Exit 69.
    Unavailable,
    /// A bug of ours. Exit 70.
    Bug,
    /// Input or output failed. Exit 74.
    Io,
    /// Try later. Exit 75.
    TryLater,
}

/// An error with its hint and exit code.
#[derive(Debug)]
pub struct Error {
    kind: Kind,
    message: String,
    hint: Option<String>,
    exit: Option<u8>,
}

impl Error {
    /// An error of a contract code.
    pub fn memory(code: Code, message: impl Into<String>) -> Self {
        Self::new(Kind::Memory(code), message)
    }

    /// An error of any kind.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), hint: None, exit: None }
    }

    /// Wrong usage or a refused argument (exit 2).
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// A failed input or output on `path` (exit 74), with what to do about its kind.
    pub fn io(path: impl AsRef<std::path::Path>, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        let path = path.as_ref().display();
        let hint = match error.kind() {
            K::PermissionDenied => crate::tr!(
                "vérifiez le propriétaire et les droits de {path}",
                "check the owner and the permissions of {path}"
            ),
            K::StorageFull | K::QuotaExceeded => crate::tr!(
                "libérez de la place sur le disque, puis relancez la commande",
                "free disk space, then run the command again"
            ),
            K::FileTooLarge => crate::tr!(
                "relevez la taille de fichier permise (ulimit -f), puis relancez la commande",
                "raise the permitted file size (ulimit -f), then run the command again"
            ),
            K::ReadOnlyFilesystem => crate::tr!(
                "le système de fichiers est en lecture seule : remontez-le en écriture, ou travaillez ailleurs",
                "the file system is read-only: mount it for writing, or work elsewhere"
            ),
            K::NotFound | K::NotADirectory | K::IsADirectory | K::InvalidInput | K::InvalidFilename => {
                crate::tr!("vérifiez ce chemin", "check this path")
            }
            _ => crate::tr!(
                "rien n'est acquitté ; réglez cela, puis relancez la commande",
                "nothing was acknowledged; settle this, then run the command again"
            ),
        };
        let hint = Some(hint);
        Error { kind: Kind::Io, message: format!("{path}: {error}"), hint, exit: None }
    }

    /// Adds what the user should do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Overrides the exit code where the contract gives one code two exits.
    #[must_use]
    pub fn exit_with(mut self, exit: u8) -> Self {
        self.exit = Some(exit);
        self
    }

    /// The kind.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The contract code, if it is one.
    pub fn code(&self) -> Option<Code> {
        match self.kind {
            Kind::Memory(code) => Some(code),
            _ => None,
        }
    }

    /// What happened and where.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// The process exit code.
    pub fn exit(&self) -> u8 {
        self.exit.unwrap_or(match self.kind {
            Kind::Memory(code) => code.exit(),
            Kind::Negative => 1,
            Kind::Usage => 2,
            Kind::Partial => 3,
            Kind::Corrupt => 65,
            Kind::Unavailable => 69,
            Kind::Bug => 70,
            Kind::Io => 74,
            Kind::TryLater => 75,
        })
    }

    /// `ERR-295-16`, or `ERR-IO`, `ERR-USAGE` … for the general kinds.
    pub fn code_text(&self) -> String {
        match self.kind {
            Kind::Memory(code) => code.to_string(),
            _ => format!("ERR-{}", self.name()),
        }
    }

    /// `AUDIT_KEY_UNAVAILABLE`, or `IO`, `USAGE` … for the general kinds.
    pub fn name(&self) -> &'static str {
        match self.kind {
            Kind::Memory(code) => code.name(),
            Kind::Negative => "NEGATIVE",
            Kind::Usage => "USAGE",
            Kind::Partial => "PARTIAL",
            Kind::Corrupt => "CORRUPT",
            Kind::Unavailable => "UNAVAILABLE",
            Kind::Bug => "BUG",
            Kind::Io => "IO",
            Kind::TryLater => "TRY_LATER",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Memory(code) => write!(f, "{code} {}: {}", code.name(), self.message),
            _ => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

/// Code, name, message and hint: what stands under `error` in every JSON answer.
impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Error", 4)?;
        out.serialize_field("code", &self.code_text())?;
        out.serialize_field("name", self.name())?;
        out.serialize_field("message", self.message())?;
        out.serialize_field("hint", &self.hint_text())?;
        out.end()
    }
}

/// Attaches the path to a failed I/O call: `fs::read(p).at(p)?`.
pub trait IoContext<T> {
    /// Converts the error into [`Kind::Io`] naming `path`.
    fn at(self, path: impl AsRef<std::path::Path>) -> Result<T>;
}

impl<T> IoContext<T> for std::io::Result<T> {
    fn at(self, path: impl AsRef<std::path::Path>) -> Result<T> {
        self.map_err(|e| Error::io(path, &e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_the_numbers_and_exits_of_the_contract() {
        let exits = [3, 69, 2, 2, 3, 69, 2, 65, 75, 65, 75, 74, 2, 75, 65, 69, 2, 2, 69];
        for (i, code) in Code::ALL.iter().enumerate() {
            assert_eq!(*code as usize, i + 1);
            assert_eq!(code.exit(), exits[i], "{code}");
        }
        assert_eq!(Code::AuditKeyUnavailable.to_string(), "ERR-295-16");
        let e = Error::memory(Code::QueryTooLong, "501 > 500");
        assert_eq!(e.to_string(), "ERR-295-17 QUERY_TOO_LONG: 501 > 500");
    }

    #[test]
    fn io_errors_name_the_path() {
        let e = Error::io("/x/y", &std::io::Error::from(std::io::ErrorKind::PermissionDenied));
        assert!(e.message().starts_with("/x/y: "));
        assert_eq!(e.exit(), 74);
        assert!(e.hint_text().is_some());
    }
}
