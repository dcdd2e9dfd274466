//! Requests with limits, and the classification of replies.

use std::{
    net::SocketAddr,
    time::{Duration, SystemTime},
};

use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER},
    redirect,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{
    error::ForgeError,
    repository::{Kind, Repository},
    token::Token,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Redirects within the same origin, such as those of a renamed repository.
const MAX_REDIRECTS: usize = 3;
/// Bytes of a reply: a page of pull requests with their repositories is well below.
const MAX_REPLY: usize = 8 * 1024 * 1024;
/// Characters of a forge's message in an error.
const MAX_MESSAGE_CHARS: usize = 300;
/// Pages of a list that are read.
const MAX_PAGES: usize = 10;
/// The wait of a rate limit that names none.
const DEFAULT_RATE_LIMIT_WAIT: Duration = Duration::from_secs(60);

/// The query parameter that sets the size of a forge's pages, and the largest size it allows.
pub(crate) type PageSize = (&'static str, usize);

#[derive(Debug)]
pub(crate) struct Api {
    client: Client,
    base: Url,
    token: Token,
}

impl Api {
    pub(crate) fn new(
        repository: &Repository,
        token: Token,
        tls: rustls::ClientConfig,
        addresses: &[SocketAddr],
        timeout: Duration,
    ) -> Result<Self, ForgeError> {
        let unusable =
            |error: reqwest::Error| ForgeError::BadAddress(error.without_url().to_string());
        let client = Client::builder()
            .user_agent(concat!("ForgeGuard/", env!("CARGO_PKG_VERSION")))
            .default_headers(headers(repository.kind, &token)?)
            .redirect(redirect::Policy::custom(same_origin))
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(timeout)
            .resolve_to_addrs(repository.api.host_str().unwrap_or_default(), addresses)
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(unusable)?;
        Ok(Self { client, base: repository.api.clone(), token })
    }

    /// The address of these path segments below the repository, with a query.
    pub(crate) fn url(&self, path: &[&str], query: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, url: Url) -> Result<T, ForgeError> {
        self.send(Method::GET, url, None::<&Value>).await
    }

    /// A list below the repository, page after page, up to [`MAX_PAGES`].
    pub(crate) async fn get_all<T: DeserializeOwned>(
        &self,
        path: &[&str],
        page_size: PageSize,
    ) -> Result<Vec<T>, ForgeError> {
        let (parameter, size) = page_size;
        let limit = size.to_string();
        let mut found = Vec::new();
        for page in 1..=MAX_PAGES {
            let page = page.to_string();
            let query = [(parameter, limit.as_str()), ("page", page.as_str())];
            let items: Vec<T> = self.get(self.url(path, &query)).await?;
            let is_last = items.len() < size;
            found.extend(items);
            if is_last {
                break;
            }
        }
        Ok(found)
    }

    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        url: Url,
        body: Option<&impl Serialize>,
    ) -> Result<T, ForgeError> {
        let request = self.client.request(method, url);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        let reply = request.send().await.map_err(|error| unreachable(&error))?;
        let (status, headers) = (reply.status(), reply.headers().clone());
        let bytes = read(reply).await?;
        if status.is_success() {
            let bad =
                |error: serde_json::Error| ForgeError::BadReply(self.shown(&error.to_string()));
            return serde_json::from_slice(&bytes).map_err(bad);
        }
        Err(failure(status, &headers, self.shown(&message(&bytes))))
    }

    /// A text of the forge for people: one short line without the token.
    fn shown(&self, text: &str) -> String {
        let text = text.replace(self.token.expose(), "…");
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.trim().chars().take(MAX_MESSAGE_CHARS).collect()
    }
}

fn headers(kind: Kind, token: &Token) -> Result<HeaderMap, ForgeError> {
    let (name, value) = match kind {
        Kind::GitHub => ("authorization", format!("Bearer {}", token.expose())),
        Kind::Gitea => ("authorization", format!("token {}", token.expose())),
        Kind::GitLab => ("private-token", token.expose().to_owned()),
    };
    let mut secret = HeaderValue::from_str(&value).map_err(|_| {
        ForgeError::Unauthorized("the stored token has characters that no token has".to_owned())
    })?;
    secret.set_sensitive(true);
    let accepted = match kind {
        Kind::GitHub => "application/vnd.github+json",
        Kind::Gitea | Kind::GitLab => "application/json",
    };
    let mut headers = HeaderMap::new();
    headers.insert(HeaderName::from_static(name), secret);
    headers.insert("accept", HeaderValue::from_static(accepted));
    if kind == Kind::GitHub {
        headers.insert("x-github-api-version", HeaderValue::from_static("2022-11-28"));
    }
    Ok(headers)
}

fn same_origin(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let is_same =
        attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if is_same && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// The body of a reply within [`MAX_REPLY`].
async fn read(mut reply: Response) -> Result<Vec<u8>, ForgeError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = reply.chunk().await.map_err(|error| unreachable(&error))? {
        if bytes.len() + chunk.len() > MAX_REPLY {
            return Err(ForgeError::BadReply(format!("it is larger than {MAX_REPLY} bytes")));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Without the URL, which may contain names of private repositories.
fn unreachable(error: &reqwest::Error) -> ForgeError {
    let why = if error.is_timeout() {
        "it did not respond in time"
    } else if error.is_connect() {
        "the connection failed"
    } else {
        "the request failed"
    };
    ForgeError::Unreachable(why.to_owned())
}

/// What a failed reply says: its `message` with those in `errors`, or its text.
fn message(bytes: &[u8]) -> String {
    let Ok(body) = serde_json::from_slice::<Value>(bytes) else {
        return String::from_utf8_lossy(bytes).into_owned();
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let main = body.get("message").or(body.get("error")).map(text).unwrap_or_default();
    let errors = body.get("errors").and_then(Value::as_array).into_iter().flatten();
    let details = errors.filter_map(|error| error.get("message").map(text));
    std::iter::once(main).chain(details).collect::<Vec<_>>().join(": ")
}

fn failure(status: StatusCode, headers: &HeaderMap, message: String) -> ForgeError {
    let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let wait = text(&RETRY_AFTER).and_then(retry_after);
    let is_used_up = header(headers, "x-ratelimit-remaining") == Some(0);
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::FORBIDDEN
            if status == StatusCode::TOO_MANY_REQUESTS
                || wait.is_some()
                || is_used_up
                || message.to_lowercase().contains("rate limit") =>
        {
            let reset = is_used_up.then(|| header(headers, "x-ratelimit-reset")).flatten();
            let wait = wait.or(reset.map(until)).or(Some(DEFAULT_RATE_LIMIT_WAIT));
            ForgeError::RateLimited { message, wait }
        }
        StatusCode::UNAUTHORIZED => ForgeError::Unauthorized(message),
        StatusCode::FORBIDDEN => ForgeError::Forbidden(message),
        StatusCode::NOT_FOUND | StatusCode::GONE => ForgeError::NotFound(message),
        StatusCode::CONFLICT => ForgeError::Exists(message),
        StatusCode::UNPROCESSABLE_ENTITY if message.contains("already exists") => {
            ForgeError::Exists(message)
        }
        StatusCode::REQUEST_TIMEOUT => ForgeError::Unreachable(message),
        status if status.is_server_error() => {
            ForgeError::Unavailable { status: status.as_u16(), message, wait }
        }
        status if status.is_redirection() => {
            let to = text(&LOCATION).and_then(|to| Url::parse(to).ok());
            let host = to.as_ref().and_then(Url::host_str).unwrap_or("another address");
            ForgeError::Redirected(host.to_owned())
        }
        _ => ForgeError::Invalid(message),
    }
}

fn header(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

/// Seconds, or a date.
fn retry_after(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(SystemTime::now()).unwrap_or_default())
}

/// The time until a Unix time in seconds.
fn until(seconds: u64) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Duration::from_secs(seconds).saturating_sub(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_all_forges_are_found() {
        let github = br#"{"message":"Validation Failed","errors":[{"message":"No commits"}]}"#;
        assert_eq!(message(github), "Validation Failed: No commits");
        assert_eq!(message(br#"{"message":["taken"]}"#), r#"["taken"]"#);
        assert_eq!(message(b"<html>"), "<html>");
    }

    #[test]
    fn forbidden_with_a_limit_is_a_rate_limit() {
        let mut headers = HeaderMap::new();
        let plain = failure(StatusCode::FORBIDDEN, &headers, "no".to_owned());
        assert_eq!(plain, ForgeError::Forbidden("no".to_owned()));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("7"));
        let limited = failure(StatusCode::FORBIDDEN, &headers, String::new());
        let wait = Some(Duration::from_secs(7));
        assert_eq!(limited, ForgeError::RateLimited { message: String::new(), wait });
        let mut headers = HeaderMap::new();
        headers.insert("x-ratelimit-remaining", HeaderValue::from_static("0"));
        headers.insert("x-ratelimit-reset", HeaderValue::from_static("1"));
        let limited = failure(StatusCode::FORBIDDEN, &headers, String::new());
        let wait = Some(Duration::ZERO);
        assert_eq!(limited, ForgeError::RateLimited { message: String::new(), wait });
    }
}
