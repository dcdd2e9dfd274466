//! The builds of all projects that a user may view, by what is to be done with them.
//!
//! Which group a build is in depends on its row and on the newest decision about it. A page costs one
//! query, however many projects there are.

use chrono::{DateTime, Utc};
use domain::{
    build_group::BuildGroup,
    ids::{BuildId, Id, ProjectId, UserId},
    review::ReviewDecision,
    state::Status,
    verdict::Verdict,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    projects::viewable,
    reviews::{approvals, is_decided},
    statement::{fetch, row},
};

/// Whose list it is.
#[derive(Clone, Copy, Debug)]
pub struct Viewer {
    pub user: UserId,
    /// How many approvals a build needs.
    pub required_approvals: u32,
    /// None is all projects.
    pub project: Option<ProjectId>,
}

/// The position of a page: after this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// Of its group.
    pub place: u32,
    pub id: BuildId,
}

row! {
    pub struct ListedBuild {
        /// Of its group.
        pub place: u32,
        pub id: BuildId,
        pub number: u32,
        pub title: Option<String>,
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        pub status: Status,
        pub verdict: Option<Verdict>,
        /// The newest one.
        pub decision: Option<ReviewDecision>,
        /// Since changes were last requested.
        pub approvals: u64,
        pub blocked_reason: Option<String>,
        pub open_questions: u32,
        pub open_errors: u32,
        pub phase_count: u32,
        pub phases_done: u32,
        pub created_at: DateTime<Utc>,
        pub finished_at: Option<DateTime<Utc>>,
        /// Until its newest event. This and the following are None if it ended under an earlier
        /// version.
        pub working_ms: Option<i64>,
        /// Sent and received.
        pub tokens: Option<u64>,
        pub usd_micros: Option<u64>,
        pub running_agents: Option<u32>,
        /// None is no limit.
        pub budget_tokens: Option<u64>,
        /// None is no limit.
        pub budget_usd_micros: Option<u64>,
        /// Whether a worker holds it.
        pub is_claimed: bool,
        /// The time of its newest event.
        pub newest_at: Option<DateTime<Utc>>,
        /// The time of the newest heartbeat, which the following are from.
        pub heartbeat_at: Option<DateTime<Utc>>,
        pub current_step: Option<String>,
        pub progress_percent: Option<u32>,
        pub memory_bytes: Option<u64>,
        pub cpu_percent: Option<u32>,
    }
}

/// The ids of the builds with the places of their groups: `$1` is the user, `$2` the number of approvals
/// needed, `$3` a project or NULL.
macro_rules! placed {
    () => {
        concat!(
            "SELECT builds.id, CAST(CASE WHEN builds.status = 'abandoned' THEN 4 \
             WHEN builds.status = 'sealed' THEN CASE WHEN NOT ",
            is_decided!("$2"),
            " THEN 3 WHEN reviews.decision = 'changes_requested' AND NOT EXISTS \
             (SELECT follow_up.id FROM builds AS follow_up WHERE follow_up.follows = builds.id \
             AND follow_up.status <> 'abandoned') THEN 3 ELSE 4 END \
             WHEN builds.status IN ('awaiting_input', 'paused', 'blocked') \
             OR builds.open_questions > 0 THEN 0 \
             WHEN builds.status = 'queued' THEN 2 ELSE 1 END AS BIGINT) AS place \
             FROM projects JOIN builds ON builds.project_id = projects.id \
             LEFT JOIN reviews ON reviews.build_id = builds.id AND reviews.number = \
             (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
             WHERE projects.id IN ",
            viewable!(),
            " AND deleted_at IS NULL AND archived_at IS NULL AND ($3 IS NULL OR projects.id = $3)"
        )
    };
}

/// The next `limit` builds after `after`: by group, in each the newest first.
pub async fn list(
    conn: &mut Conn,
    viewer: Viewer,
    group: Option<BuildGroup>,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<ListedBuild>> {
    const SQL: &str = concat!(
        "SELECT place, builds.id, builds.number, builds.title, builds.project_id, \
         projects.name AS project_name, projects.slug AS project_slug, builds.status, \
         builds.verdict, reviews.decision, ",
        approvals!(),
        " AS approvals, blocked_reason, open_questions, open_errors, phase_count, phases_done, \
         builds.created_at, finished_at, working_ms, tokens, usd_micros, running_agents, \
         budget_tokens, budget_usd_micros, \
         COALESCE(work_items.status = 'claimed', FALSE) AS is_claimed, newest.at AS newest_at, \
         heartbeat_at, current_step, progress_percent, memory_bytes, cpu_percent \
         FROM (SELECT id, place FROM (",
        placed!(),
        ") AS placed WHERE ($4 IS NULL OR place = $4) AND (place > $5 OR (place = $5 AND id < $6)) \
         ORDER BY place, id DESC LIMIT $7) AS items \
         JOIN builds ON builds.id = items.id JOIN projects ON projects.id = builds.project_id \
         LEFT JOIN reviews ON reviews.build_id = builds.id AND reviews.number = \
         (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
         LEFT JOIN work_items ON work_items.build_id = builds.id \
         LEFT JOIN build_events AS newest ON newest.build_id = builds.id \
         AND newest.seq = builds.head_seq ORDER BY place, items.id DESC"
    );
    let Viewer { user, required_approvals, project } = viewer;
    let first = Cursor { place: 0, id: BuildId::from_uuid(Uuid::max()) };
    let Cursor { place, id } = after.unwrap_or(first);
    let group = group.map(BuildGroup::place);
    Ok(fetch!(conn, SQL, user, required_approvals, project, group, place, id, limit))
}

/// How many builds there are in each group that is not empty.
pub async fn counts(conn: &mut Conn, viewer: Viewer) -> Result<Vec<(BuildGroup, u64)>> {
    const SQL: &str =
        concat!("SELECT place, COUNT(*) FROM (", placed!(), ") AS placed GROUP BY place");
    let Viewer { user, required_approvals, project } = viewer;
    let rows: Vec<(u32, u64)> = fetch!(conn, SQL, user, required_approvals, project);
    Ok(rows.into_iter().map(|(place, count)| (BuildGroup::at(place), count)).collect())
}
