//! Parsing of requests to the proxy: `CONNECT`, or an absolute URL.

use http::Uri;
use http::uri::Authority;

/// Limit on the head of a request.
pub const MAX_HEAD_BYTES: usize = 32 << 10;
const MAX_HEADERS: usize = 100;
const HTTP_PORT: u16 = 80;

/// Hop-by-hop headers, and `Host`, which is derived from the target.
const DROPPED_HEADERS: [&str; 8] = [
    "connection",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "upgrade",
];

#[derive(Debug, PartialEq, Eq)]
pub struct ProxyRequest {
    /// A name or an address; IPv6 addresses without brackets.
    pub host: String,
    pub port: u16,
    /// The head to forward to that host; `None` for a tunnel (`CONNECT`).
    pub forwarded_head: Option<Vec<u8>>,
}

/// An error response of the proxy: status line and explanation.
#[derive(Debug, PartialEq, Eq)]
pub struct Rejection {
    pub status: &'static str,
    pub reason: String,
}

impl Rejection {
    pub fn new(status: &'static str, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into() }
    }

    fn bad_request(reason: &str) -> Self {
        Self::new("400 Bad Request", reason)
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { status, reason } = self;
        let length = reason.len() + 1;
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{reason}\n"
        )
        .into_bytes()
    }
}

/// Returns the request at the start of `bytes` and the length of its head; `None` if that is
/// incomplete.
pub fn parse(bytes: &[u8]) -> Result<Option<(ProxyRequest, usize)>, Rejection> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let length = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => return Ok(None),
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            let status = "431 Request Header Fields Too Large";
            return Err(Rejection::new(status, "the headers of the request are too large"));
        }
        Err(error) => return Err(Rejection::bad_request(&error.to_string())),
    };
    let target = head.path.unwrap_or_default();
    let request = match head.method {
        Some("CONNECT") => tunnel(target)?,
        _ => forwarded(&head, target)?,
    };
    Ok(Some((request, length)))
}

fn tunnel(target: &str) -> Result<ProxyRequest, Rejection> {
    let authority: Option<Authority> = target.parse().ok();
    match authority.as_ref().and_then(|authority| Some((authority.host(), authority.port_u16()?))) {
        Some((host, port)) if is_usable(host, port) => {
            Ok(ProxyRequest { host: without_brackets(host), port, forwarded_head: None })
        }
        _ => Err(Rejection::bad_request("CONNECT requires a host and a port")),
    }
}

fn forwarded(head: &httparse::Request<'_, '_>, target: &str) -> Result<ProxyRequest, Rejection> {
    let uri: Uri = target.parse().map_err(|_| Rejection::bad_request("the URL is malformed"))?;
    if uri.scheme_str() != Some("http") {
        let reason = "this is a proxy: request an absolute http:// URL, or use CONNECT";
        return Err(Rejection::bad_request(reason));
    }
    let host = uri.host().unwrap_or_default();
    let port = uri.port_u16().unwrap_or(HTTP_PORT);
    if !is_usable(host, port) {
        return Err(Rejection::bad_request("the URL has no host"));
    }
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let method = head.method.unwrap_or_default();
    let version = head.version.unwrap_or(0);
    let explicit_port = uri.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    let mut bytes =
        format!("{method} {path} HTTP/1.{version}\r\nHost: {host}{explicit_port}\r\n").into_bytes();
    for header in head.headers.iter().filter(|header| is_forwarded(header.name, head.headers)) {
        bytes.extend_from_slice(header.name.as_bytes());
        bytes.extend_from_slice(b": ");
        bytes.extend_from_slice(header.value);
        bytes.extend_from_slice(b"\r\n");
    }
    // One request per connection, because the next one may be for another host.
    bytes.extend_from_slice(b"Connection: close\r\n\r\n");
    Ok(ProxyRequest { host: without_brackets(host), port, forwarded_head: Some(bytes) })
}

fn is_forwarded(name: &str, headers: &[httparse::Header<'_>]) -> bool {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    let named_in_connection = headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("connection"))
        .filter_map(|header| str::from_utf8(header.value).ok())
        .flat_map(|value| value.split(','))
        .any(|option| is(option.trim()));
    // The body is forwarded unchanged, so its framing headers must be kept.
    let is_framing = is("transfer-encoding") || is("content-length");
    !DROPPED_HEADERS.iter().any(|dropped| is(dropped)) && (is_framing || !named_in_connection)
}

fn is_usable(host: &str, port: u16) -> bool {
    !host.is_empty() && host.len() <= 255 && port > 0
}

fn without_brackets(host: &str) -> String {
    let inner = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(host).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Option<(ProxyRequest, usize)>, &'static str> {
        parse(text.as_bytes()).map_err(|rejection| rejection.status)
    }

    #[test]
    fn tunnel_request_names_host_and_port() {
        for (target, host, port) in [
            ("example.org:443", "example.org", 443),
            ("[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80),
            ("0x7f000001:80", "0x7f000001", 80),
        ] {
            let text = format!("CONNECT {target} HTTP/1.1\r\nHost: elsewhere\r\n\r\nrest");
            let (request, length) = parsed(&text).unwrap().unwrap();
            let expected = ProxyRequest { host: host.into(), port, forwarded_head: None };
            assert_eq!((request, &text[length..]), (expected, "rest"));
        }
    }

    #[test]
    fn url_is_forwarded_to_its_own_host_without_hop_by_hop_headers() {
        let text = "POST http://user@Example.org/a?b=c HTTP/1.1\r\nHost: elsewhere\r\n\
                    Proxy-Authorization: secret\r\nConnection: keep-alive, X-Hop, Content-Length\r\n\
                    X-Hop: 1\r\nContent-Length: 2\r\nX-Kept: yes\r\n\r\nhi";
        let (request, length) = parsed(text).unwrap().unwrap();
        let head = "POST /a?b=c HTTP/1.1\r\nHost: Example.org\r\nContent-Length: 2\r\n\
                    X-Kept: yes\r\nConnection: close\r\n\r\n";
        assert_eq!((request.host.as_str(), request.port), ("Example.org", 80));
        assert_eq!(request.forwarded_head.unwrap(), head.as_bytes());
        assert_eq!(&text[length..], "hi");
    }

    #[test]
    fn incomplete_head_is_accepted_up_to_the_size_limit() {
        assert_eq!(parsed("GET http://example.org/ HTTP/1.1\r\nX: "), Ok(None));
        let long = format!("GET http://a/ HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
        assert_eq!(parsed(&long), Err("431 Request Header Fields Too Large"));
        let many = format!("GET http://a/ HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(MAX_HEADERS + 1));
        assert_eq!(parsed(&many), Err("431 Request Header Fields Too Large"));
    }

    #[test]
    fn requests_that_are_not_for_a_proxy_are_rejected() {
        for text in [
            "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n",
            "GET https://example.org/ HTTP/1.1\r\n\r\n",
            "GET ftp://example.org/ HTTP/1.1\r\n\r\n",
            "OPTIONS * HTTP/1.1\r\n\r\n",
            "CONNECT example.org HTTP/1.1\r\n\r\n",
            "CONNECT example.org:0 HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "CONNECT example.org:99999 HTTP/1.1\r\n\r\n",
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\x16\x03\x01 TLS\r\n\r\n",
            "SSH-2.0-OpenSSH\r\n",
        ] {
            assert_eq!(parsed(text), Err("400 Bad Request"), "{text}");
        }
    }
}
