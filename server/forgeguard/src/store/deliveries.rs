//! Notifications to one webhook or user each, with the outcome of the last attempt.

use chrono::{DateTime, Utc};
use domain::{
    ids::{DeliveryId, Id, NotificationId, UserId, WebhookId},
    notification::DeliveryStatus,
};
use uuid::Uuid;

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    pub struct Delivery {
        pub id: DeliveryId,
        pub notification_id: NotificationId,
        /// None for an email.
        pub webhook_id: Option<WebhookId>,
        /// The recipient of an email.
        pub user_id: Option<UserId>,
        /// One line.
        pub title: String,
        /// The body of the request, or the text of the email.
        pub body: String,
        pub status: DeliveryStatus,
        /// Since it was last sent by hand.
        pub attempts: u32,
        /// The next attempt; no other node makes one before.
        pub run_after: DateTime<Utc>,
        pub attempted_at: Option<DateTime<Utc>>,
        /// Why the last attempt failed.
        pub failure: Option<String>,
        pub created_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, notification_id, webhook_id, user_id, title, body, status, attempts, run_after, \
         attempted_at, failure, created_at"
    };
}

macro_rules! claim_text {
    ($lock:literal) => {
        concat!(
            "UPDATE deliveries SET run_after = $2, attempted_at = $1, attempts = attempts + 1 \
             WHERE id IN (SELECT id FROM deliveries WHERE status = 'waiting' AND run_after <= $1 \
             ORDER BY run_after LIMIT $3",
            $lock,
            ") RETURNING ",
            columns!()
        )
    };
}

/// Adds a delivery. One of the same notification to the same recipient has no effect.
pub async fn insert(conn: &mut Conn, new: &Delivery) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO deliveries (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING"
    );
    execute!(
        conn,
        SQL,
        new.id,
        new.notification_id,
        new.webhook_id,
        new.user_id,
        new.title.as_str(),
        new.body.as_str(),
        new.status,
        new.attempts,
        new.run_after,
        new.attempted_at,
        new.failure.as_deref(),
        new.created_at,
    );
    Ok(())
}

/// Claims due deliveries for an attempt until `until`: if the node ends before it records the
/// outcome, another attempt is made then.
pub async fn claim(
    conn: &mut Conn,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    const SQL: Sql =
        Sql { sqlite: claim_text!(""), postgres: claim_text!(" FOR UPDATE SKIP LOCKED") };
    Ok(fetch!(conn, SQL, now, until, limit))
}

/// Whether a delivery is due.
pub async fn is_any_due(conn: &mut Conn, now: DateTime<Utc>) -> Result<bool> {
    const SQL: &str =
        "SELECT id FROM deliveries WHERE status = 'waiting' AND run_after <= $1 LIMIT 1";
    let found: Vec<(DeliveryId,)> = fetch!(conn, SQL, now);
    Ok(!found.is_empty())
}

pub async fn set_delivered(conn: &mut Conn, id: DeliveryId) -> Result<()> {
    const SQL: &str = "UPDATE deliveries SET status = 'delivered', failure = NULL WHERE id = $1";
    execute!(conn, SQL, id);
    Ok(())
}

/// Records a failed attempt; without a next one it has failed.
pub async fn set_attempt_failed(
    conn: &mut Conn,
    id: DeliveryId,
    failure: &str,
    next: Option<DateTime<Utc>>,
) -> Result<()> {
    const SQL: &str = "UPDATE deliveries SET failure = $2, status = $3, \
        run_after = COALESCE($4, run_after) WHERE id = $1";
    let status = if next.is_some() { DeliveryStatus::Waiting } else { DeliveryStatus::Failed };
    execute!(conn, SQL, id, failure, status, next);
    Ok(())
}

/// Lets a failed delivery of a webhook be attempted again. False if it has not failed.
pub async fn send_again(
    conn: &mut Conn,
    webhook: WebhookId,
    id: DeliveryId,
    now: DateTime<Utc>,
) -> Result<bool> {
    const SQL: &str = "UPDATE deliveries SET status = 'waiting', attempts = 0, run_after = $3 \
        WHERE id = $2 AND webhook_id = $1 AND status <> 'delivered'";
    Ok(execute!(conn, SQL, webhook, id, now) > 0)
}

/// The waiting deliveries of a disabled webhook will not be attempted.
pub async fn give_up(conn: &mut Conn, webhook: WebhookId) -> Result<()> {
    const SQL: &str = "UPDATE deliveries SET status = 'failed' \
        WHERE webhook_id = $1 AND status = 'waiting'";
    execute!(conn, SQL, webhook);
    Ok(())
}

/// The next `limit` deliveries of a webhook before `before`, newest first.
pub async fn list(
    conn: &mut Conn,
    webhook: WebhookId,
    before: Option<DeliveryId>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM deliveries WHERE webhook_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3"
    );
    let before = before.unwrap_or(DeliveryId::from_uuid(Uuid::max()));
    Ok(fetch!(conn, SQL, webhook, before, limit))
}

/// Removes deliveries from before this time that are not waiting.
pub async fn remove_old(conn: &mut Conn, before: DateTime<Utc>) -> Result<()> {
    const SQL: &str = "DELETE FROM deliveries WHERE created_at < $1 AND status <> 'waiting'";
    execute!(conn, SQL, before);
    Ok(())
}
