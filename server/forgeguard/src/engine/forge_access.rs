//! Access to the API of the forge that a project's remote is at.

use std::time::Duration;

use domain::remote::ForgeKind;
use forge::{Connection, Forge, ForgeError, Kind, Repository, Token};
use git::remote::Login;

use super::{handle::Engine, remotes::RemoteError};
use crate::store::{projects::Project, remotes::Remote};

/// For each request to a forge.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Why a forge cannot be called.
#[derive(Debug, thiserror::Error)]
pub enum ForgeAccessError {
    #[error(
        "ForgeGuard does not know the API of this server; choose the kind of the server in the \
         project's settings"
    )]
    UnknownKind,
    #[error("the remote has no access token; choose a credential with a token")]
    NoToken,
    #[error(transparent)]
    Remote(#[from] RemoteError),
    #[error(transparent)]
    Forge(#[from] ForgeError),
    #[error("{0}")]
    Tls(String),
}

impl Engine {
    /// The API of a project's remote, with the token of its credential.
    pub(super) async fn forge(
        &self,
        project: &Project,
        remote: &Remote,
    ) -> Result<Forge, ForgeAccessError> {
        let kind = match remote.forge {
            ForgeKind::GitHub => Kind::GitHub,
            ForgeKind::Gitea => Kind::Gitea,
            ForgeKind::GitLab => Kind::GitLab,
            ForgeKind::Other => return Err(ForgeAccessError::UnknownKind),
        };
        let access = self.remote_access(project, remote).await?;
        let Login::Token { token, .. } = access.login else {
            return Err(ForgeAccessError::NoToken);
        };
        let repository = Repository::new(kind, &remote.url)?;
        let rules = self.parts.network.clone().unwrap_or_default();
        let addresses = rules.allowed_addresses(repository.api_host(), repository.api_port()).await;
        let addresses = addresses.map_err(|error| ForgeError::Unreachable(error.to_string()))?;
        let tls = llm::tls_config().map_err(|error| ForgeAccessError::Tls(error.to_string()))?;
        let connection = Connection {
            repository: &repository,
            token: Token::new(token),
            tls,
            addresses: &addresses,
            timeout: REQUEST_TIMEOUT,
        };
        Ok(Forge::new(connection)?)
    }
}
