//! HTTP requests, and the event stream of the response.

mod body;
mod failure;
mod retry_after;
mod tls;

use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures::{Stream, StreamExt, stream::BoxStream};
use reqwest::{
    Client, RequestBuilder, Response, Url,
    header::{CONTENT_TYPE, HeaderValue},
    redirect,
};
use serde::Serialize;
use sse_stream::SseByteStream;
use tokio::time::timeout;

pub use tls::config as tls_config;

pub(crate) use failure::{Failure, RequestContext, sanitize};

use crate::{
    error::ModelError,
    settings::{InvalidSettings, Timeouts},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The `data` fields of a response's server-sent events.
pub(crate) type Events = BoxStream<'static, Result<String, ModelError>>;

/// A URL to which requests are posted.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    client: Client,
    url: Url,
    timeouts: Timeouts,
}

impl Endpoint {
    /// `path` below a base URL, which may end in a slash.
    pub(crate) fn new(
        base_url: &str,
        path: &str,
        timeouts: Timeouts,
    ) -> Result<Self, InvalidSettings> {
        let invalid = |reason: String| {
            let base_url = base_url.to_owned();
            Err(InvalidSettings::BaseUrl { base_url, reason })
        };
        let url = format!("{}/{path}", base_url.trim().trim_end_matches('/'));
        let url = match Url::parse(&url) {
            Ok(url) => url,
            Err(error) => return invalid(error.to_string()),
        };
        match url.scheme() {
            "http" | "https" => {}
            other => return invalid(format!("`{other}` is neither http nor https")),
        }
        Ok(Self { client: client(&url)?, url, timeouts })
    }

    /// The URL that requests are posted to.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// The same client and timeouts with another URL.
    pub(crate) fn at(&self, url: Url) -> Self {
        Self { url, ..self.clone() }
    }

    /// Posts what `request` adds to a request and waits for the head of the response.
    pub(crate) async fn send(
        &self,
        context: &RequestContext,
        request: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, ModelError> {
        let request = request(self.client.post(self.url.clone()));
        let first_byte = self.timeouts.first_byte;
        let response = timeout(first_byte, request.send()).await;
        let response = response.map_err(|_| ModelError::Timeout { after: first_byte })?;
        response.map_err(|error| connection_error(error, context))
    }

    /// Posts a body and returns the events of the response. `header` adds authentication.
    pub(crate) async fn post(
        &self,
        context: &RequestContext,
        body: &(impl Serialize + Sync),
        header: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Events, ModelError> {
        let idle = self.timeouts.idle;
        let response = self.send(context, |post| header(post).json(body)).await?;
        if response.status().as_u16() == 200 && !is_not_a_stream(&response) {
            let bytes = body::with_idle_timeout(response.bytes_stream().boxed(), idle);
            return Ok(read_events(bytes));
        }
        let status = response.status().as_u16();
        let retry_after = retry_after::retry_after(response.headers(), SystemTime::now());
        let bytes = body::with_idle_timeout(response.bytes_stream(), idle);
        let text = body::read_prefix(bytes).await;
        Err(Failure::from_response(status, &text, retry_after).into_error(context))
    }
}

/// A header value that is redacted in logs.
pub(crate) fn sensitive(value: &str) -> Result<HeaderValue, InvalidSettings> {
    let mut value = HeaderValue::from_str(value).map_err(|_| InvalidSettings::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

fn client(url: &Url) -> Result<Client, InvalidSettings> {
    let failed = |reason: String| InvalidSettings::Client { reason };
    // Redirects are not followed: they would send the key and the conversation to another host.
    let builder = Client::builder()
        .user_agent(concat!("forgeguard/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT);
    // Servers on this machine are reached without a proxy.
    let builder = if is_loopback(url) { builder.no_proxy() } else { builder };
    let config = tls::config().map_err(|error| failed(error.to_string()))?;
    let builder = builder.tls_backend_preconfigured(config);
    builder.build().map_err(|error| failed(with_causes(&error)))
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether the response is HTML or JSON according to its type. Other types are accepted, because
/// not all servers declare event streams.
fn is_not_a_stream(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html"))
}

/// Parses the events of a response body.
pub(crate) fn read_events(
    bytes: impl Stream<Item = Result<Bytes, ModelError>> + Send + 'static,
) -> Events {
    SseByteStream::new(bytes.boxed())
        .filter_map(async |event| match event {
            Ok(event) => event.data.filter(|data| !data.is_empty()).map(Ok),
            Err(error) => Some(Err(unreadable(error))),
        })
        .boxed()
}

fn unreadable(error: sse_stream::Error) -> ModelError {
    match error {
        sse_stream::Error::Body(cause) => {
            cause.downcast::<ModelError>().map_or(ModelError::Truncated, |error| *error)
        }
        other => ModelError::Malformed { reason: other.to_string() },
    }
}

fn connection_error(error: reqwest::Error, context: &RequestContext) -> ModelError {
    if error.is_timeout() {
        return ModelError::Timeout { after: CONNECT_TIMEOUT };
    }
    let reason = sanitize(&with_causes(&error.without_url()), context.key.as_ref());
    ModelError::Unreachable { reason }
}

/// An error with its causes, because reqwest's own message is generic.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(base_url: &str) -> Result<String, InvalidSettings> {
        let endpoint = Endpoint::new(base_url, "v1/messages", Timeouts::default())?;
        Ok(endpoint.url().to_string())
    }

    #[test]
    fn base_url_may_end_in_a_slash_and_have_a_path() {
        for base in ["http://h:1/a", "http://h:1/a/", " http://h:1/a// "] {
            assert_eq!(url(base).unwrap(), "http://h:1/a/v1/messages", "{base}");
        }
        for base in ["", "api.example.com", "ftp://h"] {
            let error = url(base).unwrap_err();
            assert!(matches!(error, InvalidSettings::BaseUrl { .. }), "{error}");
        }
    }

    #[test]
    fn loopback_names_and_addresses_are_detected() {
        let is = |url: &str| is_loopback(&Url::parse(url).unwrap());
        assert!(["http://localhost:1", "http://127.0.0.1", "http://[::1]:8"].iter().all(|u| is(u)));
        assert!(!["https://api.example.com", "http://10.0.0.1"].iter().any(|u| is(u)));
    }
}
