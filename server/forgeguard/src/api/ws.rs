//! `/api/ws`: one socket with the events of several builds.
//!
//! - [`frame`]: the messages in both directions
//! - [`outgoing`]: writing with a timeout
//! - [`feeds`]: the builds that a socket follows
//! - [`conversation`]: one socket, from the first frame to the close

mod conversation;
mod feeds;
mod frame;
mod outgoing;

use axum::{
    extract::{State, WebSocketUpgrade, ws::rejection::WebSocketUpgradeRejection},
    http::{HeaderMap, Method, header},
    response::Response,
};

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    auth::cookie,
    identity::{Identity, identify},
};
use conversation::Credentials;

/// In bytes. Small, as clients only send short messages.
const READ_BUFFER: usize = 1024;
const WRITE_BUFFER: usize = 16 * 1024;
const MAX_MESSAGE_SIZE: usize = 16 * 1024;

/// Opens a WebSocket. Sign in with the cookie, a bearer token, or a first frame
/// `{"op":"auth","token":…}`; then send `{"op":"subscribe","build_id":…,"after":<seq>}`.
///
/// Browsers must send the `Origin` of this service; other clients only if they send the cookie.
#[utoipa::path(get, path = "/api/ws", tag = "feed", security((), ("bearer" = []), ("cookie" = [])), responses(
    (status = 101, description = "Frames: event, preview, subscribed, reset, error, ping"),
    (status = "4XX", body = ProblemDetails, content_type = "application/error+json"),
))]
pub async fn open_socket(
    State(app): State<Shared>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let may_be_foreign =
        headers.contains_key(header::ORIGIN) || cookie::value(&headers, cookie::SESSION).is_some();
    if may_be_foreign && !app.own_address.sent(&headers) {
        return Err(ApiError::cross_origin());
    }
    let upgrade = upgrade.map_err(|e| ApiError::bad_request(e.to_string()))?;
    let credentials = credentials(identify(&app, &Method::GET, &headers).await)?;
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(MAX_MESSAGE_SIZE)
        .max_frame_size(MAX_MESSAGE_SIZE);
    let open = app.sockets.token();
    Ok(upgrade.on_upgrade(async move |socket| {
        conversation::serve(app, socket, credentials).await;
        drop(open);
    }))
}

/// A browser cannot read the status of a rejected upgrade, so wrong credentials are reported by the
/// close code.
fn credentials(identity: Result<Option<Identity>, ApiError>) -> Result<Credentials, ApiError> {
    match identity {
        Ok(Some(identity)) => Ok(Credentials::Valid(identity)),
        Ok(None) => Ok(Credentials::None),
        Err(error) if error.status() == 401 => Ok(Credentials::Invalid),
        Err(error) => Err(error),
    }
}
