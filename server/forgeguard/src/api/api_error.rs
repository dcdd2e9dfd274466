//! Errors of the HTTP API, sent as problem details (RFC 9457).
//!
//! Handlers return `Result<_, ApiError>`. Client errors have a constructor per case; failures of
//! the service become [`ApiError::internal`] through `From`, which logs the cause without showing
//! it.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store;

/// `Retry-After` of requests that failed because the storage was full or unavailable.
const STORAGE_RETRY: Duration = Duration::from_secs(10);

/// A request that was rejected or failed.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: Cow<'static, str>,
    fields: BTreeMap<String, String>,
    retry_after: Option<Duration>,
    challenge: Option<&'static str>,
}

/// The body of every error response, `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemDetails {
    /// Machine-readable error type.
    #[serde(rename = "type")]
    kind: String,
    /// Human-readable summary of the error type.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What happened and what to do about it.
    detail: String,
    /// For invalid input: the error of each field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, String>,
}

impl ApiError {
    /// 400: the request cannot be parsed.
    pub fn bad_request(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", "Bad request", why.into())
    }

    /// 401: no credentials, or they have expired.
    pub fn unauthorized() -> Self {
        let detail = "Sign in, or send an access token or a forge key as a bearer token.";
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", "Unauthorized", detail)
            .with_challenge("Bearer")
    }

    /// 401: wrong email or password; the response does not reveal which.
    pub fn incorrect_credentials() -> Self {
        let detail = "Incorrect email or password.";
        Self::new(StatusCode::UNAUTHORIZED, "incorrect_credentials", "Unauthorized", detail)
    }

    /// 403: signed in, but without the required permission.
    pub fn forbidden(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "Forbidden", why)
    }

    /// 403: forge keys are not accepted.
    pub fn sign_in_required() -> Self {
        Self::forbidden("Sign in with your password to do this.")
    }

    /// 403: cross-site request.
    pub fn cross_origin() -> Self {
        let detail = "Requests of web pages must come from a page of this service. Behind a proxy, set \
            public_url to the URL that browsers use.";
        Self::new(StatusCode::FORBIDDEN, "cross_origin", "Forbidden", detail)
    }

    /// 404: it does not exist, or the user has no access to it.
    pub fn not_found(what: &'static str) -> Self {
        let detail = format!("This {what} does not exist, or you do not have access to it.");
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// 404: no route has this path.
    pub fn unknown_route() -> Self {
        let detail = "There is no route with this path; /api/docs lists all routes.";
        Self::new(StatusCode::NOT_FOUND, "unknown_route", "Not found", detail)
    }

    /// 405: the route does not support this method.
    pub fn method_not_allowed() -> Self {
        let detail = "This path supports other methods; /api/docs lists all routes.";
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "Method not allowed",
            detail,
        )
    }

    /// 409: the current state does not allow the request.
    pub fn conflict(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", "Conflict", why)
    }

    /// 409: the request is repeated with `confirm` if its effect is intended.
    pub fn confirmation_required(why: impl Into<Cow<'static, str>>) -> Self {
        let title = "Confirmation required";
        Self::new(StatusCode::CONFLICT, "confirmation_required", title, why)
    }

    /// 408: the body was not received in time.
    pub fn request_timeout() -> Self {
        let detail = "The body was not received in time. Send the request again.";
        Self::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", "Request timeout", detail)
    }

    /// 413: the body exceeds the limit of the route.
    pub fn payload_too_large(limit: usize) -> Self {
        let detail = format!("The body of this request is limited to {limit} bytes.");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "payload_too_large", "Payload too large", detail)
    }

    /// 415: unsupported content type.
    pub fn unsupported_media_type(supported: &'static str) -> Self {
        let detail = format!("Send the body as {supported}.");
        Self::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "Unsupported media type",
            detail,
        )
    }

    /// 422: one field is invalid.
    pub fn invalid(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::invalid_fields(BTreeMap::from([(field.into(), why.into())]))
    }

    /// 422: several fields are invalid, each with the reason.
    pub fn invalid_fields(fields: BTreeMap<String, String>) -> Self {
        let say = |(field, why): (&String, &String)| format!("{field}: {why}.");
        let detail = fields.iter().map(say).collect::<Vec<_>>().join(" ");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self { fields, ..Self::new(status, "invalid", "Invalid input", detail) }
    }

    /// 429: too many attempts; the next one is accepted after `wait`.
    pub fn too_many_requests(wait: Duration) -> Self {
        let detail = format!("Too many attempts. Try again in {} seconds.", wait.as_secs().max(1));
        let status = StatusCode::TOO_MANY_REQUESTS;
        let error = Self::new(status, "too_many_requests", "Too many requests", detail);
        Self { retry_after: Some(wait), ..error }
    }

    /// 503: temporarily overloaded.
    pub fn busy(why: &'static str) -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Service unavailable", why);
        Self { retry_after: Some(Duration::from_secs(2)), ..error }
    }

    /// 503: a sign-in provider cannot be reached; the log says why.
    pub fn unreachable_provider(name: &str) -> Self {
        let detail = format!(
            "The sign-in provider {name} cannot be reached, or its settings are wrong. Try again \
             later, or sign in with a password. An administrator can test the provider in the \
             installation settings."
        );
        Self::unavailable("provider_unavailable", "Service unavailable", detail, STORAGE_RETRY)
    }

    /// 503: a background loop of this node has failed and is being restarted.
    pub fn degraded(name: &str) -> Self {
        let detail = format!("The {name} has failed and is being restarted. See the server log.");
        Self::unavailable("degraded", "Service unavailable", detail, Duration::from_secs(10))
    }

    fn unavailable(
        kind: &'static str,
        title: &'static str,
        detail: impl Into<Cow<'static, str>>,
        retry_after: Duration,
    ) -> Self {
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, kind, title, detail);
        Self { retry_after: Some(retry_after), ..error }
    }

    /// 507: no space left on the server.
    pub fn storage_full(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed because no space is left");
        let detail = "There is no space left on the server. Nothing was changed. Free some space and \
            send the request again; the service does not need a restart.";
        let status = StatusCode::INSUFFICIENT_STORAGE;
        let error = Self::new(status, "storage_full", "Insufficient storage", detail);
        Self { retry_after: Some(STORAGE_RETRY), ..error }
    }

    /// 500: the cause is logged and not shown.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        let detail = "The request failed. The server log has the cause.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal server error", detail)
    }

    /// Sets the `WWW-Authenticate` challenge.
    pub fn with_challenge(self, challenge: &'static str) -> Self {
        Self { challenge: Some(challenge), ..self }
    }

    pub fn status(&self) -> StatusCode {
        self.status
    }

    pub fn detail(&self) -> &str {
        &self.detail
    }

    fn new(
        status: StatusCode,
        kind: &'static str,
        title: &'static str,
        detail: impl Into<Cow<'static, str>>,
    ) -> Self {
        let detail = detail.into();
        let (fields, retry_after, challenge) = (BTreeMap::new(), None, None);
        Self { status, kind, title, detail, fields, retry_after, challenge }
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> Self {
        (&error).into()
    }
}

