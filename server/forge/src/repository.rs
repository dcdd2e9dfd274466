//! A repository at a forge, and the address of its API.

use reqwest::Url;

use crate::error::ForgeError;

/// The API that a forge offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    GitHub,
    /// Also Forgejo.
    Gitea,
    GitLab,
}

/// A repository at a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    pub(crate) kind: Kind,
    /// The base of all requests about the repository.
    pub(crate) api: Url,
    /// The user or organisation; with parent groups at GitLab.
    pub(crate) owner: String,
}

impl Repository {
    /// The repository that is cloned from `url`: `https://…`, `http://…`, `ssh://…` or
    /// `git@host:owner/name.git`. The API of an ssh address is the one of its host over https.
    pub fn new(kind: Kind, url: &str) -> Result<Self, ForgeError> {
        let bad = |why: &str| ForgeError::BadAddress(why.to_owned());
        let parsed = match url.split_once("://") {
            Some(("https" | "http", _)) => {
                Url::parse(url).map_err(|error| bad(&error.to_string()))?
            }
            Some(("ssh", rest)) => {
                https(rest.split_once('/').ok_or_else(|| bad("it has no path"))?)?
            }
            Some(_) => return Err(bad("it is neither https nor ssh")),
            None => https(url.split_once(':').ok_or_else(|| bad("it has no host"))?)?,
        };
        let path = parsed.path().trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path);
        let (before, name) = path.rsplit_once('/').ok_or_else(|| bad("it has no owner"))?;
        let (prefix, owner) = match kind {
            Kind::GitLab => ("", before),
            Kind::GitHub | Kind::Gitea => before.rsplit_once('/').unwrap_or(("", before)),
        };
        if owner.is_empty() || name.is_empty() {
            return Err(bad("it has no owner or no name"));
        }
        let mut api = parsed.clone();
        api.set_path("");
        api.set_query(None);
        api.set_fragment(None);
        // User names and passwords in an address are not sent.
        let _ = (api.set_username(""), api.set_password(None));
        let is_github_com = kind == Kind::GitHub && parsed.host_str() == Some("github.com");
        if is_github_com {
            api.set_host(Some("api.github.com")).map_err(|error| bad(&error.to_string()))?;
        }
        let whole = format!("{owner}/{name}");
        let base: Vec<&str> = match kind {
            Kind::GitHub if is_github_com => vec!["repos", owner, name],
            Kind::GitHub => vec!["api", "v3", "repos", owner, name],
            Kind::Gitea => vec!["api", "v1", "repos", owner, name],
            Kind::GitLab => vec!["api", "v4", "projects", &whole],
        };
        let prefix = prefix.split('/').filter(|part| !part.is_empty());
        api.path_segments_mut()
            .map_err(|()| bad("it has no path"))?
            .clear()
            .extend(prefix.chain(base));
        Ok(Self { kind, api, owner: owner.to_owned() })
    }

    /// The host that requests are sent to.
    pub fn api_host(&self) -> &str {
        self.api.host_str().unwrap_or_default().trim_matches(['[', ']'])
    }

    pub fn api_port(&self) -> u16 {
        self.api.port_or_known_default().unwrap_or(443)
    }
}

/// The web address for the user, host and optional port, and the path of an ssh address.
fn https((authority, path): (&str, &str)) -> Result<Url, ForgeError> {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let url = format!("https://{host}/{}", path.trim_start_matches('/'));
    Url::parse(&url).map_err(|error| ForgeError::BadAddress(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api(kind: Kind, url: &str) -> String {
        Repository::new(kind, url).unwrap().api.to_string()
    }

    #[test]
    fn address_of_the_api_follows_from_the_clone_address() {
        use Kind::{GitHub, GitLab, Gitea};
        let cases = [
            (GitHub, "https://github.com/me/shelf.git", "https://api.github.com/repos/me/shelf"),
            (GitHub, "git@github.com:me/shelf.git", "https://api.github.com/repos/me/shelf"),
            (GitHub, "https://git.corp/me/shelf", "https://git.corp/api/v3/repos/me/shelf"),
            (Gitea, "https://x:y@forge:3000/me/a.b", "https://forge:3000/api/v1/repos/me/a.b"),
            (Gitea, "https://corp/git/me/shelf.git", "https://corp/git/api/v1/repos/me/shelf"),
            (Gitea, "ssh://git@forge:2222/me/shelf", "https://forge/api/v1/repos/me/shelf"),
            (GitLab, "https://lab/a/b/shelf.git", "https://lab/api/v4/projects/a%2Fb%2Fshelf"),
        ];
        for (kind, url, expected) in cases {
            assert_eq!(api(kind, url), expected, "{url}");
        }
    }

    #[test]
    fn address_without_a_repository_is_rejected() {
        for url in ["https://forge/", "https://forge/shelf", "file:///a/b", "forge", "https://"] {
            let result = Repository::new(Kind::Gitea, url);
            assert!(matches!(result, Err(ForgeError::BadAddress(_))), "{url}: {result:?}");
        }
    }
}
