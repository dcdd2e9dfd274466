//! `/mcp`: the tools, resources and prompts for agents and editors, over streamable HTTP.
//!
//! Every request is authenticated with a forge key. Cookies are not accepted, so that no page of
//! another site can call a tool.
//!
//! - [`sessions`], [`last_calls`], [`metadata`]: sessions, the last call of each key, and how clients
//!   authenticate
//! - [`call`], [`client_tool`]: a call, and the trait of tools
//! - [`registry_tools`], [`project_tools`], [`build_status`], [`build_tools`], [`branch_tools`],
//!   [`review_tools`], [`backlog_tools`], [`watch_build`]: the tools
//! - [`catalog`]: all tools, and those of a client
//! - [`resources`], [`prompts`]: the rest
//! - [`list_changes`], [`notifications`]: changes of the lists, and notifications of clients
//! - [`server`]: what answers a client

mod backlog_tools;
mod branch_tools;
mod build_status;
mod build_tools;
mod call;
mod catalog;
mod client_tool;
mod last_calls;
mod list_changes;
mod metadata;
mod notifications;
mod project_tools;
mod prompts;
mod registry_tools;
mod resources;
mod review_tools;
mod server;
mod sessions;
mod watch_build;
mod work_tools;

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::{
    access::Credential,
    api_error::ApiError,
    app::{App, Shared},
    body,
    identity::{self, Identity, Proof},
    key_grant::MCP_PATH,
};
use last_calls::LastCalls;
use list_changes::ListMonitor;
use metadata::{METADATA_PATH, base_url, get_metadata};
use server::McpServer;
use sessions::Sessions;

const SESSION_HEADER: &str = "mcp-session-id";

#[derive(Clone)]
struct Endpoint {
    service: StreamableHttpService<McpServer, Sessions>,
    sessions: Arc<Sessions>,
}

pub fn routes(app: &Shared) -> Router<Shared> {
    let endpoint = Endpoint::new(app);
    let handle = async move |State(app): State<Shared>, request: Request| match endpoint
        .handle(&app, request)
        .await
    {
        Ok(response) => response,
        Err(error) => error.into_response(),
    };
    Router::new()
        .route(MCP_PATH, any(handle))
        .route(METADATA_PATH, get(get_metadata))
        .route(&format!("{METADATA_PATH}{MCP_PATH}"), get(get_metadata))
}

impl Endpoint {
    fn new(app: &Shared) -> Self {
        let sessions = Arc::new(Sessions::default());
        // The origin is checked before; bodies are read here, within the limit of other routes.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_cancellation_token(app.stopping.child_token())
            .with_max_request_body_bytes(body::MAX_JSON_BYTES);
        let (served, calls) = (app.clone(), LastCalls::new(app.db.clone()));
        let lists = ListMonitor::new(app.clone());
        let factory = move || Ok(McpServer::new(served.clone(), calls.clone(), lists.clone()));
        let service = StreamableHttpService::new(factory, sessions.clone(), config);
        Self { service, sessions }
    }

    async fn handle(&self, app: &Arc<App>, request: Request) -> Result<Response, ApiError> {
        let headers = request.headers();
        if headers.contains_key(header::ORIGIN) && !app.own_address.sent_without_cookie(headers) {
            return Err(ApiError::cross_origin());
        }
        let by = match authenticate(app, headers).await {
            Ok(by) => by,
            Err(error) if error.status() == StatusCode::UNAUTHORIZED => {
                return Ok(challenge(app, headers, error));
            }
            Err(error) => return Err(error),
        };
        let Proof::ForgeKey { digest, .. } = &by.proof else {
            return Ok(challenge(app, headers, ApiError::unauthorized()));
        };
        let credential = Credential::ForgeKey(digest.clone());
        if let Some(id) = headers.get(SESSION_HEADER) {
            let id = id.to_str().unwrap_or_default();
            if !self.sessions.is_of(id, &credential) {
                return Err(ApiError::not_found("session"));
            }
        }
        let (mut parts, body) = request.into_parts();
        let bytes = body::read(&parts.headers, body, body::MAX_JSON_BYTES).await?;
        let (user, access) = (by.user.id, by.watch(app));
        parts.extensions.insert::<Identity>(by);
        let is_new = !parts.headers.contains_key(SESSION_HEADER);
        let ends_session = parts.method == Method::DELETE;
        let mut response = self.service.handle(Request::from_parts(parts, Body::from(bytes))).await;
        // Some clients report a failure for any other success.
        if ends_session && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        let opened = response.headers().get(SESSION_HEADER).filter(|_| is_new);
        if let Some(id) = opened.and_then(|id| id.to_str().ok()) {
            self.sessions.bind(id.into(), user, credential, access).await;
        }
        Ok(response.map(Body::new))
    }
}

/// The user of the forge key in the request.
async fn authenticate(app: &App, headers: &HeaderMap) -> Result<Identity, ApiError> {
    let secret = identity::credentials(headers, "bearer").ok_or_else(ApiError::unauthorized)?;
    identity::by_secret(app, secret).await
}

/// 401 with the address of the metadata that says how to authenticate.
fn challenge(app: &App, headers: &HeaderMap, error: ApiError) -> Response {
    let base = base_url(&app.own_address, headers);
    let challenge = format!(
        "Bearer realm=\"ForgeGuard\", resource_metadata=\"{base}{METADATA_PATH}{MCP_PATH}\""
    );
    let mut response = error.into_response();
    if let Ok(value) = challenge.parse() {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
    }
    response
}
