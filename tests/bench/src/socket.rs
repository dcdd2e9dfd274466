//! A WebSocket client that costs next to nothing: it looks at headers and counts events.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::Result;

/// What an event's frame begins with, before its seq.
const EVENT: &[u8] = b"{\"op\":\"event\",\"event\":{\"seq\":";
/// Enough of a frame to see its seq.
const HEAD: usize = EVENT.len() + 24;

/// An open socket.
#[derive(Debug)]
pub struct Socket {
    stream: TcpStream,
    unread: Vec<u8>,
    /// Bytes of a frame that still have to be passed over.
    rest: usize,
}

impl Socket {
    /// Opens `path` at `address`, with a bearer token if one is given.
    pub async fn open(address: &str, path: &str, token: Option<&str>) -> Result<Self> {
        let mut stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\n\
             Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\n{}\r\n",
            bearer.unwrap_or_default()
        );
        stream.write_all(request.as_bytes()).await?;
        let mut unread = Vec::new();
        let end = loop {
            if let Some(at) = unread.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut unread).await? == 0 {
                return Err("the server closed the connection instead of opening a socket".into());
            }
        };
        if !unread.starts_with(b"HTTP/1.1 101") {
            return Err(String::from_utf8_lossy(&unread).into_owned().into());
        }
        unread.drain(..end);
        Ok(Self { stream, unread, rest: 0 })
    }

    /// Says something short.
    pub async fn say(&mut self, text: &str) -> Result<()> {
        let length = u8::try_from(text.len()).ok().filter(|length| *length < 126);
        let length = length.ok_or("only short messages are sent")?;
        // The mask is zero, which leaves the text as it is.
        let mut frame = vec![0x81, 0x80 | length, 0, 0, 0, 0];
        frame.extend(text.as_bytes());
        Ok(self.stream.write_all(&frame).await?)
    }

    /// Asks for a build's events from the first one on.
    pub async fn subscribe(&mut self, build: impl std::fmt::Display, after: u64) -> Result<()> {
        self.say(&format!("{{\"op\":\"subscribe\",\"build_id\":\"{build}\",\"after\":{after}}}"))
            .await
    }

    /// Reads what has come, and calls `event` with the seq of each event in it.
    pub async fn read(&mut self, event: impl FnMut(u64)) -> Result<()> {
        self.unread.reserve(64 * 1024);
        if self.stream.read_buf(&mut self.unread).await? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let used = self.take(event)?;
        self.unread.drain(..used);
        Ok(())
    }

    /// Walks over whole frames; says how many bytes are done with.
    fn take(&mut self, mut event: impl FnMut(u64)) -> Result<usize> {
        let mut at = 0;
        loop {
            let skip = self.rest.min(self.unread.len() - at);
            at += skip;
            self.rest -= skip;
            let Some((header, length)) = header(&self.unread[at..]) else { return Ok(at) };
            let payload = &self.unread[at + header..];
            if payload.len() < length.min(HEAD) {
                return Ok(at);
            }
            if self.unread[at] & 0x0f == 8 {
                let shown = String::from_utf8_lossy(&payload[..length.min(payload.len())]);
                return Err(format!("the server closed the socket: {shown}").into());
            }
            if let Some(number) = payload.strip_prefix(EVENT) {
                let digits = number.iter().take_while(|byte| byte.is_ascii_digit());
                event(digits.fold(0, |seq, digit| seq * 10 + u64::from(digit - b'0')));
            }
            at += header;
            self.rest = length;
        }
    }
}

/// Sizes of the header and of what follows it, once the whole header is there.
fn header(bytes: &[u8]) -> Option<(usize, usize)> {
    let short = usize::from(*bytes.get(1)? & 0x7f);
    match short {
        126 => Some((4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)))),
        127 => {
            let length = u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?);
            Some((10, usize::try_from(length).ok()?))
        }
        length => Some((2, length)),
    }
}
