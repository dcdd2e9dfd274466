//! The server: validates requests and responds with the next turn.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Uri, header::CONTENT_TYPE},
    response::Response,
    serve::ListenerExt,
};
use bytes::Bytes;
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    anthropic,
    dialect::{Dialect, KEY},
    gemini, openai, responses,
    seen::Seen,
    turn::{self, Answer, Reply, Status, Turn, error_body},
};

/// A model server. Dropping it stops it, and fails the test if a request was invalid.
#[derive(Debug)]
pub struct ModelServer {
    dialect: Dialect,
    address: String,
    model: Arc<Mutex<Model>>,
    serving: JoinHandle<()>,
}

struct Model {
    dialect: Dialect,
    key: Option<&'static str>,
    /// Whether requests must have the form of ForgeGuard's own.
    checks_form: bool,
    script: VecDeque<Turn>,
    player: Option<Player>,
    requests: Vec<Seen>,
    faults: Vec<String>,
    thinking: Vec<Value>,
}

type Player = Box<dyn FnMut(&Seen) -> Turn + Send>;

impl ModelServer {
    /// Starts on a free port.
    pub async fn start(dialect: Dialect) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let model = Arc::new(Mutex::new(Model {
            dialect,
            key: Some(KEY),
            checks_form: true,
            script: VecDeque::new(),
            player: None,
            requests: Vec::new(),
            faults: Vec::new(),
            thinking: Vec::new(),
        }));
        let router = Router::new()
            .fallback(answer)
            .layer(DefaultBodyLimit::disable())
            .with_state(Arc::clone(&model));
        let serving = tokio::spawn(async move {
            // Otherwise Nagle's algorithm delays small packets.
            let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
            axum::serve(listener, router).await.expect("it serves");
        });
        Self { dialect, address, model, serving }
    }

    /// The base URL, as in the settings of a provider of this API.
    pub fn base_url(&self) -> String {
        match self.dialect {
            Dialect::Anthropic => format!("http://{}", self.address),
            Dialect::OpenAi | Dialect::Responses => format!("http://{}/v1", self.address),
            Dialect::Gemini => format!("http://{}/v1beta/openai", self.address),
        }
    }

    /// Rejects requests with a key, like a self-hosted server.
    pub fn want_no_key(&self) {
        open(&self.model).key = None;
    }

    /// Accepts requests of any form, as coding agents of others send them; with the key.
    pub fn accept_any_form(&self) {
        open(&self.model).checks_form = false;
    }

    /// Appends turns to the script, of which each request gets one.
    pub fn script(&self, turns: impl IntoIterator<Item = Turn>) {
        open(&self.model).script.extend(turns);
    }

    /// After the script, responds with the result of `player` for each request.
    pub fn play(&self, player: impl FnMut(&Seen) -> Turn + Send + 'static) {
        open(&self.model).player = Some(Box::new(player));
    }

    pub fn requests(&self) -> Vec<Seen> {
        open(&self.model).requests.clone()
    }

    /// Takes the faults of requests so far, which then do not fail the test.
    pub fn take_faults(&self) -> Vec<String> {
        std::mem::take(&mut open(&self.model).faults)
    }

    ///
    /// # Panics
    /// If a request was invalid, or turns of the script are left.
    pub fn finish(self) {
        let left = open(&self.model).script.len();
        assert_eq!(left, 0, "turns of the script were not requested");
        // Faults are checked on drop.
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.serving.abort();
        let faults = self.take_faults();
        if !thread::panicking() {
            assert!(faults.is_empty(), "wrong requests:\n{}", faults.join("\n"));
        }
    }
}

