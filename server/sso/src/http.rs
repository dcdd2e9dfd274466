//! Requests to providers: only to addresses that the caller permits, without following redirects,
//! with limits on time and size.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use futures::future::BoxFuture;
use openidconnect::{HttpRequest, HttpResponse};
use reqwest::{Client, redirect};
use url::Url;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For one request with its reply.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes. Discovery documents and key sets have a few thousand.
const MAX_REPLY: usize = 1024 * 1024;

/// Where a host may be reached.
pub struct Destination {
    pub addresses: Vec<SocketAddr>,
    /// It is not on the installation's own network.
    pub is_public: bool,
}

/// The permitted addresses of a host and port, or why there are none.
pub type Resolver =
    Arc<dyn Fn(String, u16) -> BoxFuture<'static, Result<Destination, String>> + Send + Sync>;

#[derive(Clone)]
pub struct Http {
    resolver: Resolver,
    tls: rustls::ClientConfig,
}

/// Why there is no reply.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct HttpError(pub String);

impl Http {
    pub fn new(resolver: Resolver, tls: rustls::ClientConfig) -> Self {
        Self { resolver, tls }
    }

    pub async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let address = parts.uri.to_string();
        let url = Url::parse(&address)
            .map_err(|error| HttpError(format!("{address} is not an address: {error}")))?;
        let origin = url.origin().ascii_serialization();
        let client = self.client(&url).await?;
        let sent = client.request(parts.method, url).headers(parts.headers).body(body).send();
        let mut reply = sent.await.map_err(|error| failure(&origin, &error))?;
        let mut bytes = Vec::new();
        while let Some(chunk) = reply.chunk().await.map_err(|error| failure(&origin, &error))? {
            if bytes.len() + chunk.len() > MAX_REPLY {
                return Err(HttpError(format!("the reply of {origin} is too long")));
            }
            bytes.extend_from_slice(&chunk);
        }
        let mut response = HttpResponse::new(bytes);
        *response.status_mut() = reply.status();
        *response.headers_mut() = reply.headers().clone();
        Ok(response)
    }

    /// A client that connects to the permitted addresses only, without resolving the name again.
    async fn client(&self, url: &Url) -> Result<Client, HttpError> {
        let host = url.host_str().unwrap_or_default();
        let is_encrypted = url.scheme() == "https";
        if !is_encrypted && url.scheme() != "http" {
            return Err(HttpError(format!("{url} does not begin with https://")));
        }
        let port = url.port_or_known_default().unwrap_or(443);
        let bare = host.trim_matches(['[', ']']).to_owned();
        let destination = (self.resolver)(bare, port).await.map_err(HttpError)?;
        if !is_encrypted && destination.is_public {
            let why = format!("{host} is called only with https, as secrets are sent to it");
            return Err(HttpError(why));
        }
        Client::builder()
            .user_agent(concat!("ForgeGuard/", env!("CARGO_PKG_VERSION")))
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(REQUEST_TIMEOUT)
            .resolve_to_addrs(host, &destination.addresses)
            .tls_backend_preconfigured(self.tls.clone())
            .build()
            .map_err(|error| HttpError(error.without_url().to_string()))
    }
}

/// Without the URL, which may contain a code.
fn failure(origin: &str, error: &reqwest::Error) -> HttpError {
    HttpError(if error.is_timeout() {
        format!("{origin} did not respond within {} seconds", REQUEST_TIMEOUT.as_secs())
    } else if error.is_connect() {
        format!("the connection to {origin} failed")
    } else {
        format!("the request to {origin} failed")
    })
}
