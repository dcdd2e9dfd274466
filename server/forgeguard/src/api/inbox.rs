//! `/api/inbox`: what is waiting for the user, in all projects.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    event::life::BlockReason,
    ids::{BuildId, ProjectId},
    notification::NotificationKind,
    review::ReviewDecision,
    user_role::UserRole,
    verdict::Verdict,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::{Json, QueryParams},
    identity::Identity,
    list::{List, Page},
};
use crate::store::{
    self,
    inbox::{self, Cursor, Reader},
    users::User,
};

/// Items that can be marked with one request.
const MAX_MARKED: usize = 200;

/// A page of the inbox.
#[derive(Debug, Serialize, ToSchema)]
pub struct Inbox {
    items: Vec<InboxItem>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    next: Option<String>,
    /// How many items there are, on all pages.
    count: u64,
    /// How many of them the user has not read.
    unread_count: u64,
}

/// Something that waits for the user. It is no longer listed when it has been handled.
#[derive(Debug, Serialize, ToSchema)]
pub struct InboxItem {
    /// Identifies it. A build that is blocked or reviewed once more is another item.
    key: String,
    kind: NotificationKind,
    at: DateTime<Utc>,
    /// The question, the reason for a block as a sentence, or the reason for a decision.
    #[schema(required)]
    text: Option<String>,
    /// Of a review of the user's own build; null if the build is waiting for the user's review, and
    /// for all other kinds.
    #[schema(required)]
    decision: Option<ReviewDecision>,
    build_id: BuildId,
    build_number: u32,
    #[schema(required)]
    build_title: Option<String>,
    /// Of a sealed build.
    #[schema(required)]
    verdict: Option<Verdict>,
    project_id: ProjectId,
    project_name: String,
    project_slug: String,
    /// When the user marked it as read.
    #[schema(required)]
    read_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct MarkInboxRequest {
    /// The keys of the items; all items if omitted.
    #[schema(max_items = 200)]
    items: Option<Vec<String>>,
    /// False marks them as unread, which requires `items`.
    read: bool,
}

impl From<inbox::InboxItem> for InboxItem {
    fn from(row: inbox::InboxItem) -> Self {
        Self {
            key: row.key,
            kind: row.kind,
            at: row.at,
            text: match row.kind {
                NotificationKind::Blocked => row.text.as_deref().and_then(block_text),
                _ => row.text,
            },
            decision: row.decision,
            build_id: row.build_id,
            build_number: row.build_number,
            build_title: row.build_title,
            verdict: row.verdict,
            project_id: row.project_id,
            project_name: row.project_name,
            project_slug: row.project_slug,
            read_at: row.read_at,
        }
    }
}

fn block_text(reason: &str) -> Option<String> {
    BlockReason::from_name(reason).map(|reason| reason.explanation().to_owned())
}

/// Lists what is waiting for the user, newest first: questions, plans and blocks of builds of their
/// own projects, recent decisions about them, and for administrators the builds of other users that
/// are waiting for a review.
#[utoipa::path(get, path = "/api/inbox", tag = "inbox", params(Page), responses(
    (status = 200, body = Inbox),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_inbox(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<Inbox>, ApiError> {
    let before = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let (before, reader) = (before.transpose()?, reader(&app, &user));
    let mut conn = app.db.read().await?;
    let rows = inbox::list(&mut conn, reader, before, page.rows()?).await?;
    let counts = inbox::count(&mut conn, reader).await?;
    let key = |row: &inbox::InboxItem| format!("{}.{}", row.at.timestamp_micros(), row.key);
    let List { items, next } = page.list(rows, key, InboxItem::from)?;
    Ok(Json(Inbox { items, next, count: counts.items, unread_count: counts.unread }))
}

/// Marks items of the inbox as read or unread, for this user only.
#[utoipa::path(post, path = "/api/inbox/read", tag = "inbox", request_body = MarkInboxRequest,
    responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn mark_inbox(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Json(MarkInboxRequest { items, read }): Json<MarkInboxRequest>,
) -> Result<StatusCode, ApiError> {
    if items.as_ref().is_some_and(|keys| keys.len() > MAX_MARKED) {
        return Err(ApiError::invalid("items", format!("use at most {MAX_MARKED} items")));
    }
    let reader = reader(&app, &user);
    let mut tx = app.db.write().await?;
    match (read, items) {
        (true, keys) => inbox::mark_read(&mut tx, reader, keys.as_deref()).await?,
        (false, Some(keys)) => {
            for key in &keys {
                inbox::mark_unread(&mut tx, user.id, key).await?;
            }
        }
        (false, None) => {
            return Err(ApiError::invalid("items", "name the items to mark as unread"));
        }
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

fn reader(app: &App, user: &User) -> Reader {
    let is_admin = user.role == UserRole::Admin;
    let required_approvals = is_admin.then_some(app.approval.required);
    Reader { user: user.id, required_approvals, now: store::now() }
}

/// A cursor is the time in microseconds and the item's key.
fn cursor(text: &str) -> Option<Cursor> {
    let (micros, key) = text.split_once('.')?;
    let at = DateTime::from_timestamp_micros(micros.parse().ok()?)?;
    Some(Cursor { at, key: key.to_owned() })
}
