//! Remote repositories of projects: how they are connected, reached and pushed to.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    event::life::Origin,
    ids::{CredentialId, ProjectId, UserId},
    remote::{FetchKind, ForgeKind, RemoteProblem},
    validation::ValidationError,
};
use git::{
    BuildBranchName, HostedRepository, Sha,
    remote::{self, Login, RemoteAccess, RemoteFailure, RemoteLimits, RemoteUrl, Transport},
};
use sandbox::EgressRules;

use super::{
    credentials::{is_usable, is_usable_by},
    encryption_key::EncryptionKey,
    error::EngineError,
    handle::Engine,
};
use crate::{
    secret::Secret,
    store::{
        self, Conn, branch_deliveries, builds,
        credentials::{self, Credential},
        fetches::{self, Fetch},
        projects::{self, NewProject, Project},
        remotes::{self, Remote},
    },
};

/// From the end of a fetch to the next one that a webhook, or a change during the fetch, leads to: a
/// busy repository sends several webhooks a second, and builds need the processor.
pub(super) const MIN_FETCH_INTERVAL: Duration = Duration::from_secs(5);
/// For questions that a user waits for.
const LIST_TIMEOUT: Duration = Duration::from_secs(30);
const PUSH_TIMEOUT: Duration = Duration::from_secs(600);
/// Without any progress.
const STALL_TIMEOUT: Duration = Duration::from_secs(120);

/// Why an operation on a remote failed; the message is the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RemoteError {
    pub problem: RemoteProblem,
    pub message: String,
}

/// What a webhook of the remote's server leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEffect {
    Fetch,
    ReadPullRequests,
}

/// The result of a successful test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestedRemote {
    /// `None` if there is no commit.
    pub default_branch: Option<String>,
    pub branches: usize,
}

/// A remote repository that a project is to follow.
pub struct NewRemote {
    pub url: RemoteUrl,
    pub forge: ForgeKind,
    pub credential: Option<CredentialId>,
}

impl NewRemote {
    /// The row of a remote that was never fetched.
    fn of_project(self, project_id: ProjectId, created_by: UserId) -> Remote {
        Remote {
            project_id,
            url: self.url.to_string(),
            forge: self.forge,
            default_branch: None,
            credential_id: self.credential,
            findings: None,
            sealed_hook_secret: None,
            fetched_at: None,
            fetch_error: None,
            created_by,
            created_at: store::now(),
        }
    }
}

impl Engine {
    /// Asks a remote for its branches.
    pub async fn test_remote(
        &self,
        url: &RemoteUrl,
        credential: Option<&Credential>,
    ) -> Result<TestedRemote, RemoteError> {
        let _permit = self.remote_tests.acquire().await;
        let access = self.access(url, credential).await?;
        let refs = remote::list(&access, self.list_limits(), self.shutdown.cancelled()).await?;
        let default_branch = refs.default_branch().map(str::to_owned);
        Ok(TestedRemote { default_branch, branches: refs.branches.len() })
    }

    /// Creates a project with an empty repository, and queues its import.
    pub async fn connect(
        &self,
        project: &NewProject,
        remote: NewRemote,
    ) -> Result<Project, EngineError> {
        let path = self.paths().hosted(project.id);
        let branch = project.default_branch.clone();
        self.blocking(move || Ok(HostedRepository::create(&path, &branch)?)).await?;
        let mut tx = self.db().write().await?;
        let created = projects::insert(&mut tx, project).await?;
        let row = remote.of_project(project.id, project.owner_id);
        remotes::insert(&mut tx, &row).await?;
        queue_fetch(&mut tx, project.id, store::now()).await?;
        tx.commit().await?;
        self.wake_fetcher.notify_one();
        Ok(created)
    }

    /// Lets an existing project follow a remote repository, and queues its import. The first commit of
    /// a project without pushes and builds gives way; any other history has to be part of the
    /// remote's, or the import fails.
    pub async fn connect_existing(
        &self,
        project: &Project,
        remote: NewRemote,
        by: UserId,
    ) -> Result<(), EngineError> {
        if project.origin == Origin::Demo {
            return Err(EngineError::Scripted);
        }
        let mut tx = self.db().write().await?;
        if let Some(connected) = remotes::get(&mut tx, project.id).await? {
            return Err(EngineError::RemoteConnected(connected.url));
        }
        if let Some(build) = builds::list_unfinished(&mut tx, project.id).await?.first() {
            return Err(EngineError::BuildBeforeRemote(build.display_name()));
        }
        remotes::insert(&mut tx, &remote.of_project(project.id, by)).await?;
        queue_fetch(&mut tx, project.id, store::now()).await?;
        tx.commit().await?;
        self.wake_fetcher.notify_one();
        Ok(())
    }

