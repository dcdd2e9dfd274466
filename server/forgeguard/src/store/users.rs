//! People with an account.

use chrono::{DateTime, Utc};
use domain::ids::{Id, UserId};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A person with an account.
    pub struct User {
        /// The person's id.
        pub id: UserId,
        /// Lower-cased; unique.
        pub email: String,
        /// As shown to others.
        pub name: String,
        /// `admin` or `user`.
        pub role: String,
        /// An argon2id hash in PHC form.
        pub password_hash: String,
        /// When the account was made.
        pub created_at: DateTime<Utc>,
        /// Set once the account may no longer be used.
        pub disabled_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "id, email, name, role, password_hash, created_at, disabled_at"
    };
}

/// Adds a person. The address is lower-cased here; a taken one is `Error::AlreadyExists`.
pub async fn insert(conn: &mut Conn, user: &User) -> Result<()> {
    const SQL: &str =
        concat!("INSERT INTO users (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7)");
    execute!(
        conn,
        SQL,
        user.id,
        user.email.to_lowercase(),
        user.name.as_str(),
        user.role.as_str(),
        user.password_hash.as_str(),
        user.created_at,
        user.disabled_at,
    );
    Ok(())
}

/// The person with this id.
pub async fn get(conn: &mut Conn, id: UserId) -> Result<Option<User>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM users WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// The person with this address, in whatever case it is written.
pub async fn by_email(conn: &mut Conn, email: &str) -> Result<Option<User>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM users WHERE email = $1");
    Ok(fetch!(conn, SQL, email.to_lowercase()).pop())
}

/// The next `limit` people after `after`, oldest account first.
pub async fn list(conn: &mut Conn, after: Option<UserId>, limit: i64) -> Result<Vec<User>> {
    const SQL: &str =
        concat!("SELECT ", columns!(), " FROM users WHERE id > $1 ORDER BY id LIMIT $2");
    let after = after.unwrap_or(UserId::from_uuid(Uuid::nil()));
    Ok(fetch!(conn, SQL, after, limit))
}

/// Whether nobody has an account yet.
pub async fn is_empty(conn: &mut Conn) -> Result<bool> {
    let first: Vec<(UserId,)> = fetch!(conn, "SELECT id FROM users LIMIT 1");
    Ok(first.is_empty())
}

/// Replaces the password's hash. False if there is no such person.
pub async fn set_password(conn: &mut Conn, id: UserId, password_hash: &str) -> Result<bool> {
    const SQL: &str = "UPDATE users SET password_hash = $2 WHERE id = $1";
    Ok(execute!(conn, SQL, id, password_hash) > 0)
}

/// Gives a person other rights. False if there is no such person.
pub async fn set_role(conn: &mut Conn, id: UserId, role: &str) -> Result<bool> {
    const SQL: &str = "UPDATE users SET role = $2 WHERE id = $1";
    Ok(execute!(conn, SQL, id, role) > 0)
}

/// Shuts an account, or opens it again with None. False if there is no such person.
pub async fn set_disabled(
    conn: &mut Conn,
    id: UserId,
    disabled_at: Option<DateTime<Utc>>,
) -> Result<bool> {
    const SQL: &str = "UPDATE users SET disabled_at = $2 WHERE id = $1";
    Ok(execute!(conn, SQL, id, disabled_at) > 0)
}
