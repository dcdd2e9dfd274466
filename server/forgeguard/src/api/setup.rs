//! `/api/setup`: creating the first account.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use domain::user_role::UserRole;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    accounts::{self, AccountCreator, NewAccount},
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::Json,
    session::{self, Session, SignInMethod},
};
use crate::{demo, secret::Secret, store::users};

#[derive(Debug, Serialize, ToSchema)]
pub struct Setup {
    /// There is no account yet.
    needed: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct SetupRequest {
    /// From the link that was printed at the first start.
    #[schema(value_type = String)]
    token: Secret<String>,
    #[schema(max_length = 254)]
    email: String,
    /// At most 80 characters.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// 10 to 200 characters.
    #[schema(min_length = 10, max_length = 200, value_type = String)]
    password: Secret<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SetupDone {
    #[serde(flatten)]
    session: Session,
    /// The page to show next: the demo project.
    landing: String,
}

/// Gets whether the first account has to be created.
#[utoipa::path(get, path = "/api/setup", tag = "accounts", security(()), responses(
    (status = 200, body = Setup),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_setup(State(app): State<Shared>) -> Result<Json<Setup>, ApiError> {
    let needed = users::is_empty(&mut app.db.read().await?).await?;
    Ok(Json(Setup { needed }))
}

/// Creates the first account and the demo project, and signs in.
#[utoipa::path(post, path = "/api/setup", tag = "accounts", security(()), request_body = SetupRequest,
    responses(
        (status = 201, body = SetupDone),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_first_account(
    State(app): State<Shared>,
    headers: HeaderMap,
    Json(request): Json<SetupRequest>,
) -> Result<Response, ApiError> {
    let SetupRequest { token, email, name, password } = request;
    if !app.setup.matches(token.expose()) {
        return Err(ApiError::forbidden(
            "This link was already used, or the service was restarted since.",
        ));
    }
    let new = NewAccount { email, name, password: Some(password), role: UserRole::Admin };
    let admin = accounts::create(&app.db, &app.passwords, new, AccountCreator::Setup).await?;
    app.setup.forget();
    let project = demo::create(&app.engine, admin.id).await?;
    let issued = session::begin(&app, admin, SignInMethod::Setup, &headers).await?;
    let headers = issued.headers();
    let done = SetupDone { session: issued.session, landing: format!("/projects/{project}") };
    Ok((StatusCode::CREATED, headers, Json(done)).into_response())
}
