//! Creating accounts and invitations, for setup, administrators, the command line and the settings.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{audit::AuditAction, ids::UserId, user_role::UserRole};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::ApiError,
    auth::{
        password::{self, PasswordError, Passwords},
        token,
    },
    check::Check,
};
use crate::{
    secret::Secret,
    store::{
        self, Db,
        audit_log::{self, NewEntry},
        invitations,
        users::{self, User},
    },
};

const INVITATION_LIFETIME: TimeDelta = TimeDelta::days(7);

/// A user, as other users see them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Person {
    pub id: UserId,
    pub name: String,
}

/// An account to create, with unchecked fields.
#[derive(Clone, Debug)]
pub struct NewAccount {
    pub email: String,
    pub name: String,
    /// At least ten characters. None: the account cannot sign in with a password.
    pub password: Option<Secret<String>>,
    pub role: UserRole,
}

/// A one-time link to set a password.
#[derive(Debug, Serialize, ToSchema)]
pub struct Invitation {
    /// The path of the page, which contains the secret token.
    path: String,
    expires_at: DateTime<Utc>,
}

/// Who creates an account.
#[derive(Clone, Copy, Debug)]
pub enum AccountCreator<'a> {
    /// An administrator.
    Admin(&'a User),
    CommandLine,
    /// The holder of the setup link; only while there is no account.
    Setup,
    /// The configuration; only while there is no account.
    Settings,
}

impl From<PasswordError> for ApiError {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::QueueFull => Self::busy("Too many sign-ins are in progress. Try again."),
            error => Self::internal(error),
        }
    }
}

/// 422 if a field is invalid, 409 if the address is taken or, for the first account, if there is an
/// account already.
pub async fn create(
    db: &Db,
    passwords: &Passwords,
    new: NewAccount,
    by: AccountCreator<'_>,
) -> Result<User, ApiError> {
    let mut check = Check::new();
    let email = check.email("email", &new.email);
    let name = check.line("name", &new.name, 80);
    if let Some(password) = &new.password {
        check.password("password", password.expose());
    }
    check.done()?;
    let has_password = new.password.is_some();
    let password_hash = match new.password {
        Some(password) => passwords.hash(password).await?,
        None => password::hash_of_unknown(),
    };
    let user = User {
        id: store::new_id::<UserId>(),
        email,
        name,
        role: new.role,
        password_hash,
        created_at: store::now(),
        disabled_at: None,
    };
    let mut tx = db.write().await?;
    if matches!(by, AccountCreator::Setup | AccountCreator::Settings)
        && !users::is_empty(&mut tx).await?
    {
        return Err(ApiError::conflict("An account already exists. Sign in."));
    }
    match users::insert(&mut tx, &user).await {
        Err(store::Error::AlreadyExists(_)) => {
            return Err(ApiError::conflict("An account with this email address already exists."));
        }
        written => written?,
    }
    let granted_by = match by {
        AccountCreator::Admin(admin) => Some(admin.id),
        AccountCreator::CommandLine | AccountCreator::Setup | AccountCreator::Settings => None,
    };
    if !has_password {
        users::remove_password(&mut tx, user.id, &user.password_hash).await?;
    }
    users::set_grant(&mut tx, user.id, granted_by, user.created_at).await?;
    audit_log::append(&mut tx, &entry(&user, by)).await?;
    tx.commit().await?;
    Ok(user)
}

fn entry<'a>(user: &'a User, by: AccountCreator<'a>) -> NewEntry<'a> {
    let detail = json!({ "email": user.email, "name": user.name, "role": user.role });
    let subject = format!("user/{}", user.id);
    let at = user.created_at;
    let (action, actor) = match by {
        AccountCreator::Admin(admin) => (AuditAction::UserCreated, Ok(admin)),
        AccountCreator::Setup => (AuditAction::SetupCompleted, Ok(user)),
        AccountCreator::CommandLine => (AuditAction::UserCreated, Err("command line")),
        AccountCreator::Settings => (AuditAction::UserCreated, Err("settings")),
    };
    match actor {
        Ok(person) => NewEntry::by(person, at, action, subject, detail),
        Err(actor_name) => NewEntry { at, actor_id: None, actor_name, action, subject, detail },
    }
}

/// Replaces the account's previous invitation. With `revoke_keys`, accepting it revokes the
/// account's forge keys.
pub async fn invite(
    db: &Db,
    by: &User,
    user: &User,
    revoke_keys: bool,
) -> Result<Invitation, ApiError> {
    let (secret, now) = (token::opaque(), store::now());
    let expires_at = now + INVITATION_LIFETIME;
    let mut tx = db.write().await?;
    let created_by = Some(by.id);
    let invitation = invitations::Invitation { user_id: user.id, created_by, revoke_keys };
    invitations::put(&mut tx, &token::digest(&secret), &invitation, now, expires_at).await?;
    let (action, subject) = (AuditAction::UserInvited, format!("user/{}", user.id));
    let detail = json!({ "email": user.email, "revoke_keys": revoke_keys });
    audit_log::append(&mut tx, &NewEntry::by(by, now, action, subject, detail)).await?;
    tx.commit().await?;
    Ok(Invitation { path: format!("/welcome?token={secret}"), expires_at })
}
