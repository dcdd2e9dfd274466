//! A fake identity provider on this machine: OpenID Connect and the OAuth of GitHub. It checks what a
//! client sends, and misbehaves on request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    extract::{Form, Path, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
    routing::{get, post},
};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD as BASE64},
};
use chrono::Utc;
use ring::{
    rand::SystemRandom,
    rsa::PublicKeyComponents,
    signature::{RSA_PKCS1_SHA256, RsaKeyPair},
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::identity_provider_keys::{PUBLISHED, UNPUBLISHED};

pub const CLIENT_ID: &str = "forgeguard";
pub const CLIENT_SECRET: &str = "client-secret-of-the-test";

/// How the provider deviates from the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    WrongNonce,
    NoNonce,
    WrongAudience,
    WrongIssuer,
    ExpiredToken,
    WrongKey,
    AlgorithmNone,
    /// A token signed with the client secret, which is no proof of the provider.
    SharedSecret,
    NoIdToken,
    TokenEndpointDown,
    /// The redirect names another issuer.
    OtherIssuerInRedirect,
    Denies,
    /// The discovery document names another issuer.
    OtherIssuerInDocument,
    /// The discovery document is never sent.
    Hangs,
    Redirects,
}

/// What the provider says about the person who signs in.
#[derive(Clone, Debug)]
pub struct Behaviour {
    pub fault: Fault,
    /// Claims of the ID token; `sub` is required.
    pub claims: Value,
    /// GitHub's reply to `/user`.
    pub github_user: Value,
    /// GitHub's reply to `/user/emails`.
    pub github_emails: Value,
}

pub struct IdentityProvider {
    pub url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    url: String,
    behaviour: Mutex<Behaviour>,
    /// What was requested with each code.
    codes: Mutex<HashMap<String, HashMap<String, String>>>,
}

impl IdentityProvider {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let behaviour = Behaviour {
            fault: Fault::None,
            claims: json!({}),
            github_user: json!({}),
            github_emails: json!([]),
        };
        let shared = Arc::new(Shared {
            url: url.clone(),
            behaviour: Mutex::new(behaviour),
            codes: Mutex::default(),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/keys", get(keys))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/login/oauth/authorize", get(authorize))
            .route("/login/oauth/access_token", post(github_token))
            .route("/api/v3/user", get(github_user))
            .route("/api/v3/user/emails", get(github_emails))
            .route("/api/v3/applications/{id}/token", post(github_check))
            .with_state(shared.clone());
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves until it is aborted");
        });
        Self { url, shared, task }
    }

    pub fn set(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut lock(&self.shared.behaviour));
    }

    /// The next person to sign in, with a verified address.
    pub fn set_person(&self, subject: &str, email: &str) {
        self.set(|behaviour| {
            behaviour.claims = json!({"sub": subject, "email": email, "email_verified": true});
        });
    }
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn behaviour(&self) -> Behaviour {
        lock(&self.behaviour).clone()
    }
}

async fn discovery(State(shared): State<Arc<Shared>>) -> Response {
    let url = &shared.url;
    let fault = shared.behaviour().fault;
    if fault == Fault::Hangs {
        std::future::pending::<()>().await;
    }
    if fault == Fault::Redirects {
        return Redirect::temporary("http://169.254.169.254/latest/meta-data").into_response();
    }
    let other = fault == Fault::OtherIssuerInDocument;
    let issuer = if other { "https://other.example" } else { url.as_str() };
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "none", "HS256"],
    }))
    .into_response()
}

async fn keys() -> Json<Value> {
    let public = PublicKeyComponents::<Vec<u8>>::from(key_pair(PUBLISHED).public());
    let (n, e) = (BASE64.encode(public.n), BASE64.encode(public.e));
    let key = json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1", "n": n, "e": e});
    Json(json!({ "keys": [key] }))
}

/// Signs in at once, and sends the browser back.
async fn authorize(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
) -> Redirect {
    assert_eq!(query["client_id"], CLIENT_ID);
    assert_eq!(query["code_challenge_method"], "S256");
    let mut back = reqwest::Url::parse(&query["redirect_uri"]).expect("a URL");
    back.query_pairs_mut().append_pair("state", &query["state"]);
    match shared.behaviour().fault {
        Fault::Denies => {
            back.query_pairs_mut().append_pair("error", "access_denied");
        }
        fault => {
            let code = hex::encode(rand::random::<[u8; 16]>());
            back.query_pairs_mut().append_pair("code", &code);
            if fault == Fault::OtherIssuerInRedirect {
                back.query_pairs_mut().append_pair("iss", "https://other.example");
            }
            lock(&shared.codes).insert(code, query);
        }
    }
    Redirect::to(back.as_str())
}

