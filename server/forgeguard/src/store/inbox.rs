//! What is waiting for a user, derived from questions, builds and reviews; and what they have read.
//!
//! An item exists while it can be handled: until the question is answered, the build continues, or the
//! review is decided. Reviews and decisions are listed for [`PERIOD`], so that the cost of a query
//! depends on what is open and recent rather than on all builds.

use std::sync::LazyLock;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{BuildId, ProjectId, UserId},
    notification::NotificationKind,
    review::ReviewDecision,
    verdict::Verdict,
};

use super::{
    conn::Conn,
    error::Result,
    reviews::{approvals, is_decided},
    statement::{MultiRow, execute, execute_rows, fetch, row},
};

/// How long reviews and their decisions are listed.
const PERIOD: TimeDelta = TimeDelta::days(90);
/// More items than anyone reads; those beyond cannot be marked all together.
const MAX_ITEMS: i64 = 10_000;

/// Whose inbox it is.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    pub user: UserId,
    /// For administrators: how many approvals a build needs. None for other users, who review
    /// nothing.
    pub required_approvals: Option<u32>,
    pub now: DateTime<Utc>,
}

row! {
    pub struct InboxItem {
        /// Such as `question/0190…`; different if a build is blocked or reviewed once more.
        pub key: String,
        pub kind: NotificationKind,
        pub at: DateTime<Utc>,
        /// The question, the name of the reason for a block, or the reason for a decision.
        pub text: Option<String>,
        /// Of a review; None if the build is waiting for it.
        pub decision: Option<ReviewDecision>,
        pub build_id: BuildId,
        pub build_number: u32,
        pub build_title: Option<String>,
        pub verdict: Option<Verdict>,
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        /// When this user read it.
        pub read_at: Option<DateTime<Utc>>,
    }
}

row! {
    pub struct Counts {
        pub items: u64,
        pub unread: u64,
    }
}

/// The position of a page: before this item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub at: DateTime<Utc>,
    pub key: String,
}

/// What waits for the owner of projects: `$1` is the user, `$2` the start of [`PERIOD`].
macro_rules! of_owner {
    () => {
        "SELECT 'question/' || CAST(clarifications.id AS TEXT) AS key, \
         CASE clarifications.kind WHEN 'plan' THEN 'plan' ELSE 'question' END AS kind, \
         asked_at AS at, question AS text, NULL AS decision, build_id \
         FROM projects JOIN builds ON builds.project_id = projects.id \
         AND builds.status <> 'sealed' AND builds.status <> 'abandoned' \
         JOIN clarifications ON build_id = builds.id AND clarifications.status = 'open' \
         WHERE owner_id = $1 AND deleted_at IS NULL AND archived_at IS NULL \
         UNION ALL \
         SELECT 'blocked/' || CAST(builds.id AS TEXT) || '/' || CAST(seq AS TEXT), \
         'blocked', build_events.at, blocked_reason, NULL, builds.id \
         FROM projects JOIN builds ON builds.project_id = projects.id \
         AND builds.status <> 'sealed' AND builds.status <> 'abandoned' \
         JOIN build_events ON build_id = builds.id AND type = 'build_blocked' \
         AND seq = (SELECT MAX(newest.seq) FROM build_events AS newest \
         WHERE newest.build_id = builds.id AND newest.type = 'build_blocked') \
         WHERE owner_id = $1 AND deleted_at IS NULL AND archived_at IS NULL \
         AND builds.status = 'blocked' \
         UNION ALL \
         SELECT 'decision/' || CAST(reviews.id AS TEXT), 'review', reviews.created_at, \
         reason, decision, build_id FROM reviews JOIN builds ON builds.id = build_id \
         JOIN projects ON projects.id = project_id \
         WHERE reviews.created_at > $2 AND owner_id = $1 AND reviewer_id <> $1 \
         AND deleted_at IS NULL AND archived_at IS NULL AND reviews.number = \
         (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
         AND NOT EXISTS (SELECT follow_up.id FROM builds AS follow_up \
         WHERE follow_up.follows = builds.id AND follow_up.status <> 'abandoned')"
    };
}

