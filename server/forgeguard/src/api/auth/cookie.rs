//! The session cookies: the access token, and the refresh token for one path only.

use axum::http::HeaderMap;
use axum_extra::extract::CookieJar;

use super::token::{ACCESS_TOKEN_LIFETIME, SESSION_LIFETIME};

/// The cookie with the access token.
pub const SESSION: &str = "fg_session";
/// The cookie with the refresh token.
pub const REFRESH: &str = "fg_refresh";
/// Followed by the beginning of the state's hash: sign-ins in several tabs do not disturb each other.
const PROVIDER_SIGN_IN: &str = "fg_sign_in_";
const PROVIDER_SIGN_IN_PATH: &str = "/api/sign-in";
const REFRESH_PATH: &str = "/api/session/refresh";

pub fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    CookieJar::from_headers(headers).get(name).map(|cookie| cookie.value().to_owned())
}

/// The `Set-Cookie` values of a sign-in. `secure` for https.
pub fn signed_in(access: &str, refresh: &str, secure: bool) -> [String; 2] {
    [
        set(SESSION, access, "/", ACCESS_TOKEN_LIFETIME.num_seconds(), secure),
        set(REFRESH, refresh, REFRESH_PATH, SESSION_LIFETIME.num_seconds(), secure),
    ]
}

/// The `Set-Cookie` values of a sign-out.
pub fn signed_out(secure: bool) -> [String; 2] {
    [set(SESSION, "", "/", 0, secure), set(REFRESH, "", REFRESH_PATH, 0, secure)]
}

/// The name of the cookie that binds a sign-in with a provider to its browser.
pub fn provider_sign_in(state_hash: &str) -> String {
    let (start, _) = state_hash.split_at_checked(12).unwrap_or((state_hash, ""));
    format!("{PROVIDER_SIGN_IN}{start}")
}

/// The `Set-Cookie` value of a sign-in with a provider; with a `max_age` of 0 it removes the cookie.
/// It must be sent when the provider sends the browser back, hence `Lax`.
pub fn set_provider_sign_in(name: &str, value: &str, max_age: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    let path = PROVIDER_SIGN_IN_PATH;
    format!("{name}={value}; Path={path}; Max-Age={max_age}; HttpOnly; SameSite=Lax{secure}")
}

fn set(name: &str, value: &str, path: &str, max_age: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}")
}
