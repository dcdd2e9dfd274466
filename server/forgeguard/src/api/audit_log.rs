//! `/api/audit-log`: security-relevant actions, for administrators.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    audit::AuditAction,
    ids::{ProjectId, UserId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    identity::Admin,
    list::{List, Page},
};
use crate::{
    engine::verify::audit_log::AuditVerification,
    store::{
        audit_log::{self, Filter},
        projects,
    },
};

/// Which entries to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// Only this action.
    action: Option<AuditAction>,
    /// Only actions of this user.
    actor: Option<UserId>,
    /// Only actions on this project and its builds.
    project: Option<ProjectId>,
    /// Only entries from this time on.
    from: Option<DateTime<Utc>>,
    /// Only entries before this time.
    until: Option<DateTime<Utc>>,
}

impl From<AuditQuery> for Filter {
    fn from(AuditQuery { action, actor, project, from, until }: AuditQuery) -> Self {
        Self { action, actor, project, from, until }
    }
}

/// An entry of the audit log, which is append-only.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// From 1, without gaps.
    seq: u64,
    at: DateTime<Utc>,
    /// Null for the configuration and the command line.
    #[schema(required)]
    actor_id: Option<UserId>,
    /// The actor's name at that time.
    actor_name: String,
    action: AuditAction,
    /// Kind and id of what the action applied to, such as `user/0190…`.
    subject: String,
    /// Further details, depending on the action.
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

/// Lists actions on accounts, sessions, keys, settings, builds and reviews, newest first.
#[utoipa::path(get, path = "/api/audit-log", tag = "reviews", params(Page, AuditQuery),
    responses(
        (status = 200, body = List<AuditEntry>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_audit_log(
    State(app): State<Shared>,
    _: Admin,
    QueryParams(page): QueryParams<Page>,
    QueryParams(query): QueryParams<AuditQuery>,
) -> Result<Json<List<AuditEntry>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = audit_log::list(&mut conn, query.into(), page.after()?, page.rows()?).await?;
    let list = page.list(rows, |row| row.seq.to_string(), AuditEntry::try_from)?;
    let items = list.items.into_iter().collect::<Result<_, _>>().map_err(ApiError::internal)?;
    Ok(Json(List { items, next: list.next }))
}

/// Verifies the hash chain of the audit log, and that it contains the entries named by seals.
#[utoipa::path(get, path = "/api/audit-log/verify", tag = "reviews", responses(
    (status = 200, body = AuditVerification),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn verify_audit_log(
    State(app): State<Shared>,
    _: Admin,
) -> Result<Json<AuditVerification>, ApiError> {
    Ok(Json(app.engine.verifier().audit_log().await?))
}

/// A project of the installation, for the filter.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditedProject {
    id: ProjectId,
    name: String,
}

/// Lists the projects of all users, newest first, also deleted ones: the log may be filtered by each.
#[utoipa::path(get, path = "/api/audit-log/projects", tag = "reviews", params(Page), responses(
    (status = 200, body = List<AuditedProject>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_audited_projects(
    State(app): State<Shared>,
    _: Admin,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<AuditedProject>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = projects::names(&mut conn, page.after()?, page.rows()?).await?;
    let show = |(id, name)| AuditedProject { id, name };
    Ok(Json(page.list(rows, |(id, _): &(ProjectId, String)| id.to_string(), show)?))
}
