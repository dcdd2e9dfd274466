//! What people said about lines of sealed builds: threads of a comment and its answers.

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
    /// A comment on a line, or an answer to one.
    pub struct ReviewComment {
        /// Its id.
        pub id: ReviewCommentId,
        /// The build.
        pub build_id: BuildId,
        /// Who said it.
        pub author_id: UserId,
        /// What they are called.
        pub author_name: String,
        /// The file; for one that was deleted or renamed as the diff names it.
        pub path: String,
        /// Which of the diff's two files the line stands in.
        pub side: DiffSide,
        /// The line's number there, from 1.
        pub line: u32,
        /// The line itself, so that the comment makes sense when the line is gone.
        pub line_text: String,
        /// What was said.
        pub text: String,
        /// The comment that this answers; none for the first of a thread.
        pub parent_id: Option<ReviewCommentId>,
        /// When it was said.
        pub created_at: DateTime<Utc>,
        /// When the thread was settled; only the first of a thread has it.
        pub resolved_at: Option<DateTime<Utc>>,
        /// Who settled it.
        pub resolved_by: Option<UserId>,
    }
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT review_comments.id, build_id, author_id, users.name AS author_name, path, \
             side, line, line_text, text, parent_id, review_comments.created_at, resolved_at, \
             resolved_by FROM review_comments JOIN users ON users.id = author_id WHERE ",
            $rest
        )
    };
}

/// Adds a comment; its author's name is not stored.
pub async fn insert(conn: &mut Conn, comment: &ReviewComment) -> Result<()> {
    const SQL: &str = "INSERT INTO review_comments (id, build_id, author_id, path, side, line, \
        line_text, text, parent_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    execute!(
        conn,
        SQL,
        comment.id,
        comment.build_id,
        comment.author_id,
        comment.path.as_str(),
        comment.side,
        comment.line,
        comment.line_text.as_str(),
        comment.text.as_str(),
        comment.parent_id,
        comment.created_at,
    );
    Ok(())
}

/// The comment with this id.
pub async fn get(conn: &mut Conn, id: ReviewCommentId) -> Result<Option<ReviewComment>> {
    const SQL: &str = select!("review_comments.id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// All comments on a build, in the order they were made.
pub async fn list(conn: &mut Conn, build: BuildId) -> Result<Vec<ReviewComment>> {
    const SQL: &str = select!("build_id = $1 ORDER BY review_comments.id");
    Ok(fetch!(conn, SQL, build))
}

/// Settles a thread. False if it is settled, or there is no thread that begins with `id`.
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
