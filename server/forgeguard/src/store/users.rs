//! Users.

use chrono::{DateTime, Utc};
use domain::{
    ids::{Id, SessionId, UserId},
    user_role::UserRole,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    pub struct User {
        pub id: UserId,
        /// Lower case; unique.
        pub email: String,
        /// The display name.
        pub name: String,
        pub role: UserRole,
        /// An argon2id hash in PHC format.
        pub password_hash: String,
        pub created_at: DateTime<Utc>,
        /// Set while the account is deactivated.
        pub disabled_at: Option<DateTime<Utc>>,
    }
}

row! {
    /// A grant of rights or of a link to set the password.
    pub struct Grant {
        /// None for the command line, the settings and the setup.
        pub granted_by: Option<UserId>,
        pub granted_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "id, email, name, role, password_hash, created_at, disabled_at"
    };
}

/// Adds a user. The address is converted to lower case; `Error::AlreadyExists` if it is taken.
pub async fn insert(conn: &mut Conn, user: &User) -> Result<()> {
    const SQL: &str =
        concat!("INSERT INTO users (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)");
    execute!(
        conn,
        SQL,
        user.id,
        user.email.to_lowercase(),
        user.name.as_str(),
        user.role,
        user.password_hash.as_str(),
        user.created_at,
        user.disabled_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: UserId) -> Result<Option<User>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM users WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The user of a session that has not expired at `now`, if the account is active.
pub async fn of_session(
    conn: &mut Conn,
    id: UserId,
    session: SessionId,
    now: DateTime<Utc>,
) -> Result<Option<User>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM users WHERE id = $1 AND disabled_at IS NULL AND EXISTS \
         (SELECT 1 FROM sessions WHERE sessions.id = $2 AND user_id = $1 AND expires_at > $3)"
    );
    Ok(fetch!(conn, SQL, id, session, now).pop())
}

/// The user with this address, ignoring case.
pub async fn by_email(conn: &mut Conn, email: &str) -> Result<Option<User>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM users WHERE email = $1");
    Ok(fetch!(conn, SQL, email.to_lowercase()).pop())
}

/// The next `limit` users after `after`, oldest account first.
pub async fn list(conn: &mut Conn, after: Option<UserId>, limit: i64) -> Result<Vec<User>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM users WHERE id > $1 ORDER BY id LIMIT $2");
    let after = after.unwrap_or(UserId::from_uuid(Uuid::nil()));
    Ok(fetch!(conn, SQL, after, limit))
}

/// The account that owns builds of the command line. Its password is unknown.
pub const COMMAND_LINE: &str = "command-line@localhost";

/// Whether there are no users besides the one of the command line.
pub async fn is_empty(conn: &mut Conn) -> Result<bool> {
    const SQL: &str = "SELECT id FROM users WHERE email <> $1 LIMIT 1";
    let first: Vec<(UserId,)> = fetch!(conn, SQL, COMMAND_LINE);
    Ok(first.is_empty())
}

/// Replaces the password's hash. False if the user does not exist.
pub async fn set_password(conn: &mut Conn, id: UserId, password_hash: &str) -> Result<bool> {
    const SQL: &str = "UPDATE users SET password_hash = $2, has_password = TRUE WHERE id = $1";
    Ok(execute!(conn, SQL, id, password_hash) > 0)
}

/// Replaces the password's hash by that of an unknown password.
pub async fn remove_password(conn: &mut Conn, id: UserId, unknown_hash: &str) -> Result<()> {
    const SQL: &str = "UPDATE users SET password_hash = $2, has_password = FALSE WHERE id = $1";
    execute!(conn, SQL, id, unknown_hash);
    Ok(())
}

/// Whether the user can sign in with a password.
pub async fn has_password(conn: &mut Conn, id: UserId) -> Result<bool> {
    let rows: Vec<(bool,)> = fetch!(conn, "SELECT has_password FROM users WHERE id = $1", id);
    Ok(rows.first().is_some_and(|(has_password,)| *has_password))
}

/// The active administrators. Until the transaction ends, no other one changes that they are.
pub async fn lock_admins(conn: &mut Conn) -> Result<Vec<UserId>> {
    const SQL: Sql = Sql {
        sqlite: "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL",
        postgres: "SELECT id FROM users WHERE role = 'admin' AND disabled_at IS NULL \
            ORDER BY id FOR UPDATE",
    };
    let rows: Vec<(UserId,)> = fetch!(conn, SQL);
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// Locks an account until the transaction ends.
pub async fn lock(conn: &mut Conn, id: UserId) -> Result<()> {
    const SQL: Sql = Sql {
        sqlite: "SELECT id FROM users WHERE id = $1",
        postgres: "SELECT id FROM users WHERE id = $1 FOR UPDATE",
    };
    let _: Vec<(UserId,)> = fetch!(conn, SQL, id);
    Ok(())
}

/// Changes the role. False if the user does not exist.
pub async fn set_role(conn: &mut Conn, id: UserId, role: UserRole) -> Result<bool> {
    const SQL: &str = "UPDATE users SET role = $2 WHERE id = $1";
    Ok(execute!(conn, SQL, id, role) > 0)
}

/// Records that `by` granted an account its rights, or the link to set its password.
pub async fn set_grant(
    conn: &mut Conn,
    id: UserId,
    by: Option<UserId>,
    at: DateTime<Utc>,
) -> Result<()> {
    execute!(conn, "UPDATE users SET granted_by = $2, granted_at = $3 WHERE id = $1", id, by, at);
    Ok(())
}

/// The last grant of an account.
pub async fn grant(conn: &mut Conn, id: UserId) -> Result<Option<Grant>> {
    const SQL: &str = "SELECT granted_by, granted_at FROM users WHERE id = $1";
    Ok(fetch!(conn, SQL, id).pop())
}

/// Deactivates an account, or reactivates it with None. False if the user does not exist.
pub async fn set_disabled(
    conn: &mut Conn,
    id: UserId,
    disabled_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    const SQL: &str = "UPDATE users SET disabled_at = $2 WHERE id = $1";
    Ok(execute!(conn, SQL, id, disabled_at) > 0)
}
