//! Keys of model providers that administrators set in the app. They are encrypted in the database,
//! with a key in a file that all nodes need.

use std::{io, sync::Arc, time::Duration};

use domain::{audit::AuditAction, model_provider::ModelProvider};
use llm::ModelError;
use serde_json::{Value, json};

use super::{
    encryption_key::EncryptionKey,
    error::EngineError,
    handle::Engine,
    models::{AppAccess, ModelSource, ProviderAccess, UnavailableModel},
    paths::Paths,
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        provider_keys::{self, NewProviderKey, ProviderKey},
        users::User,
    },
};

/// Characters of a key that are shown.
const SHOWN_CHARS: usize = 4;
/// Nothing is shown of keys that are shorter.
const MIN_SHOWN_KEY_CHARS: usize = 16;

/// A key or an address for a provider, or both.
pub struct NewAccess {
    pub provider: ModelProvider,
    pub key: Option<Secret<String>>,
    pub base_url: Option<String>,
}

/// A stored key, and why this node cannot use it.
pub struct StoredKey {
    pub row: ProviderKey,
    pub problem: Option<String>,
}

/// The result of a test request.
pub struct ConnectionTest {
    /// Provider and name.
    pub model: String,
    pub result: Result<Duration, ConnectionError>,
}

pub enum ConnectionError {
    Unavailable(UnavailableModel),
    Failed(ModelError),
}

impl Engine {
    /// The models that this node can use, with the keys that are set in the app.
    pub async fn model_source(&self) -> Result<Arc<ModelSource>, EngineError> {
        let rows = provider_keys::list(&mut self.db().read().await?).await?;
        if let Some((_, source)) = self.cached_models().as_ref().filter(|(of, _)| *of == rows) {
            return Ok(source.clone());
        }
        let access = self.decrypted(&rows).await?;
        let source = Arc::new((self.parts.models)(&access));
        // A key that cannot be decrypted may be readable at the next attempt.
        if access.values().all(Result::is_ok) {
            *self.cached_models() = Some((rows, source.clone()));
        }
        Ok(source)
    }

    /// The keys that are set in the app.
    pub async fn provider_keys(&self) -> Result<Vec<StoredKey>, EngineError> {
        let rows = provider_keys::list(&mut self.db().read().await?).await?;
        let mut access = self.decrypted(&rows).await?;
        let stored = rows.into_iter().map(|row| {
            let problem = access.remove(&row.provider).and_then(Result::err);
            StoredKey { row, problem }
        });
        Ok(stored.collect())
    }