    /// Queues a fetch, or repeats the one that is running.
    pub async fn request_fetch(&self, project: ProjectId) -> Result<Fetch, EngineError> {
        let mut tx = self.db().write().await?;
        let fetch = queue_fetch(&mut tx, project, store::now()).await?;
        tx.commit().await?;
        self.wake_fetcher.notify_one();
        Ok(fetch)
    }

    /// Records a webhook and queues what it leads to: both or neither, because its sender may not repeat
    /// it once it is recorded. False if it was received before.
    pub async fn receive_hook(
        &self,
        project: ProjectId,
        delivery: &str,
        effect: Option<HookEffect>,
    ) -> Result<bool, EngineError> {
        let mut tx = self.db().write().await?;
        if !remotes::receive_hook(&mut tx, project, delivery, store::now()).await? {
            return Ok(false);
        }
        match effect {
            Some(HookEffect::Fetch) => {
                let (last, now) = (fetches::of_project(&mut tx, project).await?, store::now());
                // One that has not ended is repeated after the interval, or is due already.
                let ended = last.map(|last| last.finished_at.unwrap_or(now));
                let due = ended.map_or(now, |at| at + MIN_FETCH_INTERVAL).max(now);
                queue_fetch(&mut tx, project, due).await?;
            }
            Some(HookEffect::ReadPullRequests) => {
                branch_deliveries::read_soon(&mut tx, project, store::now()).await?;
            }
            None => {}
        }
        tx.commit().await?;
        self.wake_fetcher.notify_one();
        self.wake_deliverers.notify_one();
        Ok(true)
    }

    /// Cancels the current fetch. Does nothing if it has ended.
    pub async fn cancel_fetch(&self, project: ProjectId) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        fetches::request_cancel(&mut tx, project, store::now()).await?;
        tx.commit().await?;
        self.fetches.send_replace(());
        Ok(())
    }

    /// How a project's remote is reached now: with its credential, at addresses that are allowed.
    pub async fn remote_access(
        &self,
        project: &Project,
        remote: &Remote,
    ) -> Result<RemoteAccess, RemoteError> {
        let url: RemoteUrl = remote.url.parse().map_err(|bad| RemoteError {
            problem: RemoteProblem::Other,
            message: format!("the stored address cannot be used: {bad}"),
        })?;
        let failed = |error: store::Error| RemoteError::other(error.to_string());
        let mut credential = None;
        if let Some(id) = remote.credential_id {
            let mut conn = self.db().read().await.map_err(failed)?;
            credential = credentials::get(&mut conn, id).await.map_err(failed)?;
        }
        if credential.as_ref().is_some_and(|credential| !is_usable_by(credential, project)) {
            return Err(RemoteError {
                problem: RemoteProblem::Login,
                message:
                    "the credential belongs to an earlier owner of this project; choose another \
                          one"
                    .to_owned(),
            });
        }
        let access = self.access(&url, credential.as_ref()).await?;
        if let Some(credential) = credential {
            let mut tx = self.db().write().await.map_err(failed)?;
            credentials::set_used(&mut tx, credential.id, store::now()).await.map_err(failed)?;
            tx.commit().await.map_err(failed)?;
        }
        Ok(access)
    }

    /// Pushes a commit of a project's repository to a build's branch at its remote, which moves only
    /// forward. Does nothing if it is there already.
    pub async fn push_to_remote(
        &self,
        project: &Project,
        commit: Sha,
        branch: &BuildBranchName,
        stop: impl Future<Output = ()>,
    ) -> Result<(), RemoteError> {
        let failed = |error: store::Error| RemoteError::other(error.to_string());
        let mut conn = self.db().read().await.map_err(failed)?;
        let remote = remotes::get(&mut conn, project.id).await.map_err(failed)?;
        drop(conn);
        let remote = remote.ok_or_else(|| {
            RemoteError::other("this project has no remote repository".to_owned())
        })?;
        let access = self.remote_access(project, &remote).await?;
        let path = self.paths().hosted(project.id);
        let limits = RemoteLimits { timeout: PUSH_TIMEOUT, ..self.list_limits() };
        Ok(remote::push(&access, &path, commit, branch, limits, stop).await?)
    }

    /// The address of a URL that may be connected to, with the login.
    async fn access(
        &self,
        url: &RemoteUrl,
        credential: Option<&Credential>,
    ) -> Result<RemoteAccess, RemoteError> {
        let network = |message| RemoteError { problem: RemoteProblem::Network, message };
        let login = |message| RemoteError { problem: RemoteProblem::Login, message };
        let rules = self.parts.network.clone().unwrap_or_default();
        let (host, port) = (url.host(), url.port());
        let addresses = rules.allowed_addresses(&host, port).await;
        let addresses = addresses.map_err(|error| network(error.to_string()))?;
        let login = match credential {
            None => Login::Anonymous,
            Some(credential) => {
                let is_public = EgressRules::default().allowed_addresses(&host, port).await.is_ok();
                if url.transport() == Transport::Http && is_public {
                    return Err(login(
                        "a token is not sent without encryption; use an address with https"
                            .to_owned(),
                    ));
                }
                self.login(credential, url).await.map_err(login)?
            }
        };
        if url.transport() == Transport::Ssh && matches!(login, Login::Anonymous) {
            return Err(RemoteError {
                problem: RemoteProblem::Login,
                message: "an address with ssh needs a deploy key; generate one and add it to the \
                          repository's settings on the server"
                    .to_owned(),
            });
        }
        let (known_hosts, key_folder) = (self.paths().known_hosts(), self.parts.node.keys());
        Ok(RemoteAccess { url: url.clone(), addresses, login, known_hosts, key_folder })
    }

    pub(super) fn list_limits(&self) -> RemoteLimits {
        RemoteLimits {
            timeout: LIST_TIMEOUT,
            stall: STALL_TIMEOUT,
            max_bytes: self.parts.push_limits.max_import,
        }
    }

    /// A credential for a new project of this user, or for the given one.
    pub async fn usable_credential(
        &self,
        id: CredentialId,
        owner: UserId,
        project: Option<ProjectId>,
    ) -> Result<Credential, EngineError> {
        let found = credentials::get(&mut self.db().read().await?, id).await?;
        let found = found.filter(|credential| is_usable(credential, owner, project));
        found.ok_or_else(|| {
            let reason = "choose one of your credentials, or one of the installation";
            EngineError::InvalidRemote(ValidationError::new("credential", reason))
        })
    }

    /// The encrypted secret of a remote's webhook.
    pub async fn seal_hook_secret(
        &self,
        project: ProjectId,
        secret: Secret<String>,
    ) -> Result<String, EngineError> {
        let file = self.paths().encryption_key();
        let context = hook_context(project);
        self.blocking(move || Ok(EncryptionKey::load(&file)?.encrypt(&secret, &context)?)).await
    }

    /// The secret of a remote's webhook; `None` if there is none, or it cannot be decrypted here.
    pub async fn hook_secret(
        &self,
        remote: &Remote,
    ) -> Result<Option<Secret<String>>, EngineError> {
        let Some(sealed) = remote.sealed_hook_secret.clone() else { return Ok(None) };
        let file = self.paths().encryption_key();
        let context = hook_context(remote.project_id);
        self.blocking(move || Ok(EncryptionKey::read(&file)?.decrypt(&sealed, &context))).await
    }
}

