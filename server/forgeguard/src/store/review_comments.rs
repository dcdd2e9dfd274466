//! Comments on lines of sealed builds, in threads.

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, ReviewCommentId, UserId},
    review::DiffSide,
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A comment on lines, or a reply.
    pub struct ReviewComment {
        pub id: ReviewCommentId,
        pub build_id: BuildId,
        pub author_id: UserId,
        pub author_name: String,
        /// The path as named by the diff, for a deleted or renamed file too.
        pub path: String,
        /// The file of the diff that contains the lines.
        pub side: DiffSide,
        /// The first of several lines; None for a single line.
        pub first_line: Option<u32>,
        /// The only or last line, from 1.
        pub line: u32,
        /// The text of the lines, so that the comment can be understood when they are gone.
        pub line_text: String,
        pub text: String,
        /// The first comment of the thread; None for that comment itself.
        pub parent_id: Option<ReviewCommentId>,
        pub created_at: DateTime<Utc>,
        /// The time at which the thread was resolved; only set on its first comment.
        pub resolved_at: Option<DateTime<Utc>>,
        pub resolved_by: Option<UserId>,
        /// The time at which the owner accepted the suggested edit.
        pub suggestion_accepted_at: Option<DateTime<Utc>>,
        pub suggestion_accepted_by: Option<UserId>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT review_comments.id, build_id, author_id, users.name AS author_name, path, \
             side, first_line, line, line_text, text, parent_id, review_comments.created_at, resolved_at, \
             resolved_by, suggestion_accepted_at, suggestion_accepted_by FROM review_comments JOIN users ON users.id = author_id WHERE ",
            $rest
        )
    };
}

/// Adds a comment. Its author's name is not stored.
pub async fn insert(conn: &mut Conn, comment: &ReviewComment) -> Result<()> {
    const SQL: &str = "INSERT INTO review_comments (id, build_id, author_id, path, side, \
        first_line, line, line_text, text, parent_id, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    execute!(
        conn,
        SQL,
        comment.id,
        comment.build_id,
        comment.author_id,
        comment.path.as_str(),
        comment.side,
        comment.first_line,
        comment.line,
        comment.line_text.as_str(),
        comment.text.as_str(),
        comment.parent_id,
        comment.created_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: ReviewCommentId) -> Result<Option<ReviewComment>> {
    const SQL: &str = select!("review_comments.id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// All comments on a build, oldest first.
pub async fn list(conn: &mut Conn, build: BuildId) -> Result<Vec<ReviewComment>> {
    const SQL: &str = select!("build_id = $1 ORDER BY review_comments.id");
    Ok(fetch!(conn, SQL, build))
}

/// Accepts the suggested edit of a comment, or with `None` withdraws the acceptance.
pub async fn set_acceptance(
    conn: &mut Conn,
    id: ReviewCommentId,
    accepted: Option<(UserId, DateTime<Utc>)>,
) -> Result<()> {
    const SQL: &str = "UPDATE review_comments SET suggestion_accepted_at = $2, \
        suggestion_accepted_by = $3 WHERE id = $1";
    let (by, at) = accepted.unzip();
    execute!(conn, SQL, id, at, by);
    Ok(())
}

/// Resolves a thread. False if it is resolved, or no thread starts with `id`.
pub async fn resolve(
    conn: &mut Conn,
    id: ReviewCommentId,
    by: UserId,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE review_comments SET resolved_at = $2, resolved_by = $3 \
        WHERE id = $1 AND parent_id IS NULL AND resolved_at IS NULL";
    Ok(execute!(conn, SQL, id, now, by) > 0)
}
