//! Which kinds of notifications users receive by email. Without a row: none.

use domain::ids::UserId;

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch},
};

/// The kinds as a JSON array.
pub async fn get(conn: &mut Conn, user: UserId) -> Result<Option<String>> {
    const SQL: &str = "SELECT kinds FROM email_preferences WHERE user_id = $1";
    let rows: Vec<(String,)> = fetch!(conn, SQL, user);
    Ok(rows.into_iter().next().map(|(kinds,)| kinds))
}

pub async fn set(conn: &mut Conn, user: UserId, kinds: &str) -> Result<()> {
    const SQL: &str = "INSERT INTO email_preferences (user_id, kinds) VALUES ($1, $2) \
        ON CONFLICT (user_id) DO UPDATE SET kinds = excluded.kinds";
    execute!(conn, SQL, user, kinds);
    Ok(())
}

/// The active administrators with preferences, and their kinds.
pub async fn of_admins(conn: &mut Conn) -> Result<Vec<(UserId, String)>> {
    const SQL: &str = "SELECT users.id, kinds FROM email_preferences \
        JOIN users ON users.id = user_id WHERE users.role = 'admin' AND disabled_at IS NULL";
    Ok(fetch!(conn, SQL))
}
