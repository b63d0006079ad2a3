//! MCP by hand: lines on stdin and stdout, and posts.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::world::{World, ask};

struct Talk {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Talk {
    fn start(world: &World) -> Self {
        let mut child = world
            .command(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Talk { child, input, output }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line:?}"))
    }

    fn request(&mut self, id: u32, method: &str, params: Value) -> Value {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        let answer = self.hear();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    fn shake_hands(&mut self) -> Value {
        let answer = self.request(1, "initialize", initialize());
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    /// Closes stdin: the server must end by itself, having said nothing more on stdout.
    fn leave(mut self) {
        drop(self.input.take());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.output, &mut rest).unwrap();
        assert_eq!(rest, "");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

fn initialize() -> Value {
    json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
}

#[test]
fn a_conversation_on_stdio() {
    let world = World::new();
    let mut talk = Talk::start(&world);
    let answer = talk.shake_hands();
    let result = &answer["result"];
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "govfind");
    let told = result["instructions"].as_str().unwrap();
    for part in ["gf://docs/ (2 files)", "Notes about keys", "no vectors", "govfind embed"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let tools = talk.request(2, "tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["query", "get", "multi_get", "status"]);
    assert!(tools.iter().all(|t| t["annotations"]["readOnlyHint"] == true));

    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let found = talk.request(3, "tools/call", call("query", json!({"query": "vault", "mode": "search"})));
    let cli = world.run(&["search", "vault", "--json"]).exits(0).json();
    assert_eq!(found["result"]["structuredContent"], cli);
    let text = found["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), cli);
    let got = talk.request(
        4,
        "tools/call",
        call("get", json!({"document": "docs/vault.md", "from": 3, "lines": 2})),
    );
    let text = got["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.ends_with("gf://docs/vault.md\n3  The vault rotation is monthly.\n4  Keys are kept.\n"),
        "{text}"
    );
    let none = talk.request(5, "tools/call", call("get", json!({"document": "docs/none.md"})));
    assert_eq!(none["result"]["isError"], true);
    let many = talk.request(13, "tools/call", call("multi_get", json!({"pattern": "vault.md,valut.md"})));
    let cli = world.run(&["multi-get", "vault.md,valut.md", "--json"]).exits(3).json();
    assert_eq!(many["result"]["structuredContent"], cli);
    assert_ne!(many["result"]["isError"], true, "a part is an answer");
    let unknown = talk.request(6, "tools/call", call("update", json!({})));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");

    let read = talk.request(7, "resources/read", json!({"uri": "gf://docs/vault.md"}));
    assert_eq!(read["result"]["contents"][0]["mimeType"], "text/markdown");
    let encoded = talk.request(8, "resources/read", json!({"uri": "gf://docs%2Fvault.md"}));
    assert_eq!(encoded["result"]["contents"][0]["text"], read["result"]["contents"][0]["text"]);
    for (id, uri) in
        [(9, "gf://docs/none.md"), (10, "file:///etc/passwd"), (11, "gf://docs/../../etc/passwd")]
    {
        let absent = talk.request(id, "resources/read", json!({"uri": uri}));
        assert_eq!(absent["error"]["code"], -32002, "{uri}: {absent}");
    }
    let listed = talk.request(12, "resources/list", json!({}));
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 2);
    talk.leave();
}

#[test]
fn bad_lines_do_not_end_a_conversation() {
    let world = World::new();
    let mut talk = Talk::start(&world);
    talk.shake_hands();
    for (line, id, code) in [
        ("this is no JSON", Value::Null, -32700),
        ("{bad json}", Value::Null, -32700),
        (r#"{"jsonrpc":"2.0","id":8,"method":"#, Value::Null, -32700),
        ("[]", Value::Null, -32600),
        (r#"{"id":"nine","method":"ping"}"#, json!("nine"), -32600),
    ] {
        talk.say(line);
        let answer = talk.hear();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}: {answer}");
        assert!(answer.as_object().unwrap().contains_key("id"), "{answer}");
    }
    // A question that is too long is refused under its own id, wherever that stands.
    for (id, length) in [(20, 9_000), (21, 65_536), (22, 70_000), (23, 10_000_000), (24, 100_000_000)] {
        let params = json!({"name": "query", "arguments": {"query": "x".repeat(length), "mode": "search"}});
        let (head, tail) = (r#""jsonrpc":"2.0","method":"tools/call""#, format!(r#""params":{params}"#));
        for line in [format!(r#"{{"id":{id},{head},{tail}}}"#), format!(r#"{{{head},{tail},"id":{id}}}"#)] {
            talk.say(&line);
            let answer = talk.hear();
            assert_eq!(answer["id"], id, "{length}");
            let refused = answer["error"]["code"] == -32600 || answer["result"]["isError"] == true;
            assert!(refused, "{length}: {answer}");
        }
    }
    talk.say(r#"{"x":1}"#);
    let answer = talk.hear();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    // A line above the limit that has no id is refused under none.
    talk.say(&format!("{{\"x\":\"{}\"}}", "x".repeat(1_000_000)));
    let answer = talk.hear();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)), "{answer}");
    let pong = talk.request(7, "ping", json!({}));
    assert!(pong["result"].is_object());
    talk.leave();
}

#[test]
fn the_last_line_needs_no_newline_and_a_full_disk_is_told() {
    let world = World::new();
    let mut talk = Talk::start(&world);
    talk.shake_hands();
    write!(talk.input.as_mut().unwrap(), "{{bad").unwrap();
    drop(talk.input.take());
    assert_eq!(talk.hear()["error"]["code"], -32700);
    talk.leave();

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = world.command(&["mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
    // Stdin stays open: the loss alone ends it.
    let mut input = child.stdin.take().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize()});
    writeln!(input, "{hello}").unwrap();
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(74), "{told}");
    assert!(told.contains("stdout"), "{told}");
}

#[test]
fn a_client_that_leaves_at_once_is_no_error() {
    let world = World::empty();
    Talk::start(&world).leave();
    let mut talk = Talk::start(&world);
    let told = talk.shake_hands()["result"]["instructions"].as_str().unwrap().to_owned();
    assert!(told.contains("collection add"), "{told}");
    talk.leave();
}

#[test]
fn a_conversation_by_posts() {
    let world = World::new();
    let server = world.serve(&[]);
    let accept = "Accept: application/json, text/event-stream\r\n";
    let post = |body: Value| ask(server.port, "POST", "/mcp", accept, &body.to_string());
    let hello = post(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize()}));
    assert_eq!(hello.status, 200, "{}", hello.body);
    assert!(hello.json()["result"]["instructions"].as_str().unwrap().contains("gf://docs/"));
    let told = post(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert_eq!(told.status, 202);
    let params = json!({"name": "query", "arguments": {"query": "vault", "mode": "search"}});
    let found = post(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}));
    let cli = world.run(&["search", "vault", "--json"]).exits(0).json();
    assert_eq!(found.json()["result"]["structuredContent"], cli);
    let batch = post(json!([{"jsonrpc": "2.0", "id": 3, "method": "ping"}]));
    assert!((400..500).contains(&batch.status), "{}", batch.status);
    assert_eq!(ask(server.port, "GET", "/mcp", "Accept: text/event-stream\r\n", "").status, 405);
}
