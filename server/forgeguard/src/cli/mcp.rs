//! `forgeguard mcp`: connects a client that speaks MCP over standard input and output to a server.
//!
//! Each line is a message. Requests run at the same time, except that nothing overtakes the handshake.
//! After it, the notifications of the server are printed too.

use std::{
    collections::HashMap,
    io::{self, BufRead, Write},
    process::ExitCode,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use futures::StreamExt;
use reqwest::{
    Client, RequestBuilder, Response, StatusCode,
    header::{ACCEPT, CONTENT_TYPE},
};
use serde_json::{Value, json};
use tokio::{
    sync::{Semaphore, mpsc},
    task::{AbortHandle, JoinSet},
    time::sleep,
};

use super::{
    api_client::{http_client, key},
    failure::Failure,
};
use crate::secret::Secret;

const MAX_CONCURRENT_REQUESTS: usize = 32;
/// Messages between the threads of standard input and output and the requests.
const CHANNEL_CAPACITY: usize = 64;
/// JSON-RPC's code for an error of the server.
const SERVER_ERROR: i64 = -32_000;
const PARSE_ERROR: i64 = -32_700;
/// The first revision without sessions, whose requests carry their version.
const WITHOUT_SESSIONS: &str = "2026-07-28";
const EVENT_STREAM: &str = "text/event-stream";
/// Between attempts to open the stream of notifications.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(2);
const SESSION_HEADER: &str = "mcp-session-id";
const VERSION_HEADER: &str = "mcp-protocol-version";

struct Bridge {
    client: Client,
    url: String,
    key: Secret<String>,
    session: Mutex<Session>,
    replies: mpsc::Sender<String>,
    slots: Semaphore,
}

#[derive(Clone, Default)]
struct Session {
    id: Option<String>,
    /// As negotiated.
    version: Option<String>,
    /// The client's first message, to start another session if this one ends.
    initialize: Option<Value>,
}

/// Runs until standard input ends.
pub async fn mcp(server: &str) -> Result<ExitCode, Failure> {
    let key = key(server)?;
    let client = http_client()?.build()?;
    let (replies, printed) = mpsc::channel(CHANNEL_CAPACITY);
    let (lines, mut received) = mpsc::channel(CHANNEL_CAPACITY);
    thread::spawn(move || read_lines(&lines));
    let printer = thread::spawn(move || print_lines(printed));
    let bridge = Arc::new(Bridge {
        client,
        url: format!("{}/mcp", server.trim_end_matches('/')),
        key,
        session: Mutex::default(),
        replies,
        slots: Semaphore::new(MAX_CONCURRENT_REQUESTS),
    });
    let (mut running, mut handles) = (JoinSet::new(), HashMap::<String, AbortHandle>::new());
    // They end with standard input: the session's notifications, or subscriptions.
    let mut streams = JoinSet::new();
    while let Some(line) = received.recv().await {
        let Ok(message) = serde_json::from_str::<Value>(&line) else {
            bridge.fail(&Value::Null, PARSE_ERROR, "This is not JSON.").await;
            continue;
        };
        while running.try_join_next().is_some() || streams.try_join_next().is_some() {}
        handles.retain(|_, handle| !handle.is_finished());
        match message["method"].as_str() {
            Some("initialize") => bridge.clone().forward(message).await,
            Some("notifications/initialized") => {
                bridge.clone().forward(message).await;
                streams.abort_all();
                if bridge.has_session() {
                    streams.spawn(bridge.clone().follow_notifications());
                }
            }
            Some("subscriptions/listen") => {
                let id = message["id"].to_string();
                handles.insert(id, streams.spawn(bridge.clone().deliver(message)));
            }
            Some("notifications/cancelled") if !bridge.has_session() => {
                // Without a session, a request is cancelled by closing its connection.
                let cancelled = handles.remove(&message["params"]["requestId"].to_string());
                cancelled.inspect(AbortHandle::abort);
            }
            // Notifications keep their order.
            _ if message.get("id").is_none() => bridge.clone().forward(message).await,
            _ => {
                let id = message["id"].to_string();
                handles.insert(id, running.spawn(bridge.clone().forward(message)));
            }
        }
    }
    while running.join_next().await.is_some() {}
    streams.shutdown().await;
    bridge.end_session().await;
    drop(bridge);
    // The thread has printed everything once no sender is left.
    let _ = tokio::task::spawn_blocking(move || printer.join()).await;
    Ok(ExitCode::SUCCESS)
}

fn read_lines(lines: &mpsc::Sender<String>) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !line.trim().is_empty() && lines.blocking_send(line).is_err() {
            return;
        }
    }
}

fn print_lines(mut printed: mpsc::Receiver<String>) {
    let mut out = io::stdout().lock();
    while let Some(line) = printed.blocking_recv() {
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            return;
        }
    }
}

impl Bridge {
    /// Sends a message, and prints what the server answers, in one of the slots for requests.
    async fn forward(self: Arc<Self>, message: Value) {
        let Ok(_slot) = self.slots.acquire().await else { return };
        self.clone().deliver(message).await;
    }

    /// The same without a slot, for requests that do not end by themselves.
    async fn deliver(self: Arc<Self>, message: Value) {
        let id = message.get("id").cloned();
        let reason = match self.exchange(&message).await {
            Ok(()) => return,
            Err(reason) => reason,
        };
        match id {
            Some(id) => self.fail(&id, SERVER_ERROR, &reason).await,
            None => {
                // Notifications have no reply.
                let _ = writeln!(io::stderr(), "forgeguard: {reason}");
            }
        }
    }

