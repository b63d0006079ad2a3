//! Requests that no honest client sends: each is refused by name, and the service goes on.

use std::io::Write;
use std::net::TcpStream;

use crate::world::{World, ask, raw, read};

/// A request line, its headers and its body.
fn post(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[test]
fn hostile_requests_are_refused_and_the_service_lives() {
    let world = World::new();
    let server = world.serve(&[]);
    let port = server.port;
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let json = format!("{host}Content-Type: application/json\r\n");
    let get =
        |path: &str, headers: &str| format!("GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    let query = r#"{"query":"vault"}"#;
    let deep = |n: usize| format!("{{\"query\":{}1{}}}", "[".repeat(n), "]".repeat(n));
    let status = |method: &str, path: &str| {
        format!("{method} {path} HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: 0\r\n\r\n")
    };
    let many: String = (0..500).map(|i| format!("X-{i}: 1\r\n")).collect();
    let huge = format!("{host}X-Huge: {}\r\n", "x".repeat(100_000));
    let cases: Vec<(&str, Vec<u8>, &[u16])> = vec![
        ("rebinding", get("/status", &format!("Host: evil.example:{port}\r\n")).into(), &[403]),
        ("rebinding post", post("/query", "Host: evil.example\r\nContent-Type: application/json\r\n", query).into(), &[403]),
        ("rebinding mcp", post("/mcp", "Host: evil.example\r\nContent-Type: application/json\r\n", query).into(), &[403]),
        ("rebinding health", get("/health", "Host: evil.example\r\n").into(), &[403]),
        ("wildcard dns", get("/status", "Host: 127.0.0.1.nip.io\r\n").into(), &[403]),
        ("other address", get("/status", "Host: 192.168.1.1\r\n").into(), &[403]),
        ("trailing dot", get("/status", "Host: localhost.\r\n").into(), &[403]),
        ("no host", get("/status", "").into(), &[400]),
        ("two hosts", get("/status", &format!("{host}Host: evil.example\r\n")).into(), &[400]),
        ("user in host", get("/status", "Host: evil@127.0.0.1\r\n").into(), &[400]),
        ("absolute target", get("http://evil.example/status", &host).into(), &[400]),
        ("foreign origin", post("/query", &format!("{json}Origin: http://evil.example\r\n"), query).into(), &[403]),
        ("null origin", post("/mcp", &format!("{json}Origin: null\r\n"), query).into(), &[403]),
        ("other port's origin", post("/query", &format!("{json}Origin: http://127.0.0.1:1\r\n"), query).into(), &[403]),
        ("https origin", post("/query", &format!("{json}Origin: https://127.0.0.1:{port}\r\n"), query).into(), &[403]),
        ("two origins", post("/query", &format!("{json}Origin: http://127.0.0.1:{port}\r\nOrigin: null\r\n"), query).into(), &[400]),
        ("no-cors get", get("/status", &format!("{host}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n")).into(), &[403]),
        ("no-cors text", post("/query", &format!("{host}Content-Type: text/plain\r\n"), query).into(), &[415]),
        ("no-cors form", post("/query", &format!("{host}Content-Type: application/x-www-form-urlencoded\r\n"), "query=x").into(), &[415]),
        ("no-cors multipart", post("/mcp", &format!("{host}Content-Type: multipart/form-data; boundary=x\r\n"), "--x--").into(), &[415]),
        ("json in a parameter", post("/query", &format!("{host}Content-Type: text/plain; application/json\r\n"), query).into(), &[415]),
        ("no content type", post("/get", &host, query).into(), &[415]),
        ("compressed", post("/query", &format!("{json}Content-Encoding: gzip\r\n"), "\x1f").into(), &[415]),
        ("preflight", format!("OPTIONS /query HTTP/1.1\r\n{host}Origin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n").into(), &[403]),
        ("options", status("OPTIONS", "/query").into(), &[405]),
        ("get of a question", status("GET", "/query").into(), &[405]),
        ("put", status("PUT", "/get").into(), &[405]),
        ("delete", status("DELETE", "/mcp").into(), &[405]),
        ("trace", status("TRACE", "/status").into(), &[405]),
        ("connect", format!("CONNECT evil.example:80 HTTP/1.1\r\n{host}\r\n").into(), &[400, 404, 405]),
        ("post of the state", post("/status", &json, "{}").into(), &[405]),
        ("unknown path", post("/update", &json, "{}").into(), &[404]),
        ("path that climbs", get("/../../etc/passwd", &host).into(), &[404]),
        ("large body", post("/query", &json, &" ".repeat(65_537)).into(), &[413]),
        ("claimed gigabyte", format!("POST /query HTTP/1.1\r\n{json}Content-Length: 1073741824\r\n\r\n").into(), &[413]),
        ("no length", format!("POST /query HTTP/1.1\r\n{json}Content-Length: x\r\n\r\n").into(), &[400]),
        ("negative length", format!("POST /query HTTP/1.1\r\n{json}Content-Length: -1\r\n\r\n").into(), &[400]),
        ("two lengths", format!("POST /query HTTP/1.1\r\n{json}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}").into(), &[400]),
        ("bad chunk", format!("POST /query HTTP/1.1\r\n{json}Transfer-Encoding: chunked\r\n\r\nzz\r\n").into(), &[400]),
        ("unknown coding", format!("POST /query HTTP/1.1\r\n{json}Transfer-Encoding: gzip\r\n\r\n").into(), &[400]),
        ("deep", post("/query", &json, &deep(33)).into(), &[400]),
        ("very deep", post("/mcp", &json, &deep(20_000)).into(), &[400]),
        ("truncated", post("/query", &json, r#"{"query":"#).into(), &[400]),
        ("trailing", post("/query", &json, r#"{"query":"x"} x"#).into(), &[400]),
        ("unknown field", post("/query", &json, r#"{"query":"x","disk":true}"#).into(), &[400]),
        ("key twice", post("/query", &json, r#"{"query":"x","query":"y"}"#).into(), &[400]),
        ("wrong type", post("/multi_get", &json, r#"{"pattern":["*"]}"#).into(), &[400]),
        ("huge number", post("/get", &json, r#"{"document":"docs/vault.md","from":1e999}"#).into(), &[400]),
        ("reading the disk", post("/get", &json, r#"{"document":"docs/vault.md","disk":true}"#).into(), &[400]),
        ("document that climbs", post("/get", &json, r#"{"document":"../../../../etc/passwd"}"#).into(), &[404]),
        ("document of the system", post("/get", &json, r#"{"document":"/etc/passwd"}"#).into(), &[404]),
        ("address that climbs", post("/get", &json, r#"{"document":"gf://docs/../../etc/passwd"}"#).into(), &[404]),
        ("nul", post("/get", &json, "{\"document\":\"docs/vault.md\\u0000\"}").into(), &[404]),
        ("long query", post("/query", &json, &format!("{{\"query\":\"{}\"}}", "x ".repeat(20_000))).into(), &[400]),
        ("huge header", get("/health", &huge).into(), &[431]),
        ("many headers", get("/health", &format!("{host}{many}")).into(), &[431]),
        ("long target", get(&format!("/{}", "x".repeat(100_000)), &host).into(), &[414, 431]),
        ("old protocol", b"GET /health\r\n\r\n".to_vec(), &[400]),
        ("tls", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03rubbish\r\n\r\n".to_vec(), &[400]),
        ("http/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), &[0, 400, 505]),
        ("injected header", get("/health\r\nX: y", &host).into(), &[400]),
    ];
    assert!(cases.len() >= 25);
    for (name, bytes, expected) in &cases {
        let answer = raw(port, bytes);
        assert!(
            expected.contains(&answer.status),
            "{name}: {} {}\n{}",
            answer.status,
            answer.head,
            answer.body
        );
        assert!(!answer.head.contains("access-control-"), "{name}: {}", answer.head);
        assert!(!answer.body.contains("root:"), "{name}");
    }
    let found = ask(port, "POST", "/query", "", r#"{"query":"vault","mode":"search"}"#);
    assert_eq!((found.status, &found.json()["count"]), (200, &1.into()));
}

#[test]
fn a_chunked_gigabyte_is_cut_short() {
    let world = World::new();
    let server = world.serve(&[]);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let head = format!(
        "POST /query HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [b"10000\r\n".as_slice(), &[b' '; 65_536], b"\r\n"].concat();
    // The server hangs up long before: what fits the buffers of the sockets is all it ever takes.
    let sent = (0..16_384).take_while(|_| stream.write_all(&chunk).is_ok()).count();
    assert!(sent < 1024, "{sent} chunks were taken");
    let answer = read(&mut stream);
    // The answer may be lost when the connection is reset under it.
    assert!(matches!(answer.status, 0 | 413), "{}", answer.head);
    assert_eq!(ask(server.port, "GET", "/health", "", "").status, 200);
    let memory = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    let peak = memory.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
    let kib: u64 = peak.split_whitespace().next().unwrap().parse().unwrap();
    assert!(kib < 256 * 1024, "{kib} KiB at the peak");
}
