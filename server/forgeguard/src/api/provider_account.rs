//! Which account a provider's user signs in to: a linked one, an invited one, or a new one if the
//! provider's policy allows it. An equal email address alone links nothing.

use domain::{audit::AuditAction, ids::UserId, sign_in_provider::FirstSignIn, user_role::UserRole};
use serde_json::json;
use sso::identity::Identity;

use super::{api_error::ApiError, app::App, auth::password, check::Check, forge_keys};
use crate::store::{
    self, Conn,
    audit_log::{self, NewEntry},
    identities, invitations,
    pending_sign_ins::PendingSignIn,
    sessions,
    sign_in_providers::{self, SignInProvider},
    users::{self, User},
};

/// In characters.
const MAX_NAME_LENGTH: usize = 80;

/// Why a sign-in is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The user, or the provider for them, refused.
    Denied,
    /// It took too long, or was finished before.
    Expired,
    /// It was started in another browser.
    OtherBrowser,
    /// The provider cannot be reached, or its reply is invalid.
    Failed,
    UnverifiedEmail,
    /// The provider's policy creates no account for this user.
    NotInvited,
    Deactivated,
    /// An account with this email address exists; its user has to link the provider.
    LinkRequired,
    /// The provider's user is linked to another account.
    AlreadyLinked,
    /// The invitation was used or has expired.
    InvitationExpired,
    /// The session that links the provider has ended.
    SessionEnded,
}

impl Problem {
    /// As in the address of the page that shows it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::OtherBrowser => "other-browser",
            Self::Failed => "failed",
            Self::UnverifiedEmail => "unverified-email",
            Self::NotInvited => "not-invited",
            Self::Deactivated => "deactivated",
            Self::LinkRequired => "link-required",
            Self::AlreadyLinked => "already-linked",
            Self::InvitationExpired => "invitation-expired",
            Self::SessionEnded => "session-ended",
        }
    }
}

/// Finds or creates the account, links the identity to it, and applies the role claim.
pub async fn resolve(
    app: &App,
    provider: &SignInProvider,
    pending: &PendingSignIn,
    identity: &Identity,
) -> Result<Result<User, Problem>, ApiError> {
    let mut tx = app.db.write().await?;
    let found = if let Some(session) = pending.session_id {
        let session = sessions::get(&mut tx, session, store::now()).await?;
        match session {
            Some(session) => link(&mut tx, provider, identity, session.user_id).await?,
            None => Err(Problem::SessionEnded),
        }
    } else if let Some(invitation) = &pending.invitation_hash {
        accept(&mut tx, provider, identity, invitation).await?
    } else {
        sign_in(&mut tx, provider, identity).await?
    };
    let user = match found {
        Ok(user) if pending.session_id.is_some() => user,
        Ok(user) => apply_role(&mut tx, provider, identity, user).await?,
        Err(problem) => return Ok(Err(problem)),
    };
    tx.commit().await?;
    Ok(Ok(user))
}

/// Links a signed-in user.
async fn link(
    tx: &mut Conn,
    provider: &SignInProvider,
    identity: &Identity,
    id: UserId,
) -> Result<Result<User, Problem>, ApiError> {
    let Some(user) = active(tx, id).await? else { return Ok(Err(Problem::Deactivated)) };
    match identities::by_subject(tx, provider.id, &identity.subject).await? {
        Some(linked) if linked.user_id == id => Ok(Ok(user)),
        Some(_) => Ok(Err(Problem::AlreadyLinked)),
        None => {
            insert(tx, provider, identity, &user, json!({ "by": "account settings" })).await?;
            Ok(Ok(user))
        }
    }
}

/// Accepts an invitation, which replaces the password as it does when a new one is set.
async fn accept(
    tx: &mut Conn,
    provider: &SignInProvider,
    identity: &Identity,
    token_hash: &str,
) -> Result<Result<User, Problem>, ApiError> {
    let now = store::now();
    let Some(invitation) = invitations::take(tx, token_hash, now).await? else {
        return Ok(Err(Problem::InvitationExpired));
    };
    let id = invitation.user_id;
    let Some(user) = active(tx, id).await? else { return Ok(Err(Problem::Deactivated)) };
    let linked = identities::by_subject(tx, provider.id, &identity.subject).await?;
    if linked.as_ref().is_some_and(|linked| linked.user_id != id) {
        return Ok(Err(Problem::AlreadyLinked));
    }
    users::remove_password(tx, id, &password::hash_of_unknown()).await?;
    users::set_grant(tx, id, invitation.created_by, now).await?;
    sessions::remove_all(tx, id).await?;
    if invitation.revoke_keys {
        forge_keys::revoke_all(tx, &user, &user).await?;
    }
    let detail = json!({ "by": "invitation", "invited_by": invitation.created_by });
    match linked {
        Some(linked) => {
            identities::set_used(tx, linked.id, identity.email.as_deref(), now).await?;
            let detail = json!({ "by": "invitation", "provider": provider.name });
            record(tx, &user, AuditAction::PasswordChanged, detail).await?;
        }
        None => insert(tx, provider, identity, &user, detail).await?,
    }
    Ok(Ok(user))
}

