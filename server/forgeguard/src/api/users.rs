//! `/api/users` and `/api/me`: accounts.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::ids::UserId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    accounts::{self, Beside, NewAccount},
    app::Shared,
    check::Check,
    extract::{Json, Search},
    identity::{Admin, SignedIn},
    list::{List, Page},
    problem::{Problem, ProblemBody},
};
use crate::{
    secret::Secret,
    store::{self, users},
};

/// What a person may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum UserRole {
    /// Everything that a user may, and manage accounts.
    Admin,
    /// Have projects and build them.
    User,
}

/// A person with an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct User {
    /// Their id.
    pub id: UserId,
    /// The address they sign in with.
    pub email: String,
    /// As shown to others.
    pub name: String,
    /// What they may do.
    pub role: UserRole,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
}

/// An account to be made.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateUserRequest {
    /// The address to sign in with.
    email: String,
    /// As shown to others, at most 80 characters.
    name: String,
    /// 10 to 200 characters.
    #[schema(value_type = String)]
    password: Secret<String>,
    /// What they may do.
    role: UserRole,
}

/// A change of one's own password.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ChangePasswordRequest {
    /// The one that counts now.
    #[schema(value_type = String)]
    current: Secret<String>,
    /// 10 to 200 characters.
    #[schema(value_type = String)]
    new: Secret<String>,
}

impl UserRole {
    /// The name stored.
    pub fn name(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::User => "user",
        }
    }
}

impl From<users::User> for User {
    fn from(user: users::User) -> Self {
        let role = if user.role == "admin" { UserRole::Admin } else { UserRole::User };
        let users::User { id, email, name, created_at, .. } = user;
        Self { id, email, name, role, created_at }
    }
}

/// All accounts, oldest first.
#[utoipa::path(get, path = "/api/users", tag = "accounts", params(Page), responses(
    (status = 200, body = List<User>),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn list_users(
    State(app): State<Shared>,
    _: Admin,
    Search(page): Search<Page>,
) -> Result<Json<List<User>>, Problem> {
    let mut conn = app.db.read().await?;
    let rows = users::list(&mut conn, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |user| user.id.to_string(), User::from)?))
}

/// Makes an account.
#[utoipa::path(post, path = "/api/users", tag = "accounts", request_body = CreateUserRequest,
    responses(
        (status = 201, body = User),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_user(
    State(app): State<Shared>,
    _: Admin,
    Json(request): Json<CreateUserRequest>,
) -> Result<(StatusCode, Json<User>), Problem> {
    let CreateUserRequest { email, name, password, role } = request;
    let new = NewAccount { email, name, password, role: role.name() };
    let user = accounts::create(&app.db, &app.passwords, new, Beside::Others).await?;
    Ok((StatusCode::CREATED, Json(user.into())))
}

/// Changes one's own password and ends all other sessions.
#[utoipa::path(post, path = "/api/me/password", tag = "accounts",
    request_body = ChangePasswordRequest, responses(
        (status = 204),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn change_password(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
    Json(request): Json<ChangePasswordRequest>,
) -> Result<StatusCode, Problem> {
    let mut check = Check::new();
    check.password("new", request.new.expose());
    check.done()?;
    if !app.passwords.verify(Some(user.password_hash), request.current).await? {
        return Err(Problem::invalid("current", "this is not your password"));
    }
    let hash = app.passwords.hash(request.new).await?;
    let mut tx = app.db.write().await?;
    users::set_password(&mut tx, user.id, &hash).await?;
    store::sessions::remove_others(&mut tx, user.id, session).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
