//! `/api/settings/email`: the server that sends email, for administrators; and
//! `/api/me/email-notifications`: what a user receives by email.

use axum::{extract::State, http::StatusCode};
use domain::{audit::AuditAction, notification::NotificationKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    identity::{Admin, Identity, SignedInAdmin},
};
use crate::{
    engine::notifications::email::{EmailServer, TlsMode},
    engine::webhooks::kinds_text,
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        email_preferences, smtp_settings,
    },
};

/// In characters.
const MAX_LINE_LENGTH: usize = 250;

/// The server that sends email.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmailSettings {
    /// Null if none is configured: nothing is sent by email.
    #[schema(required)]
    server: Option<EmailServer>,
    /// A password is stored. It is never returned.
    has_password: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateEmailSettingsRequest {
    /// At most 250 characters.
    #[schema(max_length = 250)]
    host: String,
    #[schema(minimum = 1)]
    port: u16,
    tls: TlsMode,
    /// Omitted if the server requires none.
    #[serde(default)]
    #[schema(max_length = 250)]
    user: Option<String>,
    /// Omitted to keep the stored one, which is possible only for the same host, port and user.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 250)]
    password: Option<Secret<String>>,
    /// The sender, such as `ForgeGuard <forge@example.org>`.
    #[schema(max_length = 250)]
    from: String,
}

/// The result of sending a test email.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmailTest {
    /// The administrator's own address.
    to: String,
    /// Why it failed; null if the server accepted the message.
    #[schema(required)]
    failure: Option<String>,
}

/// What a user receives by email.
#[derive(Debug, Serialize, ToSchema)]
pub struct EmailNotifications {
    kinds: Vec<NotificationKind>,
    /// An administrator has configured a server that sends email.
    available: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateEmailNotificationsRequest {
    kinds: Vec<NotificationKind>,
}

/// Gets the server that sends email, without its password.
#[utoipa::path(get, path = "/api/settings/email", tag = "settings", responses(
    (status = 200, body = EmailSettings),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_email_settings(
    State(app): State<Shared>,
    _: Admin,
) -> Result<Json<EmailSettings>, ApiError> {
    Ok(Json(show(app.engine.email_server().await?)))
}

/// Sets the server that sends email.
#[utoipa::path(put, path = "/api/settings/email", tag = "settings",
    request_body = UpdateEmailSettingsRequest, responses(
        (status = 200, body = EmailSettings),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_email_settings(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    Json(request): Json<UpdateEmailSettingsRequest>,
) -> Result<Json<EmailSettings>, ApiError> {
    let (server, password) = request.checked()?;
    let row = app.engine.new_email_server(&server, password).await?;
    let detail = json!({ "server": server, "has_password": row.sealed_password.is_some() });
    let action = AuditAction::EmailSettingsChanged;
    let entry = NewEntry::by(&admin, store::now(), action, "installation".to_owned(), detail);
    let mut tx = app.db.write().await?;
    smtp_settings::set(&mut tx, &row).await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(Json(EmailSettings { server: Some(server), has_password: row.sealed_password.is_some() }))
}

/// Removes the server, so that nothing is sent by email.
#[utoipa::path(delete, path = "/api/settings/email", tag = "settings", responses(
    (status = 204),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn remove_email_settings(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
) -> Result<StatusCode, ApiError> {
    let (action, detail) = (AuditAction::EmailSettingsChanged, json!({ "server": null }));
    let entry = NewEntry::by(&admin, store::now(), action, "installation".to_owned(), detail);
    let mut tx = app.db.write().await?;
    smtp_settings::remove(&mut tx).await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a test email to the administrator.
#[utoipa::path(post, path = "/api/settings/email/test", tag = "settings", responses(
    (status = 200, body = EmailTest),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn test_email_settings(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
) -> Result<Json<EmailTest>, ApiError> {
    let sent = app.engine.send_test_email(&admin.email).await?;
    let sent = sent.ok_or_else(|| ApiError::conflict("No email server is configured."))?;
    Ok(Json(EmailTest { to: admin.email, failure: sent.err() }))
}

/// Gets the kinds of notifications that the user receives by email; at first none.
#[utoipa::path(get, path = "/api/me/email-notifications", tag = "accounts", responses(
    (status = 200, body = EmailNotifications),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn get_email_notifications(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
) -> Result<Json<EmailNotifications>, ApiError> {
    let mut conn = app.db.read().await?;
    let stored = email_preferences::get(&mut conn, user.id).await?;
    let kinds = stored.map(|text| serde_json::from_str(&text)).transpose();
    let kinds = kinds.map_err(ApiError::internal)?.unwrap_or_default();
    let available = smtp_settings::get(&mut conn).await?.is_some();
    Ok(Json(EmailNotifications { kinds, available }))
}

/// Chooses the kinds of notifications that the user receives by email.
#[utoipa::path(put, path = "/api/me/email-notifications", tag = "accounts",
    request_body = UpdateEmailNotificationsRequest, responses(
        (status = 200, body = EmailNotifications),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_email_notifications(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Json(UpdateEmailNotificationsRequest { mut kinds }): Json<UpdateEmailNotificationsRequest>,
) -> Result<Json<EmailNotifications>, ApiError> {
    kinds.sort_unstable();
    kinds.dedup();
    let mut tx = app.db.write().await?;
    email_preferences::set(&mut tx, user.id, &kinds_text(&kinds)).await?;
    let available = smtp_settings::get(&mut tx).await?.is_some();
    tx.commit().await?;
    Ok(Json(EmailNotifications { kinds, available }))
}

impl UpdateEmailSettingsRequest {
    /// Errors do not contain the password.
    fn checked(self) -> Result<(EmailServer, Option<Secret<String>>), ApiError> {
        let mut check = Check::new();
        let filled = |text: &String| !text.trim().is_empty();
        let host = check.line("host", &self.host, MAX_LINE_LENGTH);
        if host.contains(['/', '@', ' ']) {
            check.reject("host", "must be a host name or an address");
        }
        if self.port == 0 {
            check.reject("port", "must be between 1 and 65535");
        }
        let user = self.user.filter(filled);
        let user = user.map(|user| check.line("user", &user, MAX_LINE_LENGTH));
        let from = check.line("from", &self.from, MAX_LINE_LENGTH);
        if from.parse::<lettre::message::Mailbox>().is_err() {
            check.reject("from", "must be an address such as ForgeGuard <forge@example.org>");
        }
        let password = self.password.filter(|password| !password.expose().is_empty());
        if password.as_ref().is_some_and(|it| it.expose().chars().count() > MAX_LINE_LENGTH) {
            check.reject("password", format!("use at most {MAX_LINE_LENGTH} characters"));
        }
        if password.is_some() && user.is_none() {
            check.reject("user", "a password requires a user");
        }
        check.done()?;
        let (port, tls) = (self.port, self.tls);
        Ok((EmailServer { host, port, tls, user, from }, password))
    }
}

fn show(stored: Option<(EmailServer, bool)>) -> EmailSettings {
    let has_password = stored.as_ref().is_some_and(|(_, has_password)| *has_password);
    EmailSettings { server: stored.map(|(server, _)| server), has_password }
}
