//! The socket and its connections: how many, and how long a client may take to say what it wants.
//!
//! When the room is full, the connection that has waited longest without a question makes place, so
//! that idle or slow clients cannot keep others out.

use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::task::AbortHandle;

use super::backend::{Backend, SLOTS};
use super::guard::Rules;
use super::token::Token;
use crate::base::{Error, Kind, Result};
use crate::tr;

/// Connections open at the same time.
const MOST_CONNECTIONS: usize = 256;
/// Longest time between two requests, and for the head of one.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Largest head of a request in bytes.
const LARGEST_HEAD: usize = 32 * 1024;

/// Where and for whom to serve.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address to bind.
    pub address: IpAddr,
    /// The port; 0 for any free one.
    pub port: u16,
    /// Whether an address that other machines reach is wanted.
    pub allow_remote: bool,
    /// Names of this machine that requests may be for, beside `localhost` and addresses.
    pub hosts: Vec<String>,
    /// The token that every question must bring.
    pub token: Option<Token>,
}

/// A server that holds its port and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    rules: Rules,
}

/// An event loop on this thread, with a few threads for what blocks.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(SLOTS + 4)
        .build()
        .map_err(|e| Error::new(Kind::Bug, e.to_string()))
}

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    /// Usage for an address that other machines reach without `allow_remote` and a token; exit 75
    /// when the port is taken; I/O.
    pub fn bind(settings: Settings) -> Result<Server> {
        let Settings { address, port, allow_remote, hosts, token } = settings;
        let remote = !address.is_loopback();
        if remote && !(allow_remote && token.is_some()) {
            return Err(Error::usage(tr!(
                "{address} est visible d'autres machines",
                "{address} can be reached by other machines"
            ))
            .hint("govfind serve --allow-remote --token-file FILE"));
        }
        let wanted = SocketAddr::new(address, port);
        let listener = TcpListener::bind(wanted).map_err(|e| taken(wanted, &e))?;
        let fail = |e: std::io::Error| Error::io(wanted.to_string(), &e);
        listener.set_nonblocking(true).map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        Ok(Server { listener, address, rules: Rules { hosts, any_address: remote, token } })
    }

    /// The address and port that are bound.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the process ends.
    ///
    /// # Errors
    /// Exit 70 when the event loop cannot start.
    pub fn run(self, backend: Backend) -> Result<()> {
        let runtime = runtime()?;
        let router = super::http::router(backend, self.rules);
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)
                .map_err(|e| Error::new(Kind::Bug, e.to_string()))?;
            accept(&listener, &router).await;
            Ok(())
        })
    }
}

fn taken(address: SocketAddr, error: &std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::AddrInUse {
        return Error::new(Kind::TryLater, tr!("{address} est pris", "{address} is taken"))
            .hint("govfind serve --port 0");
    }
    Error::io(address.to_string(), error)
}

/// A connection: its task, and the questions it is waiting for.
struct Connection {
    task: AbortHandle,
    asked: Arc<AtomicUsize>,
}

/// Counts a question as long as it lives.
struct Asked(Arc<AtomicUsize>);

impl Drop for Asked {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn accept(listener: &tokio::net::TcpListener, router: &Router) {
    let mut open: VecDeque<Connection> = VecDeque::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(e) => {
                // Out of file descriptors, or the client has gone already.
                tracing::debug!("accept: {e}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        open.retain(|c| !c.task.is_finished());
        if open.len() >= MOST_CONNECTIONS {
            let idle = open.iter().position(|c| c.asked.load(Ordering::Relaxed) == 0);
            match idle.and_then(|at| open.remove(at)) {
                Some(connection) => connection.task.abort(),
                // Everyone is being answered: the new one goes.
                None => continue,
            }
        }
        let asked = Arc::new(AtomicUsize::new(0));
        let task = tokio::spawn(serve(stream, router.clone(), Arc::clone(&asked))).abort_handle();
        open.push_back(Connection { task, asked });
    }
}

async fn serve(stream: tokio::net::TcpStream, router: Router, asked: Arc<AtomicUsize>) {
    let _ = stream.set_nodelay(true);
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request| {
        asked.fetch_add(1, Ordering::Relaxed);
        let asked = Asked(Arc::clone(&asked));
        let answer = router.call(request);
        async move {
            let _asked = asked;
            answer.await
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LARGEST_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(e) = served {
        tracing::debug!("connection: {e}");
    }
}
