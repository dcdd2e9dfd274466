//! The writing half: frames go out in groups, and a write that stands still ends the socket.

use std::{pin::pin, task::Poll, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use futures::{SinkExt, poll};
use tokio::time::timeout;

use super::frame::{Close, Reply};

/// Why a frame could not be written.
#[derive(Debug)]
pub enum Unsent {
    /// The client is gone.
    Gone,
    /// The client has read nothing for the whole grace.
    TooSlow,
}

impl From<axum::Error> for Unsent {
    fn from(_: axum::Error) -> Self {
        Self::Gone
    }
}

/// Puts frames into the socket's buffer, then sends them all. The grace is for each piece that
/// the buffer holds: a client that reads slowly but steadily is never too slow.
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

/// Starts a clock only for what does not succeed at once, as most writes do.
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

/// Says one thing.
pub async fn reply(socket: &mut WebSocket, grace: Duration, reply: &Reply) -> Result<(), Unsent> {
    send(socket, grace, [reply.message()]).await
}

/// Ends the socket with a code, and waits for the client to have seen it.
pub async fn close(socket: &mut WebSocket, grace: Duration, close: Close) {
    let farewell = async {
        socket.send(close.message()).await?;
        while let Some(Ok(_)) = socket.recv().await {}
        Ok::<_, axum::Error>(())
    };
    // Whoever does not answer has gone, which is what was wanted.
    let _ = timeout(grace, farewell).await;
}
