//! The gateway through which an external agent reaches its model, and the tools of its build.
//!
//! It serves a listener in the agent's own network namespace, which nothing else can reach. It adds
//! the provider's key, which the agent never sees, reserves the maximum cost of each request
//! against the build's budget, and records what the reply cost before it releases the reservation.

use std::{
    io,
    net::TcpListener as StdListener,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Path, Request, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::post,
};
use domain::{
    budget::Exhausted,
    event::agents::AgentTurn,
    ids::{BuildId, RunId},
};
use futures::StreamExt;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
    service::TowerToHyperService,
};
use llm::{ModelApi, Price, Provider, Relay, Usage};
use subtle::ConstantTimeEq;
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc},
    task::JoinSet,
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    mcp_server,
    model_request::{self, RequestLimits},
    response_reader::{self, ResponseReader},
    run_records::RunRecords,
};
use crate::{
    agent::budget_reservations::{BudgetReservations, Reservation, ReserveError},
    journal::{Entry, Journal},
    secret::Secret,
    text,
};

/// Open connections of one run; further ones wait.
const MAX_CONNECTIONS: usize = 16;
const MAX_BODY_BYTES: usize = 32 << 20;
/// Of a provider's error that is passed on.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// For sending a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Between two parts of a response.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// Parts of a response that wait for a slow agent.
const QUEUED_PARTS: usize = 16;
const ACCEPT_RETRY_INTERVAL: Duration = Duration::from_millis(100);

const WRONG_KEY: &str = "the key is not that of this run";

/// Headers of requests that are passed on.
const REQUEST_HEADERS: [HeaderName; 4] = [
    header::CONTENT_TYPE,
    header::ACCEPT,
    HeaderName::from_static("anthropic-version"),
    HeaderName::from_static("anthropic-beta"),
];
/// Headers with a key, besides bearer tokens.
const KEY_HEADERS: [&str; 2] = ["x-api-key", "x-goog-api-key"];
const RESPONSE_HEADERS: [HeaderName; 2] = [header::CONTENT_TYPE, header::RETRY_AFTER];

/// What the gateway of a run needs.
pub struct GatewayParts {
    pub journal: Journal,
    pub build_id: BuildId,
    pub run_id: RunId,
    pub fence: Option<u64>,
    pub reservations: Arc<BudgetReservations>,
    pub provider: Arc<dyn Provider>,
    pub price: Price,
    pub limits: RequestLimits,
    pub records: RunRecords,
    /// What authenticates the agent.
    pub token: Secret<String>,
    /// The user's input that the agent was started with.
    pub interjections_seen: u64,
    pub notes_version: u32,
}

/// The gateway of one run. Clones share it.
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

struct Shared {
    parts: GatewayParts,
    /// The limit that a request would have exceeded.
    exhausted: Mutex<Option<Exhausted>>,
    /// Cancelled when a request exceeds the budget.
    stop: CancellationToken,
    requests: TaskTracker,
}

impl Gateway {
    /// `stop` is cancelled when the budget does not suffice for a request.
    pub fn new(parts: GatewayParts, stop: CancellationToken) -> Self {
        let (exhausted, requests) = (Mutex::default(), TaskTracker::new());
        Self(Arc::new(Shared { parts, exhausted, stop, requests }))
    }

    /// Serves the listener that arrives, until the future is dropped.
    pub async fn serve(self, mut listeners: mpsc::Receiver<StdListener>) {
        let Some(listener) = listeners.recv().await else { return };
        if let Err(error) = self.serve_on(listener).await {
            tracing::warn!(%error, "the gateway of an agent could not be started");
        }
    }

