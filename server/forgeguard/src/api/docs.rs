//! `/api/openapi.json` and `/api/docs`: the API described, and a page to read it.

use std::sync::{Arc, LazyLock};

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use utoipa::{OpenApi, openapi};
use utoipa_swagger_ui::Config;

use super::{extract::Params, problem::Problem, routes::routes};

const DOCUMENT: &str = "/api/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "ForgeGuard",
        description = "Software built under governance: projects, builds, their journals and seals. \
            Sign in with `POST /api/session` and send the access token, or a forge key, as a bearer \
            token. What is not yours does not exist: it is answered with 404.",
    ),
    tags(
        (name = "accounts", description = "Setting up, signing in, people and keys"),
        (name = "projects", description = "What is being built, and its contracts"),
        (name = "builds", description = "Starting, watching and steering builds"),
        (name = "feed", description = "Events as they happen"),
        (name = "operations", description = "For whatever watches over the service"),
    ),
)]
struct Frame;

/// The document of the whole API.
pub fn document() -> openapi::OpenApi {
    let (_, routes) = routes().split_for_parts();
    let mut document = Frame::openapi();
    document.merge(routes);
    document
}

/// The document as it is served and printed.
pub fn document_text() -> String {
    document().to_pretty_json().unwrap_or_else(|e| unreachable!("the document is JSON: {e}"))
}

/// The OpenAPI document.
pub async fn get_document() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(document_text);
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// The reference page is a folder of files.
pub async fn redirect_to_docs() -> Redirect {
    Redirect::permanent("/api/docs/")
}

/// The reference page itself.
pub async fn get_docs_page() -> Result<Response, Problem> {
    file("index.html")
}

/// A file of the reference page.
pub async fn get_docs_file(Params(name): Params<String>) -> Result<Response, Problem> {
    file(&name)
}

fn file(name: &str) -> Result<Response, Problem> {
    static CONFIG: LazyLock<Arc<Config<'static>>> =
        LazyLock::new(|| Arc::new(Config::from(DOCUMENT).validator_url("none")));
    let found = utoipa_swagger_ui::serve(name, CONFIG.clone()).map_err(Problem::internal)?;
    let found = found.ok_or_else(Problem::no_such_route)?;
    let media_type = HeaderValue::from_str(&found.content_type).map_err(Problem::internal)?;
    Ok(([(header::CONTENT_TYPE, media_type)], found.bytes.into_owned()).into_response())
}
