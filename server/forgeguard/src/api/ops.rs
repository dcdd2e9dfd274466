//! `/healthz` and `/readyz`: for whatever watches over the process.

use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    app::Shared,
    extract::Json,
    problem::{Problem, ProblemBody},
};
use crate::store::users;

/// All is well.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always `ok`.
    status: &'static str,
}

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "operations",
    responses((status = 200, body = Health)))]
pub async fn get_health() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// The process can do its work: the database answers, and it is not about to stop.
#[utoipa::path(get, path = "/readyz", tag = "operations", responses(
    (status = 200, body = Health),
    (status = "5XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn get_readiness(State(app): State<Shared>) -> Result<Json<Health>, Problem> {
    if app.stopping.is_cancelled() {
        return Err(Problem::busy("The service is stopping."));
    }
    users::is_empty(&mut app.db.read().await?).await?;
    Ok(Json(Health { status: "ok" }))
}
