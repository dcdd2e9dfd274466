//! How a request is refused: every failure of every route is one of these, as RFC 9457 writes it.
//!
//! A handler returns `Result<_, Problem>`. What the caller did is said with one of the
//! constructors, named after the case; what failed on our side becomes [`Problem::internal`]
//! through `From`, is logged once, here, and is not shown.

use std::{borrow::Cow, collections::BTreeMap, time::Duration};

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store;

/// A request that was refused or could not be served.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: Cow<'static, str>,
    fields: BTreeMap<String, String>,
    retry_after: Option<Duration>,
    challenge: Option<&'static str>,
}

/// The body of every refusal, `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// Names the case, for programs.
    #[serde(rename = "type")]
    kind: String,
    /// Names the case, for people.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What happened and what to do about it.
    detail: String,
    /// For input that does not fit: what is wrong, by field.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    fields: BTreeMap<String, String>,
}

impl Problem {
    /// 400: the request cannot be read at all.
    pub fn unreadable(why: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "unreadable", "This request cannot be read", why.into())
    }

    /// 401: nobody is signed in, or no longer.
    pub fn unauthenticated() -> Self {
        let detail = "Sign in, or send an access token or a forge key as a bearer token.";
        Self::new(StatusCode::UNAUTHORIZED, "unauthenticated", "You are not signed in", detail)
            .with_challenge("Bearer")
    }

    /// 401: address or password is wrong; which of them is not said.
    pub fn wrong_credentials() -> Self {
        let detail = "No account has this address with this password.";
        Self::new(StatusCode::UNAUTHORIZED, "wrong_credentials", "That did not match", detail)
    }

    /// 403: signed in, but this is for others.
    pub fn forbidden(why: &'static str) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "You may not do this", why)
    }

    /// 403: the request comes from a page of another site.
    pub fn foreign_origin() -> Self {
        let detail = "A request that a browser signs in with its cookie must come from a page of \
            this service. Behind a proxy, set public_url to the address that browsers use.";
        Self::new(StatusCode::FORBIDDEN, "foreign_origin", "This came from another site", detail)
    }

    /// 404: there is none such, or it is somebody else's.
    pub fn not_found(what: &'static str) -> Self {
        let detail = format!("There is no such {what}, or it is not yours.");
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found", detail)
    }

    /// 404: no route has this path.
    pub fn no_such_route() -> Self {
        let detail = "No route has this path; /api/docs lists them all.";
        Self::new(StatusCode::NOT_FOUND, "no_such_route", "Not found", detail)
    }

    /// 405: the route does not know this method.
    pub fn wrong_method() -> Self {
        let detail = "This path answers other methods; /api/docs lists them all.";
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", "Wrong method", detail)
    }

    /// 409: what is there now does not allow it.
    pub fn conflict(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", "This does not go together", why)
    }

    /// 413: the body is larger than this route takes.
    pub fn too_large(limit: usize) -> Self {
        let detail = format!("The body of this request may have at most {limit} bytes.");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "This is too large", detail)
    }

    /// 415: the body is not what this route takes.
    pub fn wrong_media_type(wanted: &'static str) -> Self {
        let detail = format!("Send the body as {wanted}.");
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "wrong_media_type", "Wrong type", detail)
    }

    /// 422: one field does not fit.
    pub fn invalid(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::invalid_fields(BTreeMap::from([(field.into(), why.into())]))
    }

    /// 422: these fields do not fit, each with the reason.
    pub fn invalid_fields(fields: BTreeMap<String, String>) -> Self {
        let say = |(field, why): (&String, &String)| format!("{field}: {why}.");
        let detail = fields.iter().map(say).collect::<Vec<_>>().join(" ");
        let status = StatusCode::UNPROCESSABLE_ENTITY;
        Self { fields, ..Self::new(status, "invalid", "Something does not fit", detail) }
    }

    /// 429: too many tries; the next one may be made after `wait`.
    pub fn too_many_tries(wait: Duration) -> Self {
        let detail = format!("Too many tries. Wait {} seconds.", wait.as_secs().max(1));
        let status = StatusCode::TOO_MANY_REQUESTS;
        let problem = Self::new(status, "too_many_tries", "Too many tries", detail);
        Self { retry_after: Some(wait), ..problem }
    }

    /// 503: not now, but soon.
    pub fn busy(why: &'static str) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "Not now", why);
        Self { retry_after: Some(Duration::from_secs(2)), ..problem }
    }

    /// 500: our fault; the cause is logged and not shown.
    pub fn internal(error: impl std::fmt::Display) -> Self {
        tracing::error!(%error, "a request failed");
        let detail = "The service failed at this. Its log says why.";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "This is our fault", detail)
    }

    /// The same refusal, with the way to sign in that the client should offer.
    pub fn with_challenge(self, challenge: &'static str) -> Self {
        Self { challenge: Some(challenge), ..self }
    }

    /// The status it is sent with.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// What happened and what to do about it.
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

impl From<store::Error> for Problem {
    fn from(error: store::Error) -> Self {
        match error {
            store::Error::Busy(_) => Self::busy("The database is busy; try again."),
            error => Self::internal(error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemBody {
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
