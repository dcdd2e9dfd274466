//! A client of `/api/ws` that keeps its position in the journal across connections.

use domain::{
    chain::{self, Walk},
    event::Event,
    ids::BuildId,
};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Message, client::IntoClientRequest, protocol::CloseFrame},
};

/// What was received from the socket.
#[derive(Debug)]
pub enum Received {
    /// The next event, checked to follow the last one in number and hash.
    Event(Box<Event>),
    /// A preview, or another message that is not an event.
    Other(Value),
    /// The end, with the server's reason if there was one.
    Closed(Option<CloseFrame>),
}

/// Reads one build's journal over any number of sockets.
pub struct Follower {
    address: String,
    token: String,
    build: BuildId,
    walk: Walk,
    last: u64,
    head: String,
    receive_buffer: Option<u32>,
    socket: Option<WebSocketStream<TcpStream>>,
}

impl Follower {
    /// Starts at the beginning, not connected. `address` is host and port.
    pub fn new(address: &str, token: &str, build: BuildId) -> Self {
        let (address, token) = (address.to_owned(), token.to_owned());
        let (walk, head) = (Walk::new(build), chain::GENESIS.to_owned());
        let (last, receive_buffer, socket) = (0, None, None);
        Self { address, token, build, walk, last, head, receive_buffer, socket }
    }

    /// Limits the kernel's receive buffer.
    pub fn with_receive_buffer(mut self, bytes: u32) -> Self {
        self.receive_buffer = Some(bytes);
        self
    }

    /// Number and hash of the last event received.
    pub fn head(&self) -> (u64, &str) {
        (self.last, &self.head)
    }

    /// Drops the connection without closing it.
    pub fn disconnect(&mut self) {
        self.socket = None;
    }

    /// Sets the address of a restarted server.
    pub fn set_address(&mut self, address: &str) {
        self.disconnect();
        self.address = address.to_owned();
    }

    /// Connects and subscribes after the last event received.
    pub async fn connect(&mut self) {
        let url = format!("ws://{}/api/ws", self.address);
        let mut request = url.into_client_request().unwrap();
        let bearer = format!("Bearer {}", self.token).parse().unwrap();
        request.headers_mut().insert("authorization", bearer);
        let tcp = TcpSocket::new_v4().expect("a socket");
        if let Some(bytes) = self.receive_buffer {
            tcp.set_recv_buffer_size(bytes).expect("the buffer can be set");
        }
        let tcp = tcp.connect(self.address.parse().expect("an address")).await;
        let tcp = tcp.expect("the server listens");
        let (mut socket, _) = client_async(request, tcp).await.expect("the socket opens");
        let subscription = json!({ "op": "subscribe", "build_id": self.build, "after": self.last });
        socket
            .send(Message::text(subscription.to_string()))
            .await
            .expect("the socket accepts messages");
        self.socket = Some(socket);
    }

    /// The next message; connects first if necessary.
    pub async fn next(&mut self) -> Received {
        if self.socket.is_none() {
            self.connect().await;
        }
        let socket = self.socket.as_mut().expect("it is connected");
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return self.take(&text),
                Some(Ok(Message::Close(frame))) => {
                    self.socket = None;
                    return Received::Closed(frame);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    self.socket = None;
                    return Received::Closed(None);
                }
            }
        }
    }

    /// The next event; reconnects whenever the connection ends.
    pub async fn event(&mut self) -> Event {
        loop {
            if let Received::Event(event) = self.next().await {
                return *event;
            }
        }
    }

    fn take(&mut self, text: &str) -> Received {
        const OPEN: &str = r#"{"op":"event","event":"#;
        let Some(event) = text.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix('}')) else {
            return Received::Other(serde_json::from_str(text).expect("every frame is JSON"));
        };
        let link = chain::without_hash(event).expect("an event ends with its hash");
        let event = self.walk.next(&link).unwrap_or_else(|misfit| {
            panic!("after event {} came one that does not fit: {misfit}", self.last)
        });
        (self.last, self.head) = (event.seq, event.hash.clone());
        Received::Event(Box::new(event))
    }
}
