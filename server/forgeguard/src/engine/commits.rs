//! The commits of a build as recorded in its journal.

use domain::{
    event::{EventBody, branch::CommitCreated},
    ids::BuildId,
};

use crate::store::{self, Conn};

/// All recorded commits, oldest first.
pub async fn recorded(conn: &mut Conn, build: BuildId) -> store::Result<Vec<CommitCreated>> {
    let rows = store::events::of_type(conn, build, "build_commit_created").await?;
    let commits = rows.iter().filter_map(|row| match serde_json::from_str(&row.body).ok()? {
        EventBody::BuildCommitCreated(commit) => Some(commit),
        _ => None,
    });
    Ok(commits.collect())
}
