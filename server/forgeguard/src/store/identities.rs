//! The users of sign-in providers that are linked to accounts.

use chrono::{DateTime, Utc};
use domain::ids::{IdentityId, SignInProviderId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Identity {
        pub id: IdentityId,
        pub provider_id: SignInProviderId,
        /// The provider's own id of the person; unique within the provider.
        pub subject: String,
        pub user_id: UserId,
        /// As the provider named it at the last sign-in.
        pub email: Option<String>,
        pub created_at: DateTime<Utc>,
        /// None until the first sign-in after it was linked.
        pub last_used_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "id, provider_id, subject, user_id, email, created_at, last_used_at"
    };
}

/// `Error::AlreadyExists` if the subject is linked already.
pub async fn insert(conn: &mut Conn, identity: &Identity) -> Result<()> {
    const SQL: &str =
        concat!("INSERT INTO identities (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)");
    execute!(
        conn,
        SQL,
        identity.id,
        identity.provider_id,
        identity.subject.as_str(),
        identity.user_id,
        identity.email.as_deref(),
        identity.created_at,
        identity.last_used_at,
    );
    Ok(())
}

pub async fn by_subject(
    conn: &mut Conn,
    provider: SignInProviderId,
    subject: &str,
) -> Result<Option<Identity>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM identities WHERE provider_id = $1 AND subject = $2");
    Ok(fetch!(conn, SQL, provider, subject).pop())
}

/// Those of a user, oldest first.
pub async fn of_user(conn: &mut Conn, user: UserId) -> Result<Vec<Identity>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM identities WHERE user_id = $1 ORDER BY id");
    Ok(fetch!(conn, SQL, user))
}

/// The accounts that are linked to a provider.
pub async fn count(conn: &mut Conn, provider: SignInProviderId) -> Result<u32> {
    const SQL: &str = "SELECT COUNT(*) FROM identities WHERE provider_id = $1";
    let rows: Vec<(u32,)> = fetch!(conn, SQL, provider);
    Ok(rows.first().map_or(0, |(count,)| *count))
}

pub async fn set_used(
    conn: &mut Conn,
    id: IdentityId,
    email: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    const SQL: &str = "UPDATE identities SET email = $2, last_used_at = $3 WHERE id = $1";
    execute!(conn, SQL, id, email, now);
    Ok(())
}

pub async fn remove(conn: &mut Conn, id: IdentityId) -> Result<()> {
    execute!(conn, "DELETE FROM identities WHERE id = $1", id);
    Ok(())
}
