//! Verifies a password within the limits of sign-in attempts.

use std::time::Duration;

use super::{
    api_error::ApiError,
    app::App,
    auth::{client_address::ClientAddress, password::PasswordError},
};
use crate::{secret::Secret, store::users};

/// `Retry-After` if too many passwords are being verified.
const QUEUE_FULL_RETRY: Duration = Duration::from_secs(1);

/// The active account with this address and password; None if either is incorrect.
pub async fn verify_password(
    app: &App,
    address: ClientAddress,
    email: &str,
    password: Secret<String>,
) -> Result<Option<users::User>, ApiError> {
    let attempt = app.login_rate_limiter.begin(address, email);
    let attempt = attempt.map_err(ApiError::too_many_requests)?;
    let user = users::by_email(&mut app.db.read().await?, email).await?;
    let user = user.filter(|user| user.disabled_at.is_none());
    let hash = user.as_ref().map(|user| user.password_hash.clone());
    match app.passwords.verify(hash, password, attempt.priority).await {
        Ok(true) => {
            app.login_rate_limiter.succeeded(&attempt);
            Ok(user)
        }
        Ok(false) => Ok(None),
        Err(error) => {
            app.login_rate_limiter.withdraw(&attempt);
            Err(match error {
                PasswordError::QueueFull => ApiError::too_many_requests(QUEUE_FULL_RETRY),
                error => ApiError::internal(error),
            })
        }
    }
}
