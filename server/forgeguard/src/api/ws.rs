//! `/api/ws`: one socket for a page, with the events of as many builds as it asks for.
//!
//! - [`frame`]: what is said in either direction
//! - [`outgoing`]: writing, with the patience that a slow reader is granted
//! - [`feeds`]: what the socket follows
//! - [`conversation`]: one socket from its first frame to its close

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
    app::Shared,
    identity::{Identity, identify},
    problem::{Problem, ProblemBody},
};
use conversation::Greeting;

/// A page's own messages are tiny, so the buffers of an idle socket are too.
const READ_BUFFER: usize = 1024;
const WRITE_BUFFER: usize = 16 * 1024;
const LONGEST_MESSAGE: usize = 16 * 1024;

/// Opens the socket. Sign in with the cookie, a bearer token, or a first frame
/// `{"op":"auth","token":…}`; then send `{"op":"subscribe","build_id":…,"after":<seq>}`.
#[utoipa::path(get, path = "/api/ws", tag = "feed", responses(
    (status = 101, description = "Frames: event, preview, subscribed, reset, error, ping"),
    (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
))]
pub async fn open_socket(
    State(app): State<Shared>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let bearer = headers.contains_key(header::AUTHORIZATION);
    let own_page = app.own_address.sent(&headers);
    if !own_page && (headers.contains_key(header::ORIGIN) || !bearer) {
        return Err(Problem::foreign_origin());
    }
    let upgrade = upgrade.map_err(|e| Problem::unreadable(e.to_string()))?;
    let greeting = greet(identify(&app, &Method::GET, &headers).await)?;
    let upgrade = upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE);
    let open = app.sockets.token();
    Ok(upgrade.on_upgrade(async move |socket| {
        conversation::hold(app, socket, greeting).await;
        drop(open);
    }))
}

/// A browser cannot read the status of a refused upgrade, so wrong credentials are told by the
/// close code.
fn greet(identity: Result<Option<Identity>, Problem>) -> Result<Greeting, Problem> {
    match identity {
        Ok(Some(identity)) => Ok(Greeting::Known(identity)),
        Ok(None) => Ok(Greeting::Stranger),
        Err(problem) if problem.status() == 401 => Ok(Greeting::Refused),
        Err(problem) => Err(problem),
    }
}
