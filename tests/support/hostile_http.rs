//! A server that answers badly: whatever it is told to send, however it is told to send it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// What to do with a connection once its request has arrived.
#[derive(Clone, Debug)]
pub enum Behaviour {
    /// Send these bytes and close.
    Send(Vec<u8>),
    /// Send these bytes, then keep the connection open in silence.
    SendAndHang(Vec<u8>),
    /// Send a head, then this many megabytes of spaces.
    Flood(Vec<u8>, usize),
    /// Send one byte of this every 400 milliseconds.
    Drip(Vec<u8>),
    /// Close without a word.
    Close,
    /// Accept and never answer.
    Hang,
}

impl Behaviour {
    /// A well-formed HTTP answer.
    pub fn answer(status: u16, body: &str) -> Self {
        Behaviour::Send(head(status, "", body.len(), body))
    }
}

/// Bytes of an answer that claims `length` bytes of body.
pub fn head(status: u16, headers: &str, length: usize, body: &str) -> Vec<u8> {
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    )
    .into_bytes()
}

/// A running server; it stops when dropped.
pub struct Hostile {
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    /// Connections so far.
    pub connections: Arc<AtomicUsize>,
    /// Everything received so far.
    pub received: Arc<std::sync::Mutex<Vec<u8>>>,
    stop: Arc<AtomicBool>,
    port: u16,
}

impl Hostile {
    /// Starts a server that treats every connection alike.
    pub fn start(behaviour: Behaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("port");
        let port = listener.local_addr().expect("address").port();
        let server = Hostile {
            address: format!("http://127.0.0.1:{port}"),
            connections: Arc::default(),
            received: Arc::default(),
            stop: Arc::default(),
            port,
        };
        let (stop, connections, received) =
            (server.stop.clone(), server.connections.clone(), server.received.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                connections.fetch_add(1, Ordering::SeqCst);
                let (stop, behaviour, received) = (stop.clone(), behaviour.clone(), received.clone());
                std::thread::spawn(move || serve(stream, &behaviour, &stop, &received));
            }
        });
        server
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn serve(
    mut stream: TcpStream,
    behaviour: &Behaviour,
    stop: &AtomicBool,
    received: &std::sync::Mutex<Vec<u8>>,
) {
    let hang = || {
        while !stop.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    if let Behaviour::Hang = behaviour {
        return hang();
    }
    let mut request = [0u8; 16384];
    let n = stream.read(&mut request).unwrap_or(0);
    received.lock().expect("log").extend_from_slice(&request[..n]);
    // A client that closed early is the point of most of these.
    match behaviour {
        Behaviour::Send(bytes) => {
            let _ = stream.write_all(bytes);
        }
        Behaviour::SendAndHang(bytes) => {
            let _ = stream.write_all(bytes);
            hang();
        }
        Behaviour::Flood(bytes, megabytes) => {
            let chunk = vec![b' '; 1 << 20];
            let _ = stream.write_all(bytes);
            for _ in 0..*megabytes {
                if stream.write_all(&chunk).is_err() {
                    return;
                }
            }
        }
        Behaviour::Drip(bytes) => {
            for byte in bytes {
                if stop.load(Ordering::SeqCst) || stream.write_all(&[*byte]).is_err() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(400));
            }
        }
        Behaviour::Close | Behaviour::Hang => {}
    }
}
