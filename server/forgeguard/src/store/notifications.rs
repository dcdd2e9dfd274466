//! What happened and is to be sent, until it has been distributed to its recipients.

use chrono::{DateTime, Utc};
use domain::{
    ids::{BuildId, NotificationId, ProjectId, UserId},
    notification::NotificationKind,
    review::ReviewDecision,
    verdict::Verdict,
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, execute_later, fetch, row},
};

row! {
    /// A notification with its build and project.
    pub struct Notification {
        pub id: NotificationId,
        pub kind: NotificationKind,
        pub text: Option<String>,
        /// Of a review; None if the build is waiting for it.
        pub decision: Option<ReviewDecision>,
        /// Who caused it.
        pub actor_id: Option<UserId>,
        pub created_at: DateTime<Utc>,
        pub build_id: BuildId,
        pub build_number: u32,
        pub build_title: Option<String>,
        pub started_by: UserId,
        /// Of the build; None until it is sealed.
        pub verdict: Option<Verdict>,
        /// The item of the backlog that the build carries out, and what another program calls it.
        pub item_number: Option<u32>,
        pub item_external_id: Option<String>,
        pub project_id: ProjectId,
        pub project_name: String,
        pub project_slug: String,
        pub project_deleted_at: Option<DateTime<Utc>>,
        pub owner_id: UserId,
    }
}

#[derive(Clone, Debug)]
pub struct NewNotification<'a> {
    pub id: NotificationId,
    pub kind: NotificationKind,
    pub build_id: BuildId,
    /// The key of the inbox item.
    pub item: &'a str,
    pub text: Option<&'a str>,
    pub decision: Option<ReviewDecision>,
    pub actor_id: Option<UserId>,
    pub created_at: DateTime<Utc>,
}

/// Adds a notification, in the transaction of what it reports. One about the same item has no effect.
pub async fn insert(conn: &mut Conn, new: &NewNotification<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO notifications \
        (id, kind, build_id, item, text, decision, actor_id, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (item) DO NOTHING";
    execute_later!(
        conn,
        SQL,
        new.id,
        new.kind,
        new.build_id,
        new.item,
        new.text,
        new.decision,
        new.actor_id,
        new.created_at,
    );
    Ok(())
}

/// The oldest notifications.
pub async fn list(conn: &mut Conn, limit: i64) -> Result<Vec<Notification>> {
    const SQL: &str = "SELECT notifications.id, kind, text, decision, actor_id, \
        notifications.created_at, notifications.build_id, builds.number AS build_number, \
        builds.title AS build_title, started_by, builds.verdict, \
        backlog_items.number AS item_number, backlog_items.external_id AS item_external_id, \
        projects.id AS project_id, \
        projects.name AS project_name, projects.slug AS project_slug, \
        projects.deleted_at AS project_deleted_at, owner_id \
        FROM notifications JOIN builds ON builds.id = notifications.build_id \
        JOIN projects ON projects.id = builds.project_id \
        LEFT JOIN backlog_items ON backlog_items.build_id = builds.id ORDER BY notifications.id LIMIT $1";
    Ok(fetch!(conn, SQL, limit))
}

/// Removes one that has been distributed. False if another node has removed it.
pub async fn remove(conn: &mut Conn, id: NotificationId) -> Result<bool> {
    Ok(execute!(conn, "DELETE FROM notifications WHERE id = $1", id) > 0)
}
