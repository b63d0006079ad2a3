//! Between a client's lines and the protocol: every line that cannot be a request is answered here.
//!
//! The protocol's own transport drops what it cannot parse and what is too long, and its client waits
//! for ever. Memory stays bounded whatever the length of a line.

use std::io;

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex};
use tokio::sync::mpsc;

use super::depth;
use super::guard::LARGEST_BODY;
use super::scout::Scout;

/// JSON-RPC: this is no JSON.
const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: this is no request.
const INVALID_REQUEST: i32 = -32600;

/// Streams for the protocol, and the work that joins them to `input` and `output`: it ends when the
/// protocol has closed its output and all is written.
pub fn between<R, W>(
    input: R,
    output: W,
) -> (DuplexStream, DuplexStream, impl Future<Output = io::Result<()>> + Send)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (to_protocol, protocol_input) = duplex(LARGEST_BODY);
    let (protocol_output, from_protocol) = duplex(LARGEST_BODY);
    let (answers, own) = mpsc::channel(16);
    let work = async move {
        // Reading may wait for ever, so the end of writing ends it.
        let reading = tokio::spawn(sift(input, to_protocol, answers));
        let written = merge(from_protocol, own, output).await;
        reading.abort();
        written
    };
    (protocol_input, protocol_output, work)
}

/// Passes on the lines that the protocol understands and answers the others.
async fn sift<R: AsyncRead + Unpin>(input: R, mut protocol: DuplexStream, answers: mpsc::Sender<Vec<u8>>) {
    let mut input = BufReader::new(input);
    let mut line = Line::default();
    loop {
        // A stream that cannot be read any more has ended.
        let read = input.fill_buf().await.unwrap_or_default();
        let end = read.is_empty();
        let newline = read.iter().position(|b| *b == b'\n');
        line.push(&read[..newline.unwrap_or(read.len())]);
        let taken = newline.map_or(read.len(), |at| at + 1);
        input.consume(taken);
        if newline.is_none() && !end {
            continue;
        }
        let whole = std::mem::take(&mut line);
        let sent = match whole.answer() {
            Some(answer) => answers.send(answer).await.is_ok(),
            None => protocol.write_all(&[&whole.bytes[..], b"\n"].concat()).await.is_ok(),
        };
        if end || !sent {
            return;
        }
    }
}

/// Writes the protocol's lines and our own, each whole, until the protocol closes.
async fn merge<W: AsyncWrite + Unpin>(
    protocol: DuplexStream,
    mut own: mpsc::Receiver<Vec<u8>>,
    mut output: W,
) -> io::Result<()> {
    let mut protocol = BufReader::new(protocol);
    let mut line = Vec::new();
    loop {
        tokio::select! {
            // What was read of a line stays in it when the other branch comes first.
            read = protocol.read_until(b'\n', &mut line) => {
                read?;
                if line.is_empty() {
                    break;
                }
                output.write_all(&std::mem::take(&mut line)).await?;
            }
            Some(answer) = own.recv() => output.write_all(&answer).await?,
        }
        output.flush().await?;
    }
    while let Ok(answer) = own.try_recv() {
        output.write_all(&answer).await?;
    }
    output.flush().await
}

/// A line as far as it was read.
#[derive(Default)]
struct Line {
    bytes: Vec<u8>,
    /// What is known of a line above the limit, of which nothing else is kept.
    long: Option<Scout>,
}

impl Line {
    fn push(&mut self, bytes: &[u8]) {
        if self.long.is_none() && self.bytes.len() + bytes.len() <= LARGEST_BODY {
            return self.bytes.extend_from_slice(bytes);
        }
        let scout = self.long.get_or_insert_default();
        scout.feed(&std::mem::take(&mut self.bytes));
        scout.feed(bytes);
    }

    /// The answer to a line that the protocol would not answer.
    fn answer(&self) -> Option<Vec<u8>> {
        if let Some(scout) = &self.long {
            let why = format!("a message above {LARGEST_BODY} bytes");
            return Some(refusal(scout.id(), INVALID_REQUEST, &why));
        }
        let bytes = self.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.bytes).trim_ascii();
        if bytes.is_empty() {
            return None;
        }
        if depth::too_deep(bytes) {
            let mut scout = Scout::default();
            scout.feed(bytes);
            let why = format!("JSON nested deeper than {} levels", depth::DEEPEST);
            return Some(refusal(scout.id(), INVALID_REQUEST, &why));
        }
        let value: Value = match serde_json::from_slice(bytes) {
            Ok(value) => value,
            Err(e) => return Some(refusal(Value::Null, PARSE_ERROR, &format!("no JSON: {e}"))),
        };
        let Some(object) = value.as_object() else {
            return Some(refusal(Value::Null, INVALID_REQUEST, "a message is an object, one a line"));
        };
        let id = object.get("id").filter(|id| id.is_string() || id.is_number())?;
        let reply = object.contains_key("result") || object.contains_key("error");
        let known = serde_json::from_slice::<ClientJsonRpcMessage>(bytes).is_ok();
        (!reply && !known).then(|| refusal(id.clone(), INVALID_REQUEST, "no JSON-RPC 2.0 request"))
    }
}

fn refusal(id: Value, code: i32, why: &str) -> Vec<u8> {
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": why}});
    format!("{error}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Option<(Value, i64)> {
        let mut line = Line::default();
        text.as_bytes().chunks(1000).for_each(|part| line.push(part));
        assert!(line.bytes.len() <= LARGEST_BODY);
        let answer: Value = serde_json::from_slice(&line.answer()?).unwrap();
        Some((answer["id"].clone(), answer["error"]["code"].as_i64().unwrap()))
    }

    #[test]
    fn what_is_a_message_passes() {
        for text in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\"}\r",
            r#"{"jsonrpc":"2.0","id":2,"method":"no/such"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        ] {
            assert_eq!(answer(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_none_is_answered() {
        let deep = format!(r#"{{"id":4,"x":{}1{}}}"#, "[".repeat(99), "]".repeat(99));
        let long = format!(r#"{{"a":"{}","id":"z"}}"#, "x".repeat(1 << 20));
        for (text, id, code) in [
            ("{bad json}", Value::Null, -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, Value::Null, -32700),
            ("[]", Value::Null, -32600),
            ("17", Value::Null, -32600),
            (r#"{"id":1,"method":"ping"}"#, json!(1), -32600),
            (r#"{"jsonrpc":"2.0","id":"b"}"#, json!("b"), -32600),
            (r#"{"jsonrpc":"2.0","id":5,"method":7}"#, json!(5), -32600),
            (&deep, json!(4), -32600),
            (&long, json!("z"), -32600),
            (&"x".repeat(1 << 20), Value::Null, -32600),
        ] {
            assert_eq!(answer(text), Some((id, code)), "{:.60}", text);
        }
    }
}