/// What was requested with the code, if the client proves that it is the same one.
fn redeem(shared: &Shared, form: &HashMap<String, String>) -> Option<HashMap<String, String>> {
    let requested = lock(&shared.codes).remove(form.get("code")?)?;
    let challenge = BASE64.encode(Sha256::digest(form.get("code_verifier")?));
    let is_same = challenge == requested["code_challenge"]
        && form.get("redirect_uri") == requested.get("redirect_uri");
    is_same.then_some(requested)
}

async fn token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let Behaviour { fault, claims, .. } = shared.behaviour();
    if fault == Fault::TokenEndpointDown {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    if headers.get(header::AUTHORIZATION).is_none_or(|value| value != &basic()) {
        let error = Json(json!({"error": "invalid_client"}));
        return (StatusCode::UNAUTHORIZED, error).into_response();
    }
    let Some(requested) = redeem(&shared, &form) else {
        let error = Json(json!({"error": "invalid_grant"}));
        return (StatusCode::BAD_REQUEST, error).into_response();
    };
    let mut reply = json!({"access_token": "access", "token_type": "Bearer"});
    if fault != Fault::NoIdToken {
        reply["id_token"] = id_token(&shared.url, fault, claims, &requested["nonce"]).into();
    }
    Json(reply).into_response()
}

fn id_token(issuer: &str, fault: Fault, mut claims: Value, nonce: &str) -> String {
    let now = Utc::now().timestamp();
    let other = |wrong: bool, right: &str| if wrong { "other".into() } else { Value::from(right) };
    claims["iss"] = match fault {
        Fault::WrongIssuer => "https://other.example".into(),
        _ => issuer.into(),
    };
    claims["aud"] = other(fault == Fault::WrongAudience, CLIENT_ID);
    claims["iat"] = now.into();
    claims["exp"] = if fault == Fault::ExpiredToken { now - 60 } else { now + 300 }.into();
    if fault != Fault::NoNonce {
        claims["nonce"] = other(fault == Fault::WrongNonce, nonce);
    }
    let algorithm = match fault {
        Fault::AlgorithmNone => "none",
        Fault::SharedSecret => "HS256",
        _ => "RS256",
    };
    let header = json!({"alg": algorithm, "typ": "JWT", "kid": "1"});
    let part = |value: &Value| BASE64.encode(value.to_string());
    let text = format!("{}.{}", part(&header), part(&claims));
    let signature = match fault {
        Fault::AlgorithmNone => Vec::new(),
        Fault::SharedSecret => {
            let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, CLIENT_SECRET.as_bytes());
            ring::hmac::sign(&key, text.as_bytes()).as_ref().to_vec()
        }
        Fault::WrongKey => sign(UNPUBLISHED, &text),
        _ => sign(PUBLISHED, &text),
    };
    format!("{text}.{}", BASE64.encode(signature))
}

fn key_pair(base64: &str) -> RsaKeyPair {
    let der = BASE64_STANDARD.decode(base64).expect("Base64");
    RsaKeyPair::from_pkcs8(&der).expect("an RSA key")
}

fn sign(key: &str, text: &str) -> Vec<u8> {
    let pair = key_pair(key);
    let mut signature = vec![0; pair.public().modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature)
        .expect("a signature");
    signature
}

fn basic() -> String {
    format!("Basic {}", BASE64_STANDARD.encode(format!("{CLIENT_ID}:{CLIENT_SECRET}")))
}

async fn github_token(
    State(shared): State<Arc<Shared>>,
    Form(form): Form<HashMap<String, String>>,
) -> Json<Value> {
    if form["client_id"] != CLIENT_ID || form["client_secret"] != CLIENT_SECRET {
        return Json(json!({"error": "incorrect_client_credentials"}));
    }
    Json(match redeem(&shared, &form) {
        Some(_) => json!({"access_token": "gho_1", "token_type": "bearer", "scope": "user:email"}),
        None => json!({"error": "bad_verification_code"}),
    })
}

async fn github_user(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    github_reply(&headers, shared.behaviour().github_user)
}

async fn github_emails(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    github_reply(&headers, shared.behaviour().github_emails)
}

fn github_reply(headers: &HeaderMap, body: Value) -> Response {
    match headers.get(header::AUTHORIZATION) {
        Some(value) if value == "Bearer gho_1" => Json(body).into_response(),
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

async fn github_check(Path(id): Path<String>, headers: HeaderMap) -> Response {
    let is_client = headers.get(header::AUTHORIZATION).is_some_and(|value| value == &basic());
    let status = match is_client && id == CLIENT_ID {
        true => StatusCode::NOT_FOUND,
        false => StatusCode::UNAUTHORIZED,
    };
    (status, Json(json!({"message": "Not Found"}))).into_response()
}
