//! Sends a browser to a sign-in provider, and recognises it when it comes back.

use axum::http::HeaderMap;
use chrono::TimeDelta;
use domain::ids::SessionId;
use serde::Serialize;
use sso::provider::Flow;
use utoipa::ToSchema;

use super::{
    api_error::ApiError,
    app::App,
    auth::{cookie, token},
};
use crate::store::{
    self,
    pending_sign_ins::{self, PendingSignIn},
    sign_in_providers::SignInProvider,
};

const CALLBACK_PATH: &str = "/api/sign-in/callback";
/// How long a user may take at the provider.
const LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Sign-ins of all users that are not finished.
const MAX_PENDING: u32 = 10_000;
/// In bytes.
const MAX_RETURN_PATH: usize = 1_000;

/// What a sign-in is for.
#[derive(Debug, Default)]
pub struct Purpose {
    /// A path of the web app.
    pub return_to: String,
    pub invitation_hash: Option<String>,
    /// The session whose user links the provider.
    pub session: Option<SessionId>,
}

/// Where to go.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderPage {
    /// The provider's page, to be opened in this browser.
    url: String,
}

/// A page, and the `Set-Cookie` value that binds the sign-in to the browser.
pub struct Started {
    pub page: ProviderPage,
    pub cookie: String,
}

/// The values of a sign-in that are derived when they are needed: only their digests are stored.
pub struct Secrets {
    pub nonce: String,
    pub pkce_verifier: String,
}

impl Secrets {
    /// `browser` is the value of the cookie.
    pub fn derive(browser: &str, state: &str) -> Self {
        Self {
            nonce: token::digest(&format!("nonce\n{browser}\n{state}")),
            pkce_verifier: token::digest(&format!("verifier\n{browser}\n{state}")),
        }
    }
}

/// The URL to register with providers.
pub fn redirect_url(app: &App, headers: &HeaderMap) -> Result<String, ApiError> {
    let base = app.own_address.base_url(headers);
    let base = base.ok_or_else(|| ApiError::bad_request("The header Host is missing."))?;
    Ok(format!("{base}{CALLBACK_PATH}"))
}

/// Starts a sign-in with a provider.
pub async fn start(
    app: &App,
    headers: &HeaderMap,
    provider: &SignInProvider,
    purpose: Purpose,
) -> Result<Started, ApiError> {
    let opened = app.engine.sign_in_provider(provider).await.map_err(|error| {
        tracing::warn!(provider = provider.name, %error, "a sign-in could not be started");
        ApiError::unreachable_provider(&provider.name)
    })?;
    let (state, browser) = (token::opaque(), token::opaque());
    let redirect_url = redirect_url(app, headers)?;
    let Secrets { nonce, pkce_verifier } = Secrets::derive(&browser, &state);
    let flow = Flow {
        state: &state,
        nonce: &nonce,
        pkce_verifier: &pkce_verifier,
        redirect_url: &redirect_url,
    };
    let url = opened.authorization_url(&flow).map_err(ApiError::internal)?;
    let (state_hash, now) = (token::digest(&state), store::now());
    let name = cookie::provider_sign_in(&state_hash);
    let pending = PendingSignIn {
        state_hash,
        browser_hash: token::digest(&browser),
        provider_id: provider.id,
        redirect_url,
        return_to: purpose.return_to,
        invitation_hash: purpose.invitation_hash,
        session_id: purpose.session,
        expires_at: now + LIFETIME,
    };
    let mut tx = app.db.write().await?;
    pending_sign_ins::remove_expired(&mut tx, now).await?;
    if pending_sign_ins::count(&mut tx).await? >= MAX_PENDING {
        return Err(ApiError::busy("Too many sign-ins are in progress. Try again."));
    }
    pending_sign_ins::insert(&mut tx, &pending).await?;
    tx.commit().await?;
    let secure = app.own_address.is_secure(headers);
    let cookie = cookie::set_provider_sign_in(&name, &browser, LIFETIME.num_seconds(), secure);
    Ok(Started { page: ProviderPage { url }, cookie })
}

/// The path if it is one of this web app, otherwise `/`: a link to the sign-in page must not lead to
/// another site.
pub fn local_path(path: Option<&str>) -> String {
    let is_local = |path: &&str| {
        path.starts_with('/')
            && !path.starts_with("//")
            && !path.contains('\\')
            && path.len() <= MAX_RETURN_PATH
            && path.bytes().all(|byte| byte.is_ascii_graphic())
    };
    path.filter(is_local).unwrap_or("/").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_of_this_app_are_returned_to() {
        for (path, expected) in [
            ("/projects/a?tab=b#c", "/projects/a?tab=b#c"),
            ("//evil.example", "/"),
            ("/\\evil.example", "/"),
            ("/a\\b", "/"),
            ("https://evil.example", "/"),
            ("evil", "/"),
            ("", "/"),
            ("/\t/evil.example", "/"),
            ("/a\r\nSet-Cookie: a=b", "/"),
        ] {
            assert_eq!(local_path(Some(path)), expected, "{path}");
        }
        assert_eq!(local_path(None), "/");
        assert_eq!(local_path(Some(&format!("/{}", "a".repeat(MAX_RETURN_PATH)))), "/");
    }

    #[test]
    fn secrets_depend_on_browser_and_state() {
        let all = [("a", "b"), ("a", "c"), ("b", "b")].map(|(browser, state)| {
            let Secrets { nonce, pkce_verifier } = Secrets::derive(browser, state);
            assert_eq!(pkce_verifier.len(), 64);
            [nonce, pkce_verifier]
        });
        let different: std::collections::BTreeSet<_> = all.iter().flatten().collect();
        assert_eq!(different.len(), 6);
    }
}
