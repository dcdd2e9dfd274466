//! `/.well-known/oauth-protected-resource`: how clients authenticate at `/mcp`.
//!
//! There is no authorization server: keys are created in the settings, so none is named.

use axum::{
    extract::State,
    http::{HeaderMap, header},
};
use domain::key_scope::KeyScope;
use serde_json::{Value, json};

use crate::api::{app::Shared, auth::origin::OwnAddress, extract::Json, key_grant::MCP_PATH};

pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

/// RFC 9728.
pub async fn get_metadata(State(app): State<Shared>, headers: HeaderMap) -> Json<Value> {
    let base = base_url(&app.own_address, &headers);
    Json(json!({
        "resource": format!("{base}{MCP_PATH}"),
        "resource_name": "ForgeGuard",
        "bearer_methods_supported": ["header"],
        "scopes_supported": KeyScope::ALL.map(KeyScope::name),
        "resource_documentation": format!("{base}/settings"),
    }))
}

/// The URL at which clients reach the service.
pub fn base_url(own: &OwnAddress, headers: &HeaderMap) -> String {
    if let Some(url) = own.public_url() {
        return url.to_owned();
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let scheme = if own.is_secure(headers) { "https" } else { "http" };
    format!("{scheme}://{}", host.unwrap_or("localhost"))
}
