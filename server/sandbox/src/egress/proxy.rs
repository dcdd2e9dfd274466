//! An HTTP proxy for one run, with limits on connections, bytes and time.

use std::io;
use std::net::TcpListener as StdListener;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::io::InspectReader;
use tokio_util::sync::CancellationToken;

use super::connect::{ConnectError, Connector};
use super::request::{self, MAX_HEAD_BYTES, ProxyRequest, Rejection};
use super::rules::EgressRules;
use super::usage::Usage;
use crate::output::OutputChunk;

/// Concurrent connections of the whole service. Each uses two descriptors.
static CONNECTIONS: Semaphore = Semaphore::const_new(256);
/// For reading the rest of a rejected request, so that the client receives the response.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
/// Delay before accepting again after an error, such as too many open files.
const ACCEPT_RETRY_INTERVAL: Duration = Duration::from_millis(100);

#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Concurrent connections. Further ones wait in the listener's backlog.
    max_open_connections: usize,
    max_connections: u64,
    /// Bytes in both directions together.
    max_transferred_bytes: u64,
    head_timeout: Duration,
    /// For resolving and connecting together.
    connect_timeout: Duration,
    /// Without data in either direction.
    idle_timeout: Duration,
}

const LIMITS: Limits = Limits {
    max_open_connections: 64,
    max_connections: 20_000,
    max_transferred_bytes: 16 << 30,
    head_timeout: Duration::from_secs(30),
    connect_timeout: Duration::from_secs(20),
    idle_timeout: Duration::from_secs(300),
};

/// The proxy of one run.
pub struct Proxy {
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    connector: Connector,
    usage: Usage,
}

impl Proxy {
    pub fn new(rules: EgressRules, live: Option<mpsc::Sender<OutputChunk>>) -> Self {
        Self::with_limits(rules, live, LIMITS)
    }

    fn with_limits(
        rules: EgressRules,
        live: Option<mpsc::Sender<OutputChunk>>,
        limits: Limits,
    ) -> Self {
        let usage = Usage::new(live, limits.max_transferred_bytes);
        Self { shared: Arc::new(Shared { limits, connector: Connector::new(rules), usage }) }
    }

    /// Serves a listening socket until `stop` is cancelled, then closes all connections.
    pub async fn serve(&self, listener: OwnedFd, stop: &CancellationToken) -> io::Result<()> {
        let listener = StdListener::from(listener);
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let mut connections = JoinSet::new();
        stop.run_until_cancelled(self.accept(&listener, &mut connections)).await;
        connections.shutdown().await;
        Ok(())
    }

    /// The refusals, one line each.
    pub fn finish(self) -> Vec<String> {
        Arc::into_inner(self.shared).map(|shared| shared.usage.finish()).unwrap_or_default()
    }

    async fn accept(&self, listener: &TcpListener, connections: &mut JoinSet<()>) {
        let slots = Arc::new(Semaphore::new(self.shared.limits.max_open_connections));
        while let Ok(slot) = slots.clone().acquire_owned().await {
            match listener.accept().await {
                Ok((client, _)) => {
                    let shared = self.shared.clone();
                    connections.spawn(async move {
                        let service_permit = CONNECTIONS.acquire().await;
                        shared.handle(client).await;
                        drop((slot, service_permit));
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a command's connection could not be accepted");
                    sleep(ACCEPT_RETRY_INTERVAL).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
    }
}

impl Shared {
    /// Handles one connection. An I/O error closes it, which the command notices.
    async fn handle(&self, client: TcpStream) {
        let transferred = AtomicU64::new(0);
        let count = |bytes: &[u8]| {
            transferred.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            self.usage.count_bytes(bytes.len());
        };
        let mut client = InspectReader::new(client, count);
        let respond = async {
            match self.open(&mut client).await {
                Ok((request, rest, host)) => {
                    let mut host = InspectReader::new(host, count);
                    relay(&mut client, &mut host, request, &rest).await
                }
                Err(rejection) => reject(&mut client, &rejection).await,
            }
        };
        tokio::select! {
            biased;
            () = self.usage.exhausted.cancelled() => {}
            () = self.idle(&transferred) => {}
            _ = respond => {}
        }
    }

    /// Reads a request and connects to its host. Also returns the bytes received after its head.
    async fn open(
        &self,
        client: &mut (impl AsyncRead + Unpin),
    ) -> Result<(ProxyRequest, Vec<u8>, TcpStream), Rejection> {
        let max_connections = self.limits.max_connections;
        if self.usage.count_connection() > max_connections {
            let reason = format!("more than {max_connections} connections are not allowed");
            self.usage.refuse(&reason);
            return Err(Rejection::new("429 Too Many Requests", reason));
        }
        let request_timeout = || Rejection::new("408 Request Timeout", "the request is incomplete");
        let head = timeout(self.limits.head_timeout, read_head(client)).await;
        let (request, rest) = head.map_err(|_| request_timeout())??;
        let connect = self.connector.connect(&request.host, request.port);
        match timeout(self.limits.connect_timeout, connect).await {
            Ok(Ok(host)) => Ok((request, rest, host)),
            Ok(Err(error)) => {
                let reason = error.to_string();
                let status = match error {
                    ConnectError::Refused { .. } => {
                        self.usage.refuse(&reason);
                        "403 Forbidden"
                    }
                    ConnectError::Unresolved { .. } | ConnectError::Unreachable { .. } => {
                        "502 Bad Gateway"
                    }
                };
                Err(Rejection::new(status, reason))
            }
            Err(_) => {
                let ProxyRequest { host, port, .. } = request;
                let reason = format!("connection to {host}:{port} timed out");
                Err(Rejection::new("504 Gateway Timeout", reason))
            }
        }
    }

    /// Returns after no data was transferred for the idle timeout.
    async fn idle(&self, transferred: &AtomicU64) {
        let mut before = transferred.load(Ordering::Relaxed);
        loop {
            sleep(self.limits.idle_timeout).await;
            let now = transferred.load(Ordering::Relaxed);
            if now == before {
                return;
            }
            before = now;
        }
    }
}

async fn read_head(
    client: &mut (impl AsyncRead + Unpin),
) -> Result<(ProxyRequest, Vec<u8>), Rejection> {
    let mut bytes = Vec::with_capacity(MAX_HEAD_BYTES);
    loop {
        let read = client.take((MAX_HEAD_BYTES - bytes.len()) as u64).read_buf(&mut bytes).await;
        if !matches!(read, Ok(1..)) {
            return Err(Rejection::new("400 Bad Request", "the request is incomplete"));
        }
        if let Some((request, length)) = request::parse(&bytes)? {
            return Ok((request, bytes.split_off(length)));
        }
    }
}

async fn relay(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    host: &mut (impl AsyncRead + AsyncWrite + Unpin),
    request: ProxyRequest,
    rest: &[u8],
) -> io::Result<()> {
    match request.forwarded_head {
        Some(head) => host.write_all(&head).await?,
        None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
    }
    host.write_all(rest).await?;
    copy_bidirectional(client, host).await.map(drop)
}

async fn reject(
    client: &mut (impl AsyncRead + AsyncWrite + Unpin),
    rejection: &Rejection,
) -> io::Result<()> {
    client.write_all(&rejection.to_bytes()).await?;
    client.shutdown().await?;
    // Closing with unread bytes would reset the connection before the client has read the response.
    let drained = timeout(LINGER_TIMEOUT, tokio::io::copy(client, &mut tokio::io::sink())).await;
    drained.unwrap_or(Ok(0)).map(drop)
}

#[cfg(test)]
mod tests;
