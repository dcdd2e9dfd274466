//! Who receives a notification: webhooks of the project and of the installation, and users by email.

use domain::{
    ids::{UserId, WebhookId},
    notification::{DeliveryStatus, NotificationKind},
};

use super::message;
use crate::store::{
    self, Conn, Result, deliveries::Delivery, email_preferences, notifications::Notification,
    smtp_settings, webhooks,
};

/// The deliveries that a notification leads to.
pub async fn deliveries(
    conn: &mut Conn,
    of: &Notification,
    base_url: &str,
) -> Result<Vec<Delivery>> {
    if of.project_deleted_at.is_some() {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    let body = message::webhook_body(of, base_url);
    for project in [Some(of.project_id), None] {
        for webhook in webhooks::list(conn, project).await? {
            if webhook.disabled_at.is_none() && includes(&webhook.kinds, of.kind) {
                found.push(delivery(of, Some(webhook.id), None, body.clone()));
            }
        }
    }
    if smtp_settings::get(conn).await?.is_some() {
        let text = message::email_text(of, base_url);
        for user in users(conn, of).await? {
            found.push(delivery(of, None, Some(user), text.clone()));
        }
    }
    Ok(found)
}

/// The users who want it by email: the owner of the project, or for a build that waits for a review
/// the administrators who may review it. Those who caused it are not told.
async fn users(conn: &mut Conn, of: &Notification) -> Result<Vec<UserId>> {
    if of.kind == NotificationKind::Review && of.decision.is_none() {
        let admins = email_preferences::of_admins(conn).await?.into_iter();
        let may_review = |user: &UserId| *user != of.owner_id && *user != of.started_by;
        return Ok(admins
            .filter(|(user, kinds)| includes(kinds, of.kind) && may_review(user))
            .map(|(user, _)| user)
            .collect());
    }
    let kinds = email_preferences::get(conn, of.owner_id).await?;
    let is_wanted = kinds.is_some_and(|kinds| includes(&kinds, of.kind));
    let is_told = is_wanted && of.actor_id != Some(of.owner_id);
    Ok(is_told.then_some(of.owner_id).into_iter().collect())
}

fn delivery(
    of: &Notification,
    webhook_id: Option<WebhookId>,
    user_id: Option<UserId>,
    body: String,
) -> Delivery {
    let now = store::now();
    Delivery {
        id: store::new_id(),
        notification_id: of.id,
        webhook_id,
        user_id,
        title: message::title(of),
        body,
        status: DeliveryStatus::Waiting,
        attempts: 0,
        run_after: now,
        attempted_at: None,
        failure: None,
        created_at: now,
    }
}

fn includes(kinds: &str, kind: NotificationKind) -> bool {
    serde_json::from_str::<Vec<NotificationKind>>(kinds).is_ok_and(|kinds| kinds.contains(&kind))
}
