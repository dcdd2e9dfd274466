//! Receivers of notifications: an HTTP server that checks signatures by itself, and an SMTP server.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

/// A request to the webhook, as received.
#[derive(Clone, Debug)]
pub struct Received {
    pub id: String,
    pub timestamp: i64,
    pub signature: String,
    pub text: String,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).expect("the body is JSON")
    }

    /// Checks the signature with HMAC-SHA256 as RFC 2104 defines it.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let key = secret.strip_prefix("whsec_").expect("a secret");
        let key = BASE64_STANDARD.decode(key).expect("Base64");
        assert!(key.len() <= 64, "longer keys are hashed first");
        let pad = |byte: u8| -> Vec<u8> {
            (0..64).map(|at| key.get(at).copied().unwrap_or(0) ^ byte).collect()
        };
        let text = format!("{}.{}.{}", self.id, self.timestamp, self.text);
        let inner = Sha256::digest([pad(0x36), text.into_bytes()].concat());
        let tag = Sha256::digest([pad(0x5c), inner.to_vec()].concat());
        self.signature == format!("v1,{}", BASE64_STANDARD.encode(tag))
    }
}

/// An HTTP server on this machine. Its responses can be changed.
pub struct WebhookSink {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    status: Arc<Mutex<&'static str>>,
    task: JoinHandle<()>,
}

impl WebhookSink {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let status = Arc::new(Mutex::new("204 No Content"));
        let (list, response) = (received.clone(), status.clone());
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let status = *lock(&response);
                let request = read_request(stream, status).await;
                lock(&list).push(request);
            }
        });
        Self { address, received, status, task }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn respond_with(&self, status: &'static str) {
        *lock(&self.status) = status;
    }

    pub fn received(&self) -> Vec<Received> {
        lock(&self.received).clone()
    }
}

impl Drop for WebhookSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read_request(stream: TcpStream, status: &str) -> Received {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).await.expect("a header");
        let Some((name, value)) = line.trim().split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let header = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    if let Ok(bytes) = header("content-length").parse() {
        length = bytes;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.expect("the body");
    let response = format!(
        "HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\
         connection: close\r\n\r\n"
    );
    reader.get_mut().write_all(response.as_bytes()).await.expect("the response is read");
    Received {
        id: header("webhook-id"),
        timestamp: header("webhook-timestamp").parse().expect("a time"),
        signature: header("webhook-signature"),
        text: String::from_utf8(body).expect("UTF-8"),
    }
}

/// A message as received by the SMTP server.
#[derive(Clone, Debug)]
pub struct Mail {
    pub to: String,
    /// The decoded user and password.
    pub credentials: String,
    pub text: String,
}

/// An SMTP server without TLS on this machine.
pub struct SmtpSink {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Mail>>>,
    task: JoinHandle<()>,
}

impl SmtpSink {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let received: Arc<Mutex<Vec<Mail>>> = Arc::default();
        let list = received.clone();
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                let list = list.clone();
                tokio::spawn(async move {
                    if let Some(mail) = converse(stream).await {
                        lock(&list).push(mail);
                    }
                });
            }
        });
        Self { address, received, task }
    }

    pub fn received(&self) -> Vec<Mail> {
        lock(&self.received).clone()
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(stream: TcpStream) -> Option<Mail> {
    let mut reader = BufReader::new(stream);
    let mut mail = Mail { to: String::new(), credentials: String::new(), text: String::new() };
    say(&mut reader, "220 sink").await;
    let mut is_data = false;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if is_data {
            if line.trim_end() == "." {
                say(&mut reader, "250 received").await;
                return Some(mail);
            }
            mail.text.push_str(&line);
            continue;
        }
        let (command, rest) = line.trim_end().split_at(line.trim_end().len().min(4));
        match command.to_uppercase().as_str() {
            "EHLO" => say(&mut reader, "250-sink\r\n250 AUTH PLAIN").await,
            "AUTH" => {
                let encoded = rest.trim().trim_start_matches("PLAIN").trim();
                let decoded = BASE64_STANDARD.decode(encoded).expect("Base64");
                mail.credentials = String::from_utf8(decoded).expect("UTF-8");
                say(&mut reader, "235 accepted").await;
            }
            "RCPT" => {
                mail.to = rest.to_owned();
                say(&mut reader, "250 ok").await;
            }
            "DATA" => {
                is_data = true;
                say(&mut reader, "354 end with a dot").await;
            }
            _ => say(&mut reader, "250 ok").await,
        }
    }
}

async fn say(reader: &mut BufReader<TcpStream>, line: &str) {
    let line = format!("{line}\r\n");
    reader.get_mut().write_all(line.as_bytes()).await.expect("the client reads");
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
