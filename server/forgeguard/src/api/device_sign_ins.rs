//! `/api/device-sign-ins`: forge keys for devices without a browser, such as terminals, whose users
//! approve them in a browser elsewhere. The flow is that of RFC 8628.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{AppendHeaders, IntoResponse},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    device_sign_in::{DeviceSignInStatus, UserCode},
    key_scope::{KeyAccess, KeyScope},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    auth::{client_address::ClientAddress, token},
    check::Check,
    extract::{Json, PathParams},
    forge_keys::{self, CreateForgeKeyRequest, KeyTarget, NewForgeKey},
    identity::SignedIn,
};
use crate::{
    secret::Secret,
    store::{
        self,
        device_sign_ins::{self, DeviceSignIn},
        users::{self, User},
    },
};

/// How long a user may take.
const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Between the requests of a device for its key.
const INTERVAL: TimeDelta = TimeDelta::seconds(2);
/// Sign-ins of all devices that are not finished.
const MAX_UNFINISHED: u32 = 10_000;
/// In characters.
const MAX_NAME: usize = 80;

#[derive(Debug, Deserialize, ToSchema)]
pub struct StartDeviceSignInRequest {
    /// The name of the device, which its user and the key's name show. At most 80 characters.
    #[schema(min_length = 1, max_length = 80)]
    device_name: String,
    /// What the key permits; reading is always included. If omitted, everything that the account
    /// may do with a key.
    #[serde(default)]
    scopes: Option<Vec<KeyScope>>,
}

/// What the device shows to its user, and its own code.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartedDeviceSignIn {
    /// Only for the device, to ask for its key.
    device_code: String,
    /// To be entered by the user, such as `WDJB-MJHT`.
    user_code: String,
    /// The page on which the user enters the code.
    url: String,
    /// The same page with the code filled in.
    url_with_code: String,
    expires_at: DateTime<Utc>,
    /// Seconds to wait between two requests for the key.
    interval_s: u32,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct PollDeviceSignInRequest {
    #[schema(value_type = String)]
    device_code: Secret<String>,
}

/// What the user has decided, and the key.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeviceSignInOutcome {
    status: DeviceSignInStatus,
    /// The key, which is shown only once; null unless the user has approved.
    #[schema(required)]
    key: Option<NewForgeKey>,
}

/// A device that asks for a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct WaitingDevice {
    user_code: String,
    device_name: String,
    /// The network address from which it asks.
    address: String,
    /// What the key would permit; null for everything that the account may do with a key.
    #[schema(required)]
    scopes: Option<Vec<KeyScope>>,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct ApproveDeviceRequest {
    /// Days until the key expires, at most 3,650; if omitted, it does not expire.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 3_650)]
    expires_in_days: Option<u32>,
}

