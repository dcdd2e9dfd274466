//! The REST API of GitHub. Some requests are the same at Gitea and Forgejo.

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    api::{Api, PageSize},
    error::ForgeError,
    issue::Issue,
    pull_request::{
        Checks, CommitState, CommitStatus, NewPullRequest, PullRequest, PullRequestState,
        ReviewComment, STATUS_CONTEXT,
    },
};

const PAGE_SIZE: PageSize = ("per_page", 100);

/// A pull request at GitHub, Gitea and Forgejo.
#[derive(Deserialize)]
pub(crate) struct Pull {
    number: u64,
    html_url: String,
    state: String,
    #[serde(default)]
    draft: Option<bool>,
    /// Missing in lists of GitHub.
    #[serde(default)]
    merged: Option<bool>,
    #[serde(default)]
    merged_at: Option<String>,
    head: Head,
}

#[derive(Deserialize)]
struct Head {
    #[serde(rename = "ref")]
    name: String,
    sha: String,
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
    #[serde(default)]
    user: Option<User>,
    path: String,
    #[serde(default)]
    line: Option<u64>,
    body: String,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Review {
    id: u64,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    body: Option<String>,
}

#[derive(Deserialize)]
struct IssueReply {
    html_url: String,
    title: String,
    #[serde(default)]
    body: Option<String>,
}

#[derive(Deserialize)]
struct CombinedStatus {
    #[serde(default)]
    statuses: Vec<Status>,
}

#[derive(Deserialize)]
struct Status {
    context: String,
    state: String,
}

#[derive(Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

#[derive(Deserialize)]
struct CheckRun {
    name: String,
    #[serde(default)]
    conclusion: Option<String>,
}

impl From<Pull> for PullRequest {
    fn from(pull: Pull) -> Self {
        let is_merged = pull.merged.unwrap_or(pull.merged_at.is_some());
        let state = match pull.state.as_str() {
            _ if is_merged => PullRequestState::Merged,
            "open" => PullRequestState::Open,
            _ => PullRequestState::Closed,
        };
        Self {
            number: pull.number,
            url: pull.html_url,
            state,
            draft: pull.draft == Some(true),
            head: pull.head.name,
            head_sha: pull.head.sha,
        }
    }
}

pub(crate) async fn list(
    api: &Api,
    owner: &str,
    head: &str,
) -> Result<Vec<PullRequest>, ForgeError> {
    let head = format!("{owner}:{head}");
    let query = [("head", head.as_str()), ("state", "all"), ("per_page", "100")];
    let pulls: Vec<Pull> = api.get(api.url(&["pulls"], &query)).await?;
    Ok(pulls.into_iter().map(PullRequest::from).collect())
}

/// A draft where the repository's plan has none is marked in its title.
pub(crate) async fn create(api: &Api, new: &NewPullRequest<'_>) -> Result<PullRequest, ForgeError> {
    let NewPullRequest { title, body, head, base, draft } = *new;
    let body = json!({ "title": title, "body": body, "head": head, "base": base, "draft": draft });
    let created: Result<Pull, _> =
        api.send(Method::POST, api.url(&["pulls"], &[]), Some(&body)).await;
    match created {
        Err(ForgeError::Invalid(message)) if draft && message.contains("Draft pull requests") => {
            let title = format!("Draft: {title}");
            let plain = json!({ "title": title, "body": body["body"], "head": head, "base": base });
            let pull: Pull = api.send(Method::POST, api.url(&["pulls"], &[]), Some(&plain)).await?;
            Ok(pull.into())
        }
        created => created.map(PullRequest::from),
    }
}

pub(crate) async fn get(api: &Api, number: &str) -> Result<PullRequest, ForgeError> {
    api.get::<Pull>(api.url(&["pulls", number], &[])).await.map(PullRequest::from)
}

pub(crate) async fn add_labels(
    api: &Api,
    number: &str,
    labels: &[String],
) -> Result<(), ForgeError> {
    let url = api.url(&["issues", number, "labels"], &[]);
    let body = json!({ "labels": labels });
    api.send::<Value>(Method::POST, url, Some(&body)).await.map(drop)
}

pub(crate) async fn request_reviews(
    api: &Api,
    number: &str,
    users: &[String],
) -> Result<(), ForgeError> {
    let url = api.url(&["pulls", number, "requested_reviewers"], &[]);
    let body = json!({ "reviewers": users });
    api.send::<Value>(Method::POST, url, Some(&body)).await.map(drop)
}

/// Commit statuses and check runs.
pub(crate) async fn checks(api: &Api, sha: &str) -> Result<Checks, ForgeError> {
    let query = [("per_page", "100")];
    let combined: CombinedStatus = api.get(api.url(&["commits", sha, "status"], &query)).await?;
    let runs: CheckRuns = api.get(api.url(&["commits", sha, "check-runs"], &query)).await?;
    let mut checks = Checks::default();
    for status in combined.statuses {
        checks.count(&status.context, &status.state);
    }
    for run in runs.check_runs {
        checks.count(&run.name, run.conclusion.as_deref().unwrap_or("pending"));
    }
    Ok(checks)
}

pub(crate) async fn review_comments(
    api: &Api,
    number: &str,
) -> Result<Vec<ReviewComment>, ForgeError> {
    let reviews: Vec<Review> = api.get_all(&["pulls", number, "reviews"], PAGE_SIZE).await?;
    let comments: Vec<Comment> = api.get_all(&["pulls", number, "comments"], PAGE_SIZE).await?;
    let whole = reviews.into_iter().filter_map(|review| {
        let body = review.body.filter(|body| !body.trim().is_empty())?;
        let id = format!("review-{}", review.id);
        Some(ReviewComment { id, author: name(review.user), path: None, line: None, body })
    });
    let on_lines =
        comments.into_iter().map(|Comment { id, user, path, line, body }| ReviewComment {
            id: format!("comment-{id}"),
            author: name(user),
            path: Some(path),
            line,
            body,
        });
    Ok(whole.chain(on_lines).collect())
}

pub(crate) async fn issue(api: &Api, number: &str) -> Result<Issue, ForgeError> {
    let IssueReply { html_url, title, body } = api.get(api.url(&["issues", number], &[])).await?;
    Ok(Issue { url: html_url, title, body: body.unwrap_or_default() })
}

pub(crate) async fn set_status(
    api: &Api,
    sha: &str,
    status: &CommitStatus<'_>,
) -> Result<(), ForgeError> {
    let state = match status.state {
        CommitState::Pending => "pending",
        CommitState::Success => "success",
        CommitState::Failure => "failure",
    };
    let body = json!({
        "state": state,
        "context": STATUS_CONTEXT,
        "description": status.short_description(),
        "target_url": status.target_url,
    });
    api.send::<Value>(Method::POST, api.url(&["statuses", sha], &[]), Some(&body)).await.map(drop)
}

/// A deleted account has none.
fn name(user: Option<User>) -> String {
    user.map_or_else(|| "a deleted account".to_owned(), |user| user.login)
}
