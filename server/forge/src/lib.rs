//! Pull requests and commit statuses at GitHub, Gitea, Forgejo and GitLab, over their REST APIs.
//!
//! - [`Repository`]: a repository at a forge, and the address of its API.
//! - [`Forge`]: requests about it: finding, opening and reading a pull request, its checks and review
//!   comments, setting a commit status, and reading an issue.
//! - [`ForgeError`]: why a request failed, and whether another attempt may succeed.
//!
//! Does not depend on builds, git or tables. Replies are untrusted: their size is limited, redirects
//! are followed only within the same origin, so that the token never reaches another one, and texts
//! in errors are shortened. This crate merges nothing and has no request that could.

mod api;
mod error;
mod forge;
mod gitea;
mod github;
mod gitlab;
mod issue;
mod pull_request;
mod repository;
mod token;

pub use error::{ForgeError, Retry};
pub use forge::{Connection, Forge, Opened};
pub use issue::Issue;
pub use pull_request::{
    Checks, CommitState, CommitStatus, NewPullRequest, PullRequest, PullRequestState,
    ReviewComment, STATUS_CONTEXT,
};
pub use repository::{Kind, Repository};
pub use token::Token;