impl From<&store::Error> for ApiError {
    fn from(error: &store::Error) -> Self {
        const UNAVAILABLE: &str = "Service unavailable";
        match error {
            store::Error::Busy(_) => Self::busy("The database is busy. Try again."),
            store::Error::StorageFull(_) => Self::storage_full(error),
            store::Error::Unavailable(_) => {
                tracing::error!(%error, "a request could not reach the database");
                let detail = "The database is unavailable. The request may or may not have been \
                    stored; check before you send it again.";
                Self::unavailable("database_unavailable", UNAVAILABLE, detail, STORAGE_RETRY)
            }
            store::Error::Corrupt(_) => {
                tracing::error!(%error, "a request was rejected");
                let detail = "The database is damaged and nothing is written to it. Stop the \
                    service and restore a backup.";
                Self::unavailable("database_damaged", UNAVAILABLE, detail, STORAGE_RETRY)
            }
            error => Self::internal(error),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = ProblemDetails {
            kind: format!("urn:forgeguard:problem:{}", self.kind),
            title: self.title,
            status: self.status.as_u16(),
            detail: self.detail.into_owned(),
            fields: self.fields,
        };
        let text = serde_json::to_string(&body).unwrap_or_default();
        let media_type = [(header::CONTENT_TYPE, "application/problem+json")];
        let mut response = (self.status, media_type, text).into_response();
        if let Some(wait) = self.retry_after {
            let seconds = HeaderValue::from(wait.as_secs().max(1));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        if let Some(challenge) = self.challenge {
            let value = HeaderValue::from_static(challenge);
            response.headers_mut().insert(header::WWW_AUTHENTICATE, value);
        }
        response
    }
}