/// The same, and the builds that wait for this administrator's review: not their own, and not those
/// that they approved already. `$3` is the number of approvals needed. The joins are outer ones, and the
/// condition keeps them so: databases then begin with the recent seals and look up their builds.
macro_rules! of_admin {
    () => {
        concat!(
            of_owner!(),
            " UNION ALL \
             SELECT 'review/' || CAST(builds.id AS TEXT) || '/' || \
             CAST(COALESCE(reviews.number, 0) AS TEXT), 'review', \
             COALESCE(reviews.created_at, sealed_at), NULL, NULL, builds.id \
             FROM seals LEFT JOIN builds ON builds.id = seals.build_id \
             LEFT JOIN projects ON projects.id = project_id \
             LEFT JOIN reviews ON reviews.build_id = builds.id AND reviews.number = \
             (SELECT MAX(r.number) FROM reviews AS r WHERE r.build_id = builds.id) \
             WHERE sealed_at > $2 AND CASE WHEN deleted_at IS NOT NULL OR owner_id = $1 \
             OR started_by = $1 THEN FALSE ELSE TRUE END AND NOT ",
            is_decided!("$3"),
            " AND NOT EXISTS (SELECT own.id FROM reviews AS own WHERE own.build_id = builds.id \
             AND own.reviewer_id = $1 AND own.decision = 'approved')"
        )
    };
}

macro_rules! list_text {
    ($items:expr, $page:literal) => {
        concat!(
            "SELECT items.key, items.kind, items.at, items.text, items.decision, items.build_id, \
             builds.number AS build_number, builds.title AS build_title, builds.verdict, \
             projects.id AS project_id, projects.name AS project_name, \
             projects.slug AS project_slug, read_at FROM (",
            $items,
            ") AS items LEFT JOIN builds ON builds.id = items.build_id \
             LEFT JOIN projects ON projects.id = project_id \
             LEFT JOIN inbox_reads ON user_id = $1 AND item = items.key ",
            $page
        )
    };
}

macro_rules! count_text {
    ($items:expr) => {
        concat!(
            "SELECT COUNT(*) AS items, COUNT(*) - COUNT(read_at) AS unread FROM (",
            $items,
            ") AS items LEFT JOIN inbox_reads ON user_id = $1 AND item = items.key"
        )
    };
}

/// The next `limit` items before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    reader: Reader,
    before: Option<Cursor>,
    limit: i64,
) -> Result<Vec<InboxItem>> {
    let end = Cursor { at: reader.now + TimeDelta::days(365), key: String::new() };
    let (Cursor { at, key }, since) = (before.unwrap_or(end), reader.now - PERIOD);
    let (user, key) = (reader.user, key.as_str());
    Ok(match reader.required_approvals {
        None => {
            const SQL: &str = list_text!(
                of_owner!(),
                "WHERE (items.at, items.key) < ($3, $4) \
                 ORDER BY items.at DESC, items.key DESC LIMIT $5"
            );
            fetch!(conn, SQL, user, since, at, key, limit)
        }
        Some(required) => {
            const SQL: &str = list_text!(
                of_admin!(),
                "WHERE (items.at, items.key) < ($4, $5) \
                 ORDER BY items.at DESC, items.key DESC LIMIT $6"
            );
            fetch!(conn, SQL, user, since, required, at, key, limit)
        }
    })
}

/// How many items there are, and how many of them the user has not read.
pub async fn count(conn: &mut Conn, reader: Reader) -> Result<Counts> {
    let since = reader.now - PERIOD;
    let rows: Vec<Counts> = match reader.required_approvals {
        None => fetch!(conn, count_text!(of_owner!()), reader.user, since),
        Some(required) => fetch!(conn, count_text!(of_admin!()), reader.user, since, required),
    };
    Ok(rows.into_iter().next().unwrap_or(Counts { items: 0, unread: 0 }))
}

/// Marks items as read: those with these keys that the user has, or all. Marks of items that have not
/// existed for long are removed.
pub async fn mark_read(conn: &mut Conn, reader: Reader, keys: Option<&[String]>) -> Result<()> {
    static INSERT: LazyLock<MultiRow> = LazyLock::new(|| {
        const INSERT: &str = "INSERT INTO inbox_reads (user_id, item, read_at)";
        MultiRow::new(INSERT, 3, "ON CONFLICT (user_id, item) DO NOTHING")
    });
    const EXPIRE: &str = "DELETE FROM inbox_reads WHERE user_id = $1 AND read_at < $2";
    let items = list(conn, reader, None, MAX_ITEMS).await?;
    let is_chosen = |item: &InboxItem| {
        item.read_at.is_none() && keys.is_none_or(|keys| keys.contains(&item.key))
    };
    let chosen: Vec<InboxItem> = items.into_iter().filter(is_chosen).collect();
    execute_rows!(conn, INSERT, &chosen, |item| reader.user, item.key.as_str(), reader.now);
    execute!(conn, EXPIRE, reader.user, reader.now - PERIOD * 2);
    Ok(())
}

/// Marks an item as unread.
pub async fn mark_unread(conn: &mut Conn, user: UserId, key: &str) -> Result<()> {
    execute!(conn, "DELETE FROM inbox_reads WHERE user_id = $1 AND item = $2", user, key);
    Ok(())
}
