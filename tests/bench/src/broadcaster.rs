//! What the feed is compared with: frames from memory to sockets, and nothing else.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::{
        State, WebSocketUpgrade,
        ws::{Message, Utf8Bytes, WebSocket},
    },
    response::Response,
    routing::get,
    serve::ListenerExt,
};
use futures::SinkExt;
use tokio::{
    net::TcpListener,
    sync::broadcast::{self, error::RecvError},
    task::JoinHandle,
};

use crate::Result;

/// Frames written to a socket before it is flushed, as the feed does it.
const GROUP: usize = 500;

/// A server that sends every frame to everyone.
pub struct Broadcaster {
    /// Where it listens.
    pub address: SocketAddr,
    frames: Arc<broadcast::Sender<Utf8Bytes>>,
    serving: JoinHandle<()>,
}

impl Broadcaster {
    /// Listens on a free port. Holds up to `capacity` frames for those who are behind.
    pub async fn start(capacity: usize) -> Result<Self> {
        let frames = Arc::new(broadcast::Sender::new(capacity));
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let routes = Router::new().route("/ws", get(open)).with_state(frames.clone());
        let serving = tokio::spawn(async move { drop(axum::serve(listener, routes).await) });
        Ok(Self { address, frames, serving })
    }

    /// Sends a frame to all who listen.
    pub fn send(&self, frame: String) {
        // Fails if there are no receivers.
        let _ = self.frames.send(frame.into());
    }

    /// How many listen.
    pub fn listeners(&self) -> usize {
        self.frames.receiver_count()
    }
}

impl Drop for Broadcaster {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn open(
    State(frames): State<Arc<broadcast::Sender<Utf8Bytes>>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let frames = frames.subscribe();
    upgrade.write_buffer_size(16 * 1024).on_upgrade(|socket| async move {
        // An error means that the client has left.
        let _ = pass_on(frames, socket).await;
    })
}

async fn pass_on(
    mut frames: broadcast::Receiver<Utf8Bytes>,
    mut socket: WebSocket,
) -> std::result::Result<(), axum::Error> {
    loop {
        match frames.recv().await {
            Ok(frame) => socket.feed(Message::Text(frame)).await?,
            Err(RecvError::Closed) => return Ok(()),
            Err(RecvError::Lagged(lost)) => unreachable!("the window holds back, yet {lost} lost"),
        }
        for _ in 1..GROUP {
            let Ok(frame) = frames.try_recv() else { break };
            socket.feed(Message::Text(frame)).await?;
        }
        socket.flush().await?;
    }
}
