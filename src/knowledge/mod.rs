//! The Markdown knowledge base, `govrag`.
