//! The daemon: started once, private, stopped by its own name and nobody else's.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use govmem::serve::daemon::{State, start_of};
use serde_json::{Value, json};

use crate::world::{World, ask};

/// Stops the daemon of a world, whatever the test did.
struct Stopped<'w>(&'w World);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.run(&["stop"]);
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_daemon_is_started_asked_and_stopped() {
    let world = World::new();
    let _stopped = Stopped(&world);
    let start = world.run(&["--json", "serve", "--daemon", "--port", "0"]).exits(0).json();
    assert_eq!((&start["mode"], &start["stop"]), (&json!("daemon"), &json!("govfind stop")));
    let pid = u32::try_from(start["pid"].as_u64().unwrap()).unwrap();
    let port = start["endpoint"].as_str().unwrap().rsplit_once(':').unwrap().1.parse::<u16>().unwrap();

    let state = world.path("state/govfind");
    let token_file = state.join("daemon.token");
    assert_eq!(start["token_file"], token_file.to_str().unwrap());
    for name in ["daemon.token", "daemon.json", "daemon.log"] {
        assert_eq!(mode(&state.join(name)), 0o600, "{name}");
    }
    let token = std::fs::read_to_string(&token_file).unwrap();
    let bearer = format!("Authorization: Bearer {}\r\n", token.trim());
    let cmdline = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap();
    assert!(!cmdline.contains(token.trim()));

    assert_eq!(ask(port, "GET", "/health", "", "").status, 200);
    assert_eq!(ask(port, "GET", "/status", "", "").status, 401);
    assert_eq!(ask(port, "POST", "/mcp", "", "{}").status, 401);
    let found = ask(port, "POST", "/query", &bearer, r#"{"query":"vault","mode":"search"}"#);
    assert_eq!((found.status, &found.json()["count"]), (200, &json!(1)));

    let again = world.run(&["serve", "--daemon", "--port", "0"]).exits(75);
    assert!(again.stderr.contains("already") && again.stderr.contains("govfind stop"), "{}", again.stderr);

    let stopped = world.run(&["--json", "stop"]).exits(0).json();
    assert_eq!(stopped["stopped"]["pid"], pid);
    // Nobody answers any more, even where nobody has reaped the process yet.
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!token_file.exists() && !state.join("daemon.json").exists());
    world.run(&["stop"]).exits(1);
}

#[test]
fn a_daemon_that_cannot_serve_says_why() {
    let world = World::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = world.run(&["serve", "--daemon", "--port", &port]).exits(75);
    assert!(refused.stderr.contains(&port), "{}", refused.stderr);
    world.run(&["serve", "--daemon", "--address", "0.0.0.0"]).exits(2);
    world.run(&["stop"]).exits(1);
}

#[test]
fn the_process_of_another_is_left_alone() {
    let world = World::new();
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let state = State::new(world.path("state/govfind"));
    let pid = other.id();
    let record = |ticks: u64| {
        json!({"schema": 1, "pid": pid, "start_ticks": ticks, "endpoint": "http://127.0.0.1:1",
               "index": "/nowhere"})
    };
    let write =
        |value: Value| std::fs::write(world.path("state/govfind/daemon.json"), value.to_string()).unwrap();
    let born = start_of(other.id()).unwrap();

    // The lock is held, but the number belongs to a process that started at another time.
    let lock = state.become_daemon().unwrap();
    write(record(born + 1));
    let refused = world.run(&["stop"]).exits(2);
    assert!(refused.stderr.contains("left alone"), "{}", refused.stderr);
    assert!(other.try_wait().unwrap().is_none());
    // A damaged record stops nothing either.
    write(json!({"pid": other.id()}));
    world.run(&["stop"]).exits(65);
    drop(lock);

    // Nobody holds the lock: the record is of the past, even with the right time.
    write(record(born));
    world.run(&["stop"]).exits(1);
    assert!(other.try_wait().unwrap().is_none());
    other.kill().unwrap();
    other.wait().unwrap();
}
