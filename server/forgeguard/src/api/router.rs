//! The whole router: the route table, the pages beside it, and the layers around both.

use axum::{
    Router,
    routing::{get, post},
};
use tower_http::decompression::RequestDecompressionLayer;

use super::{app::Shared, docs, git_http, layers, ops, problem::Problem, routes::routes, web_app};

/// All routes, with the layers around them.
pub fn router(app: Shared) -> Router {
    let (routes, _) = routes().split_for_parts();
    let unzip = RequestDecompressionLayer::new();
    let routes = routes
        .route("/api/openapi.json", get(docs::get_document))
        .route("/api/docs", get(docs::redirect_to_docs))
        .route("/api/docs/", get(docs::get_docs_page))
        .route("/api/docs/{*file}", get(docs::get_docs_file))
        .route("/git/{repository}/info/refs", get(git_http::get_refs))
        .route(
            "/git/{repository}/git-upload-pack",
            post(git_http::upload_pack).layer(unzip.clone()),
        )
        .route("/git/{repository}/git-receive-pack", post(git_http::receive_pack).layer(unzip))
        .fallback(web_app::get_web_app);
    layers::around(routes).with_state(app)
}

/// All that a node which only builds answers.
pub fn probes(app: Shared) -> Router {
    let routes = Router::new()
        .route("/healthz", get(ops::get_health))
        .route("/readyz", get(ops::get_readiness))
        .fallback(async || Problem::no_such_route());
    layers::around(routes).with_state(app)
}
