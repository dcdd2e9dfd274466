//! `/api/setup`: the first start.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    accounts::{self, Maker, NewAccount},
    app::Shared,
    extract::Json,
    problem::{Problem, ProblemBody},
    session::{self, Session},
};
use crate::{demo, secret::Secret, store::users};

/// Whether somebody has to make the first account.
#[derive(Debug, Serialize, ToSchema)]
pub struct Setup {
    /// There is no account yet.
    needed: bool,
}

/// The first account.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SetupRequest {
    /// From the link that the start printed.
    #[schema(value_type = String)]
    token: Secret<String>,
    /// The address to sign in with.
    email: String,
    /// As shown to others, at most 80 characters.
    name: String,
    /// 10 to 200 characters.
    #[schema(value_type = String)]
    password: Secret<String>,
}

/// The first account, signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct SetupDone {
    /// The administrator's session.
    #[serde(flatten)]
    session: Session,
    /// The page to show next: the demo project.
    landing: String,
}

/// Says whether the first account is still to be made.
#[utoipa::path(get, path = "/api/setup", tag = "accounts", responses(
    (status = 200, body = Setup),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn get_setup(State(app): State<Shared>) -> Result<Json<Setup>, Problem> {
    let needed = users::is_empty(&mut app.db.read().await?).await?;
    Ok(Json(Setup { needed }))
}

/// Makes the first account and the demo project, and signs in.
#[utoipa::path(post, path = "/api/setup", tag = "accounts", request_body = SetupRequest,
    responses(
        (status = 201, body = SetupDone),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_first_account(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(request): Json<SetupRequest>,
) -> Result<Response, Problem> {
    let SetupRequest { token, email, name, password } = request;
    if !app.setup.matches(token.expose()) {
        return Err(Problem::forbidden("This link has been used, or the service was restarted."));
    }
    let new = NewAccount { email, name, password, role: "admin" };
    let admin = accounts::create(&app.db, &app.passwords, new, Maker::Setup).await?;
    app.setup.forget();
    let project = demo::create(&app.engine, admin.id).await?;
    let issued = session::begin(&app, admin, &headers).await?;
    let headers = issued.headers();
    let done = SetupDone { session: issued.session, landing: format!("/projects/{project}") };
    Ok((StatusCode::CREATED, headers, Json(done)).into_response())
}
