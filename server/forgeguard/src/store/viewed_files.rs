//! Files of diffs that users have viewed.

use domain::ids::{BuildId, UserId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A file of a build's diff that a user has viewed.
    pub struct ViewedFile {
        pub path: String,
        /// Git's id of the content that the user saw.
        pub content_id: String,
    }
}

/// The files that the user has viewed, by path.
pub async fn list(conn: &mut Conn, user: UserId, build: BuildId) -> Result<Vec<ViewedFile>> {
    const SQL: &str = "SELECT path, content_id FROM viewed_files \
        WHERE user_id = $1 AND build_id = $2 ORDER BY path";
    Ok(fetch!(conn, SQL, user, build))
}

/// Marks a file as viewed, and replaces the content that was seen before.
pub async fn add(conn: &mut Conn, user: UserId, build: BuildId, file: &ViewedFile) -> Result<()> {
    const SQL: &str = "INSERT INTO viewed_files (user_id, build_id, path, content_id) \
        VALUES ($1, $2, $3, $4) \
        ON CONFLICT (user_id, build_id, path) DO UPDATE SET content_id = excluded.content_id";
    execute!(conn, SQL, user, build, file.path.as_str(), file.content_id.as_str());
    Ok(())
}

pub async fn remove(conn: &mut Conn, user: UserId, build: BuildId, path: &str) -> Result<()> {
    const SQL: &str = "DELETE FROM viewed_files WHERE user_id = $1 AND build_id = $2 AND path = $3";
    execute!(conn, SQL, user, build, path);
    Ok(())
}
