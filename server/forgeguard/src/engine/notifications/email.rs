//! Email through the server that administrators have configured.

use std::time::Duration;

use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::Mailbox,
    transport::smtp::{
        authentication::Credentials,
        client::{Tls, TlsParameters},
    },
};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;
use utoipa::ToSchema;

use super::attempt_error::AttemptError;
use crate::{
    engine::{encryption_key::EncryptionKey, error::EngineError, handle::Engine},
    secret::Secret,
    store::{deliveries::Delivery, smtp_settings, users},
};

/// For one message, with connecting and signing in.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// How the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    /// It is not, and neither is the password.
    None,
    /// After connecting. The connection is not used without it.
    StartTls,
    /// From the start.
    Tls,
}

/// A server that sends email, without its password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmailServer {
    pub host: String,
    pub port: u16,
    pub tls: TlsMode,
    /// Null if the server requires none.
    #[schema(required)]
    pub user: Option<String>,
    /// The sender, such as `ForgeGuard <forge@example.org>`.
    pub from: String,
}

impl EmailServer {
    /// Binds a stored password to the server, so that it is never sent to another one.
    pub fn password_context(&self) -> String {
        format!("smtp\n{}\n{}\n{}", self.host, self.port, self.user.as_deref().unwrap_or_default())
    }
}

/// The configured server with its password; None if there is none.
pub async fn server(
    engine: &Engine,
) -> Result<Option<(EmailServer, Option<Secret<String>>)>, EngineError> {
    let stored = smtp_settings::get(&mut engine.db().read().await?).await?;
    let Some(stored) = stored else { return Ok(None) };
    let server: EmailServer = serde_json::from_str(&stored.settings)?;
    let Some(sealed) = stored.sealed_password else { return Ok(Some((server, None))) };
    let (file, context) = (engine.paths().encryption_key(), server.password_context());
    let password =
        engine.blocking(move || Ok(EncryptionKey::read(&file)?.decrypt(&sealed, &context))).await?;
    Ok(Some((server, password)))
}

/// Sends a delivery to its user.
pub(super) async fn deliver(
    engine: &Engine,
    delivery: &Delivery,
) -> Result<Result<(), AttemptError>, EngineError> {
    let gone = |why: &str| Ok(Err(AttemptError::Gone(why.to_owned())));
    let user = match delivery.user_id {
        Some(id) => users::get(&mut engine.db().read().await?, id).await?,
        None => None,
    };
    let Some(user) = user.filter(|user| user.disabled_at.is_none()) else {
        return gone("the account is deactivated");
    };
    let Some((server, password)) = server(engine).await? else {
        return gone("no email server is configured");
    };
    let sent = send(&server, password, &user.email, &delivery.title, &delivery.body).await;
    Ok(sent.map_err(AttemptError::Failed))
}

/// Sends one message.
pub async fn send(
    server: &EmailServer,
    password: Option<Secret<String>>,
    to: &str,
    subject: &str,
    text: &str,
) -> Result<(), String> {
    let mailbox = |address: &str| -> Result<Mailbox, String> {
        address.parse().map_err(|error| format!("“{address}” is no email address: {error}"))
    };
    let message = Message::builder()
        .from(mailbox(&server.from)?)
        .to(mailbox(to)?)
        .subject(subject)
        .body(text.to_owned())
        .map_err(|error| error.to_string())?;
    let transport = transport(server, password)?;
    match timeout(SEND_TIMEOUT, transport.send(message)).await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(error)) => Err(with_cause(&error)),
        Err(_) => Err(format!("the server did not respond within {} s", SEND_TIMEOUT.as_secs())),
    }
}

fn transport(
    server: &EmailServer,
    password: Option<Secret<String>>,
) -> Result<AsyncSmtpTransport<Tokio1Executor>, String> {
    let encryption = || TlsParameters::new(server.host.clone()).map_err(|error| with_cause(&error));
    let tls = match server.tls {
        TlsMode::None => Tls::None,
        TlsMode::StartTls => Tls::Required(encryption()?),
        TlsMode::Tls => Tls::Wrapper(encryption()?),
    };
    let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host.as_str())
        .port(server.port)
        .tls(tls)
        .timeout(Some(SEND_TIMEOUT));
    Ok(match (&server.user, password) {
        (Some(user), Some(password)) => {
            let credentials = Credentials::new(user.clone(), password.expose().clone());
            builder.credentials(credentials).build()
        }
        _ => builder.build(),
    })
}

fn with_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
