//! The server that sends email, as administrators set it, and a test of it.

use super::{
    encryption_key::EncryptionKey,
    error::EngineError,
    handle::Engine,
    notifications::email::{self, EmailServer},
};
use crate::{
    secret::Secret,
    store::{self, smtp_settings::SmtpSettings},
};

impl Engine {
    /// The configured server, and whether a password is stored for it.
    pub async fn email_server(&self) -> Result<Option<(EmailServer, bool)>, EngineError> {
        let found = email::server(self).await?;
        Ok(found.map(|(server, password)| (server, password.is_some())))
    }

    /// The row of a server. Without `password` the stored one is kept if it is for the same host,
    /// port and user.
    pub async fn new_email_server(
        &self,
        server: &EmailServer,
        password: Option<Secret<String>>,
    ) -> Result<SmtpSettings, EngineError> {
        let password = match password {
            Some(password) => Some(password),
            None => email::server(self)
                .await?
                .filter(|(stored, _)| stored.password_context() == server.password_context())
                .and_then(|(_, password)| password),
        };
        let sealed_password = match password {
            Some(password) => {
                let (file, context) = (self.paths().encryption_key(), server.password_context());
                let sealed = move || Ok(EncryptionKey::load(&file)?.encrypt(&password, &context)?);
                Some(self.blocking(sealed).await?)
            }
            None => None,
        };
        let settings = serde_json::to_string(server)?;
        Ok(SmtpSettings { settings, sealed_password, updated_at: store::now() })
    }

    /// Sends a message through the configured server; an error says why that failed. None if no
    /// server is configured.
    pub async fn send_test_email(
        &self,
        to: &str,
    ) -> Result<Option<Result<(), String>>, EngineError> {
        let Some((server, password)) = email::server(self).await? else { return Ok(None) };
        let text = "ForgeGuard can send email through this server.\n";
        let sent = email::send(&server, password, to, "Test email from ForgeGuard", text).await;
        Ok(Some(sent))
    }
}