impl Model {
    fn answer(&mut self, seen: Seen) -> Response {
        let mut faults = match seen.dialect {
            _ if !self.checks_form => self.wrong_key(&seen).into_iter().collect(),
            Dialect::Anthropic => anthropic::check(&seen, self.key, &self.thinking),
            Dialect::OpenAi => openai::check(&seen, self.key),
            Dialect::Responses => responses::check(&seen, self.key),
            Dialect::Gemini => gemini::check(&seen, self.key),
        };
        if self.dialect.at(&seen.path).is_none() {
            faults.push(format!("the path is {}", seen.path));
        }
        let turn = if faults.is_empty() { self.next(&seen) } else { Err(faults.join("; ")) };
        let answer = match turn {
            Ok(turn) => self.render(&turn, &seen),
            Err(fault) => {
                let number = self.requests.len();
                self.faults.push(format!("request {number}: {fault}"));
                let error = error_body(seen.dialect, "invalid_request_error", &fault);
                response(400, &[], error.to_string().into())
            }
        };
        self.requests.push(seen);
        answer
    }

    fn wrong_key(&self, seen: &Seen) -> Option<String> {
        let key = self.key?;
        let is_sent = seen.header("x-api-key") == Some(key)
            || seen.header("x-goog-api-key") == Some(key)
            || seen.header("authorization") == Some(&format!("Bearer {key}"));
        (!is_sent).then(|| "the key is missing".to_owned())
    }

    fn next(&mut self, seen: &Seen) -> Result<Turn, String> {
        if let Some(turn) = self.script.pop_front() {
            return Ok(turn);
        }
        let player = self.player.as_mut().ok_or("the script has no further turn")?;
        // Removed again unless the player panics, which would otherwise look like a lost
        // connection.
        self.faults.push("the player panicked".into());
        let turn = player(seen);
        self.faults.pop();
        Ok(turn)
    }

    fn render(&mut self, turn: &Turn, seen: &Seen) -> Response {
        match &turn.answer {
            Answer::Status(status) => failure(status, seen.dialect),
            Answer::Reply(reply) => self.reply(turn, reply, seen),
        }
    }

    fn reply(&mut self, turn: &Turn, reply: &Reply, seen: &Seen) -> Response {
        let (events, specials) = match seen.dialect {
            Dialect::Anthropic => {
                self.thinking.extend(anthropic::signed_thinking(reply));
                let events = anthropic::events(reply, seen.model(), seen.turn());
                (events, anthropic::specials())
            }
            Dialect::OpenAi => {
                (openai::events(reply, seen.model(), seen.turn()), openai::specials())
            }
            Dialect::Responses => {
                (responses::events(reply, seen.model(), seen.turn()), responses::specials())
            }
            Dialect::Gemini if seen.path.ends_with(":generateContent") => {
                let json = (CONTENT_TYPE.to_string(), "application/json; charset=utf-8".to_owned());
                return response(200, &[json], gemini::document(reply, seen.model()).into());
            }
            Dialect::Gemini => (gemini::events(reply, seen.model()), gemini::specials()),
        };
        let stream = (CONTENT_TYPE.to_string(), "text/event-stream; charset=utf-8".to_owned());
        response(200, &[stream], turn.wire.body(events, &specials))
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("faults", &self.faults).finish_non_exhaustive()
    }
}

async fn answer(
    State(model): State<Arc<Mutex<Model>>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let at = Instant::now();
    let mut model = open(&model);
    let json = serde_json::from_slice(&body).unwrap_or_default();
    let path = uri.path().to_owned();
    let dialect = model.dialect.at(&path).unwrap_or(model.dialect);
    model.answer(Seen { json, at, headers, dialect, path })
}

fn failure(status: &Status, dialect: Dialect) -> Response {
    let body = match &status.body {
        turn::Body::Text(text) => text.clone(),
        turn::Body::Error(kind, message) => error_body(dialect, kind, message).to_string(),
    };
    response(status.code, &status.headers, body.into())
}

fn response(code: u16, headers: &[(String, String)], body: Body) -> Response {
    let mut response = Response::builder().status(code);
    for (name, value) in headers {
        response = response.header(name, value);
    }
    response.body(body).expect("a status and headers as they are written")
}

/// A panicking player has recorded a fault and changed nothing else.
fn open(model: &Mutex<Model>) -> MutexGuard<'_, Model> {
    model.lock().unwrap_or_else(PoisonError::into_inner)
}