    /// Replaces the key and the address of a provider.
    ///
    /// # Errors
    /// If a stored key cannot be decrypted: this node would encrypt the new one with another key
    /// than the other nodes.
    pub async fn set_provider_key(&self, by: &User, new: NewAccess) -> Result<(), EngineError> {
        let NewAccess { provider, key, base_url } = new;
        let rows = provider_keys::list(&mut self.db().read().await?).await?;
        let access = self.decrypted(&rows).await?;
        if let Some(reason) = access.into_values().find_map(Result::err) {
            return Err(EngineError::UndecryptableKey(reason));
        }
        let last_four = key.as_ref().and_then(last_four);
        let sealed_key = match key {
            Some(key) => {
                let (file, context) = (self.paths().encryption_key(), context(provider, &base_url));
                let encrypt =
                    move || Ok(EncryptionKey::load(&file)?.encrypt(&key, &context).map(Some)?);
                self.blocking(encrypt).await?
            }
            None => None,
        };
        let now = store::now();
        let row = NewProviderKey {
            provider,
            sealed_key: sealed_key.as_deref(),
            last_four: last_four.as_deref(),
            base_url: base_url.as_deref(),
            set_by: by.id,
            set_at: now,
        };
        let detail = json!({ "has_key": sealed_key.is_some(), "base_url": base_url });
        let mut tx = self.db().write().await?;
        provider_keys::set(&mut tx, &row).await?;
        audit_log::append(&mut tx, &entry(by, AuditAction::ProviderKeySet, provider, detail))
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Removes the key and the address of a provider.
    pub async fn remove_provider_key(
        &self,
        by: &User,
        provider: ModelProvider,
    ) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        if !provider_keys::list(&mut tx).await?.iter().any(|row| row.provider == provider) {
            return Err(EngineError::NotFound("provider key"));
        }
        provider_keys::remove(&mut tx, provider).await?;
        let entry = entry(by, AuditAction::ProviderKeyRemoved, provider, json!({}));
        audit_log::append(&mut tx, &entry).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Sends one request to a provider: to `model`, such as `openai/my-model`, or to the model of
    /// this provider that is in use, or to its default model.
    pub async fn test_provider(
        &self,
        by: &User,
        provider: ModelProvider,
        model: Option<String>,
    ) -> Result<ConnectionTest, EngineError> {
        let source = self.model_source().await?;
        let name = match model {
            Some(name) => name,
            None => {
                let chosen = self.installation_settings().await?.models;
                let in_use = source.models(&chosen).ok();
                let in_use = in_use.and_then(|models| models.of_provider(provider));
                in_use.unwrap_or_else(|| (source.default_model)(provider))
            }
        };
        let result = match (source.open)(&name) {
            Ok(model) => model.test().await.map_err(ConnectionError::Failed),
            Err(reason) => {
                let name = name.clone();
                Err(ConnectionError::Unavailable(UnavailableModel { name, reason }))
            }
        };
        let detail = json!({ "model": name, "succeeded": result.is_ok() });
        let entry = entry(by, AuditAction::ProviderKeyTested, provider, detail);
        let mut tx = self.db().write().await?;
        audit_log::append(&mut tx, &entry).await?;
        tx.commit().await?;
        Ok(ConnectionTest { model: name, result })
    }

    /// What the rows contain, or why this node cannot decrypt it.
    async fn decrypted(&self, rows: &[ProviderKey]) -> Result<AppAccess, EngineError> {
        let (rows, paths) = (rows.to_vec(), self.paths().clone());
        let node = self.node().to_owned();
        self.blocking(move || Ok(decrypt(rows, &paths, &node))).await
    }
}

/// What the rows contain, or why `node` cannot decrypt it. Blocks.
pub fn decrypt(rows: Vec<ProviderKey>, paths: &Paths, node: &str) -> AppAccess {
    let file = EncryptionKey::read(&paths.encryption_key());
    let access = rows.into_iter().map(|row| {
        let ProviderKey { provider, sealed_key, base_url, .. } = row;
        let key = match (sealed_key, &file) {
            (None, _) => Ok(None),
            (Some(sealed), Ok(file)) => file
                .decrypt(&sealed, &context(provider, &base_url))
                .map(Some)
                .ok_or_else(|| undecryptable(provider, node, "is not the one it was set with")),
            (Some(_), Err(error)) => Err(undecryptable(provider, node, &unreadable(error))),
        };
        (provider, key.map(|key| ProviderAccess { key, base_url }))
    });
    access.collect()
}

/// Binds a stored key to its provider and address, so that it is never sent anywhere else.
pub(super) fn context(provider: ModelProvider, base_url: &Option<String>) -> String {
    format!("{}\n{}", provider.name(), base_url.as_deref().unwrap_or_default())
}

fn undecryptable(provider: ModelProvider, node: &str, why: &str) -> String {
    let provider = provider.display_name();
    format!(
        "the key for {provider} cannot be decrypted on the node {node}: its file encryption.key \
         {why}. Copy that file from the data directory of the node on which the key was set, or \
         remove the key in the installation settings and set it again"
    )
}

fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "is missing".to_owned(),
        _ => format!("cannot be read ({error})"),
    }
}

fn last_four(key: &Secret<String>) -> Option<String> {
    let count = key.expose().chars().count();
    let is_long = count >= MIN_SHOWN_KEY_CHARS;
    is_long.then(|| key.expose().chars().skip(count - SHOWN_CHARS).collect())
}

fn entry(by: &User, action: AuditAction, provider: ModelProvider, detail: Value) -> NewEntry<'_> {
    NewEntry::by(by, store::now(), action, format!("provider/{}", provider.name()), detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_a_long_key_is_shown() {
        for (key, shown) in [("sk-ant-0123456789abcdef", Some("cdef")), ("a key", None)] {
            assert_eq!(last_four(&Secret::new(key.to_owned())).as_deref(), shown, "{key}");
        }
    }

    #[test]
    fn reason_names_provider_node_and_file() {
        let reason = undecryptable(ModelProvider::OpenAi, "node-2", "is missing");
        for word in ["OpenAI", "node-2", "encryption.key is missing"] {
            assert!(reason.contains(word), "{reason}");
        }
        assert_ne!(context(ModelProvider::OpenAi, &None), context(ModelProvider::Anthropic, &None));
    }
}
