//! What the REST API of Gitea and Forgejo has in its own form.

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use crate::{
    api::Api,
    error::ForgeError,
    github::Pull,
    pull_request::{Checks, NewPullRequest, PullRequest, ReviewComment},
};

/// The prefix of titles that marks a draft.
const DRAFT_PREFIX: &str = "WIP: ";
const PAGE_SIZE: usize = 50;
/// Pages searched for a pull request. Gitea, unlike Forgejo, does not filter by branch; the most
/// recently updated come first.
const MAX_PAGES: usize = 6;
/// Reviews whose comments are read.
const MAX_REVIEWS: usize = 20;

#[derive(Deserialize)]
struct Review {
    id: u64,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    body: String,
    #[serde(default)]
    comments_count: u64,
}

#[derive(Deserialize)]
struct User {
    login: String,
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
    #[serde(default)]
    user: Option<User>,
    path: String,
    /// The line of the new version, or 0.
    #[serde(default)]
    position: u64,
    body: String,
}

#[derive(Deserialize)]
struct CombinedStatus {
    #[serde(default)]
    statuses: Option<Vec<Status>>,
}

#[derive(Deserialize)]
struct Status {
    context: String,
    status: String,
}

pub(crate) async fn list(api: &Api, head: &str) -> Result<Vec<PullRequest>, ForgeError> {
    let limit = PAGE_SIZE.to_string();
    let mut found = Vec::new();
    for page in 1..=MAX_PAGES {
        let page = page.to_string();
        let query = [
            ("state", "all"),
            ("head", head),
            ("sort", "recentupdate"),
            ("limit", limit.as_str()),
            ("page", page.as_str()),
        ];
        let pulls: Vec<Pull> = api.get(api.url(&["pulls"], &query)).await?;
        let is_last = pulls.len() < PAGE_SIZE;
        found.extend(pulls.into_iter().map(PullRequest::from).filter(|pull| pull.head == head));
        if is_last || !found.is_empty() {
            break;
        }
    }
    Ok(found)
}

pub(crate) async fn create(api: &Api, new: &NewPullRequest<'_>) -> Result<PullRequest, ForgeError> {
    let NewPullRequest { title, body, head, base, draft } = *new;
    let prefix = if draft { DRAFT_PREFIX } else { "" };
    let title = format!("{prefix}{title}");
    let body = json!({ "title": title, "body": body, "head": head, "base": base });
    let pull: Pull = api.send(Method::POST, api.url(&["pulls"], &[]), Some(&body)).await?;
    Ok(pull.into())
}

pub(crate) async fn get(api: &Api, number: &str) -> Result<PullRequest, ForgeError> {
    api.get::<Pull>(api.url(&["pulls", number], &[])).await.map(PullRequest::from)
}

pub(crate) async fn checks(api: &Api, sha: &str) -> Result<Checks, ForgeError> {
    let url = api.url(&["commits", sha, "status"], &[("limit", "50")]);
    let combined: CombinedStatus = api.get(url).await?;
    let mut checks = Checks::default();
    for status in combined.statuses.unwrap_or_default() {
        checks.count(&status.context, &status.status);
    }
    Ok(checks)
}

pub(crate) async fn review_comments(
    api: &Api,
    number: &str,
) -> Result<Vec<ReviewComment>, ForgeError> {
    let path = ["pulls", number, "reviews"];
    let reviews: Vec<Review> = api.get_all(&path, ("limit", PAGE_SIZE)).await?;
    let mut found = Vec::new();
    // The oldest come first.
    for review in reviews.into_iter().rev().take(MAX_REVIEWS).rev() {
        if review.comments_count > 0 {
            let id = review.id.to_string();
            let url = api.url(&["pulls", number, "reviews", &id, "comments"], &[]);
            let comments: Vec<Comment> = api.get(url).await?;
            found.extend(comments.into_iter().map(|comment| ReviewComment {
                id: format!("comment-{}", comment.id),
                author: name(comment.user),
                path: Some(comment.path),
                line: (comment.position > 0).then_some(comment.position),
                body: comment.body,
            }));
        }
        if !review.body.trim().is_empty() {
            found.push(ReviewComment {
                id: format!("review-{}", review.id),
                author: name(review.user),
                path: None,
                line: None,
                body: review.body,
            });
        }
    }
    Ok(found)
}

/// A deleted account, or a team, has none.
fn name(user: Option<User>) -> String {
    user.map_or_else(|| "an account that is not shown".to_owned(), |user| user.login)
}