    async fn serve_on(self, listener: StdListener) -> io::Result<()> {
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let router = self.router();
        let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        while let Ok(slot) = slots.clone().acquire_owned().await {
            match listener.accept().await {
                Ok((connection, _)) => {
                    let _ = connection.set_nodelay(true);
                    let service = TowerToHyperService::new(router.clone());
                    connections.spawn(async move {
                        let mut server = auto::Builder::new(TokioExecutor::new()).http1_only();
                        server.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
                        // Errors of the connection are the agent's.
                        let _ = server.serve_connection(TokioIo::new(connection), service).await;
                        drop(slot);
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "an agent's connection could not be accepted");
                    tokio::time::sleep(ACCEPT_RETRY_INTERVAL).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
        Ok(())
    }

    /// Waits until the cost of all requests is in the journal. Returns the limit that a request
    /// would have exceeded.
    pub async fn finish(self) -> Option<Exhausted> {
        self.0.requests.close();
        self.0.requests.wait().await;
        *self.0.exhausted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn router(&self) -> Router {
        let authenticate = middleware::from_fn_with_state(self.clone(), authenticate);
        let tools = mcp_server::router(self.0.parts.records.clone()).layer(authenticate);
        Router::new()
            .route("/v1/messages", post(messages))
            .route("/v1/chat/completions", post(chat_completions))
            .route("/v1/responses", post(responses))
            .route("/v1beta/models/{*call}", post(gemini))
            .fallback(unknown)
            .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
            .with_state(self.clone())
            .merge(tools)
    }

    /// `model` is the one that the URL names; otherwise, the body names it.
    async fn answer(
        self,
        api: ModelApi,
        model: Option<&str>,
        headers: HeaderMap,
        body: Bytes,
    ) -> Response {
        match self.pass_on(api, model, headers, body).await {
            Ok(response) => response,
            Err(rejection) => rejection.into_response(api),
        }
    }

    async fn pass_on(
        &self,
        api: ModelApi,
        model: Option<&str>,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, Rejection> {
        let parts = &self.0.parts;
        if !self.is_authentic(&headers) {
            let status = StatusCode::UNAUTHORIZED;
            return Err(Rejection::new(status, "authentication_error", WRONG_KEY));
        }
        let checked = model_request::check(api, model, &body, &parts.limits);
        let request = checked.map_err(|rejected| {
            Rejection::new(StatusCode::BAD_REQUEST, "invalid_request_error", rejected.to_string())
        })?;
        let relay = parts.provider.relay(api).ok_or_else(|| {
            let message = "the model of this build does not have this API";
            Rejection::new(StatusCode::NOT_FOUND, "not_found_error", message)
        })?;
        let body = request.body.to_string();
        let body_bytes = body.len() as u64;
        let cost = model_request::max_cost(body_bytes, request.max_tokens, parts.price);
        let reserved = parts.reservations.reserve(&parts.journal, parts.build_id, cost).await;
        let reservation = reserved.map_err(|error| self.refuse(error))?;
        let headers = passed_on(&headers, &REQUEST_HEADERS);
        let posted = relay.post(&parts.limits.model, headers, Bytes::from(body)).await;
        let response = posted.map_err(|error| {
            Rejection::new(StatusCode::BAD_GATEWAY, "api_error", error.to_string())
        })?;
        let status = StatusCode::from_u16(response.status().as_u16())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let head = passed_on(response.headers(), &RESPONSE_HEADERS);
        if !status.is_success() {
            // Not billed. Providers may repeat a part of the key.
            let text = error_text(response, &*relay).await;
            return Ok((status, head, text).into_response());
        }
        let (sender, receiver) = mpsc::channel::<Result<Bytes, io::Error>>(QUEUED_PARTS);
        let gateway = self.clone();
        // A task of its own, so that the cost is recorded even if the agent disconnects.
        self.0.requests.spawn(async move {
            gateway.stream(api, response, sender, body_bytes, reservation).await;
        });
        Ok((status, head, Body::from_stream(ReceiverStream::new(receiver))).into_response())
    }

    /// Passes on each part of a response as it arrives, then records what it cost.
    async fn stream(
        &self,
        api: ModelApi,
        response: reqwest::Response,
        sender: mpsc::Sender<Result<Bytes, io::Error>>,
        body_bytes: u64,
        reservation: Reservation,
    ) {
        let mut reader = ResponseReader::new(api);
        let (mut received_bytes, mut is_complete) = (0, false);
        let mut parts = response.bytes_stream();
        loop {
            let part = tokio::select! {
                part = tokio::time::timeout(IDLE_TIMEOUT, parts.next()) => part,
                () = sender.closed() => break,
            };
            match part {
                Ok(Some(Ok(part))) => {
                    received_bytes += part.len() as u64;
                    reader.read(&part);
                    if sender.send(Ok(part)).await.is_err() {
                        break;
                    }
                }
                Ok(None) => {
                    is_complete = true;
                    break;
                }
                Ok(Some(Err(_))) | Err(_) => {
                    let error = io::Error::other("the provider's response ended early");
                    let _ = sender.send(Err(error)).await;
                    break;
                }
            }
        }
        // Recorded before the agent sees the end of the response.
        let (text, usage) = reader.finish();
        let estimate =
            Usage { input: body_bytes / 4, output: received_bytes / 4, ..Usage::default() };
        self.record(text, response_reader::billed(usage, is_complete, estimate)).await;
        drop((reservation, sender));
    }

    async fn record(&self, text: String, usage: Usage) {
        let parts = &self.0.parts;
        let turn = AgentTurn {
            run_id: parts.run_id,
            text,
            tokens_in: usage.input,
            tokens_out: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cost_usd_micros: parts.price.cost_usd_micros(usage),
            interjections_seen: parts.interjections_seen,
            notes_version: parts.notes_version,
            cut_short: None,
        };
        let entry = Entry::given(parts.build_id, parts.fence, vec![turn.into()]);
        if let Err(error) = parts.journal.append(entry).await {
            tracing::warn!(build_id = %parts.build_id, %error, "a reply's cost was not recorded");
            self.0.stop.cancel();
        }
    }

    fn refuse(&self, error: ReserveError) -> Rejection {
        self.0.stop.cancel();
        match error {
            ReserveError::Exhausted(limit) => {
                *self.0.exhausted.lock().unwrap_or_else(PoisonError::into_inner) = Some(limit);
                let message = "the rest of the build's budget does not suffice for this request";
                Rejection::new(StatusCode::PAYMENT_REQUIRED, "billing_error", message)
            }
            ReserveError::Unreadable(error) => {
                tracing::warn!(%error, "the budget of a build cannot be read");
                let message = "the build's budget cannot be read";
                Rejection::new(StatusCode::SERVICE_UNAVAILABLE, "api_error", message)
            }
        }
    }

    fn is_authentic(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
        let keys = KEY_HEADERS.map(|name| headers.get(name)?.to_str().ok());
        let expected = self.0.parts.token.expose().as_bytes();
        let mut given = keys.into_iter().chain([bearer]).flatten();
        given.any(|given| given.as_bytes().ct_eq(expected).into())
    }
}

struct Rejection {
    status: StatusCode,
    kind: &'static str,
    message: String,
}

impl Rejection {
    fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> Self {
        Self { status, kind, message: format!("ForgeGuard: {}", message.into()) }
    }

    fn into_response(self, api: ModelApi) -> Response {
        let Self { status, kind, message } = self;
        let body = model_request::error_body(api, status.as_u16(), kind, &message);
        (status, Json(body)).into_response()
    }
}

async fn authenticate(State(gateway): State<Gateway>, request: Request, next: Next) -> Response {
    match gateway.is_authentic(request.headers()) {
        true => next.run(request).await,
        false => (StatusCode::UNAUTHORIZED, WRONG_KEY).into_response(),
    }
}

async fn messages(State(gateway): State<Gateway>, headers: HeaderMap, body: Bytes) -> Response {
    gateway.answer(ModelApi::Messages, None, headers, body).await
}

async fn chat_completions(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    gateway.answer(ModelApi::ChatCompletions, None, headers, body).await
}

async fn responses(State(gateway): State<Gateway>, headers: HeaderMap, body: Bytes) -> Response {
    gateway.answer(ModelApi::Responses, None, headers, body).await
}

/// `call` is a model and a method. Clients request streams as server-sent events.
async fn gemini(
    State(gateway): State<Gateway>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let (model, is_streamed) = match call.rsplit_once(':') {
        Some((model, "generateContent")) => (model, false),
        Some((model, "streamGenerateContent")) => (model, true),
        _ => return unknown().await,
    };
    gateway.answer(ModelApi::Gemini { is_streamed }, Some(model), headers, body).await
}

async fn unknown() -> Response {
    let message = "only requests to the build's model and tools are answered";
    Rejection::new(StatusCode::NOT_FOUND, "not_found_error", message)
        .into_response(ModelApi::Messages)
}

fn passed_on(headers: &HeaderMap, names: &[HeaderName]) -> HeaderMap {
    let named = names.iter().filter_map(|name| Some((name.clone(), headers.get(name)?.clone())));
    named.collect()
}

async fn error_text(response: reqwest::Response, relay: &dyn Relay) -> String {
    let mut bytes = Vec::new();
    let mut parts = response.bytes_stream();
    while bytes.len() < MAX_ERROR_BYTES
        && let Ok(Some(Ok(part))) = tokio::time::timeout(IDLE_TIMEOUT, parts.next()).await
    {
        bytes.extend_from_slice(&part);
    }
    text::head(&relay.redact(&String::from_utf8_lossy(&bytes)), MAX_ERROR_BYTES).to_owned()
}
