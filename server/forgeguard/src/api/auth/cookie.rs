//! The two cookies of a browser: the access token, and the refresh token for one path alone.

use axum::http::HeaderMap;
use axum_extra::extract::CookieJar;

use super::token::{ACCESS_LIFE, SESSION_LIFE};

/// Holds the access token.
pub const SESSION: &str = "fg_session";
/// Holds the refresh token.
pub const REFRESH: &str = "fg_refresh";
const REFRESH_PATH: &str = "/api/session/refresh";

/// The value of a cookie, if the request carries it.
pub fn value(headers: &HeaderMap, name: &str) -> Option<String> {
    CookieJar::from_headers(headers).get(name).map(|cookie| cookie.value().to_owned())
}

/// The `Set-Cookie` values that sign a browser in. `secure` where it came by https.
pub fn signed_in(access: &str, refresh: &str, secure: bool) -> [String; 2] {
    [
        set(SESSION, access, "/", ACCESS_LIFE.num_seconds(), secure),
        set(REFRESH, refresh, REFRESH_PATH, SESSION_LIFE.num_seconds(), secure),
    ]
}

/// The `Set-Cookie` values that sign a browser out.
pub fn signed_out(secure: bool) -> [String; 2] {
    [set(SESSION, "", "/", 0, secure), set(REFRESH, "", REFRESH_PATH, 0, secure)]
}

fn set(name: &str, value: &str, path: &str, max_age: i64, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{name}={value}; Path={path}; Max-Age={max_age}; HttpOnly; SameSite=Strict{secure}")
}
