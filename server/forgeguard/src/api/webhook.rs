//! A webhook and its deliveries, as shown and as requested.

use chrono::{DateTime, Utc};
use domain::{
    ids::{DeliveryId, WebhookId},
    notification::{DeliveryStatus, NotificationKind},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{api_error::ApiError, check::Check};
use crate::store::{deliveries, webhooks};

/// In characters.
const MAX_URL_LENGTH: usize = 500;

/// A URL that is called about notifications. Requests are signed as defined by the Standard Webhooks
/// specification.
#[derive(Debug, Serialize, ToSchema)]
pub struct Webhook {
    id: WebhookId,
    url: String,
    kinds: Vec<NotificationKind>,
    created_at: DateTime<Utc>,
    /// The first of the failed attempts since the last success.
    #[schema(required)]
    failing_since: Option<DateTime<Utc>>,
    /// When it was disabled after failing for days. Changing it enables it.
    #[schema(required)]
    disabled_at: Option<DateTime<Utc>>,
}

/// A new webhook with its secret, which is shown only once.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewWebhook {
    #[serde(flatten)]
    pub webhook: Webhook,
    pub secret: String,
}

/// A notification that was sent to a webhook, or will be.
#[derive(Debug, Serialize, ToSchema)]
pub struct WebhookDelivery {
    /// The `webhook-id` of its requests.
    id: DeliveryId,
    /// What happened, in one line.
    title: String,
    status: DeliveryStatus,
    /// Since it was last sent by hand.
    attempts: u32,
    #[schema(required)]
    attempted_at: Option<DateTime<Utc>>,
    /// The next attempt, if it is waiting.
    #[schema(required)]
    next_attempt_at: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    #[schema(required)]
    failure: Option<String>,
    created_at: DateTime<Utc>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct AddWebhookRequest {
    /// With http or https. Its host must be public or allowed by the configuration.
    #[schema(max_length = 500)]
    pub url: String,
    /// At least one.
    #[schema(min_items = 1)]
    pub kinds: Vec<NotificationKind>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateWebhookRequest {
    /// At least one.
    #[schema(min_items = 1)]
    pub kinds: Vec<NotificationKind>,
}

impl AddWebhookRequest {
    pub fn checked(self) -> Result<Self, ApiError> {
        let mut check = Check::new();
        let url = check.line("url", &self.url, MAX_URL_LENGTH);
        if let Err(reason) = parse_url(&url) {
            check.reject("url", reason);
        }
        check.done()?;
        Ok(Self { url, kinds: checked_kinds(self.kinds)? })
    }
}

impl UpdateWebhookRequest {
    pub fn checked(self) -> Result<Vec<NotificationKind>, ApiError> {
        checked_kinds(self.kinds)
    }
}

fn checked_kinds(mut kinds: Vec<NotificationKind>) -> Result<Vec<NotificationKind>, ApiError> {
    kinds.sort_unstable();
    kinds.dedup();
    match kinds.is_empty() {
        true => Err(ApiError::invalid("kinds", "choose at least one")),
        false => Ok(kinds),
    }
}

fn parse_url(url: &str) -> Result<(), &'static str> {
    let url = reqwest::Url::parse(url).map_err(|_| "must be a URL")?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err("must begin with https:// or http://");
    }
    match url.username().is_empty() && url.password().is_none() {
        true => Ok(()),
        false => Err("must not contain a user or password"),
    }
}

impl TryFrom<webhooks::Webhook> for Webhook {
    type Error = serde_json::Error;

    fn try_from(row: webhooks::Webhook) -> Result<Self, Self::Error> {
        let kinds = serde_json::from_str(&row.kinds)?;
        let webhooks::Webhook { id, url, created_at, failing_since, disabled_at, .. } = row;
        Ok(Self { id, url, kinds, created_at, failing_since, disabled_at })
    }
}

impl From<deliveries::Delivery> for WebhookDelivery {
    fn from(row: deliveries::Delivery) -> Self {
        Self {
            id: row.id,
            title: row.title,
            status: row.status,
            attempts: row.attempts,
            attempted_at: row.attempted_at,
            next_attempt_at: (row.status == DeliveryStatus::Waiting).then_some(row.run_after),
            failure: row.failure,
            created_at: row.created_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_must_be_http_without_credentials() {
        for url in ["https://hooks.example.org/a?b=c", "http://10.0.0.1:8080/"] {
            assert_eq!(parse_url(url), Ok(()), "{url}");
        }
        for url in ["ftp://example.org", "example.org", "https://user:word@example.org", "https://"]
        {
            assert!(parse_url(url).is_err(), "{url}");
        }
    }
}