    async fn exchange(&self, message: &Value) -> Result<(), String> {
        let mut response = self.send(message).await?;
        let is_initialize = message["method"] == "initialize";
        if response.status() == StatusCode::NOT_FOUND && self.has_session() && !is_initialize {
            self.start_session_again().await?;
            response = self.send(message).await?;
        }
        let status = response.status();
        if is_initialize && status.is_success() {
            let mut session = self.lock();
            session.id = header(&response, SESSION_HEADER);
            session.initialize = Some(message.clone());
        }
        let is_stream = header(&response, CONTENT_TYPE.as_str())
            .is_some_and(|kind| kind.starts_with(EVENT_STREAM));
        if is_stream {
            return self.print_stream(response, is_initialize).await;
        }
        let body = response.text().await.map_err(|error| error.without_url().to_string())?;
        match serde_json::from_str::<Value>(&body) {
            Ok(reply) if reply["jsonrpc"] == "2.0" => {
                self.print(reply, is_initialize).await;
                Ok(())
            }
            _ if status.is_success() => Ok(()),
            Ok(problem) if problem["detail"].is_string() => {
                Err(format!("{status}: {}", problem["detail"].as_str().unwrap_or_default()))
            }
            _ => Err(format!("{status}: {}", body.chars().take(200).collect::<String>())),
        }
    }

    async fn send(&self, message: &Value) -> Result<Response, String> {
        let request = self.client.post(&self.url).json(message);
        let request = self.with_headers(request, message);
        request.send().await.map_err(|error| {
            format!("The server at {} cannot be reached: {}", self.url, error.without_url())
        })
    }

    fn with_headers(&self, request: RequestBuilder, message: &Value) -> RequestBuilder {
        let request = request.header(ACCEPT, format!("application/json, {EVENT_STREAM}"));
        if message["method"] == "initialize" {
            return request.bearer_auth(self.key.expose());
        }
        let own = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let version = own.as_str().map(str::to_owned).or_else(|| self.lock().version.clone());
        let mut request = self.with_session(request, version.as_deref());
        if version.as_deref().is_some_and(|version| version >= WITHOUT_SESSIONS) {
            let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str());
            request = request.header("mcp-method", message["method"].as_str().unwrap_or_default());
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        request
    }

    /// Adds the key, the session, and the version: this one, or as negotiated.
    fn with_session(&self, request: RequestBuilder, version: Option<&str>) -> RequestBuilder {
        let Session { id, version: negotiated, .. } = self.lock().clone();
        let mut request = request.bearer_auth(self.key.expose());
        if let Some(id) = id {
            request = request.header(SESSION_HEADER, id);
        }
        match version.map(str::to_owned).or(negotiated) {
            Some(version) => request.header(VERSION_HEADER, version),
            None => request,
        }
    }

    /// Prints what the server sends outside of replies. Never ends, unless the server sends nothing.
    async fn follow_notifications(self: Arc<Self>) {
        loop {
            let request = self.with_session(self.client.get(&self.url), None);
            match request.header(ACCEPT, EVENT_STREAM).send().await {
                Ok(response) if response.status() == StatusCode::METHOD_NOT_ALLOWED => return,
                // A failure is that of the connection: the server keeps what it could not send.
                Ok(response) if response.status().is_success() => {
                    let _ = self.print_stream(response, false).await;
                }
                // The next request starts a session again, or reports the failure.
                Ok(_) | Err(_) => {}
            }
            sleep(RECONNECT_INTERVAL).await;
        }
    }

    /// After a restart of the server, or an hour without calls.
    async fn start_session_again(&self) -> Result<(), String> {
        let initialize = {
            let mut session = self.lock();
            session.id = None;
            session.initialize.clone()
        };
        let initialize = initialize.ok_or("The session has ended. Reconnect.")?;
        let response = self.send(&initialize).await?;
        let id = header(&response, SESSION_HEADER).ok_or("The session has ended. Reconnect.")?;
        // The client knows the reply already.
        drop(response);
        self.lock().id = Some(id);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        self.send(&initialized).await.map(drop)
    }

    async fn print_stream(&self, response: Response, is_initialize: bool) -> Result<(), String> {
        let (mut chunks, mut pending) = (response.bytes_stream(), Vec::new());
        while let Some(chunk) = chunks.next().await {
            pending.extend_from_slice(&chunk.map_err(|error| error.without_url().to_string())?);
            while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = pending.drain(..=end).collect();
                // The server sends each message in one line.
                let data = line.strip_prefix(b"data:").unwrap_or_default();
                if let Ok(message) = serde_json::from_slice::<Value>(data) {
                    self.print(message, is_initialize).await;
                }
            }
        }
        Ok(())
    }

    async fn print(&self, message: Value, is_initialize: bool) {
        if is_initialize && let Some(version) = message["result"]["protocolVersion"].as_str() {
            self.lock().version = Some(version.to_owned());
        }
        // Fails only if standard output is closed.
        let _ = self.replies.send(message.to_string()).await;
    }

    async fn fail(&self, id: &Value, code: i64, reason: &str) {
        let error = json!({ "code": code, "message": reason });
        self.print(json!({ "jsonrpc": "2.0", "id": id, "error": error }), false).await;
    }

    async fn end_session(&self) {
        let Some(id) = self.lock().id.take() else { return };
        let request = self.client.delete(&self.url).bearer_auth(self.key.expose());
        // Otherwise the server ends it after an hour.
        let _ = request.header(SESSION_HEADER, id).send().await;
    }

    fn has_session(&self) -> bool {
        self.lock().id.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn header(response: &Response, name: &str) -> Option<String> {
    response.headers().get(name)?.to_str().ok().map(str::to_owned)
}
