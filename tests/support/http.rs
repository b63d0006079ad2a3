//! A loopback HTTP server of our own: a free port, a thread per connection, answers made by the test,
//! well-behaved or not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

/// A request, as it came over the wire.
#[derive(Clone, Debug)]
pub struct Request {
    /// Such as `/api/embed`.
    pub path: String,
    /// The body as JSON; null when it is none.
    pub body: Value,
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub struct Reply {
    status: u16,
    headers: Vec<String>,
    body: Vec<u8>,
    announced: Option<usize>,
    pause: Option<Duration>,
    trickle: bool,
    hang: bool,
}

impl Reply {
    /// A JSON answer.
    pub fn json(status: u16, body: &Value) -> Reply {
        Reply::raw(status, body.to_string())
    }

    /// Any body, announced as JSON.
    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        Reply {
            status,
            headers: vec!["Content-Type: application/json".to_owned()],
            body: body.into(),
            announced: None,
            pause: None,
            trickle: false,
            hang: false,
        }
    }

    /// Ollama's form of an error.
    pub fn error(status: u16, message: &str) -> Reply {
        Reply::json(status, &serde_json::json!({ "error": message }))
    }

    /// No answer at all, until the client gives up.
    pub fn hang() -> Reply {
        Reply { hang: true, ..Reply::raw(200, "") }
    }

    /// Adds a header line.
    pub fn header(mut self, line: &str) -> Reply {
        self.headers.push(line.to_owned());
        self
    }

    /// Announces more bytes than come, then closes.
    pub fn cut_short(mut self) -> Reply {
        self.announced = Some(self.body.len() + 100);
        self
    }

    /// Waits before answering.
    pub fn after(mut self, pause: Duration) -> Reply {
        self.pause = Some(pause);
        self
    }

    /// Sends the body one byte at a time, slowly.
    pub fn trickle(mut self) -> Reply {
        self.trickle = true;
        self
    }
}

/// A server that runs until it is dropped.
pub struct Server {
    /// Such as `127.0.0.1:40123`.
    pub address: String,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts on a free port of the loopback.
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let answer = Arc::new(answer);
        let (kept, stopped) = (Arc::clone(&requests), Arc::clone(&stop));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let (answer, kept, stopped) = (Arc::clone(&answer), Arc::clone(&kept), Arc::clone(&stopped));
                std::thread::spawn(move || {
                    let Ok(stream) = stream else { return };
                    // A client that goes away is part of some tests.
                    let _ = serve(&stream, &*answer, &kept, &stopped);
                });
            }
        });
        Server { address, requests, stop }
    }

    /// Everything asked so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The bodies of the requests to `path`.
    pub fn bodies(&self, path: &str) -> Vec<Value> {
        self.requests().into_iter().filter(|r| r.path == path).map(|r| r.body).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(&self.address);
    }
}

fn serve(
    stream: &TcpStream,
    answer: &(impl Fn(&Request) -> Reply + ?Sized),
    kept: &Mutex<Vec<Request>>,
    stop: &AtomicBool,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut writer = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let mut words = line.split_whitespace();
        let path = words.nth(1).unwrap_or_default().to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let request = Request { path, body };
        let reply = answer(&request);
        kept.lock().unwrap().push(request);
        while reply.hang && !stop.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        if let Some(pause) = reply.pause {
            std::thread::sleep(pause);
        }
        let length = reply.announced.unwrap_or(reply.body.len());
        write!(writer, "HTTP/1.1 {} Answer\r\nContent-Length: {length}\r\n", reply.status)?;
        for header in &reply.headers {
            write!(writer, "{header}\r\n")?;
        }
        writer.write_all(b"\r\n")?;
        if reply.trickle {
            for byte in &reply.body {
                writer.write_all(&[*byte])?;
                writer.flush()?;
                std::thread::sleep(Duration::from_millis(20));
            }
        } else {
            writer.write_all(&reply.body)?;
        }
        if reply.announced.is_some() {
            return Ok(());
        }
    }
}
