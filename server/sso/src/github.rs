//! Signing in with GitHub or GitHub Enterprise, which has OAuth but no OpenID Connect.

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use http::{
    HeaderValue, Method, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use openidconnect::{HttpResponse, PkceCodeChallenge, PkceCodeVerifier};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, json};
use url::{Url, form_urlencoded};

use crate::{
    error::SsoError,
    http::{Http, HttpError},
    identity::Identity,
    provider::{Flow, ProviderSettings},
};

const SCOPES: &str = "read:user user:email";

#[derive(Deserialize)]
struct TokenReply {
    access_token: Option<String>,
    error: Option<String>,
}

#[derive(Deserialize)]
struct GitHubUser {
    id: u64,
    login: String,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Email {
    email: String,
    primary: bool,
    verified: bool,
}

pub(crate) fn authorization_url(
    settings: &ProviderSettings,
    flow: &Flow,
) -> Result<String, SsoError> {
    let verifier = PkceCodeVerifier::new(flow.pkce_verifier.to_owned());
    let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
    let mut url = page(settings, "authorize")?;
    url.query_pairs_mut()
        .append_pair("client_id", &settings.client_id)
        .append_pair("redirect_uri", flow.redirect_url)
        .append_pair("scope", SCOPES)
        .append_pair("state", flow.state)
        .append_pair("code_challenge", challenge.as_str())
        .append_pair("code_challenge_method", "S256");
    Ok(url.into())
}

pub(crate) async fn identify(
    settings: &ProviderSettings,
    flow: &Flow<'_>,
    code: &str,
    http: &Http,
) -> Result<Identity, SsoError> {
    let token = exchange(settings, flow, code, http).await?;
    let api = api(settings)?;
    let user: GitHubUser = get(&format!("{api}/user"), &token, http).await?;
    let emails: Vec<Email> = get(&format!("{api}/user/emails"), &token, http).await?;
    let primary = emails.into_iter().find(|email| email.primary);
    Ok(Identity {
        // Logins can be renamed and taken by others.
        subject: user.id.to_string(),
        email_verified: primary.as_ref().is_some_and(|email| email.verified),
        email: primary.map(|email| email.email),
        name: user.name.filter(|name| !name.trim().is_empty()).or(Some(user.login)),
        claims: Map::new(),
    })
}

/// Asks about an invalid token: GitHub answers that it does not exist only if client ID and secret
/// are correct.
pub(crate) async fn check_client(settings: &ProviderSettings, http: &Http) -> Result<(), SsoError> {
    let url = format!("{}/applications/{}/token", api(settings)?, settings.client_id);
    let mut credentials = reqwest::header::HeaderMap::new();
    credentials.insert(AUTHORIZATION, basic(settings)?);
    let body = json!({ "access_token": "test-of-the-settings" }).to_string();
    let mut request = request(Method::POST, &url, "application/json", body.into_bytes())?;
    request.headers_mut().extend(credentials);
    let reply = http.send(request).await.map_err(unreachable)?;
    let is_github = serde_json::from_slice::<serde_json::Value>(reply.body())
        .is_ok_and(|body| body.get("message").is_some());
    match reply.status() {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(rejected_client()),
        StatusCode::NOT_FOUND | StatusCode::UNPROCESSABLE_ENTITY if is_github => Ok(()),
        status => Err(SsoError::Misconfigured(format!(
            "{url} responded with {status}, which is not the reply of GitHub; check the address of \
             the server"
        ))),
    }
}

async fn exchange(
    settings: &ProviderSettings,
    flow: &Flow<'_>,
    code: &str,
    http: &Http,
) -> Result<String, SsoError> {
    let body = form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", &settings.client_id)
        .append_pair("client_secret", &settings.client_secret)
        .append_pair("code", code)
        .append_pair("redirect_uri", flow.redirect_url)
        .append_pair("code_verifier", flow.pkce_verifier)
        .finish();
    let url = page(settings, "access_token")?;
    let form = "application/x-www-form-urlencoded";
    let request = request(Method::POST, url.as_str(), form, body.into_bytes())?;
    let reply: TokenReply = read(http.send(request).await.map_err(unreachable)?)?;
    match (reply.access_token, reply.error.as_deref()) {
        (Some(token), None) => Ok(token),
        (_, Some("incorrect_client_credentials")) => Err(rejected_client()),
        (_, error) => Err(SsoError::Rejected(format!(
            "GitHub rejects the sign-in ({}); start it again",
            error.unwrap_or("no token")
        ))),
    }
}

async fn get<T: DeserializeOwned>(url: &str, token: &str, http: &Http) -> Result<T, SsoError> {
    let mut request = request(Method::GET, url, "application/json", Vec::new())?;
    let value = HeaderValue::from_str(&format!("Bearer {token}"));
    let mut value = value.map_err(|_| SsoError::Misconfigured("unusable token".to_owned()))?;
    value.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, value);
    read(http.send(request).await.map_err(unreachable)?)
}

fn request(
    method: Method,
    url: &str,
    content_type: &'static str,
    body: Vec<u8>,
) -> Result<Request<Vec<u8>>, SsoError> {
    Request::builder()
        .method(method)
        .uri(url)
        .header(ACCEPT, "application/json")
        .header(CONTENT_TYPE, content_type)
        .body(body)
        .map_err(|error| SsoError::Misconfigured(format!("{url} is not an address: {error}")))
}

fn read<T: DeserializeOwned>(reply: HttpResponse) -> Result<T, SsoError> {
    if !reply.status().is_success() {
        let why = format!("GitHub responded with {}", reply.status());
        return Err(SsoError::Misconfigured(why));
    }
    serde_json::from_slice(reply.body())
        .map_err(|error| SsoError::Misconfigured(format!("GitHub's reply cannot be read: {error}")))
}

/// The header of the client ID and secret.
fn basic(settings: &ProviderSettings) -> Result<HeaderValue, SsoError> {
    let text = format!("{}:{}", settings.client_id, settings.client_secret);
    let encoded = BASE64.encode(text.as_bytes());
    let value = HeaderValue::from_str(&format!("Basic {encoded}"));
    let mut value = value.map_err(|_| rejected_client())?;
    value.set_sensitive(true);
    Ok(value)
}

fn page(settings: &ProviderSettings, name: &str) -> Result<Url, SsoError> {
    let base = settings.issuer_url.trim_end_matches('/');
    Url::parse(&format!("{base}/login/oauth/{name}"))
        .map_err(|error| SsoError::Misconfigured(format!("{base} is not an address: {error}")))
}

/// `https://api.github.com`, or that of a GitHub Enterprise server.
fn api(settings: &ProviderSettings) -> Result<String, SsoError> {
    let base = settings.issuer_url.trim_end_matches('/');
    let url = Url::parse(base)
        .map_err(|error| SsoError::Misconfigured(format!("{base} is not an address: {error}")))?;
    Ok(match url.host_str() {
        Some("github.com") => "https://api.github.com".to_owned(),
        _ => format!("{base}/api/v3"),
    })
}

fn rejected_client() -> SsoError {
    SsoError::Misconfigured(
        "GitHub rejects the client ID or the client secret; enter them again".to_owned(),
    )
}

fn unreachable(HttpError(why): HttpError) -> SsoError {
    SsoError::Unreachable(why)
}
