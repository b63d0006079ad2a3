//! Local document search, `govfind`.
