//! Accepts connections and serves HTTP on them, with limits and timeouts.

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    serve::Listener,
};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    pin,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;

use super::timed_body::TimedBody;
use crate::{
    api::{ClientAddress, TrustedProxies},
    config::ConnectionLimits,
};

/// Sent to a connection above the limit, without reading its request.
const TOO_MANY_CONNECTIONS: &[u8] = b"HTTP/1.1 503 Service Unavailable\r
Retry-After: 5\r
\
    Content-Length: 0\r\nConnection: close\r\n\r\n";

/// Serves a router on a listener until `stopping`, then waits for requests in progress.
pub struct Connections {
    pub routes: Router,
    pub limits: ConnectionLimits,
    /// Their addresses are exempt from the limit per address.
    pub trusted_proxies: TrustedProxies,
    pub stopping: CancellationToken,
}

/// The number of open connections per address.
#[derive(Clone, Default)]
struct OpenConnections(Arc<Mutex<HashMap<ClientAddress, usize>>>);

/// An open connection, counted until dropped.
struct OpenConnection {
    all: OpenConnections,
    address: ClientAddress,
}

impl Connections {
    /// Accepts connections until the service stops, then waits for the open ones.
    pub async fn serve(self, mut listener: TcpListener) {
        let (open, tasks) = (OpenConnections::default(), TaskTracker::new());
        loop {
            let (stream, peer) = tokio::select! {
                accepted = Listener::accept(&mut listener) => accepted,
                () = self.stopping.cancelled() => break,
            };
            let Some(connection) = open.add(&self, peer) else {
                reject(&stream);
                continue;
            };
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY could not be set");
            }
            let served = serve_one(
                self.routes.clone(),
                self.limits.request_timeout,
                self.stopping.clone(),
                (stream, peer),
            );
            tasks.spawn(async move {
                if let Err(error) = served.await {
                    tracing::debug!(%error, %peer, "a connection failed");
                }
                drop(connection);
            });
        }
        drop(listener);
        tasks.close();
        tasks.wait().await;
    }
}

async fn serve_one(
    routes: Router,
    timeout: Duration,
    stopping: CancellationToken,
    (stream, peer): (TcpStream, SocketAddr),
) -> hyper::Result<()> {
    let service = routes.map_request(move |request: Request<Incoming>| {
        let mut request = request.map(|body| Body::new(TimedBody::new(body, timeout)));
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    // The timer starts at the end of the previous response, so it also closes idle connections.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(timeout)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service))
        .with_upgrades();
    pin!(connection);
    tokio::select! {
        served = connection.as_mut() => return served,
        () = stopping.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// Sends the reason if that is possible without waiting.
fn reject(stream: &TcpStream) {
    match stream.try_write(TOO_MANY_CONNECTIONS) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        Err(error) => {
            tracing::debug!(%error, "a connection above the limit was closed by the client")
        }
    }
}

impl OpenConnections {
    /// Counts a connection; None if a limit is exceeded.
    fn add(&self, to: &Connections, peer: SocketAddr) -> Option<OpenConnection> {
        let address = ClientAddress::of(peer.ip());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.values().sum::<usize>() >= to.limits.max {
            tracing::warn!(limit = to.limits.max, "too many connections");
            return None;
        }
        let count = open.entry(address).or_default();
        let is_limited = !to.trusted_proxies.contains(peer.ip());
        if is_limited && *count >= to.limits.max_per_address {
            tracing::warn!(%peer, limit = to.limits.max_per_address, "too many connections");
            return None;
        }
        *count += 1;
        Some(OpenConnection { all: self.clone(), address })
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        let mut open = self.all.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}
