//! Making accounts: the one way in for setup, admins, the command line and the environment.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{audit::AuditAction, ids::UserId};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    auth::{
        password::{PasswordError, Passwords},
        token,
    },
    check::Check,
    problem::Problem,
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

/// How long an invitation counts.
const LIFE: TimeDelta = TimeDelta::days(7);

/// What an account is made of, as somebody typed it.
#[derive(Clone, Debug)]
pub struct NewAccount {
    /// The address to sign in with.
    pub email: String,
    /// As shown to others.
    pub name: String,
    /// At least ten characters.
    pub password: Secret<String>,
    /// `admin` or `user`.
    pub role: &'static str,
}

/// A link that opens once.
#[derive(Debug, Serialize, ToSchema)]
pub struct Invitation {
    /// The path of the page to give to its owner; it holds the secret.
    path: String,
    /// When it ends.
    expires_at: DateTime<Utc>,
}

/// Who makes an account.
#[derive(Clone, Copy, Debug)]
pub enum Maker<'a> {
    /// An administrator, one more.
    Admin(&'a User),
    /// Somebody at the command line, one more.
    CommandLine,
    /// Whoever has the link of the first start, their own: there is none yet.
    Setup,
    /// The settings, the first.
    Settings,
}

impl From<PasswordError> for Problem {
    fn from(error: PasswordError) -> Self {
        match error {
            PasswordError::Crowded => Self::busy("Too many people are signing in; try again."),
            error => Self::internal(error),
        }
    }
}

/// Checks and makes an account. The problem names the field, or says that the address is taken,
/// or that there is an account already.
pub async fn create(
    db: &Db,
    passwords: &Passwords,
    new: NewAccount,
    by: Maker<'_>,
) -> Result<User, Problem> {
    let mut check = Check::new();
    let email = check.email("email", &new.email);
    let name = check.line("name", &new.name, 80);
    check.password("password", new.password.expose());
    check.done()?;
    let user = User {
        id: store::new_id::<UserId>(),
        email,
        name,
        role: new.role.to_owned(),
        password_hash: passwords.hash(new.password).await?,
        created_at: store::now(),
        disabled_at: None,
    };
    let mut tx = db.write().await?;
    if matches!(by, Maker::Setup | Maker::Settings) && !users::is_empty(&mut tx).await? {
        return Err(Problem::conflict("There is an account already: sign in."));
    }
    match users::insert(&mut tx, &user).await {
        Err(store::Error::AlreadyExists(_)) => {
            return Err(Problem::conflict("An account has this address already."));
        }
        written => written?,
    }
    audit_log::append(&mut tx, &entry(&user, by)).await?;
    tx.commit().await?;
    Ok(user)
}

fn entry<'a>(user: &'a User, by: Maker<'a>) -> NewEntry<'a> {
    let detail = json!({ "email": user.email, "name": user.name, "role": user.role });
    let subject = format!("user/{}", user.id);
    let at = user.created_at;
    let (action, actor) = match by {
        Maker::Admin(admin) => (AuditAction::UserCreated, Ok(admin)),
        Maker::Setup => (AuditAction::SetupCompleted, Ok(user)),
        Maker::CommandLine => (AuditAction::UserCreated, Err("command line")),
        Maker::Settings => (AuditAction::UserCreated, Err("settings")),
    };
    match actor {
        Ok(person) => NewEntry::by(person, at, action, subject, detail),
        Err(actor_name) => NewEntry { at, actor_id: None, actor_name, action, subject, detail },
    }
}

/// Makes a link for somebody; one that they had before counts no more.
pub async fn invite(db: &Db, by: &User, user: &User) -> Result<Invitation, Problem> {
    let (secret, now) = (token::opaque(), store::now());
    let expires_at = now + LIFE;
    let mut tx = db.write().await?;
    invitations::put(&mut tx, &token::digest(&secret), user.id, now, expires_at).await?;
    let (action, subject) = (AuditAction::UserInvited, format!("user/{}", user.id));
    let detail = json!({ "email": user.email });
    audit_log::append(&mut tx, &NewEntry::by(by, now, action, subject, detail)).await?;
    tx.commit().await?;
    Ok(Invitation { path: format!("/welcome?token={secret}"), expires_at })
}
