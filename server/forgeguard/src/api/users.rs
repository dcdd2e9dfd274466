//! `/api/users` and `/api/me`: accounts.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{audit::AuditAction, ids::UserId, user_role::UserRole};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    accounts::{self, AccountCreator, Invitation, NewAccount},
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    auth::client_address::ClientAddress,
    check::Check,
    extract::{Json, PathParams, QueryParams},
    forge_keys,
    identity::{Admin, SignedIn, SignedInAdmin},
    list::{List, Page},
    sign_in,
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        users,
    },
};

#[derive(Debug, Serialize, ToSchema)]
pub struct User {
    pub id: UserId,
    pub email: String,
    pub name: String,
    pub role: UserRole,
    pub created_at: DateTime<Utc>,
    /// When it was deactivated; null while it is active.
    #[schema(required)]
    pub disabled_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct NewUser {
    #[serde(flatten)]
    user: User,
    /// If no password was given: the link with which the user sets one. Shown only once.
    #[schema(required)]
    invitation: Option<Invitation>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateUserRequest {
    #[schema(max_length = 254)]
    email: String,
    /// At most 80 characters.
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// 10 to 200 characters. If omitted, the response contains an invitation.
    #[serde(default)]
    #[schema(min_length = 10, max_length = 200, value_type = Option<String>)]
    password: Option<Secret<String>>,
    role: UserRole,
}

/// Properties that are omitted stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateUserRequest {
    #[serde(default)]
    role: Option<UserRole>,
    /// True deactivates the account and ends its sessions; false reactivates it.
    #[serde(default)]
    disabled: Option<bool>,
}

#[derive(Debug, Deserialize)]
pub struct UserParams {
    user: UserId,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct InviteUserRequest {
    /// Accepting the invitation revokes the account's forge keys; default true.
    #[serde(default = "yes")]
    revoke_keys: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ChangePasswordRequest {
    /// The current password.
    #[schema(value_type = String)]
    current: Secret<String>,
    /// 10 to 200 characters.
    #[schema(min_length = 10, max_length = 200, value_type = String)]
    new: Secret<String>,
    /// Also revoke all forge keys of the account.
    #[serde(default)]
    revoke_keys: bool,
}

fn yes() -> bool {
    true
}

impl From<users::User> for User {
    fn from(user: users::User) -> Self {
        let users::User { id, email, name, role, created_at, disabled_at, .. } = user;
        Self { id, email, name, role, created_at, disabled_at }
    }
}

/// Lists all accounts, oldest first.
#[utoipa::path(get, path = "/api/users", tag = "accounts", params(Page), responses(
    (status = 200, body = List<User>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_users(
    State(app): State<Shared>,
    _: Admin,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<User>>, ApiError> {
    let mut conn = app.db.read().await?;
    let rows = users::list(&mut conn, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |user| user.id.to_string(), User::from)?))
}

/// Creates an account. Without a password, the response contains an invitation to set one.
#[utoipa::path(post, path = "/api/users", tag = "accounts", request_body = CreateUserRequest,
    responses(
        (status = 201, body = NewUser),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_user(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    Json(request): Json<CreateUserRequest>,
) -> Result<(StatusCode, Json<NewUser>), ApiError> {
    let CreateUserRequest { email, name, password, role } = request;
    let is_invited = password.is_none();
    let new = NewAccount { email, name, password, role };
    let user =
        accounts::create(&app.db, &app.passwords, new, AccountCreator::Admin(&admin)).await?;
    let invitation = match is_invited {
        true => Some(accounts::invite(&app.db, &admin, &user, true).await?),
        false => None,
    };
    Ok((StatusCode::CREATED, Json(NewUser { user: user.into(), invitation })))
}

/// Changes another user's role, or deactivates or reactivates their account.
#[utoipa::path(patch, path = "/api/users/{user}", tag = "accounts",
    params(("user" = UserId, Path, description = "The account's id")),
    request_body = UpdateUserRequest, responses(
        (status = 200, body = User),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_user(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(UserParams { user: id }): PathParams<UserParams>,
    Json(UpdateUserRequest { role, disabled }): Json<UpdateUserRequest>,
) -> Result<Json<User>, ApiError> {
    if id == admin.id {
        // At least one administrator must remain.
        let why = "You cannot change your own account. Ask another administrator.";
        return Err(ApiError::forbidden(why));
    }
    let missing = || ApiError::not_found("account");
    let now = store::now();
    let mut tx = app.db.write().await?;
    // The requesting one may be losing the role by a sign-in at the same time.
    if (role == Some(UserRole::User) || disabled == Some(true))
        && users::lock_admins(&mut tx).await?.iter().all(|admin| *admin == id)
    {
        return Err(ApiError::conflict("At least one administrator must remain."));
    }
    let before = users::get(&mut tx, id).await?.ok_or_else(missing)?;
    if let Some(role) = role {
        users::set_role(&mut tx, id, role).await?;
    }
    if let Some(disabled) = disabled {
        users::set_disabled(&mut tx, id, disabled.then_some(now)).await?;
        if disabled {
            store::sessions::remove_all(&mut tx, id).await?;
        }
    }
    let user = users::get(&mut tx, id).await?.ok_or_else(missing)?;
    let changes = changes(&before, &user);
    if changes.iter().any(|action| *action != AuditAction::UserDisabled) {
        users::set_grant(&mut tx, id, Some(admin.id), now).await?;
    }
    for action in changes {
        let detail = json!({ "email": user.email, "role": user.role });
        let entry = NewEntry::by(&admin, now, action, format!("user/{id}"), detail);
        audit_log::append(&mut tx, &entry).await?;
    }
    tx.commit().await?;
    Ok(Json(user.into()))
}

/// The audit log actions for a change.
fn changes(before: &users::User, after: &users::User) -> Vec<AuditAction> {
    let role = (before.role != after.role).then_some(AuditAction::UserRoleChanged);
    let door = match (before.disabled_at, after.disabled_at) {
        (None, Some(_)) => Some(AuditAction::UserDisabled),
        (Some(_), None) => Some(AuditAction::UserEnabled),
        _ => None,
    };
    role.into_iter().chain(door).collect()
}

/// Creates a one-time link to set a new password, valid for seven days.
#[utoipa::path(post, path = "/api/users/{user}/invitation", tag = "accounts",
    params(("user" = UserId, Path, description = "The account's id")),
    request_body = InviteUserRequest, responses(
        (status = 201, body = Invitation),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn invite_user(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(UserParams { user: id }): PathParams<UserParams>,
    Json(InviteUserRequest { revoke_keys }): Json<InviteUserRequest>,
) -> Result<(StatusCode, Json<Invitation>), ApiError> {
    let user = users::get(&mut app.db.read().await?, id).await?;
    let user = user.ok_or_else(|| ApiError::not_found("account"))?;
    let invitation = accounts::invite(&app.db, &admin, &user, revoke_keys).await?;
    Ok((StatusCode::CREATED, Json(invitation)))
}

/// Changes the user's own password and ends all their other sessions.
#[utoipa::path(post, path = "/api/me/password", tag = "accounts",
    request_body = ChangePasswordRequest, responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn change_password(
    State(app): State<Shared>,
    SignedIn { user, session }: SignedIn,
    address: ClientAddress,
    Json(request): Json<ChangePasswordRequest>,
) -> Result<StatusCode, ApiError> {
    let mut check = Check::new();
    check.password("new", request.new.expose());
    check.done()?;
    let verified = sign_in::verify_password(&app, address, &user.email, request.current).await?;
    if verified.is_none() {
        return Err(ApiError::invalid("current", "incorrect password"));
    }
    let hash = app.passwords.hash(request.new).await?;
    let mut tx = app.db.write().await?;
    users::set_password(&mut tx, user.id, &hash).await?;
    store::sessions::remove_others(&mut tx, user.id, session).await?;
    if request.revoke_keys {
        forge_keys::revoke_all(&mut tx, &user, &user).await?;
    }
    let (action, subject) = (AuditAction::PasswordChanged, format!("user/{}", user.id));
    let entry = NewEntry::by(&user, store::now(), action, subject, json!({}));
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
