//! Secrets in text: found, named by rule and line, masked.
