//! The web app, embedded: its files, and its first page for every path that is no file.

use axum::{
    body::Body,
    http::{HeaderValue, Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::problem::Problem;

#[derive(RustEmbed)]
#[folder = "../../static/app"]
#[allow_missing = true]
struct App;

const INDEX: &str = "index.html";
const UNBUILT: &str = "<!doctype html><html lang=\"en\"><title>ForgeGuard</title>\
    <h1>ForgeGuard is running</h1><p>The web app is not part of this build. Run <code>make web</code> \
    and build again, or use the <a href=\"/api/docs\">API</a>.</p></html>";

/// Answers everything that no route does.
pub async fn get_web_app(method: Method, uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_ours = ["api", "git"].iter().any(|root| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if is_ours {
        return Problem::no_such_route().into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return Problem::wrong_method().into_response();
    }
    if let Some(file) = App::get(path) {
        return serve(path, file);
    }
    // A missing file is not a page: a browser that loads a script must not get HTML.
    if path.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        return Problem::no_such_route().into_response();
    }
    match App::get(INDEX) {
        Some(index) => serve(INDEX, index),
        None => (StatusCode::OK, Html(UNBUILT)).into_response(),
    }
}

fn serve(path: &str, file: EmbeddedFile) -> Response {
    let media_type = mime_guess::from_path(path).first_or_octet_stream();
    // The names of files under assets/ carry a hash of what is in them.
    let caching = if path.starts_with("assets/") {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let bytes = match file.data {
        std::borrow::Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        std::borrow::Cow::Owned(bytes) => Bytes::from(bytes),
    };
    let mut response = Body::from(bytes).into_response();
    let media_type = HeaderValue::from_str(media_type.as_ref());
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        media_type.unwrap_or(HeaderValue::from_static("application/octet-stream")),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}
