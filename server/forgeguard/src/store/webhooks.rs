//! URLs that are called about notifications.

use chrono::{DateTime, Utc};
use domain::ids::{ProjectId, UserId, WebhookId};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct Webhook {
        pub id: WebhookId,
        /// None: of all projects.
        pub project_id: Option<ProjectId>,
        pub url: String,
        /// Encrypted.
        pub sealed_secret: String,
        /// A JSON array of notification kinds.
        pub kinds: String,
        pub created_by: UserId,
        pub created_at: DateTime<Utc>,
        /// The first of the failed attempts since the last success.
        pub failing_since: Option<DateTime<Utc>>,
        pub disabled_at: Option<DateTime<Utc>>,
    }
}

macro_rules! columns {
    () => {
        "SELECT id, project_id, url, sealed_secret, kinds, created_by, created_at, failing_since, \
         disabled_at FROM webhooks WHERE "
    };
}

pub async fn insert(conn: &mut Conn, webhook: &Webhook) -> Result<()> {
    const SQL: &str = "INSERT INTO webhooks \
        (id, project_id, url, sealed_secret, kinds, created_by, created_at, failing_since, \
        disabled_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    execute!(
        conn,
        SQL,
        webhook.id,
        webhook.project_id,
        webhook.url.as_str(),
        webhook.sealed_secret.as_str(),
        webhook.kinds.as_str(),
        webhook.created_by,
        webhook.created_at,
        webhook.failing_since,
        webhook.disabled_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: WebhookId) -> Result<Option<Webhook>> {
    Ok(fetch!(conn, concat!(columns!(), "id = $1"), id).pop())
}

/// The webhooks of a project, or those of the installation, oldest first.
pub async fn list(conn: &mut Conn, project: Option<ProjectId>) -> Result<Vec<Webhook>> {
    Ok(match project {
        Some(id) => fetch!(conn, concat!(columns!(), "project_id = $1 ORDER BY id"), id),
        None => fetch!(conn, concat!(columns!(), "project_id IS NULL ORDER BY id")),
    })
}

/// Replaces the kinds, and enables it.
pub async fn update(conn: &mut Conn, id: WebhookId, kinds: &str) -> Result<()> {
    const SQL: &str = "UPDATE webhooks SET kinds = $2, failing_since = NULL, disabled_at = NULL \
        WHERE id = $1";
    execute!(conn, SQL, id, kinds);
    Ok(())
}

pub async fn remove(conn: &mut Conn, id: WebhookId) -> Result<()> {
    execute!(conn, "DELETE FROM webhooks WHERE id = $1", id);
    Ok(())
}

/// The last attempt succeeded.
pub async fn set_working(conn: &mut Conn, id: WebhookId) -> Result<()> {
    const SQL: &str =
        "UPDATE webhooks SET failing_since = NULL WHERE id = $1 AND failing_since IS NOT NULL";
    execute!(conn, SQL, id);
    Ok(())
}

/// The last attempt failed. `disabled_at` is set if it was the last one ever.
pub async fn set_failing(
    conn: &mut Conn,
    id: WebhookId,
    now: DateTime<Utc>,
    disabled_at: Option<DateTime<Utc>>,
) -> Result<()> {
    const SQL: &str = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $2), \
        disabled_at = COALESCE(disabled_at, $3) WHERE id = $1";
    execute!(conn, SQL, id, now, disabled_at);
    Ok(())
}
