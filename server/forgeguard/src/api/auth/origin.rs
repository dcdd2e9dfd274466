//! Whether a request that a browser signed in with its cookie was sent by a page of ours.

use axum::http::{HeaderMap, header};

/// The addresses under which this service knows itself.
#[derive(Clone, Debug)]
pub struct OwnAddress {
    public_url: Option<String>,
}

impl OwnAddress {
    /// `public_url` (scheme and host) is where browsers go, if a proxy stands in between.
    pub fn new(public_url: Option<String>) -> Self {
        Self { public_url }
    }

    /// Where browsers go, if that was said.
    pub fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// Whether the request names an origin, and it is ours: the public address, or without one
    /// the host that the request was sent to.
    pub fn sent(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let Some(origin) = text(header::ORIGIN) else { return false };
        let same_host = || {
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(|origin| {
                text(header::HOST).is_some_and(|host| host.eq_ignore_ascii_case(origin))
            })
        };
        match &self.public_url {
            Some(url) => url.eq_ignore_ascii_case(origin) || same_host(),
            None => same_host(),
        }
    }

    /// Whether browsers come by https, so that cookies must not go by anything else.
    pub fn is_secure(&self, headers: &HeaderMap) -> bool {
        let forwarded = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
        let public = self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
        public || forwarded == Some("https")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(public_url: Option<&str>, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        OwnAddress::new(public_url.map(str::to_owned)).sent(&headers)
    }

    #[test]
    fn only_our_own_pages_count() {
        for (public_url, host, origin, expected) in [
            (None, "127.0.0.1:8080", Some("http://127.0.0.1:8080"), true),
            (None, "127.0.0.1:8080", Some("http://127.0.0.1:8081"), false),
            (None, "127.0.0.1:8080", Some("http://evil.example"), false),
            (None, "127.0.0.1:8080", Some("null"), false),
            (None, "127.0.0.1:8080", Some(""), false),
            (None, "127.0.0.1:8080", None, false),
            (Some("https://forge.example"), "inner:80", Some("https://forge.example"), true),
            (Some("https://forge.example"), "inner:80", Some("http://forge.example"), false),
            (Some("https://forge.example"), "inner:80", Some("https://forge.example.evil"), false),
        ] {
            assert_eq!(sent(public_url, host, origin), expected, "{host} {origin:?}");
        }
    }
}
