//! Network access of one run, through a proxy in the service.
//!
//! The command has its own network namespace, which contains only a loopback interface. Before it
//! starts, the confined process opens a listener there and passes it to the service over a socket
//! ([`open_listeners`]). A socket stays in the namespace in which it was created, so connecting to
//! [`PROXY_ADDRESS`] inside reaches the proxy of this run, which is unreachable from outside. The
//! proxy resolves names itself, and checks the same address that it connects to.

mod address;
mod connect;
mod environment;
mod proxy;
mod request;
mod rules;
mod usage;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::descriptor;
use crate::output::OutputChunk;
use proxy::Proxy;

pub use connect::ConnectError;
pub use environment::{PROXY_ADDRESS, SERVICE_ADDRESS, variables};
pub use rules::{AllowedDestination, EgressRules, InvalidDestination};

/// The proxy of one run, which stops on drop.
pub struct Egress {
    stop: DropGuard,
    task: JoinHandle<Vec<String>>,
}

impl Egress {
    /// Starts the proxy, if there are rules for it, and returns it with the socket over which
    /// listeners are received. `service` gets the one that follows the proxy's. Refused connections
    /// are reported to `live` immediately.
    pub fn start(
        rules: Option<EgressRules>,
        service: Option<mpsc::Sender<TcpListener>>,
        live: Option<mpsc::Sender<OutputChunk>>,
    ) -> io::Result<(Self, OwnedFd)> {
        let (service_end, command_end) = UnixStream::pair()?;
        let stop = CancellationToken::new();
        let proxy = rules.map(|rules| Proxy::new(rules, live));
        let task = tokio::spawn(serve(proxy, service, service_end, stop.clone()));
        let command_end = command_end.into_std()?;
        command_end.set_nonblocking(false)?;
        Ok((Self { stop: stop.drop_guard(), task }, command_end.into()))
    }

    /// Closes all connections and returns the refusals, one line each.
    pub async fn finish(self) -> Vec<String> {
        drop(self.stop);
        self.task.await.unwrap_or_default()
    }
}

async fn serve(
    proxy: Option<Proxy>,
    service: Option<mpsc::Sender<TcpListener>>,
    handover: UnixStream,
    stop: CancellationToken,
) -> Vec<String> {
    let receive = || handover.async_io(Interest::READABLE, || descriptor::receive(&handover));
    // Without a listener the command did not start; the supervisor reports why.
    let for_proxy = match &proxy {
        Some(_) => stop.run_until_cancelled(receive()).await.and_then(Result::ok),
        None => None,
    };
    if let Some(service) = service
        && let Some(Ok(descriptor)) = stop.run_until_cancelled(receive()).await
    {
        // Fails if the caller no longer wants it.
        let _ = service.send(descriptor.into()).await;
    }
    let Some(proxy) = proxy else { return Vec::new() };
    if let Some(descriptor) = for_proxy
        && let Err(error) = proxy.serve(descriptor, &stop).await
    {
        tracing::warn!(%error, "a command's network proxy could not be started");
    }
    drop(handover);
    proxy.finish()
}

/// Opens the listeners in this process's network namespace and sends them to the service.
pub fn open_listeners(handover: &OwnedFd, addresses: &[SocketAddr]) -> io::Result<()> {
    for address in addresses {
        descriptor::send(handover, &TcpListener::bind(address)?)?;
    }
    Ok(())
}
