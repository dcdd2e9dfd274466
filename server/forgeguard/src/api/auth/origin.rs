//! Checks that a request was sent by one of our own pages.

use std::net::IpAddr;

use axum::http::{HeaderMap, header, uri::Authority};

/// The address of this service, as browsers see it.
#[derive(Clone, Debug)]
pub struct OwnAddress {
    public_url: Option<String>,
    /// Whether only this machine can connect.
    is_local: bool,
}

impl OwnAddress {
    /// `public_url` (scheme and host) is set if browsers connect through a proxy. `listen` is the
    /// host and port of the service itself.
    pub fn new(public_url: Option<String>, listen: &str) -> Self {
        Self { public_url, is_local: is_loopback(listen) }
    }

    pub fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// Whether the `Origin` of the request is the public URL, or the host that the request was sent
    /// to. If browsers connect by https, an http origin is rejected, since it can be tampered with
    /// on the network.
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
            Some(url) if url.starts_with("https://") && !origin.starts_with("https://") => false,
            Some(url) => url.eq_ignore_ascii_case(origin) || same_host(),
            None => same_host(),
        }
    }

    /// The same for requests that need no cookie. While only this machine can connect, the host has
    /// to be a loopback address too: a page can let its own name refer to one (DNS rebinding).
    pub fn sent_without_cookie(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
        let may_be_rebound = self.is_local && self.public_url.is_none();
        self.sent(headers) && (!may_be_rebound || host.is_some_and(is_loopback))
    }

    /// The scheme and host by which the browser that sent this request reaches us.
    pub fn base_url(&self, headers: &HeaderMap) -> Option<String> {
        if let Some(url) = &self.public_url {
            return Some(url.trim_end_matches('/').to_owned());
        }
        let host = headers.get(header::HOST)?.to_str().ok()?;
        let scheme = if self.is_secure(headers) { "https" } else { "http" };
        Some(format!("{scheme}://{host}"))
    }

    /// Whether browsers connect by https, so that cookies are marked `Secure`.
    pub fn is_secure(&self, headers: &HeaderMap) -> bool {
        let forwarded = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
        let public = self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
        public || forwarded == Some("https")
    }
}

/// Whether a host, with or without a port, is this machine under an address that no other has.
fn is_loopback(host_and_port: &str) -> bool {
    let Ok(authority) = host_and_port.parse::<Authority>() else { return false };
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        headers
    }

    fn sent(public_url: Option<&str>, host: &str, origin: Option<&str>) -> bool {
        OwnAddress::new(public_url.map(str::to_owned), "0.0.0.0:80").sent(&headers(host, origin))
    }

    #[test]
    fn only_own_origin_is_accepted() {
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
            (Some("https://forge.example"), "forge.example", Some("https://forge.example"), true),
            (Some("https://forge.example"), "forge.example", Some("http://forge.example"), false),
            (Some("https://forge.example"), "10.0.0.7:8080", Some("http://10.0.0.7:8080"), false),
            (Some("http://forge.example"), "10.0.0.7:8080", Some("http://10.0.0.7:8080"), true),
        ] {
            assert_eq!(sent(public_url, host, origin), expected, "{host} {origin:?}");
        }
    }

    #[test]
    fn name_that_refers_to_a_loopback_address_is_rejected() {
        let local = "127.0.0.1:8080";
        for (public_url, listen, host, expected) in [
            (None, local, "127.0.0.1:8080", true),
            (None, local, "localhost:9000", true),
            (None, "localhost:8080", "[::1]:8080", true),
            (None, local, "evil.example:8080", false),
            (None, local, "localhost.evil.example", false),
            (None, "[::1]:8080", "evil.example", false),
            (None, "0.0.0.0:8080", "forge.example:8080", true),
            (Some("http://forge.example"), local, "forge.example", true),
        ] {
            let address = OwnAddress::new(public_url.map(str::to_owned), listen);
            let page = headers(host, Some(&format!("http://{host}")));
            assert_eq!(address.sent_without_cookie(&page), expected, "{listen} {host}");
        }
    }
}
