//! Replaces the key that encrypts secrets in the database: all of them are encrypted again.

use std::io;

use super::{
    credentials, encryption_key::EncryptionKey, error::EngineError,
    notifications::email::EmailServer, paths::Paths, provider_keys, remotes, sign_in_providers,
    webhooks,
};
use crate::store::{
    Conn, Db, provider_keys as provider_key_rows, sealed_secrets,
    sign_in_providers as sign_in_provider_rows, smtp_settings,
};

/// The result of a rotation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rotated {
    /// Secrets that are encrypted with the new key now.
    pub encrypted: usize,
    /// Secrets that the old key could not decrypt. They are unchanged.
    pub unreadable: usize,
}

/// Encrypts all secrets with a new key, and removes the old one from its file. After an
/// interruption, the next call continues: until all secrets are encrypted again, the file has both
/// keys.
pub async fn rotate(db: &Db, paths: &Paths) -> Result<Rotated, EngineError> {
    let file = paths.encryption_key();
    EncryptionKey::add(&file)?;
    let key = EncryptionKey::read(&file)?;
    let mut rotated = renew_all(db, &key).await?;
    // A running service may have stored one with the old key meanwhile.
    loop {
        let again = renew_all(db, &key).await?;
        rotated.encrypted += again.encrypted;
        rotated.unreadable = again.unreadable;
        if again.encrypted == 0 {
            break;
        }
    }
    EncryptionKey::remove_old(&file)?;
    Ok(rotated)
}

async fn renew_all(db: &Db, key: &EncryptionKey) -> Result<Rotated, EngineError> {
    let mut renewal = Renewal { key, rotated: Rotated::default() };
    let mut tx = db.write().await?;
    renewal.all(&mut tx).await?;
    tx.commit().await?;
    Ok(renewal.rotated)
}

struct Renewal<'a> {
    key: &'a EncryptionKey,
    rotated: Rotated,
}

impl Renewal<'_> {
    async fn all(&mut self, conn: &mut Conn) -> Result<(), EngineError> {
        for row in provider_key_rows::list(conn).await? {
            let Some(old) = row.sealed_key else { continue };
            let context = provider_keys::context(row.provider, &row.base_url);
            if let Some(new) = self.renew(&old, &context)? {
                sealed_secrets::replace_provider_key(conn, row.provider, &old, &new).await?;
            }
        }
        for row in sealed_secrets::of_credentials(conn).await? {
            let context = credentials::context(row.id, &row.host);
            if let Some(new) = self.renew(&row.sealed_secret, &context)? {
                sealed_secrets::replace_of_credential(conn, row.id, &row.sealed_secret, &new)
                    .await?;
            }
        }
        for row in sealed_secrets::of_remotes(conn).await? {
            let context = remotes::hook_context(row.project_id);
            if let Some(new) = self.renew(&row.sealed_hook_secret, &context)? {
                let (project, old) = (row.project_id, &row.sealed_hook_secret);
                sealed_secrets::replace_of_remote(conn, project, old, &new).await?;
            }
        }
        for row in sealed_secrets::of_webhooks(conn).await? {
            let context = webhooks::context(row.id);
            if let Some(new) = self.renew(&row.sealed_secret, &context)? {
                sealed_secrets::replace_of_webhook(conn, row.id, &row.sealed_secret, &new).await?;
            }
        }
        for row in sign_in_provider_rows::list(conn).await? {
            let context = sign_in_providers::context(row.id, &row.issuer_url);
            if let Some(new) = self.renew(&row.sealed_secret, &context)? {
                let (id, old) = (row.id, &row.sealed_secret);
                sealed_secrets::replace_of_sign_in_provider(conn, id, old, &new).await?;
            }
        }
        let email = smtp_settings::get(conn).await?;
        if let Some((settings, old)) =
            email.and_then(|row| Some((row.settings, row.sealed_password?)))
        {
            let server: EmailServer = serde_json::from_str(&settings)?;
            if let Some(new) = self.renew(&old, &server.password_context())? {
                sealed_secrets::replace_smtp_password(conn, &old, &new).await?;
            }
        }
        Ok(())
    }

    /// The secret encrypted with the new key; None if it is already, or cannot be decrypted.
    fn renew(&mut self, sealed: &str, context: &str) -> io::Result<Option<String>> {
        if self.key.is_current(sealed, context) {
            return Ok(None);
        }
        match self.key.decrypt(sealed, context) {
            Some(secret) => {
                self.rotated.encrypted += 1;
                self.key.encrypt(&secret, context).map(Some)
            }
            None => {
                self.rotated.unreadable += 1;
                Ok(None)
            }
        }
    }
}