async fn sign_in(
    tx: &mut Conn,
    provider: &SignInProvider,
    identity: &Identity,
) -> Result<Result<User, Problem>, ApiError> {
    // Two first sign-ins of one person at the same time: the second finds the account of the first.
    sign_in_providers::lock(tx, provider.id).await?;
    if let Some(linked) = identities::by_subject(tx, provider.id, &identity.subject).await? {
        let Some(user) = active(tx, linked.user_id).await? else {
            return Ok(Err(Problem::Deactivated));
        };
        identities::set_used(tx, linked.id, identity.email.as_deref(), store::now()).await?;
        return Ok(Ok(user));
    }
    let mut check = Check::new();
    let email = check.email("email", identity.email.as_deref().unwrap_or_default());
    if check.done().is_err() || !identity.email_verified {
        return Ok(Err(Problem::UnverifiedEmail));
    }
    if let Some(user) = users::by_email(tx, &email).await? {
        let is_active = user.disabled_at.is_none();
        return Ok(Err(if is_active { Problem::LinkRequired } else { Problem::Deactivated }));
    }
    if !admits(provider, &email)? {
        return Ok(Err(Problem::NotInvited));
    }
    let user = User {
        id: store::new_id(),
        name: display_name(identity.name.as_deref(), &email),
        email,
        role: UserRole::User,
        password_hash: password::hash_of_unknown(),
        created_at: store::now(),
        disabled_at: None,
    };
    users::insert(tx, &user).await?;
    users::remove_password(tx, user.id, &user.password_hash).await?;
    users::set_grant(tx, user.id, None, user.created_at).await?;
    let detail = json!({
        "email": user.email, "name": user.name, "role": user.role, "provider": provider.name,
    });
    record(tx, &user, AuditAction::UserCreated, detail).await?;
    insert(tx, provider, identity, &user, json!({ "by": "first sign-in" })).await?;
    Ok(Ok(user))
}

/// Whether the policy creates an account for this verified address.
fn admits(provider: &SignInProvider, email: &str) -> Result<bool, ApiError> {
    Ok(match provider.first_sign_in {
        FirstSignIn::Invited => false,
        FirstSignIn::Anyone => true,
        FirstSignIn::Domains => {
            let domains: Vec<String> =
                serde_json::from_str(&provider.allowed_domains).map_err(ApiError::internal)?;
            let domain = email.rsplit_once('@').map(|(_, domain)| domain);
            domain.is_some_and(|domain| domains.iter().any(|allowed| allowed == domain))
        }
    })
}

/// One line; without a name the part of the address before the @.
fn display_name(name: Option<&str>, email: &str) -> String {
    let clean = |text: &str| -> String {
        let text: String = text.chars().filter(|c| !c.is_control()).collect();
        text.trim().chars().take(MAX_NAME_LENGTH).collect()
    };
    let name = name.map(clean).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| clean(email.split('@').next().unwrap_or(email)))
}

/// Gives the user the role that the provider's claim says, but keeps the last administrator.
async fn apply_role(
    tx: &mut Conn,
    provider: &SignInProvider,
    identity: &Identity,
    user: User,
) -> Result<User, ApiError> {
    let (Some(claim), Some(value)) = (&provider.role_claim, &provider.admin_value) else {
        return Ok(user);
    };
    let is_admin = identity.has_claim(claim, value);
    let role = if is_admin { UserRole::Admin } else { UserRole::User };
    if role == user.role {
        return Ok(user);
    }
    if role == UserRole::User && users::lock_admins(tx).await?.iter().all(|id| *id == user.id) {
        tracing::warn!(user = user.email, "the last administrator keeps the role");
        return Ok(user);
    }
    let now = store::now();
    users::set_role(tx, user.id, role).await?;
    users::set_grant(tx, user.id, None, now).await?;
    let detail = json!({ "email": user.email, "role": role, "provider": provider.name });
    let (action, subject) = (AuditAction::UserRoleChanged, format!("user/{}", user.id));
    audit_log::append(tx, &NewEntry::by_service(now, action, subject, detail)).await?;
    Ok(User { role, ..user })
}

async fn active(tx: &mut Conn, id: UserId) -> Result<Option<User>, ApiError> {
    Ok(users::get(tx, id).await?.filter(|user| user.disabled_at.is_none()))
}

/// Links an identity, with what led to it in the audit log.
async fn insert(
    tx: &mut Conn,
    provider: &SignInProvider,
    identity: &Identity,
    user: &User,
    mut detail: serde_json::Value,
) -> Result<(), ApiError> {
    let row = identities::Identity {
        id: store::new_id(),
        provider_id: provider.id,
        subject: identity.subject.clone(),
        user_id: user.id,
        email: identity.email.clone(),
        created_at: store::now(),
        last_used_at: None,
    };
    identities::insert(tx, &row).await?;
    detail["provider"] = provider.name.as_str().into();
    detail["identity_email"] = identity.email.clone().into();
    record(tx, user, AuditAction::IdentityLinked, detail).await
}

async fn record(
    tx: &mut Conn,
    user: &User,
    action: AuditAction,
    detail: serde_json::Value,
) -> Result<(), ApiError> {
    let subject = format!("user/{}", user.id);
    audit_log::append(tx, &NewEntry::by(user, store::now(), action, subject, detail)).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_one_line_and_never_empty() {
        for (name, expected) in
            [(Some(" Ada\nLovelace "), "AdaLovelace"), (Some(" \u{7} "), "ada"), (None, "ada")]
        {
            assert_eq!(display_name(name, "ada@example.org"), expected, "{name:?}");
        }
        assert_eq!(display_name(Some(&"x".repeat(100)), "a@b").len(), MAX_NAME_LENGTH);
    }
}
