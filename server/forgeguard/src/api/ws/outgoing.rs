//! Writes frames with a timeout.

use std::{pin::pin, task::Poll, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use futures::{SinkExt, poll};
use tokio::time::timeout;

use super::frame::{Close, Reply};

#[derive(Debug)]
pub enum Unsent {
    /// The client disconnected.
    Gone,
    /// The client has read nothing for the whole timeout.
    TooSlow,
}

impl From<axum::Error> for Unsent {
    fn from(_: axum::Error) -> Self {
        Self::Gone
    }
}

/// Puts frames into the socket's buffer, then flushes it. The timeout applies to each part that the
/// buffer holds: a client that reads slowly but steadily does not exceed it.
pub async fn send(
    socket: &mut WebSocket,
    grace: Duration,
    frames: impl IntoIterator<Item = Message>,
) -> Result<(), Unsent> {
    for frame in frames {
        within(grace, socket.feed(frame)).await?;
    }
    within(grace, socket.flush()).await
}

/// Starts a timer only if the write does not complete immediately, as most do.
async fn within(
    grace: Duration,
    write: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), Unsent> {
    let mut write = pin!(write);
    match poll!(&mut write) {
        Poll::Ready(written) => Ok(written?),
        Poll::Pending => Ok(timeout(grace, write).await.map_err(|_| Unsent::TooSlow)??),
    }
}

pub async fn reply(socket: &mut WebSocket, grace: Duration, reply: &Reply) -> Result<(), Unsent> {
    send(socket, grace, [reply.message()]).await
}

/// Closes the socket with a code, and waits for the client's close frame.
pub async fn close(socket: &mut WebSocket, grace: Duration, close: Close) {
    let farewell = async {
        socket.send(close.message()).await?;
        while let Some(Ok(_)) = socket.recv().await {}
        Ok::<_, axum::Error>(())
    };
    // A client that does not respond has disconnected.
    let _ = timeout(grace, farewell).await;
}
