//! Layers with_layers all routes: security headers, compression, logging, and catching panics.

use std::any::Any;

use axum::{
    Router,
    http::{HeaderName, HeaderValue, Request, Response, header},
    response::IntoResponse,
};
use tower::ServiceBuilder;
use tower_http::{
    catch_panic::CatchPanicLayer,
    classify::ServerErrorsFailureClass,
    compression::{
        CompressionLayer,
        predicate::{DefaultPredicate, NotForContentType, Predicate},
    },
    set_header::SetResponseHeaderLayer,
    trace::TraceLayer,
};
use tracing::Span;

use super::{api_error::ApiError, app::Shared};

/// Scripts and data only from this origin; the component library needs inline styles.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; \
    object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

pub fn with_layers(routes: Router<Shared>) -> Router<Shared> {
    let routes = routes.method_not_allowed_fallback(async || ApiError::method_not_allowed());
    routes.layer(
        ServiceBuilder::new()
            .layer(
                TraceLayer::new_for_http()
                    .make_span_with(span)
                    .on_request(())
                    .on_response(log)
                    .on_failure(|_: ServerErrorsFailureClass, _, _: &Span| {}),
            )
            .layer(CatchPanicLayer::custom(panicked))
            .layer(header("content-security-policy", CONTENT_SECURITY_POLICY))
            .layer(header("x-content-type-options", "nosniff"))
            .layer(header("referrer-policy", "same-origin"))
            .layer(header("x-frame-options", "DENY"))
            .layer(CompressionLayer::new().compress_when(worth_compressing())),
    )
}

fn header(name: &'static str, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    let name = HeaderName::from_static(name);
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// Event streams must not be buffered, and packs are already compressed.
fn worth_compressing() -> impl Predicate {
    DefaultPredicate::new()
        .and(NotForContentType::const_new("application/x-ndjson"))
        .and(NotForContentType::const_new("application/x-git"))
}

/// Logs the path without the query, which may contain secrets.
fn span<B>(request: &Request<B>) -> Span {
    tracing::info_span!("request", method = %request.method(), path = request.uri().path())
}

fn log<B>(response: &Response<B>, took: std::time::Duration, _: &Span) {
    let (status, ms) = (response.status().as_u16(), took.as_millis());
    let media_type = response.headers().get(header::CONTENT_TYPE);
    tracing::debug!(status, %ms, ?media_type, "answered");
}

fn panicked(panic: Box<dyn Any + Send>) -> Response<axum::body::Body> {
    let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let words = words.or_else(|| panic.downcast_ref::<String>().cloned());
    ApiError::internal(words.unwrap_or_else(|| "a handler panicked".to_owned())).into_response()
}