async fn queue_fetch(
    conn: &mut Conn,
    project: ProjectId,
    due: DateTime<Utc>,
) -> Result<Fetch, EngineError> {
    let remote = remotes::get(conn, project).await?;
    let remote = remote.ok_or(EngineError::NotFound("remote repository"))?;
    let kind = match remote.fetched_at {
        Some(_) => FetchKind::Fetch,
        None => FetchKind::Import,
    };
    let id = store::new_id();
    let fetch = fetches::request(conn, id, project, kind, due, store::now()).await?;
    fetch.ok_or(EngineError::NotFound("fetch"))
}

pub(super) fn hook_context(project: ProjectId) -> String {
    format!("remote hook\n{project}")
}

impl RemoteError {
    pub(super) fn other(message: String) -> Self {
        Self { problem: RemoteProblem::Other, message }
    }
}

impl From<RemoteFailure> for RemoteError {
    fn from(failure: RemoteFailure) -> Self {
        use RemoteProblem as P;
        let problem = match &failure {
            RemoteFailure::Login => P::Login,
            RemoteFailure::NotFound => P::NotFound,
            RemoteFailure::Network(_) => P::Network,
            RemoteFailure::Redirected => P::Redirected,
            RemoteFailure::HostKey => P::HostKey,
            RemoteFailure::Rejected(_) => P::Rejected,
            RemoteFailure::Timeout => P::Timeout,
            RemoteFailure::TooLarge(_) => P::TooLarge,
            RemoteFailure::Shallow => P::Shallow,
            RemoteFailure::Cancelled => P::Cancelled,
            RemoteFailure::Other(_) | RemoteFailure::Git(_) => P::Other,
        };
        let advice = match problem {
            P::Login => ". Check the credential: it may be missing, expired or lack the permission",
            P::Redirected => {
                ". Nothing was sent there. Use the address that the server shows for cloning, with \
                 .git at its end"
            }
            P::Shallow => {
                ". Run `git fetch --unshallow` in the clone that it was pushed from, push again, and \
                 try again"
            }
            P::TooLarge => ". An administrator can raise the setting max_import_mib",
            P::HostKey => {
                ". If the change is intended, an administrator can remove the old line from the file \
                 known_hosts in the data directory"
            }
            _ => "",
        };
        Self { problem, message: format!("{failure}{advice}") }
    }
}
