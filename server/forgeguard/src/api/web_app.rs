//! The embedded web app: its files, and `index.html` for all other paths.

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header},
    response::{Html, IntoResponse, Response},
};
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::api_error::ApiError;

#[derive(RustEmbed)]
#[folder = "../../static/app"]
#[allow_missing = true]
struct App;

const INDEX: &str = "index.html";
const UNBUILT: &str = "<!doctype html><html lang=\"en\"><title>ForgeGuard</title>\
    <h1>ForgeGuard is running</h1><p>The web app is not part of this build. Run <code>make web</code> \
    and build again, or use the <a href=\"/api/docs\">API</a>.</p></html>";

/// Serves all paths without a route.
pub async fn get_web_app(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_ours = ["api", "git"].iter().any(|root| {
        path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    });
    if is_ours {
        return ApiError::unknown_route().into_response();
    }
    if method != Method::GET && method != Method::HEAD {
        return ApiError::method_not_allowed().into_response();
    }
    let takes_brotli = accepts_brotli(&headers);
    if let Some(response) = serve(path, takes_brotli) {
        return response;
    }
    // A missing file is a 404: a browser that loads a script must not get HTML.
    if path.rsplit('/').next().is_some_and(|name| name.contains('.')) {
        return ApiError::unknown_route().into_response();
    }
    serve(INDEX, takes_brotli).unwrap_or_else(|| (StatusCode::OK, Html(UNBUILT)).into_response())
}

/// Weights are ignored, except that a weight of zero refuses.
fn accepts_brotli(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).into_iter();
    values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|each| {
        let (name, weight) = each.split_once(';').unwrap_or((each, ""));
        let is_refused = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|q| q.trim_end_matches(['0', '.']).is_empty());
        name.trim().eq_ignore_ascii_case("br") && !is_refused
    })
}

/// The file, compressed by the build of the web app if possible; `None` if there is no such file.
fn serve(path: &str, takes_brotli: bool) -> Option<Response> {
    let file = App::get(path)?;
    let compressed = App::get(&format!("{path}.br"));
    let varies = compressed.is_some();
    let (file, is_brotli) = match compressed {
        Some(compressed) if takes_brotli => (compressed, true),
        _ => (file, false),
    };
    let mut response = answer(path, file);
    let headers = response.headers_mut();
    if is_brotli {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("br"));
    }
    if varies {
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    Some(response)
}

fn answer(path: &str, file: EmbeddedFile) -> Response {
    let media_type = mime_guess::from_path(path).first_or_octet_stream();
    // File names under assets/ contain a content hash.
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
