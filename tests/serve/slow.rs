//! Clients that take their time: none of them keeps the others out.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::world::{World, ask, read};

fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

#[test]
fn a_head_that_drips_is_given_up() {
    let world = World::new();
    let server = world.serve(&[]);
    let mut stream = connect(server.port);
    stream.write_all(b"GET /health HTTP/1.1\r\nX-Slow: ").unwrap();
    // A client that goes on for ever: the loop ends only because the server hangs up.
    let mut drips = 0;
    while stream.write_all(b"x").is_ok() {
        drips += 1;
        assert!(drips < 600, "the server waits for ever");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(ask(server.port, "GET", "/health", "", "").status, 200);
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let world = World::new();
    let server = world.serve(&[]);
    let mut stream = connect(server.port);
    let head = format!(
        "POST /query HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\n\r\n{{",
        server.port
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read(&mut stream).status, 408);
}

#[test]
fn a_thousand_idle_connections_keep_nobody_out() {
    let limit = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
    // SAFETY: a valid limit for this test's own process; where it is refused, fewer connections open.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) };
    let world = World::new();
    let server = world.serve(&[]);
    let mut idle: Vec<TcpStream> = (0..1000).map(|_| connect(server.port)).collect();
    for _ in 0..5 {
        let found = ask(server.port, "POST", "/query", "", r#"{"query":"vault","mode":"search"}"#);
        assert_eq!(found.status, 200, "{}", found.body);
    }
    // The oldest made place: its connection is closed.
    assert!(matches!(idle[0].read(&mut [0]), Ok(0) | Err(_)));
    let open = std::fs::read_dir(format!("/proc/{}/fd", server.child.id())).unwrap().count();
    assert!(open < 400, "{open} descriptors");
}
