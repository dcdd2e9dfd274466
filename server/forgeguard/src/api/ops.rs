//! `/healthz` and `/readyz`: health checks.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
};

#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// Reports that the process is running.
#[utoipa::path(get, path = "/healthz", tag = "operations", security(()),
    responses((status = 200, body = Health)))]
pub async fn get_health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Reports whether this node can serve: the database is writable, and no background loop has
/// failed.
#[utoipa::path(get, path = "/readyz", tag = "operations", security(()), responses(
    (status = 200, body = Health),
    (status = "5XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_readiness(State(app): State<Shared>) -> Result<Json<Health>, ApiError> {
    if app.stopping.is_cancelled() {
        return Err(ApiError::busy("The service is stopping."));
    }
    if let Some(name) = app.journal.supervisor().failing().first() {
        return Err(ApiError::degraded(name));
    }
    app.readiness.check(&app.db, app.engine.node()).await?;
    Ok(Json(Health { status: "ok" }))
}
