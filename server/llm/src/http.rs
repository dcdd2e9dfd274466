//! One request over HTTP and the events that answer it.

mod body;
mod failure;
mod retry_after;
mod tls;

use std::{
    error::Error,
    time::{Duration, SystemTime},
};

use futures::{StreamExt, stream::BoxStream};
use reqwest::{
    Client, RequestBuilder, Response, Url,
    header::{CONTENT_TYPE, HeaderValue},
    redirect,
};
use serde_json::Value;
use sse_stream::SseByteStream;
use tokio::time::timeout;

pub(crate) use failure::{Asked, Failure, readable};

use crate::{error::ModelError, settings::InvalidSettings};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);

/// What a provider says in the course of a reply: the `data` of its events.
pub(crate) type Events = BoxStream<'static, Result<String, ModelError>>;

/// An address that requests are posted to.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    client: Client,
    url: Url,
    idle: Duration,
}

impl Endpoint {
    /// The address `path` below a base URL, which may end in a slash.
    pub(crate) fn new(base_url: &str, path: &str, idle: Duration) -> Result<Self, InvalidSettings> {
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
        Ok(Self { client: client(&url)?, url, idle })
    }

    /// Where requests go.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Posts a body and follows the answer. `header` adds who asks.
    pub(crate) async fn post(
        &self,
        asked: &Asked,
        body: &Value,
        header: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Events, ModelError> {
        let request = header(self.client.post(self.url.clone())).json(body);
        let answer = timeout(self.idle, request.send()).await;
        let answer = answer.map_err(|_| ModelError::Timeout { after: self.idle })?;
        let answer = answer.map_err(|error| not_sent(error, asked))?;
        if answer.status().as_u16() == 200 && !is_whole_text(&answer) {
            return Ok(events(answer, self.idle));
        }
        let status = answer.status().as_u16();
        let retry_after = retry_after::retry_after(answer.headers(), SystemTime::now());
        let bytes = body::watched(answer.bytes_stream(), self.idle);
        let text = body::beginning(bytes).await;
        Err(Failure::of_answer(status, &text, retry_after).into_error(asked))
    }
}

/// A header's value that is left out of logs.
pub(crate) fn sensitive(value: &str) -> Result<HeaderValue, InvalidSettings> {
    let mut value = HeaderValue::from_str(value).map_err(|_| InvalidSettings::Key)?;
    value.set_sensitive(true);
    Ok(value)
}

fn client(url: &Url) -> Result<Client, InvalidSettings> {
    let failed = |reason: String| InvalidSettings::Client { reason };
    // No redirect is followed: it would carry key and conversation to another host.
    let builder = Client::builder()
        .user_agent(concat!("forgeguard/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT);
    // A server on this machine is not looked for through a proxy.
    let builder = if is_this_machine(url) { builder.no_proxy() } else { builder };
    let config = tls::config().map_err(|error| failed(error.to_string()))?;
    let builder = builder.tls_backend_preconfigured(config);
    builder.build().map_err(|error| failed(with_causes(&error)))
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether an answer says of itself that it is a page or an object and not a stream. Nothing else
/// is asked of its type: not every server that streams says so.
fn is_whole_text(answer: &Response) -> bool {
    let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/json") || kind.starts_with("text/html"))
}

fn events(answer: Response, idle: Duration) -> Events {
    let bytes = body::watched(answer.bytes_stream().boxed(), idle);
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
            cause.downcast::<ModelError>().map_or(ModelError::Cut, |error| *error)
        }
        other => ModelError::Malformed { reason: other.to_string() },
    }
}

fn not_sent(error: reqwest::Error, asked: &Asked) -> ModelError {
    if error.is_timeout() {
        return ModelError::Timeout { after: CONNECT };
    }
    let reason = readable(&with_causes(&error.without_url()), asked.key.as_ref());
    ModelError::Unreachable { reason }
}

/// An error and what caused it: the first says little more than that something failed.
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
        let endpoint = Endpoint::new(base_url, "v1/messages", Duration::from_secs(1))?;
        Ok(endpoint.url().to_string())
    }

    #[test]
    fn a_base_url_may_end_in_a_slash_and_have_a_path() {
        for base in ["http://h:1/a", "http://h:1/a/", " http://h:1/a// "] {
            assert_eq!(url(base).unwrap(), "http://h:1/a/v1/messages", "{base}");
        }
        for base in ["", "api.example.com", "ftp://h"] {
            let error = url(base).unwrap_err();
            assert!(matches!(error, InvalidSettings::BaseUrl { .. }), "{error}");
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        let is = |url: &str| is_this_machine(&Url::parse(url).unwrap());
        assert!(["http://localhost:1", "http://127.0.0.1", "http://[::1]:8"].iter().all(|u| is(u)));
        assert!(!["https://api.example.com", "http://10.0.0.1"].iter().any(|u| is(u)));
    }
}