/// Starts the sign-in of a device.
#[utoipa::path(post, path = "/api/device-sign-ins", tag = "accounts", security(()),
    request_body = StartDeviceSignInRequest, responses(
        (status = 201, body = StartedDeviceSignIn),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_device_sign_in(
    State(app): State<Shared>,
    address: ClientAddress,
    headers: HeaderMap,
    Json(request): Json<StartDeviceSignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let mut check = Check::new();
    let device_name = check.line("device_name", &request.device_name, MAX_NAME);
    check.done()?;
    let page = app.own_address.base_url(&headers).map(|base| format!("{base}/device"));
    let page = page.ok_or_else(|| ApiError::bad_request("The header Host is missing."))?;
    let admitted = app.login_rate_limiter.begin_without_account(address);
    admitted.map_err(ApiError::too_many_requests)?;
    let access = request.scopes.map_or(KeyAccess::Full, KeyAccess::scoped);
    let (device_code, user_code) = (token::opaque(), UserCode::from_random(rand::random()));
    let now = store::now();
    let requested = DeviceSignIn {
        code_hash: token::digest(&device_code),
        user_code: user_code.letters().to_owned(),
        device_name,
        address: address.0.to_string(),
        scopes: access.to_stored(),
        status: DeviceSignInStatus::Waiting,
        user_id: None,
        expires_in_days: None,
        created_at: now,
        polled_at: None,
        expires_at: now + LIFETIME,
    };
    let busy = || ApiError::busy("Too many devices are signing in. Try again.");
    let mut tx = app.db.write().await?;
    device_sign_ins::remove_expired(&mut tx, now).await?;
    if device_sign_ins::count(&mut tx).await? >= MAX_UNFINISHED
        || !device_sign_ins::insert(&mut tx, &requested).await?
    {
        return Err(busy());
    }
    tx.commit().await?;
    let started = StartedDeviceSignIn {
        device_code,
        user_code: user_code.to_string(),
        url_with_code: format!("{page}?code={user_code}"),
        url: page,
        expires_at: requested.expires_at,
        interval_s: INTERVAL.num_seconds().unsigned_abs().try_into().unwrap_or(u32::MAX),
    };
    Ok((StatusCode::CREATED, not_stored(), Json(started)))
}

/// Returns the key of a device once its user has approved it. A device that asks more often than it
/// was told gets a 429; a sign-in that has expired, or whose outcome was returned, is a 404.
#[utoipa::path(post, path = "/api/device-sign-ins/poll", tag = "accounts", security(()),
    request_body = PollDeviceSignInRequest, responses(
        (status = 200, body = DeviceSignInOutcome),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn poll_device_sign_in(
    State(app): State<Shared>,
    Json(PollDeviceSignInRequest { device_code }): Json<PollDeviceSignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    let (code_hash, now) = (token::digest(device_code.expose()), store::now());
    let found = device_sign_ins::get(&mut app.db.read().await?, &code_hash, now).await?;
    let found = found.ok_or_else(unknown)?;
    let outcome = match found.status {
        DeviceSignInStatus::Waiting => {
            let wait = found.polled_at.map_or(TimeDelta::zero(), |at| at + INTERVAL - now);
            if let Some(wait) = wait.to_std().ok().filter(|wait| !wait.is_zero()) {
                return Err(ApiError::too_many_requests(wait));
            }
            let mut tx = app.db.write().await?;
            device_sign_ins::set_polled(&mut tx, &code_hash, now).await?;
            tx.commit().await?;
            DeviceSignInOutcome { status: DeviceSignInStatus::Waiting, key: None }
        }
        DeviceSignInStatus::Approved | DeviceSignInStatus::Denied => {
            finish(&app, &code_hash).await?
        }
    };
    Ok((not_stored(), Json(outcome)))
}

/// Shows the device that has shown this code.
#[utoipa::path(get, path = "/api/device-sign-ins/{code}", tag = "accounts",
    params(("code" = String, Path, description = "The code that the device shows")), responses(
        (status = 200, body = WaitingDevice),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_device_sign_in(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    address: ClientAddress,
    PathParams(code): PathParams<String>,
) -> Result<Json<WaitingDevice>, ApiError> {
    let (code, found) = waiting(&app, &user, address, &code).await?;
    Ok(Json(WaitingDevice {
        user_code: code.to_string(),
        device_name: found.device_name,
        address: found.address,
        scopes: KeyAccess::from_stored(found.scopes.as_deref()).scopes(),
        created_at: found.created_at,
        expires_at: found.expires_at,
    }))
}

/// Gives the device a forge key of the user, when it asks for it next.
#[utoipa::path(post, path = "/api/device-sign-ins/{code}/approve", tag = "accounts",
    params(("code" = String, Path, description = "The code that the device shows")),
    request_body = ApproveDeviceRequest, responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn approve_device_sign_in(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    address: ClientAddress,
    PathParams(code): PathParams<String>,
    Json(request): Json<ApproveDeviceRequest>,
) -> Result<StatusCode, ApiError> {
    let days = forge_keys::check_lifetime(request.expires_in_days)?;
    let (code, _) = waiting(&app, &user, address, &code).await?;
    let mut tx = app.db.write().await?;
    let now = store::now();
    if !device_sign_ins::approve(&mut tx, code.letters(), user.id, days, now).await? {
        return Err(unknown());
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Rejects the device.
#[utoipa::path(post, path = "/api/device-sign-ins/{code}/deny", tag = "accounts",
    params(("code" = String, Path, description = "The code that the device shows")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn deny_device_sign_in(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    address: ClientAddress,
    PathParams(code): PathParams<String>,
) -> Result<StatusCode, ApiError> {
    let (code, _) = waiting(&app, &user, address, &code).await?;
    let mut tx = app.db.write().await?;
    if !device_sign_ins::deny(&mut tx, code.letters(), store::now()).await? {
        return Err(unknown());
    }
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The device that waits with this code. Wrong codes are limited as wrong passwords are, so that
/// users cannot find the codes of others.
async fn waiting(
    app: &App,
    user: &User,
    address: ClientAddress,
    code: &str,
) -> Result<(UserCode, DeviceSignIn), ApiError> {
    let code: UserCode = code.parse().map_err(|_| unknown())?;
    let attempt = app.login_rate_limiter.begin(address, &format!("device codes of {}", user.id));
    let attempt = attempt.map_err(ApiError::too_many_requests)?;
    let mut conn = app.db.read().await?;
    let found = device_sign_ins::waiting(&mut conn, code.letters(), store::now()).await?;
    let found = found.ok_or_else(unknown)?;
    app.login_rate_limiter.withdraw(&attempt);
    Ok((code, found))
}

/// The outcome of a sign-in that was decided, which is removed: its key is returned once.
async fn finish(app: &App, code_hash: &str) -> Result<DeviceSignInOutcome, ApiError> {
    let mut tx = app.db.write().await?;
    let taken = device_sign_ins::take(&mut tx, code_hash).await?.ok_or_else(unknown)?;
    let user = match (taken.status, taken.user_id) {
        (DeviceSignInStatus::Approved, Some(id)) => users::get(&mut tx, id).await?,
        _ => None,
    };
    let key = match user.filter(|user| user.disabled_at.is_none()) {
        Some(user) => {
            let access = KeyAccess::from_stored(taken.scopes.as_deref());
            let days = taken.expires_in_days;
            let request = CreateForgeKeyRequest::of_device(&taken.device_name, access, days);
            let target = KeyTarget::default();
            Some(forge_keys::make(&mut tx, &user, Some(&user), target, request).await?)
        }
        None => None,
    };
    tx.commit().await?;
    let status = match key {
        Some(_) => DeviceSignInStatus::Approved,
        None => DeviceSignInStatus::Denied,
    };
    Ok(DeviceSignInOutcome { status, key })
}

fn unknown() -> ApiError {
    ApiError::not_found("device sign-in")
}

fn not_stored() -> AppendHeaders<[(header::HeaderName, &'static str); 1]> {
    AppendHeaders([(header::CACHE_CONTROL, "no-store")])
}
