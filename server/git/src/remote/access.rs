//! How remote repositories are reached.

use std::{fmt, net::SocketAddr, path::PathBuf, time::Duration};

use super::url::RemoteUrl;

/// How a remote repository is reached.
#[derive(Clone, Debug)]
pub struct RemoteAccess {
    pub url: RemoteUrl,
    /// The addresses of its host that may be connected to.
    pub addresses: Vec<SocketAddr>,
    pub login: Login,
    /// Keys of SSH servers, added when a server is first connected to.
    pub known_hosts: PathBuf,
    /// For the file of an SSH key while it is used: a directory that only the service can read.
    pub key_folder: PathBuf,
}

#[derive(Clone)]
pub enum Login {
    Anonymous,
    /// For http and https.
    Token {
        username: String,
        token: String,
    },
    /// For ssh; in OpenSSH's format.
    Key {
        private_key: String,
    },
}

/// Without secrets.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token { .. } => "Token",
            Self::Key { .. } => "Key",
        })
    }
}

/// Limits of one operation.
#[derive(Clone, Copy, Debug)]
pub struct RemoteLimits {
    /// For all of it.
    pub timeout: Duration,
    /// Without any progress.
    pub stall: Duration,
    /// Of the received objects, as they are transferred.
    pub max_bytes: u64,
}
