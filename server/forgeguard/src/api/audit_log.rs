//! `/api/audit-log`: who did what, for administrators.

mod query;

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::UserId};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::{Json, Search},
    identity::Admin,
    list::{List, Page},
    problem::{Problem, ProblemBody},
};
pub use query::AuditQuery;

use crate::store::audit_log::{self, Filter};

/// Something that somebody did. Nobody can change or remove it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// From 1, without holes.
    seq: u64,
    /// When.
    at: DateTime<Utc>,
    /// Who; null for the service's own settings and command line.
    #[schema(required)]
    actor_id: Option<UserId>,
    /// What they were called then.
    actor_name: String,
    /// What they did.
    action: AuditAction,
    /// What it was done to: its kind and id, such as `user/0190…`.
    subject: String,
    /// More about it.
    #[schema(value_type = Object)]
    detail: serde_json::Value,
}

impl TryFrom<audit_log::AuditEntry> for AuditEntry {
    type Error = serde_json::Error;

    fn try_from(row: audit_log::AuditEntry) -> Result<Self, Self::Error> {
        let detail = serde_json::from_str(&row.detail)?;
        let audit_log::AuditEntry { seq, at, actor_id, actor_name, action, subject, .. } = row;
        Ok(Self { seq, at, actor_id, actor_name, action, subject, detail })
    }
}

/// Who did what to accounts, keys and reviews, newest first.
#[utoipa::path(get, path = "/api/audit-log", tag = "reviews", params(Page, AuditQuery),
    responses(
        (status = 200, body = List<AuditEntry>),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_audit_log(
    State(app): State<Shared>,
    _: Admin,
    Search(page): Search<Page>,
    Search(AuditQuery { action, actor }): Search<AuditQuery>,
) -> Result<Json<List<AuditEntry>>, Problem> {
    let mut conn = app.db.read().await?;
    let (filter, before) = (Filter { action, actor }, page.after()?);
    let rows = audit_log::list(&mut conn, filter, before, page.rows()?).await?;
    let list = page.list(rows, |row| row.seq.to_string(), AuditEntry::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(Problem::internal)?;
    Ok(Json(List { items, next: list.next }))
}
