//! The OpenAPI document: the annotations of the handlers, completed by what applies to all routes.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use utoipa::{
    Modify, OpenApi,
    openapi::{
        self, ContentBuilder, Ref, RefOr, ResponseBuilder,
        path::{Operation, Parameter, ParameterIn, PathItem},
        security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme},
    },
};

use super::{auth::cookie, routes::routes};

/// Used in handlers for all client errors.
const CLIENT_ERRORS: &str = "4XX";
const PROBLEM: &str = "application/problem+json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "ForgeGuard",
        description = "Software built under governance: projects, builds, their journals and seals. \
            Sign in with `POST /api/session` and send the access token, or a forge key, as a bearer \
            token. What is not yours does not exist: it is answered with 404. A JSON body is an \
            object of at most 1 MiB; lists have at most 200 items a page.",
    ),
    servers((url = "/", description = "This installation")),
    security(("bearer" = []), ("cookie" = [])),
    modifiers(&SecuritySchemes),
    tags(
        (name = "accounts", description = "Setup, sessions, users and keys"),
        (name = "projects", description = "Projects and their contracts"),
        (name = "backlog", description = "What is to be built, in which order"),
        (name = "builds", description = "Starting, following and controlling builds"),
        (name = "settings", description = "Limits and models for all projects"),
        (name = "feed", description = "Live events"),
        (name = "mcp", description = "Contracts for agents and scripts, as over MCP"),
        (name = "operations", description = "Health checks"),
    ),
)]
struct Frame;

struct SecuritySchemes;

impl Modify for SecuritySchemes {
    fn modify(&self, document: &mut openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let mut bearer = Http::new(HttpAuthScheme::Bearer);
        bearer.description = Some("An access token or a forge key.".to_owned());
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let what = "The access token, as browsers have it. Requests that change something need the \
            service's own address as `Origin`.";
        let cookie = ApiKeyValue::with_description(cookie::SESSION, what);
        components.add_security_scheme("cookie", SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
    }
}

pub fn document() -> openapi::OpenApi {
    let (_, routes) = routes().split_for_parts();
    let mut document = Frame::openapi();
    document.merge(routes);
    for (path, item) in &mut document.paths.paths {
        for (is_safe, operation) in operations(item) {
            complete(path, is_safe, operation);
        }
    }
    let components = document.components.get_or_insert_default();
    for status in ALL_ERRORS {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response = ResponseBuilder::new()
            .description(description(status.as_str()))
            .content(PROBLEM, content)
            .build();
        components.responses.insert(name(status), response.into());
    }
    document
}

/// The operations of a path, and whether each is read-only.
fn operations(item: &mut PathItem) -> impl Iterator<Item = (bool, &mut Operation)> {
    let changing = [&mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
    let changing = changing.into_iter().flatten().map(|operation| (false, operation));
    item.get.iter_mut().map(|operation| (true, operation)).chain(changing)
}

/// Describes each response, and lists the client errors one by one.
fn complete(path: &str, is_safe: bool, operation: &mut Operation) {
    let errors = error_statuses(path, is_safe, operation);
    let responses = &mut operation.responses.responses;
    for (status, response) in responses.iter_mut() {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            response.description = description(status);
        }
    }
    if responses.remove(CLIENT_ERRORS).is_some() {
        for status in errors {
            let response = RefOr::Ref(Ref::from_response_name(name(status)));
            responses.entry(status.as_str().to_owned()).or_insert(response);
        }
    }
}

/// The statuses with which the handler, or an extractor or layer around it, can reject a request.
fn error_statuses(path: &str, is_safe: bool, operation: &Operation) -> BTreeSet<StatusCode> {
    let is_public = operation.security.is_some();
    let has_query = operation.parameters.iter().flatten().any(|parameter| {
        matches!(parameter, RefOr::T(Parameter { parameter_in: ParameterIn::Query, .. }))
    });
    let has_body = operation.request_body.is_some();
    let mut statuses =
        BTreeSet::from([StatusCode::INTERNAL_SERVER_ERROR, StatusCode::SERVICE_UNAVAILABLE]);
    if !is_public {
        statuses.insert(StatusCode::UNAUTHORIZED);
    }
    if !is_public || !is_safe {
        statuses.insert(StatusCode::FORBIDDEN);
    }
    if path.contains('{') {
        statuses.insert(StatusCode::NOT_FOUND);
    }
    if has_query || has_body {
        statuses.insert(StatusCode::UNPROCESSABLE_ENTITY);
    }
    if has_body {
        statuses.extend([
            StatusCode::BAD_REQUEST,
            StatusCode::REQUEST_TIMEOUT,
            StatusCode::PAYLOAD_TOO_LARGE,
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ]);
    }
    if !is_safe {
        statuses.extend([
            StatusCode::UNAUTHORIZED,
            StatusCode::CONFLICT,
            StatusCode::UNPROCESSABLE_ENTITY,
            StatusCode::INSUFFICIENT_STORAGE,
        ]);
    }
    // Routes that verify passwords or codes.
    if matches!(path, "/api/session" | "/api/setup" | "/api/invitation" | "/api/me/password")
        || path.starts_with("/api/device-sign-ins")
    {
        statuses.insert(StatusCode::TOO_MANY_REQUESTS);
    }
    if path == "/api/ws" {
        statuses.extend([StatusCode::BAD_REQUEST, StatusCode::FORBIDDEN]);
    }
    statuses
}

const ALL_ERRORS: [StatusCode; 13] = [
    StatusCode::BAD_REQUEST,
    StatusCode::UNAUTHORIZED,
    StatusCode::FORBIDDEN,
    StatusCode::NOT_FOUND,
    StatusCode::REQUEST_TIMEOUT,
    StatusCode::CONFLICT,
    StatusCode::PAYLOAD_TOO_LARGE,
    StatusCode::UNSUPPORTED_MEDIA_TYPE,
    StatusCode::UNPROCESSABLE_ENTITY,
    StatusCode::TOO_MANY_REQUESTS,
    StatusCode::INTERNAL_SERVER_ERROR,
    StatusCode::SERVICE_UNAVAILABLE,
    StatusCode::INSUFFICIENT_STORAGE,
];

/// The name of a shared response, such as `NotFound`.
fn name(status: StatusCode) -> String {
    status.canonical_reason().unwrap_or_default().replace(' ', "")
}

fn description(status: &str) -> String {
    let text = match status {
        "101" => "The connection becomes a WebSocket.",
        "200" => "The request has succeeded.",
        "201" => "Created.",
        "202" => "Accepted; it takes effect in the background.",
        "204" => "The request has succeeded, without content.",
        "400" => "The request cannot be parsed.",
        "401" => "Missing, invalid or expired credentials.",
        "403" => "The account, the key or the origin of the request lacks permission.",
        "404" => "It does not exist, or you do not have access to it.",
        "408" => "The body was sent too slowly.",
        "409" => "The current state does not allow this.",
        "413" => "The body exceeds the limit of this route.",
        "415" => "The media type of the body is not supported.",
        "422" => "Some fields are invalid; `fields` names each.",
        "429" => "Too many attempts; `Retry-After` says when to try again.",
        "500" => "Internal error; the server log has the cause.",
        "503" | "5XX" => "Temporarily unavailable; `Retry-After` says when to try again.",
        "507" => "No space is left on the server; nothing was changed.",
        _ => "See `detail`.",
    };
    text.to_owned()
}
