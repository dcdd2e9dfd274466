//! Connects to hosts on behalf of a command, if the rules allow their addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tokio::net::{TcpStream, lookup_host};
use tokio::sync::Semaphore;

use super::rules::EgressRules;

/// Concurrent name lookups of the whole service. Each occupies a thread.
static LOOKUPS: Semaphore = Semaphore::const_new(32);
/// Concurrent name lookups of one run.
const MAX_LOOKUPS_PER_RUN: usize = 4;
/// Addresses of one name to try.
const MAX_ADDRESSES: usize = 8;

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("connection to {destination} refused: {reason}")]
    Refused { destination: String, reason: &'static str },
    #[error("`{host}` could not be resolved")]
    Unresolved { host: String },
    #[error("connection to {destination} failed: {source}")]
    Unreachable { destination: String, source: io::Error },
}

pub struct Connector {
    rules: EgressRules,
    lookups: Arc<Semaphore>,
}

impl EgressRules {
    /// The addresses of a host to which the service may connect on behalf of a user. Connect to these
    /// without resolving the name again.
    ///
    /// # Errors
    /// If the name cannot be resolved, or none of its addresses is allowed.
    pub async fn allowed_addresses(
        &self,
        host: &str,
        port: u16,
    ) -> Result<Vec<SocketAddr>, ConnectError> {
        let addresses = Connector::new(self.clone()).resolve(host, port).await?;
        let own = own_addresses();
        let mut failure = ConnectError::Unresolved { host: host.to_owned() };
        let mut allowed = Vec::new();
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            match self.refusal(host, address.ip(), port, &own) {
                None => allowed.push(address),
                Some(reason) => {
                    let destination = describe(host, address);
                    failure = ConnectError::Refused { destination, reason };
                }
            }
        }
        if allowed.is_empty() { Err(failure) } else { Ok(allowed) }
    }
}

impl Connector {
    pub fn new(rules: EgressRules) -> Self {
        Self { rules, lookups: Arc::new(Semaphore::new(MAX_LOOKUPS_PER_RUN)) }
    }

    /// Connects to the first allowed address of `host` that accepts. Addresses are checked after
    /// the name is resolved, and used without resolving it again.
    pub async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, ConnectError> {
        let addresses = self.resolve(host, port).await?;
        let own = own_addresses();
        let mut failure = ConnectError::Unresolved { host: host.to_owned() };
        for address in addresses.into_iter().take(MAX_ADDRESSES) {
            let destination = describe(host, address);
            if let Some(reason) = self.rules.refusal(host, address.ip(), port, &own) {
                failure = ConnectError::Refused { destination, reason };
                continue;
            }
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(source) => failure = ConnectError::Unreachable { destination, source },
            }
        }
        Err(failure)
    }

    async fn resolve(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, ConnectError> {
        if let Ok(address) = host.parse::<IpAddr>() {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        let unresolved = || ConnectError::Unresolved { host: host.to_owned() };
        let run_permit = self.lookups.clone().acquire_owned().await.map_err(|_| unresolved())?;
        let name = host.to_owned();
        // A separate task holds the permits: the lookup occupies its thread even if the caller
        // stops waiting.
        let lookup = tokio::spawn(async move {
            let _run_permit = run_permit;
            let _service_permit = LOOKUPS.acquire().await;
            lookup_host((name, port)).await.map(Iterator::collect)
        });
        lookup.await.ok().and_then(Result::ok).ok_or_else(unresolved)
    }
}

/// Empty if unknown; ranges that are never public are refused anyway.
fn own_addresses() -> Vec<IpAddr> {
    let interfaces = if_addrs::get_if_addrs().unwrap_or_default();
    interfaces.iter().map(if_addrs::Interface::ip).collect()
}

/// The host as requested, and its address if that differs.
fn describe(host: &str, address: SocketAddr) -> String {
    match host.parse::<IpAddr>() {
        Ok(_) => address.to_string(),
        Err(_) => format!("{host}:{} ({})", address.port(), address.ip()),
    }
}
