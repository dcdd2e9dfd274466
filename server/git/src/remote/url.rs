//! URLs of remote repositories: http, https and ssh, without credentials.

use std::{fmt, str::FromStr};

use url::{Host, Url};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Http,
    Https,
    Ssh,
}

/// `https://host[:port]/path`, `http://…` or `ssh://user@host[:port]/path`. Its text contains no
/// password or token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteUrl {
    url: Url,
    transport: Transport,
}

/// Why a text is no URL of a remote repository, as the end of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadUrl(&'static str);

impl RemoteUrl {
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// The host's name or address, without brackets.
    pub fn host(&self) -> String {
        match self.url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(address)) => address.to_string(),
            Some(Host::Ipv6(address)) => address.to_string(),
            None => String::new(),
        }
    }

    pub fn port(&self) -> u16 {
        self.url.port().unwrap_or(match self.transport {
            Transport::Http => 80,
            Transport::Https => 443,
            Transport::Ssh => 22,
        })
    }

    /// The host, with its port if that is not the usual one.
    pub fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The last part of the path, without `.git`.
    pub fn repository_name(&self) -> String {
        let last = self.url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        last.strip_suffix(".git").unwrap_or(last).to_owned()
    }

    pub(crate) fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Scheme and authority, as in settings that apply to one server.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", self.url.scheme(), self.authority())
    }
}

impl FromStr for RemoteUrl {
    type Err = BadUrl;

    fn from_str(text: &str) -> Result<Self, BadUrl> {
        let text = text.trim();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic()) && !text.contains('\\');
        if !is_plain {
            return Err(BadUrl("must not contain spaces or characters outside ASCII"));
        }
        let url = match Url::parse(text) {
            Ok(url) if text.contains("://") => url,
            _ => Url::parse(&scp_like(text).ok_or(BadUrl(
                "must be a URL such as https://host/owner/name.git or git@host:owner/name.git",
            ))?)
            .map_err(|_| BadUrl("must be a URL"))?,
        };
        let transport = match url.scheme() {
            "http" => Transport::Http,
            "https" => Transport::Https,
            "ssh" => Transport::Ssh,
            _ => return Err(BadUrl("must begin with https:// or ssh://")),
        };
        // A host or user that begins with a dash would be an option of `ssh`.
        let is_word = |text: &str| {
            !text.starts_with('-')
                && text
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b".-_[]:".contains(&byte))
        };
        if url.host_str().is_none_or(|host| host.is_empty() || !is_word(host)) {
            return Err(BadUrl("must name a host"));
        }
        let has_user = !url.username().is_empty();
        if url.password().is_some() || (has_user && transport != Transport::Ssh) {
            return Err(BadUrl(
                "must not contain a user, password or token; add it as a credential",
            ));
        }
        if has_user && !is_word(url.username()) {
            return Err(BadUrl("must have a plain user name"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BadUrl("must not have a query or fragment"));
        }
        if url.path().trim_matches('/').is_empty() || url.path().starts_with("/-") {
            return Err(BadUrl("must name a repository"));
        }
        Ok(Self { url, transport })
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// `user@host:path` as a URL.
fn scp_like(text: &str) -> Option<String> {
    let (server, path) = text.split_once(':')?;
    let (user, host) = server.split_once('@')?;
    let is_path = !path.starts_with("//") && !server.contains('/') && !path.is_empty();
    is_path.then(|| format!("ssh://{user}@{host}/{}", path.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_normalised() {
        for (text, shown, authority) in [
            ("https://Host.org/a/b.git", "https://host.org/a/b.git", "host.org"),
            ("http://127.0.0.1:8080/b", "http://127.0.0.1:8080/b", "127.0.0.1:8080"),
            ("git@host.org:a/b.git", "ssh://git@host.org/a/b.git", "host.org"),
            ("ssh://git@host.org:2222/a/b", "ssh://git@host.org:2222/a/b", "host.org:2222"),
            ("https://[::1]:81/a", "https://[::1]:81/a", "[::1]:81"),
        ] {
            let url: RemoteUrl = text.parse().unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(url.authority(), authority);
        }
    }

    #[test]
    fn credentials_options_and_other_transports_are_rejected() {
        for text in [
            "https://ada:secret@host.org/a",
            "https://token@host.org/a",
            "ssh://git:secret@host.org/a",
            "file:///etc/passwd",
            "/etc/passwd",
            "ext::sh -c id",
            "git://host.org/a",
            "ssh://-oProxyCommand=id/a",
            "ssh://-x@host.org/a",
            "-x@host.org:a",
            "https://host.org/",
            "https://host.org/a?b=c",
            "https://host.org/a b",
            "host.org/a/b",
            "",
        ] {
            assert!(text.parse::<RemoteUrl>().is_err(), "{text}");
        }
    }
}
