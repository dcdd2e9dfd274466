//! `/api/openapi.json` and `/api/docs`: the OpenAPI document and its viewer.

use std::sync::{Arc, LazyLock};

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};
use utoipa_swagger_ui::Config;

pub use super::document::document;
use super::{api_error::ApiError, extract::PathParams};

const DOCUMENT: &str = "/api/openapi.json";

/// The document as served and printed.
pub fn document_text() -> String {
    document().to_pretty_json().unwrap_or_else(|e| unreachable!("the document is JSON: {e}"))
}

/// Gets the OpenAPI document.
pub async fn get_document() -> Response {
    static TEXT: LazyLock<String> = LazyLock::new(document_text);
    ([(header::CONTENT_TYPE, "application/json")], TEXT.as_str()).into_response()
}

/// The viewer consists of several files, so its page needs a trailing slash.
pub async fn redirect_to_docs() -> Redirect {
    Redirect::permanent("/api/docs/")
}

/// The page of the API viewer.
pub async fn get_docs_page() -> Result<Response, ApiError> {
    file("index.html")
}

/// A file of the API viewer.
pub async fn get_docs_file(PathParams(name): PathParams<String>) -> Result<Response, ApiError> {
    file(&name)
}

fn file(name: &str) -> Result<Response, ApiError> {
    static CONFIG: LazyLock<Arc<Config<'static>>> =
        LazyLock::new(|| Arc::new(Config::from(DOCUMENT).validator_url("none")));
    let found = utoipa_swagger_ui::serve(name, CONFIG.clone()).map_err(ApiError::internal)?;
    let found = found.ok_or_else(ApiError::unknown_route)?;
    let media_type = HeaderValue::from_str(&found.content_type).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, media_type)], found.bytes.into_owned()).into_response())
}
