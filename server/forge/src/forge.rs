//! Requests about a repository, independent of the kind of its forge.

use std::{net::SocketAddr, time::Duration};

use reqwest::Url;

use crate::{
    api::Api,
    error::ForgeError,
    gitea, github, gitlab,
    issue::Issue,
    pull_request::{
        Checks, CommitStatus, NewPullRequest, PullRequest, PullRequestState, ReviewComment,
    },
    repository::{Kind, Repository},
    token::Token,
};

/// How a repository's forge is called.
pub struct Connection<'a> {
    pub repository: &'a Repository,
    pub token: Token,
    pub tls: rustls::ClientConfig,
    /// The addresses of [`Repository::api_host`]; no others are connected to.
    pub addresses: &'a [SocketAddr],
    /// For each request with its reply.
    pub timeout: Duration,
}

/// A repository's forge.
#[derive(Debug)]
pub struct Forge {
    api: Api,
    kind: Kind,
    owner: String,
}

/// The pull request of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opened {
    New(PullRequest),
    /// It existed already, in any state.
    Found(PullRequest),
}

impl Forge {
    pub fn new(connection: Connection<'_>) -> Result<Self, ForgeError> {
        let Connection { repository, token, tls, addresses, timeout } = connection;
        let api = Api::new(repository, token, tls, addresses, timeout)?;
        Ok(Self { api, kind: repository.kind, owner: repository.owner.clone() })
    }

    /// The pull request of a branch: an open one, or otherwise the newest.
    pub async fn find(&self, head: &str) -> Result<Option<PullRequest>, ForgeError> {
        let found = match self.kind {
            Kind::GitHub => github::list(&self.api, &self.owner, head).await?,
            Kind::Gitea => gitea::list(&self.api, head).await?,
            Kind::GitLab => gitlab::list(&self.api, head).await?,
        };
        let of_branch = found.into_iter().filter(|request| request.head == head);
        of_branch
            .max_by_key(|request| (request.state == PullRequestState::Open, request.number))
            .map(checked)
            .transpose()
    }

    /// Opens a pull request, unless the branch has one.
    pub async fn open(&self, new: &NewPullRequest<'_>) -> Result<Opened, ForgeError> {
        if let Some(found) = self.find(new.head).await? {
            return Ok(Opened::Found(found));
        }
        let created = match self.kind {
            Kind::GitHub => github::create(&self.api, new).await,
            Kind::Gitea => gitea::create(&self.api, new).await,
            Kind::GitLab => gitlab::create(&self.api, new).await,
        };
        match created {
            Ok(created) => checked(created).map(Opened::New),
            Err(ForgeError::Exists(message)) => match self.find(new.head).await? {
                Some(found) => Ok(Opened::Found(found)),
                None => Err(ForgeError::Exists(message)),
            },
            Err(error) => Err(error),
        }
    }

    pub async fn get(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let number = number.to_string();
        checked(match self.kind {
            Kind::GitHub => github::get(&self.api, &number).await?,
            Kind::Gitea => gitea::get(&self.api, &number).await?,
            Kind::GitLab => gitlab::get(&self.api, &number).await?,
        })
    }

    /// Adds labels by their names.
    pub async fn add_labels(&self, number: u64, labels: &[String]) -> Result<(), ForgeError> {
        let number = number.to_string();
        match self.kind {
            Kind::GitHub | Kind::Gitea => github::add_labels(&self.api, &number, labels).await,
            Kind::GitLab => gitlab::add_labels(&self.api, &number, labels).await,
        }
    }

    /// Asks users for a review, by their names.
    pub async fn request_reviews(&self, number: u64, users: &[String]) -> Result<(), ForgeError> {
        let number = number.to_string();
        match self.kind {
            Kind::GitHub | Kind::Gitea => github::request_reviews(&self.api, &number, users).await,
            Kind::GitLab => gitlab::request_reviews(&self.api, &number, users).await,
        }
    }

    /// The checks of a commit.
    pub async fn checks(&self, sha: &str) -> Result<Checks, ForgeError> {
        match self.kind {
            Kind::GitHub => github::checks(&self.api, sha).await,
            Kind::Gitea => gitea::checks(&self.api, sha).await,
            Kind::GitLab => gitlab::checks(&self.api, sha).await,
        }
    }

    /// The first comments of reviews.
    pub async fn review_comments(&self, number: u64) -> Result<Vec<ReviewComment>, ForgeError> {
        let number = number.to_string();
        match self.kind {
            Kind::GitHub => github::review_comments(&self.api, &number).await,
            Kind::Gitea => gitea::review_comments(&self.api, &number).await,
            Kind::GitLab => gitlab::review_comments(&self.api, &number).await,
        }
    }

    /// An issue of the repository.
    pub async fn issue(&self, number: u64) -> Result<Issue, ForgeError> {
        let number = number.to_string();
        let issue = match self.kind {
            Kind::GitHub | Kind::Gitea => github::issue(&self.api, &number).await?,
            Kind::GitLab => gitlab::issue(&self.api, &number).await?,
        };
        check_url(&issue.url)?;
        Ok(issue)
    }

    /// Sets the status of a commit under [`crate::STATUS_CONTEXT`].
    pub async fn set_status(&self, sha: &str, status: &CommitStatus<'_>) -> Result<(), ForgeError> {
        match self.kind {
            Kind::GitHub | Kind::Gitea => github::set_status(&self.api, sha, status).await,
            Kind::GitLab => gitlab::set_status(&self.api, sha, status).await,
        }
    }
}

fn checked(request: PullRequest) -> Result<PullRequest, ForgeError> {
    check_url(&request.url)?;
    Ok(request)
}

/// The address becomes a link.
fn check_url(url: &str) -> Result<(), ForgeError> {
    const MAX_URL: usize = 2_000;
    let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if !is_web || url.len() > MAX_URL {
        return Err(ForgeError::BadReply("it has no web address".to_owned()));
    }
    Ok(())
}
