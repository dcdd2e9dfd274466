//! The REST API of GitLab, where pull requests are merge requests.

use reqwest::{Method, Url};
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
const DRAFT_PREFIX: &str = "Draft: ";

#[derive(Deserialize)]
struct MergeRequest {
    /// Its number in the project.
    iid: u64,
    web_url: String,
    state: String,
    #[serde(default)]
    draft: bool,
    source_branch: String,
    /// Null until GitLab has seen the branch.
    #[serde(default)]
    sha: Option<String>,
}

#[derive(Deserialize)]
struct Discussion {
    notes: Vec<Note>,
}

#[derive(Deserialize)]
struct Note {
    id: u64,
    author: Author,
    body: String,
    /// Written by GitLab itself.
    #[serde(default)]
    system: bool,
    #[serde(default)]
    position: Option<Position>,
}

#[derive(Deserialize)]
struct Author {
    username: String,
}

#[derive(Deserialize)]
struct Position {
    #[serde(default)]
    new_path: Option<String>,
    #[serde(default)]
    new_line: Option<u64>,
}

#[derive(Deserialize)]
struct IssueReply {
    web_url: String,
    title: String,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct Status {
    name: String,
    status: String,
    #[serde(default)]
    allow_failure: bool,
}

#[derive(Deserialize)]
struct User {
    id: u64,
}

impl From<MergeRequest> for PullRequest {
    fn from(request: MergeRequest) -> Self {
        let state = match request.state.as_str() {
            "opened" | "locked" => PullRequestState::Open,
            "merged" => PullRequestState::Merged,
            _ => PullRequestState::Closed,
        };
        Self {
            number: request.iid,
            url: request.web_url,
            state,
            draft: request.draft,
            head: request.source_branch,
            head_sha: request.sha.unwrap_or_default(),
        }
    }
}

pub(crate) async fn list(api: &Api, head: &str) -> Result<Vec<PullRequest>, ForgeError> {
    let query = [("source_branch", head), ("state", "all"), ("per_page", "100")];
    let requests: Vec<MergeRequest> = api.get(api.url(&["merge_requests"], &query)).await?;
    Ok(requests.into_iter().map(PullRequest::from).collect())
}

pub(crate) async fn create(api: &Api, new: &NewPullRequest<'_>) -> Result<PullRequest, ForgeError> {
    let prefix = if new.draft { DRAFT_PREFIX } else { "" };
    let body = json!({
        "title": format!("{prefix}{}", new.title),
        "description": new.body,
        "source_branch": new.head,
        "target_branch": new.base,
        "remove_source_branch": false,
    });
    let url = api.url(&["merge_requests"], &[]);
    api.send::<MergeRequest>(Method::POST, url, Some(&body)).await.map(PullRequest::from)
}

pub(crate) async fn get(api: &Api, number: &str) -> Result<PullRequest, ForgeError> {
    api.get::<MergeRequest>(api.url(&["merge_requests", number], &[])).await.map(PullRequest::from)
}

pub(crate) async fn add_labels(
    api: &Api,
    number: &str,
    labels: &[String],
) -> Result<(), ForgeError> {
    update(api, number, json!({ "add_labels": labels.join(",") })).await
}

pub(crate) async fn request_reviews(
    api: &Api,
    number: &str,
    users: &[String],
) -> Result<(), ForgeError> {
    let mut ids = Vec::new();
    for name in users {
        let found: Vec<User> = api.get(users_url(api, name)).await?;
        let Some(user) = found.first() else {
            return Err(ForgeError::Invalid(format!("there is no user {name}")));
        };
        ids.push(user.id);
    }
    update(api, number, json!({ "reviewer_ids": ids })).await
}

pub(crate) async fn checks(api: &Api, sha: &str) -> Result<Checks, ForgeError> {
    let path = ["repository", "commits", sha, "statuses"];
    let statuses: Vec<Status> = api.get_all(&path, PAGE_SIZE).await?;
    let mut checks = Checks::default();
    for status in statuses {
        let result = if status.allow_failure && status.status == "failed" {
            "warning"
        } else {
            status.status.as_str()
        };
        checks.count(&status.name, result);
    }
    Ok(checks)
}

pub(crate) async fn review_comments(
    api: &Api,
    number: &str,
) -> Result<Vec<ReviewComment>, ForgeError> {
    let path = ["merge_requests", number, "discussions"];
    let discussions: Vec<Discussion> = api.get_all(&path, PAGE_SIZE).await?;
    let notes = discussions.into_iter().flat_map(|discussion| discussion.notes);
    let comment = |note: Note| {
        let (path, line) = note.position.map_or((None, None), |at| (at.new_path, at.new_line));
        let id = format!("note-{}", note.id);
        ReviewComment { id, author: note.author.username, path, line, body: note.body }
    };
    Ok(notes.filter(|note| !note.system).map(comment).collect())
}

pub(crate) async fn issue(api: &Api, number: &str) -> Result<Issue, ForgeError> {
    let IssueReply { web_url, title, description } =
        api.get(api.url(&["issues", number], &[])).await?;
    Ok(Issue { url: web_url, title, body: description.unwrap_or_default() })
}

pub(crate) async fn set_status(
    api: &Api,
    sha: &str,
    status: &CommitStatus<'_>,
) -> Result<(), ForgeError> {
    let state = match status.state {
        CommitState::Pending => "pending",
        CommitState::Success => "success",
        CommitState::Failure => "failed",
    };
    let body = json!({
        "state": state,
        "name": STATUS_CONTEXT,
        "description": status.short_description(),
        "target_url": status.target_url,
    });
    api.send::<Value>(Method::POST, api.url(&["statuses", sha], &[]), Some(&body)).await.map(drop)
}

async fn update(api: &Api, number: &str, body: Value) -> Result<(), ForgeError> {
    let url = api.url(&["merge_requests", number], &[]);
    api.send::<Value>(Method::PUT, url, Some(&body)).await.map(drop)
}

/// Users are not below the project.
fn users_url(api: &Api, name: &str) -> Url {
    let mut url = api.url(&[], &[]);
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop().pop().push("users");
    }
    url.query_pairs_mut().append_pair("username", name);
    url
}
