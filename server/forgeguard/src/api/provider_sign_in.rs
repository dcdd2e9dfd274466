//! `/api/sign-in`: signing in with a provider.

use axum::{
    extract::{RawQuery, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{AppendHeaders, IntoResponse, Response},
};
use domain::{audit::AuditAction, ids::SignInProviderId, sign_in_provider::SignInProviderKind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sso::provider::Flow;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    auth::{client_address::ClientAddress, cookie, token},
    extract::{Json, PathParams},
    list::List,
    provider_account::{self, Problem},
    provider_redirect::{self, ProviderPage, Purpose, Secrets, Started},
    session::{self, SignInMethod},
};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        pending_sign_ins::{self, PendingSignIn},
        sign_in_providers::{self, SignInProvider},
    },
};

/// A provider that can be chosen on the sign-in page.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignInOption {
    pub id: SignInProviderId,
    pub name: String,
    pub kind: SignInProviderKind,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct StartSignInRequest {
    /// A path of the web app to show afterwards; by default the first page.
    #[serde(default)]
    return_to: Option<String>,
    /// The token of an invitation link: the provider is linked to the invited account.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    invitation: Option<Secret<String>>,
}

#[derive(Debug, Deserialize)]
pub struct ProviderParams {
    provider: SignInProviderId,
}

/// What a provider sends with the browser.
#[derive(Debug, Default)]
struct Callback {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    iss: Option<String>,
}

/// A sign-in that has ended: the page to show, and cookies.
struct Outcome {
    location: String,
    cookies: Vec<String>,
}

impl From<SignInProvider> for SignInOption {
    fn from(SignInProvider { id, name, kind, .. }: SignInProvider) -> Self {
        Self { id, name, kind }
    }
}

impl IntoResponse for Started {
    fn into_response(self) -> Response {
        let headers =
            [(header::SET_COOKIE, self.cookie), (header::CACHE_CONTROL, "no-store".to_owned())];
        (AppendHeaders(headers), Json(self.page)).into_response()
    }
}

impl Callback {
    /// The first value of each parameter; others are ignored.
    fn parse(query: &str) -> Self {
        let mut callback = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let field = match &*name {
                "code" => &mut callback.code,
                "state" => &mut callback.state,
                "error" => &mut callback.error,
                "iss" => &mut callback.iss,
                _ => continue,
            };
            field.get_or_insert_with(|| value.into_owned());
        }
        callback
    }
}

