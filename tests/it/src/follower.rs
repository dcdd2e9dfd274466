//! A client of `/api/ws` that remembers the last event it has, as a page does.

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

/// What the socket gave.
#[derive(Debug)]
pub enum Given {
    /// The next event, checked to follow the last one in number and hash.
    Event(Box<Event>),
    /// A preview or anything else that is not of the journal.
    Other(Value),
    /// The end, with the server's reason where it gave one.
    Closed(Option<CloseFrame>),
}

/// A reader of one build's journal, through as many sockets as it takes.
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
    /// Has nothing and is not connected. `address` is host and port.
    pub fn new(address: &str, token: &str, build: BuildId) -> Self {
        let (address, token) = (address.to_owned(), token.to_owned());
        let (walk, head) = (Walk::new(build), chain::GENESIS.to_owned());
        let (last, receive_buffer, socket) = (0, None, None);
        Self { address, token, build, walk, last, head, receive_buffer, socket }
    }

    /// Lets the kernel keep no more than so many bytes that it has not read.
    pub fn with_receive_buffer(mut self, bytes: u32) -> Self {
        self.receive_buffer = Some(bytes);
        self
    }

    /// Number and hash of the last event it has.
    pub fn head(&self) -> (u64, &str) {
        (self.last, &self.head)
    }

    /// Drops the connection, if there is one, in the midst of whatever it was doing.
    pub fn disconnect(&mut self) {
        self.socket = None;
    }

    /// The server has moved.
    pub fn move_to(&mut self, address: &str) {
        self.disconnect();
        self.address = address.to_owned();
    }

    /// Connects and asks for what comes after the last event it has.
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
        let wish = json!({ "op": "subscribe", "build_id": self.build, "after": self.last });
        socket.send(Message::text(wish.to_string())).await.expect("the socket takes a wish");
        self.socket = Some(socket);
    }

    /// What comes next; connects first if need be.
    pub async fn next(&mut self) -> Given {
        if self.socket.is_none() {
            self.connect().await;
        }
        let socket = self.socket.as_mut().expect("it is connected");
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return self.take(&text),
                Some(Ok(Message::Close(frame))) => {
                    self.socket = None;
                    return Given::Closed(frame);
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => {
                    self.socket = None;
                    return Given::Closed(None);
                }
            }
        }
    }

    /// The next event; connects again whenever the connection ends.
    pub async fn event(&mut self) -> Event {
        loop {
            if let Given::Event(event) = self.next().await {
                return *event;
            }
        }
    }

    fn take(&mut self, text: &str) -> Given {
        const OPEN: &str = r#"{"op":"event","event":"#;
        let Some(event) = text.strip_prefix(OPEN).and_then(|rest| rest.strip_suffix('}')) else {
            return Given::Other(serde_json::from_str(text).expect("every frame is JSON"));
        };
        let link = chain::without_hash(event).expect("an event ends with its hash");
        let event = self.walk.next(&link).unwrap_or_else(|misfit| {
            panic!("after event {} came one that does not fit: {misfit}", self.last)
        });
        (self.last, self.head) = (event.seq, event.hash.clone());
        Given::Event(Box::new(event))
    }
}
