//! Stamps of what a user may list, by which changes are noticed without reading the lists.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId};

use super::{
    conn::Conn,
    error::Result,
    projects::viewable,
    statement::{fetch, row},
};

row! {
    /// Differs from an earlier one if projects, versions of their contracts or builds were added, or
    /// projects were changed or hidden.
    pub struct ListStamp {
        pub project_count: u64,
        pub newest_change_at: Option<DateTime<Utc>>,
        pub contract_count: u64,
        pub build_count: u64,
    }
}

/// The stamp of the user's projects, or of one of them.
pub async fn get(
    conn: &mut Conn,
    user: UserId,
    project: Option<ProjectId>,
) -> Result<Option<ListStamp>> {
    const SQL: &str = concat!(
        "WITH seen AS (SELECT id, updated_at, build_count FROM projects WHERE id IN ",
        viewable!(),
        " AND deleted_at IS NULL AND archived_at IS NULL AND ($2 IS NULL OR id = $2)) \
         SELECT (SELECT COUNT(*) FROM seen) AS project_count, \
         (SELECT MAX(updated_at) FROM seen) AS newest_change_at, \
         (SELECT COUNT(*) FROM contracts WHERE project_id IN (SELECT id FROM seen)) \
         AS contract_count, \
         (SELECT CAST(COALESCE(SUM(build_count), 0) AS BIGINT) FROM seen) AS build_count"
    );
    Ok(fetch!(conn, SQL, user, project).pop())
}