/// Lists the providers with which users can sign in.
#[utoipa::path(get, path = "/api/sign-in", tag = "accounts", security(()), responses(
    (status = 200, body = List<SignInOption>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_sign_in_options(
    State(app): State<Shared>,
) -> Result<Json<List<SignInOption>>, ApiError> {
    let rows = sign_in_providers::list(&mut app.db.read().await?).await?;
    let enabled = rows.into_iter().filter(|row| row.enabled);
    Ok(Json(List::unpaginated(enabled.map(SignInOption::from).collect())))
}

/// Starts signing in with a provider. The response contains the provider's page, and a cookie that
/// binds the sign-in to this browser.
#[utoipa::path(post, path = "/api/sign-in/{provider}", tag = "accounts", security(()),
    params(("provider" = SignInProviderId, Path, description = "The provider's id")),
    request_body = StartSignInRequest, responses(
        (status = 200, body = ProviderPage),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_sign_in(
    State(app): State<Shared>,
    address: ClientAddress,
    headers: HeaderMap,
    PathParams(ProviderParams { provider }): PathParams<ProviderParams>,
    Json(request): Json<StartSignInRequest>,
) -> Result<Started, ApiError> {
    if headers.contains_key(header::ORIGIN) && !app.own_address.sent(&headers) {
        return Err(ApiError::cross_origin());
    }
    let limited = app.login_rate_limiter.begin_without_account(address);
    limited.map_err(ApiError::too_many_requests)?;
    let provider = enabled(&app, provider).await?;
    let invitation = request.invitation.filter(|token| !token.expose().is_empty());
    let purpose = Purpose {
        return_to: provider_redirect::local_path(request.return_to.as_deref()),
        invitation_hash: invitation.map(|secret| token::digest(secret.expose())),
        session: None,
    };
    provider_redirect::start(&app, &headers, &provider, purpose).await
}

/// Finishes a sign-in: the provider sends the browser here. Redirects to the web app, also if the
/// sign-in has failed.
#[utoipa::path(get, path = "/api/sign-in/callback", tag = "accounts", security(()),
    params(
        ("code" = Option<String>, Query, description = "The authorization code"),
        ("state" = Option<String>, Query, description = "From the provider's page"),
        ("error" = Option<String>, Query, description = "Why the provider rejects the sign-in"),
        ("iss" = Option<String>, Query, description = "The provider's issuer URL"),
    ), responses(
        (status = 303, description = "To the page of the web app that is to be shown"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn finish_sign_in(
    State(app): State<Shared>,
    address: ClientAddress,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let callback = Callback::parse(query.as_deref().unwrap_or_default());
    let Outcome { location, cookies } = finish(&app, address, &headers, callback).await?;
    let mut all: Vec<(HeaderName, String)> = vec![
        (header::LOCATION, location),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        // The address of this page contains the code.
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    all.extend(cookies.into_iter().map(|cookie| (header::SET_COOKIE, cookie)));
    Ok((StatusCode::SEE_OTHER, AppendHeaders(all)).into_response())
}

/// A provider that can be used.
pub async fn enabled(app: &App, id: SignInProviderId) -> Result<SignInProvider, ApiError> {
    let provider = sign_in_providers::get(&mut app.db.read().await?, id).await?;
    let provider = provider.filter(|provider| provider.enabled);
    provider.ok_or_else(|| ApiError::not_found("sign-in provider"))
}

async fn finish(
    app: &App,
    address: ClientAddress,
    headers: &HeaderMap,
    callback: Callback,
) -> Result<Outcome, ApiError> {
    let Some(state) = callback.state.as_deref() else {
        return Ok(Outcome { location: sign_in_page(Problem::Failed, None), cookies: Vec::new() });
    };
    let state_hash = token::digest(state);
    let name = cookie::provider_sign_in(&state_hash);
    let secure = app.own_address.is_secure(headers);
    let mut cookies = vec![cookie::set_provider_sign_in(&name, "", 0, secure)];
    let browser = cookie::value(headers, &name);
    let mut tx = app.db.write().await?;
    let pending = pending_sign_ins::take(&mut tx, &state_hash).await?;
    tx.commit().await?;
    let Some(pending) = pending.filter(|pending| pending.expires_at > store::now()) else {
        return Ok(Outcome { location: sign_in_page(Problem::Expired, None), cookies });
    };
    let browser = browser.filter(|browser| token::digest(browser) == pending.browser_hash);
    let Some(browser) = browser else {
        return Ok(Outcome { location: sign_in_page(Problem::OtherBrowser, None), cookies });
    };
    let provider = sign_in_providers::get(&mut app.db.read().await?, pending.provider_id).await?;
    let Some(provider) = provider.filter(|provider| provider.enabled) else {
        return Ok(Outcome { location: sign_in_page(Problem::Failed, None), cookies });
    };
    let secrets = Secrets::derive(&browser, state);
    match user_of(app, &provider, &pending, &callback, &secrets).await? {
        Ok(_) if pending.session_id.is_some() => {
            let location = format!("/account?linked={}", provider.id);
            Ok(Outcome { location, cookies })
        }
        Ok(user) => {
            let issued = session::begin(app, user, SignInMethod::Provider, headers).await?;
            cookies.extend(issued.cookies);
            Ok(Outcome { location: pending.return_to, cookies })
        }
        Err(failure) => {
            record_failure(app, address, &provider, &failure).await?;
            let location = match pending.session_id {
                Some(_) => page("/account", failure.problem, Some(&provider), None),
                None => {
                    let return_to = Some(pending.return_to.as_str());
                    page("/sign-in", failure.problem, Some(&provider), return_to)
                }
            };
            Ok(Outcome { location, cookies })
        }
    }
}

/// Why a sign-in failed.
struct Failure {
    problem: Problem,
    /// For administrators.
    reason: Option<String>,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { problem, reason: None }
    }
}

/// The account that signs in, or to which the provider was linked.
async fn user_of(
    app: &App,
    provider: &SignInProvider,
    pending: &PendingSignIn,
    callback: &Callback,
    secrets: &Secrets,
) -> Result<Result<store::users::User, Failure>, ApiError> {
    let code = match (&callback.error, &callback.code) {
        (None, Some(code)) => code,
        (Some(error), _) if error == "access_denied" => return Ok(Err(Problem::Denied.into())),
        (error, _) => {
            let error: String = error.as_deref().unwrap_or("no code").chars().take(100).collect();
            let reason = Some(format!("the provider reports: {error}"));
            return Ok(Err(Failure { problem: Problem::Failed, reason }));
        }
    };
    let flow = Flow {
        state: callback.state.as_deref().unwrap_or_default(),
        nonce: &secrets.nonce,
        pkce_verifier: &secrets.pkce_verifier,
        redirect_url: &pending.redirect_url,
    };
    let identified = match app.engine.sign_in_provider(provider).await {
        // A code of another provider must not be sent to this one.
        Ok(opened) if callback.iss.is_some() && opened.issuer() != callback.iss.as_deref() => {
            let reason = Some("the reply names another issuer".to_owned());
            return Ok(Err(Failure { problem: Problem::Failed, reason }));
        }
        Ok(_) => app.engine.identify(provider, &flow, code).await,
        Err(error) => Err(error),
    };
    match identified {
        Ok(identity) => {
            let user = provider_account::resolve(app, provider, pending, &identity).await?;
            Ok(user.map_err(Failure::from))
        }
        Err(error) => {
            let reason = Some(error.to_string());
            Ok(Err(Failure { problem: Problem::Failed, reason }))
        }
    }
}

fn sign_in_page(problem: Problem, return_to: Option<&str>) -> String {
    page("/sign-in", problem, None, return_to)
}

/// A page of the web app that shows a problem.
fn page(
    path: &str,
    problem: Problem,
    provider: Option<&SignInProvider>,
    return_to: Option<&str>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("problem", problem.code());
    if let Some(provider) = provider {
        query.append_pair("provider", &provider.id.to_string());
    }
    if let Some(return_to) = return_to.filter(|path| *path != "/") {
        query.append_pair("return", return_to);
    }
    format!("{path}?{}", query.finish())
}

/// Records a failed sign-in, unless too many have failed.
async fn record_failure(
    app: &App,
    address: ClientAddress,
    provider: &SignInProvider,
    Failure { problem, reason }: &Failure,
) -> Result<(), ApiError> {
    if let Some(reason) = reason {
        tracing::warn!(provider = provider.name, reason, "a sign-in with a provider failed");
    }
    let Some(unrecorded) = app.failed_sign_ins.admit(address) else { return Ok(()) };
    let detail = json!({
        "provider": provider.name, "problem": problem.code(), "reason": reason,
        "address": address.0.to_string(), "unrecorded": unrecorded,
    });
    let subject = format!("sign_in_provider/{}", provider.id);
    let entry = NewEntry::by_service(store::now(), AuditAction::SignInFailed, subject, detail);
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(())
}
