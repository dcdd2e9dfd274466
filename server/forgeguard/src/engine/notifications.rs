//! Sends notifications to webhooks and by email. Every node does: rows are claimed, so that each is sent
//! by one node, and again if that node ends before it has recorded the outcome.
//!
//! - [`message`]: the texts
//! - [`recipients`]: who is told
//! - [`signature`], [`webhook_call`]: signed requests to public or allowed addresses
//! - [`attempt_error`]: why that failed
//! - [`email`]: messages through the configured server

mod attempt_error;
pub mod email;
mod message;
mod recipients;
pub(super) mod signature;
pub(super) mod webhook_call;

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use domain::notification::{is_to_be_disabled, retry_wait};
use futures::future::join_all;
use tokio::time::sleep;

use attempt_error::AttemptError;

use super::{error::EngineError, handle::Engine};
use crate::store::{self, deliveries, deliveries::Delivery, notifications, webhooks};

/// Between two looks at the tables.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long an attempt may take before another one is made; longer than all its timeouts.
const ATTEMPT_TIME: TimeDelta = TimeDelta::minutes(2);
/// Rows per transaction, and attempts at a time.
const BATCH: i64 = 10;
/// How long deliveries are listed.
const DELIVERY_LIFETIME: TimeDelta = TimeDelta::days(30);

/// Sends notifications until shutdown. `base_url` is the address of this service in links.
pub async fn run(engine: Engine, base_url: String) {
    while !engine.shutdown.is_cancelled() {
        match send_due(&engine, &base_url).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::warn!(%error, "notifications could not be sent"),
        }
        tokio::select! {
            () = sleep(POLL_INTERVAL) => {}
            () = engine.shutdown.cancelled() => {}
        }
    }
}

/// Whether there was anything to do.
async fn send_due(engine: &Engine, base_url: &str) -> Result<bool, EngineError> {
    let distributed = distribute(engine, base_url).await?;
    let now = store::now();
    if !deliveries::is_any_due(&mut engine.db().read().await?, now).await? {
        return Ok(distributed);
    }
    let mut tx = engine.db().write().await?;
    let claimed = deliveries::claim(&mut tx, now, now + ATTEMPT_TIME, BATCH).await?;
    tx.commit().await?;
    let outcomes = join_all(claimed.into_iter().map(|delivery| attempt(engine, delivery))).await;
    outcomes.into_iter().collect::<Result<Vec<()>, _>>()?;
    Ok(true)
}

/// Replaces notifications by deliveries to their recipients. A notification that another node has
/// distributed meanwhile is left to it.
async fn distribute(engine: &Engine, base_url: &str) -> Result<bool, EngineError> {
    let waiting = notifications::list(&mut engine.db().read().await?, BATCH).await?;
    if waiting.is_empty() {
        return Ok(false);
    }
    let mut tx = engine.db().write().await?;
    for notification in &waiting {
        if notifications::remove(&mut tx, notification.id).await? {
            for delivery in recipients::deliveries(&mut tx, notification, base_url).await? {
                deliveries::insert(&mut tx, &delivery).await?;
            }
        }
    }
    deliveries::remove_old(&mut tx, store::now() - DELIVERY_LIFETIME).await?;
    tx.commit().await?;
    Ok(true)
}

async fn attempt(engine: &Engine, delivery: Delivery) -> Result<(), EngineError> {
    let outcome = match delivery.webhook_id {
        Some(webhook) => webhook_call::call(engine, webhook, &delivery).await?,
        None => email::deliver(engine, &delivery).await?,
    };
    let now = Utc::now();
    let mut tx = engine.db().write().await?;
    match &outcome {
        Ok(()) => {
            deliveries::set_delivered(&mut tx, delivery.id).await?;
            if let Some(webhook) = delivery.webhook_id {
                webhooks::set_working(&mut tx, webhook).await?;
            }
        }
        Err(AttemptError::Failed(why) | AttemptError::Gone(why)) => {
            let is_gone = matches!(outcome, Err(AttemptError::Gone(_)));
            let next = retry_wait(delivery.attempts).filter(|_| !is_gone).map(|wait| now + wait);
            deliveries::set_attempt_failed(&mut tx, delivery.id, why, next).await?;
            if let Some(id) = delivery.webhook_id
                && let Some(webhook) = webhooks::get(&mut tx, id).await?
            {
                let since = webhook.failing_since.unwrap_or(now);
                let disabled_at = (is_gone || is_to_be_disabled(since, now)).then_some(now);
                webhooks::set_failing(&mut tx, id, now, disabled_at).await?;
                if disabled_at.is_some() {
                    deliveries::give_up(&mut tx, id).await?;
                }
            }
        }
    }
    tx.commit().await?;
    Ok(())
}
