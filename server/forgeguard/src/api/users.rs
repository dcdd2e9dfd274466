//! `/api/users` and `/api/me`: accounts.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::UserId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    accounts::{self, Invitation, Maker, NewAccount},
    app::Shared,
    auth::token,
    check::Check,
    extract::{Json, Params, Search},
    identity::{Admin, SignedIn},
    list::{List, Page},
    problem::{Problem, ProblemBody},
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        users,
    },
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
    /// Since when it may not be used; null while it may.
    #[schema(required)]
    pub disabled_at: Option<DateTime<Utc>>,
}

/// An account that was just made.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewUser {
    /// Whose.
    #[serde(flatten)]
    user: User,
    /// Where no password was given: the link by which its owner sets one. Shown this once.
    #[schema(required)]
    invitation: Option<Invitation>,
}

/// An account to be made.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateUserRequest {
    /// The address to sign in with.
    email: String,
    /// As shown to others, at most 80 characters.
    name: String,
    /// 10 to 200 characters. Without it, an invitation is given back.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    password: Option<Secret<String>>,
    /// What they may do.
    role: UserRole,
}

/// What shall be different about an account.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateUserRequest {
    /// What its owner may do.
    #[serde(default)]
    role: Option<UserRole>,
    /// True shuts the account and ends its sessions; false opens it again.
    #[serde(default)]
    disabled: Option<bool>,
}

/// Which account a path names.
#[derive(Debug, Deserialize)]
pub struct UserParams {
    user: UserId,
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
        let users::User { id, email, name, created_at, disabled_at, .. } = user;
        Self { id, email, name, role, created_at, disabled_at }
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

/// Makes an account. Without a password, its owner sets one by the invitation that is given back.
#[utoipa::path(post, path = "/api/users", tag = "accounts", request_body = CreateUserRequest,
    responses(
        (status = 201, body = NewUser),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn create_user(
    State(app): State<Shared>,
    Admin(admin): Admin,
    Json(request): Json<CreateUserRequest>,
) -> Result<(StatusCode, Json<NewUser>), Problem> {
    let CreateUserRequest { email, name, password, role } = request;
    let is_invited = password.is_none();
    // Nobody knows this one: the account opens by its invitation alone.
    let password = password.unwrap_or_else(|| Secret::new(token::opaque()));
    let new = NewAccount { email, name, password, role: role.name() };
    let user = accounts::create(&app.db, &app.passwords, new, Maker::Admin(&admin)).await?;
    let invitation = match is_invited {
        true => Some(accounts::invite(&app.db, &admin, &user).await?),
        false => None,
    };
    Ok((StatusCode::CREATED, Json(NewUser { user: user.into(), invitation })))
}

/// Changes somebody else's rights, or shuts or opens their account.
#[utoipa::path(patch, path = "/api/users/{user}", tag = "accounts",
    params(("user" = UserId, Path, description = "The account's id")),
    request_body = UpdateUserRequest, responses(
        (status = 200, body = User),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn update_user(
    State(app): State<Shared>,
    Admin(admin): Admin,
    Params(UserParams { user: id }): Params<UserParams>,
    Json(UpdateUserRequest { role, disabled }): Json<UpdateUserRequest>,
) -> Result<Json<User>, Problem> {
    if id == admin.id {
        // So there is always one who can undo it.
        let why = "Another administrator has to change your own account.";
        return Err(Problem::forbidden(why));
    }
    let missing = || Problem::not_found("account");
    let now = store::now();
    let mut tx = app.db.write().await?;
    let before = users::get(&mut tx, id).await?.ok_or_else(missing)?;
    if let Some(role) = role {
        users::set_role(&mut tx, id, role.name()).await?;
    }
    if let Some(disabled) = disabled {
        users::set_disabled(&mut tx, id, disabled.then_some(now)).await?;
        if disabled {
            store::sessions::remove_all(&mut tx, id).await?;
        }
    }
    let user = users::get(&mut tx, id).await?.ok_or_else(missing)?;
    for action in changes(&before, &user) {
        let detail = json!({ "email": user.email, "role": user.role });
        let entry = NewEntry::by(&admin, now, action, format!("user/{id}"), detail);
        audit_log::append(&mut tx, &entry).await?;
    }
    tx.commit().await?;
    Ok(Json(user.into()))
}

/// What was done to an account, for the audit log.
fn changes(before: &users::User, after: &users::User) -> Vec<AuditAction> {
    let role = (before.role != after.role).then_some(AuditAction::UserRoleChanged);
    let door = match (before.disabled_at, after.disabled_at) {
        (None, Some(_)) => Some(AuditAction::UserDisabled),
        (Some(_), None) => Some(AuditAction::UserEnabled),
        _ => None,
    };
    role.into_iter().chain(door).collect()
}

/// Gives a link by which somebody sets a new password, once, within seven days.
#[utoipa::path(post, path = "/api/users/{user}/invitation", tag = "accounts",
    params(("user" = UserId, Path, description = "The account's id")), responses(
        (status = 201, body = Invitation),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn invite_user(
    State(app): State<Shared>,
    Admin(admin): Admin,
    Params(UserParams { user: id }): Params<UserParams>,
) -> Result<(StatusCode, Json<Invitation>), Problem> {
    let user = users::get(&mut app.db.read().await?, id).await?;
    let user = user.ok_or_else(|| Problem::not_found("account"))?;
    Ok((StatusCode::CREATED, Json(accounts::invite(&app.db, &admin, &user).await?)))
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
    if !app.passwords.verify(Some(user.password_hash.clone()), request.current).await? {
        return Err(Problem::invalid("current", "this is not your password"));
    }
    let hash = app.passwords.hash(request.new).await?;
    let mut tx = app.db.write().await?;
    users::set_password(&mut tx, user.id, &hash).await?;
    store::sessions::remove_others(&mut tx, user.id, session).await?;
    let (action, subject) = (AuditAction::PasswordChanged, format!("user/{}", user.id));
    let entry = NewEntry::by(&user, store::now(), action, subject, json!({}));
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
