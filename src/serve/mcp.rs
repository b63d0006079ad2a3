//! The Model Context Protocol: four tools that only read, and the documents as resources.
//!
//! A tool that fails answers with a result marked as an error, which the model can read: what
//! happened and what to do. Protocol errors are for requests that are none.

use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult, Implementation,
    InitializeRequestParams, InitializeResult, JsonObject, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, ServerInitializeError};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};

use super::backend::{Backend, Get, document};
use super::{guard, instructions, lines};
use crate::base::{Error, Kind, Result};
use crate::retrieval::fetch::{Fetched, MAX_BYTES, MAX_LINES};
use crate::retrieval::query::DEFAULT_LIMIT;
use crate::tr;

/// Resources named in one page.
const PAGE: usize = 200;
/// Longest time that a client which has closed its side may take to read the last answers.
const LAST_WORDS: Duration = Duration::from_secs(10);

/// The server behind every transport.
#[derive(Clone)]
pub struct Handler {
    backend: Backend,
}

impl Handler {
    /// A server over `backend`.
    pub fn new(backend: Backend) -> Self {
        Handler { backend }
    }

    async fn instructions(&self) -> String {
        match self.backend.ask(|b| Ok(instructions::of(b))).await {
            Ok(text) => text,
            Err(e) => e.to_string(),
        }
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult> {
        match name {
            "query" => {
                let request = parse(arguments)?;
                self.backend.ask(move |b| b.query(&request)).await.map(structured)
            }
            "get" => {
                let request: Get = parse(arguments)?;
                let fetched = self.backend.ask(move |b| b.get(&request)).await?;
                let mut result = CallToolResult::success(vec![ContentBlock::text(numbered(&fetched))]);
                result.structured_content = Some(document(&fetched));
                Ok(result)
            }
            "multi_get" => {
                let request = parse(arguments)?;
                self.backend.ask(move |b| b.multi_get(&request)).await.map(structured)
            }
            _ => {
                parse::<Nothing>(arguments)?;
                self.backend.ask(|b| b.status().map(|s| json!(s))).await.map(structured)
            }
        }
    }

    async fn resource(&self, uri: String) -> Result<Fetched> {
        if !uri.starts_with("gf://") {
            return Err(Error::new(
                Kind::Negative,
                tr!("{uri:?} n'est pas une adresse gf://", "{uri:?} is no gf:// address"),
            ));
        }
        self.backend
            .ask(move |b| {
                let get = |document: String| Get { document, from: None, lines: None, full_path: false };
                // A client that expands the template encodes what is no plain character.
                let decoded = percent_encoding::percent_decode_str(&uri).decode_utf8().ok();
                match b.get(&get(uri.clone())) {
                    Err(e) if e.kind() == Kind::Negative => match decoded {
                        Some(other) if other != uri => b.get(&get(other.into_owned())),
                        _ => Err(e),
                    },
                    other => other,
                }
            })
            .await
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_resources().enable_tools().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("govfind", env!("CARGO_PKG_VERSION")))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(answer.with_instructions(self.instructions().await))
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let info = self.get_info().with_instructions(self.instructions().await);
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|t| t.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            return Err(ErrorData::invalid_params(format!("unknown tool: {}", request.name), None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match self.call(&request.name, arguments).await {
            Ok(result) => result,
            Err(e) => CallToolResult::error(vec![ContentBlock::text(readable(&e))]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let start = match request.and_then(|r| r.cursor) {
            None => 0,
            Some(cursor) => cursor
                .parse::<usize>()
                .map_err(|_| ErrorData::invalid_params(format!("unknown cursor: {cursor}"), None))?,
        };
        let listed = match self.backend.ask(Backend::list).await {
            Ok(listed) => listed,
            // Nothing is indexed: nothing to list, and the instructions say why.
            Err(e) if e.kind() == Kind::Partial => Vec::new(),
            Err(e) => return Err(protocol(&e)),
        };
        let page = listed.iter().skip(start).take(PAGE);
        let items = page
            .map(|l| {
                Resource::new(l.uri.clone(), l.uri.trim_start_matches("gf://"))
                    .with_title(l.title.clone())
                    .with_size(l.bytes.unsigned_abs())
                    .with_mime_type(mime(&l.uri))
            })
            .collect();
        let mut result = ListResourcesResult::with_all_items(items);
        result.next_cursor = (start.saturating_add(PAGE) < listed.len()).then(|| (start + PAGE).to_string());
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("gf://{path}", "document").with_description(
            "An indexed document: its collection, then its path; `:from[:count]` after it takes lines",
        );
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        match self.resource(uri.clone()).await {
            Ok(fetched) => {
                let contents = ResourceContents::TextResourceContents {
                    mime_type: Some(mime(&fetched.uri).to_owned()),
                    uri,
                    text: fetched.text,
                    meta: None,
                };
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            Err(e) if e.kind() == Kind::Negative => {
                Err(ErrorData::resource_not_found(readable(&e), Some(json!({"uri": uri}))))
            }
            Err(e) => Err(protocol(&e)),
        }
    }
}

/// No arguments.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn parse<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_json::from_value(arguments)
        .map_err(|e| Error::usage(tr!("arguments refusés : {e}", "these arguments are refused: {e}")))
}

fn structured(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

fn readable(error: &Error) -> String {
    let hint = error.hint_text().map(|h| format!("\nhint: {h}")).unwrap_or_default();
    format!("{}: {}{hint}", error.code_text(), error.message())
}

fn protocol(error: &Error) -> ErrorData {
    match error.kind() {
        Kind::Usage => ErrorData::invalid_params(readable(error), None),
        _ => ErrorData::internal_error(readable(error), None),
    }
}

fn mime(uri: &str) -> &'static str {
    if uri.ends_with(".md") { "text/markdown" } else { "text/plain" }
}

/// A document's lines with their numbers, under its address.
fn numbered(fetched: &Fetched) -> String {
    let stale = if fetched.stale { tr!(" [périmé]", " [stale]") } else { String::new() };
    let width = (fetched.line_start + fetched.text.lines().count()).to_string().len();
    let lines = fetched.text.lines().enumerate().map(|(i, line)| {
        let number = fetched.line_start + i;
        format!("{number:>width$}  {line}\n")
    });
    format!("#{} {}{stale}\n{}", fetched.docid, fetched.uri, lines.collect::<String>())
}

fn tools() -> Vec<Tool> {
    let tool =
        |name: &'static str, title: &str, about: &'static str, properties: Value, required: &[&str]| {
            let schema = json!({
                "type": "object", "properties": properties, "required": required,
                "additionalProperties": false,
            });
            let schema: JsonObject = schema.as_object().cloned().unwrap_or_default();
            let hints =
                ToolAnnotations::new().read_only(true).destructive(false).idempotent(true).open_world(false);
            Tool::new(name, about, Arc::new(schema)).with_title(title).with_annotations(hints)
        };
    let full_path = json!({"type": "boolean", "default": false, "description": "Name the path on the disk"});
    vec![
        tool(
            "query",
            "Find documents",
            "Find documents by words and by meaning. Words are OR-ed; \"exact phrase\", -excluded; lines \
             that begin with lex:, vec:, hyde: or intent: are typed.",
            json!({
                "query": {"type": "string", "description": "What to find"},
                "mode": {"type": "string", "enum": ["query", "search", "vsearch"], "default": "query",
                         "description": "query: both, search: by words, vsearch: by meaning"},
                "collections": {"type": "array", "items": {"type": "string"}, "default": [],
                                "description": "Search these collections only"},
                "limit": {"type": ["integer", "null"], "minimum": 1, "default": DEFAULT_LIMIT,
                          "description": "Most results; null for all"},
                "min_score": {"type": "number", "minimum": 0, "maximum": 1, "default": 0},
                "full": {"type": "boolean", "default": false, "description": "Return whole documents"},
                "intent": {"type": ["string", "null"], "description": "What you are after; refines the order"},
                "expand": {"type": "boolean", "default": true, "description": "Expand the query"},
                "rerank": {"type": "boolean", "default": true, "description": "Rerank the best results"},
                "explain": {"type": "boolean", "default": false,
                            "description": "Say why each result stands where it does"},
            }),
            &["query"],
        ),
        tool(
            "get",
            "Read a document",
            "Read an indexed document, whole or some of its lines.",
            json!({
                "document": {"type": "string",
                             "description": "gf://collection/path, a path or #docid; :from[:count] after it takes lines"},
                "from": {"type": ["integer", "null"], "minimum": 1, "description": "First line"},
                "lines": {"type": ["integer", "null"], "minimum": 1, "description": "Number of lines"},
                "full_path": full_path.clone(),
            }),
            &["document"],
        ),
        tool(
            "multi_get",
            "Read several documents",
            "Read several documents: a glob over paths, or names separated by commas. Files above the \
             limits are left out and named under `skipped`, names that stand for nothing under `failed`.",
            json!({
                "pattern": {"type": "string", "description": "A glob, or names separated by commas"},
                "max_lines": {"type": "integer", "minimum": 0, "default": MAX_LINES},
                "max_bytes": {"type": "integer", "minimum": 0, "default": MAX_BYTES},
                "full_path": full_path,
            }),
            &["pattern"],
        ),
        tool(
            "status",
            "State of the index",
            "Tell what is indexed, what waits and which models are in use.",
            json!({}),
            &[],
        ),
    ]
}

/// Serves one client over two streams until it goes.
///
/// # Errors
/// Exit 70 when the event loop cannot start or fails; exit 74 when an answer cannot be written; a
/// client that goes early is no error.
pub fn stdio<R, W>(backend: Backend, input: R, output: W) -> Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let runtime = super::listen::runtime()?;
    let result = runtime.block_on(async {
        let (input, output, joining) = lines::between(input, output);
        tokio::pin!(joining);
        tokio::select! {
            served = converse(backend, input, output) => {
                // The last answers still go out, unless nobody takes them.
                let written = tokio::time::timeout(LAST_WORDS, joining).await.unwrap_or(Ok(()));
                served.and(delivered(written))
            }
            written = &mut joining => delivered(written),
        }
    });
    // A read of the input may still wait; the process does not wait for it.
    runtime.shutdown_background();
    result
}

async fn converse(backend: Backend, input: DuplexStream, output: DuplexStream) -> Result<()> {
    // Longer lines do not come this far; the newline counts.
    let transport = AsyncRwTransport::new(input, output).with_max_line_length(guard::LARGEST_BODY + 1);
    match rmcp::serve_server(Handler::new(backend), transport).await {
        Ok(running) => running.waiting().await.map(drop).map_err(|e| Error::new(Kind::Bug, e.to_string())),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(e) => Err(Error::usage(tr!(
            "le client n'a pas commencé par `initialize` : {e}",
            "the client did not begin with `initialize`: {e}"
        ))),
    }
}

fn delivered(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(Error::io("stdout", &e)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_of_the_tools_are_those_of_the_requests() {
        let all = |name: &str| {
            let tool = tools().into_iter().find(|t| t.name == name).unwrap();
            let names = tool.input_schema["properties"].as_object().unwrap().clone();
            Value::Object(
                names
                    .into_iter()
                    .map(|(k, v)| {
                        let value = v.get("default").cloned().unwrap_or(match v["type"].as_str() {
                            Some("string") => json!("x"),
                            _ => Value::Null,
                        });
                        (k, value)
                    })
                    .collect(),
            )
        };
        let request: crate::retrieval::query::Request = parse(all("query")).unwrap();
        assert_eq!(request, crate::retrieval::query::Request::new("x", Default::default()));
        parse::<Get>(all("get")).unwrap();
        parse::<super::super::backend::MultiGet>(all("multi_get")).unwrap();
        parse::<Nothing>(all("status")).unwrap();
        assert_eq!(parse::<Nothing>(json!({"x": 1})).err().unwrap().exit(), 2);
    }
}
