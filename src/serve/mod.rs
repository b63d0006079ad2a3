//! MCP and HTTP service over `retrieval`.
