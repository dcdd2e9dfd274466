//! Webhooks of projects and of the installation. Their secrets are encrypted in the database.

use domain::{
    ids::{ProjectId, UserId, WebhookId},
    notification::NotificationKind,
};

use super::{encryption_key::EncryptionKey, error::EngineError, handle::Engine, notifications};
use crate::{
    secret::Secret,
    store::{self, webhooks::Webhook},
};

/// A webhook to be added.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// None for all projects.
    pub project_id: Option<ProjectId>,
    pub url: String,
    pub kinds: Vec<NotificationKind>,
    pub created_by: UserId,
}

impl Engine {
    /// Why a URL cannot be called now: its host is unknown, or not public and not allowed.
    pub async fn webhook_url_problem(&self, url: &str) -> Option<String> {
        notifications::webhook_call::destination(self, url).await.err()
    }

    /// The row of a new webhook, and its secret, which cannot be read again.
    pub async fn new_webhook(
        &self,
        new: NewWebhook,
    ) -> Result<(Webhook, Secret<String>), EngineError> {
        let id = store::new_id();
        let secret = notifications::signature::new_secret();
        let (file, text) = (self.paths().encryption_key(), secret.clone());
        let sealed_secret = self
            .blocking(move || Ok(EncryptionKey::load(&file)?.encrypt(&text, &context(id))?))
            .await?;
        let webhook = Webhook {
            id,
            project_id: new.project_id,
            url: new.url,
            sealed_secret,
            kinds: kinds_text(&new.kinds),
            created_by: new.created_by,
            created_at: store::now(),
            failing_since: None,
            disabled_at: None,
        };
        Ok((webhook, secret))
    }

    /// The secret of a webhook, or why this node cannot read it.
    pub(super) async fn webhook_secret(&self, webhook: &Webhook) -> Result<Secret<String>, String> {
        let (file, sealed) = (self.paths().encryption_key(), webhook.sealed_secret.clone());
        let context = context(webhook.id);
        let decrypted =
            self.blocking(move || Ok(EncryptionKey::read(&file)?.decrypt(&sealed, &context))).await;
        decrypted.ok().flatten().ok_or_else(|| {
            "the secret cannot be decrypted with this node's encryption.key; copy that file from \
             the node on which the webhook was added, or add the webhook again"
                .to_owned()
        })
    }
}

/// As stored.
pub fn kinds_text(kinds: &[NotificationKind]) -> String {
    serde_json::to_string(kinds).unwrap_or_else(|e| unreachable!("kinds are JSON: {e}"))
}

pub(super) fn context(id: WebhookId) -> String {
    format!("webhook\n{id}")
}
