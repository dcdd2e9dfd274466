//! The router: the routes of the API, git and the web app, with the layers around them.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    Router,
    extract::{Request, State},
    middleware::{Next, from_fn, from_fn_with_state},
    response::Response,
    routing::{get, post},
};
use futures::{FutureExt, future::BoxFuture};
use tokio::runtime::Handle;
use tracing::Instrument;

use super::{
    api_error::ApiError,
    app::Shared,
    docs, git_http, layers, mcp, ops,
    routes::{other_routes, session_routes},
    web_app,
};

pub fn router(app: Shared) -> Router {
    let check_access = from_fn_with_state(app.clone(), check_access_after_change);
    let (session, _) = session_routes().split_for_parts();
    let (routes, _) = other_routes().split_for_parts();
    let routes = routes.layer(check_access.clone()).layer(from_fn(complete_changes));
    let others = session
        .route("/api/openapi.json", get(docs::get_document))
        .route("/api/docs", get(docs::redirect_to_docs))
        .route("/api/docs/", get(docs::get_docs_page))
        .route("/api/docs/{*file}", get(docs::get_docs_file))
        .route("/git/{repository}/info/refs", get(git_http::get_refs))
        .route("/git/{repository}/git-upload-pack", post(git_http::upload_pack))
        .route("/git/{repository}/git-receive-pack", post(git_http::receive_pack))
        .fallback(web_app::get_web_app)
        .layer(check_access);
    // MCP changes no access, and has many requests.
    let routes = routes.merge(others).merge(mcp::routes(&app));
    layers::with_layers(routes).with_state(app)
}

/// Completes requests that may change something even if their clients disconnect, which would end the
/// handler between two steps. Pushes do so by themselves, and no password is verified for a client that
/// has left.
async fn complete_changes(request: Request, next: Next) -> Response {
    if request.method().is_safe() {
        return next.run(request).await;
    }
    CompletedIfDropped(Some(next.run(request).in_current_span().boxed())).await
}

/// A future that continues in a task of its own if it is dropped, which costs less than running all of
/// them in a task of their own.
struct CompletedIfDropped(Option<BoxFuture<'static, Response>>);

impl Future for CompletedIfDropped {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response> {
        // It is taken, so that it is not continued after a panic.
        let Some(mut work) = self.0.take() else { return Poll::Pending };
        let polled = work.poll_unpin(context);
        if polled.is_pending() {
            self.0 = Some(work);
        }
        polled
    }
}

impl Drop for CompletedIfDropped {
    fn drop(&mut self) {
        // There is no runtime any more while it is shut down.
        if let (Some(work), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(work);
        }
    }
}

/// Checks the access of open streams after each request that may have changed it, so that routes do
/// not have to.
async fn check_access_after_change(
    State(app): State<Shared>,
    request: Request,
    next: Next,
) -> Response {
    let changes = !request.method().is_safe();
    let response = next.run(request).await;
    if changes {
        app.access.check_soon();
    }
    response
}

/// The routes of a node that only runs builds.
pub fn probes(app: Shared) -> Router {
    let routes = Router::new()
        .route("/healthz", get(ops::get_health))
        .route("/readyz", get(ops::get_readiness))
        .fallback(async || ApiError::unknown_route());
    layers::with_layers(routes).with_state(app)
}
