//! Identifies the user of a request by access token, forge key or session cookie.

use std::{
    convert::Infallible,
    net::{Ipv6Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    extract::{ConnectInfo, FromRequestParts, MatchedPath},
    http::{HeaderMap, Method, header, request::Parts},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    event::life::Actor,
    ids::{BuildId, ProjectId, SessionId},
    key_scope::KeyScope,
    user_role::UserRole,
};

use super::{
    access::{AccessWatch, Credential},
    api_error::ApiError,
    app::{App, Shared},
    auth::{client_address::ClientAddress, cookie, token},
    key_grant::KeyGrant,
};
use crate::store::{
    self,
    users::{self, User},
};

/// A user, and how they authenticated.
#[derive(Clone, Debug)]
pub struct Identity {
    pub user: User,
    pub proof: Proof,
}

/// How a user authenticated.
#[derive(Clone, Debug)]
pub enum Proof {
    /// With an access token.
    Session { id: SessionId, until: DateTime<Utc> },
    /// With a forge key.
    ForgeKey { digest: Arc<str>, grant: Arc<KeyGrant> },
    /// By opening a socket in the data directory, which only its owner can.
    DataDirectory,
}

pub struct Admin(pub User);

/// An administrator who signed in with a password rather than a forge key.
pub struct SignedInAdmin(pub User);

/// A user who signed in with a password rather than a forge key.
pub struct SignedIn {
    pub user: User,
    pub session: SessionId,
}

impl Identity {
    /// The actor in journal events.
    pub fn actor(&self) -> Actor {
        Actor::User { id: self.user.id, name: self.user.name.clone() }
    }

    /// The forge key that the user authenticated with, if it is one.
    pub fn key(&self) -> Option<&KeyGrant> {
        match &self.proof {
            Proof::ForgeKey { grant, .. } => Some(grant),
            Proof::Session { .. } | Proof::DataDirectory => None,
        }
    }

    /// Whether the credential permits operations of this scope.
    pub fn permits(&self, scope: KeyScope) -> bool {
        self.key().is_none_or(|key| key.permits(scope))
    }

    /// Whether the credential gives access to a project, or to a build of it. Whether the user has
    /// access is a separate question.
    pub fn covers(&self, project: ProjectId, build: Option<BuildId>) -> bool {
        self.key().is_none_or(|key| key.covers(project, build))
    }

    /// Watches the credential, to end a stream when it is no longer valid.
    pub fn watch(&self, app: &App) -> AccessWatch {
        let credential = match &self.proof {
            Proof::Session { id, .. } => Credential::Session(*id),
            Proof::ForgeKey { digest, .. } => Credential::ForgeKey(digest.clone()),
            Proof::DataDirectory => Credential::DataDirectory,
        };
        app.access.watch(self.user.id, credential)
    }
}

/// The user of a request; None without credentials. Invalid credentials are a 401, and a cookie on
/// an unsafe request from another origin is a 403.
pub async fn identify(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Identity>, ApiError> {
    if let Some(bearer) = credentials(headers, "bearer") {
        return by_secret(app, bearer).await.map(Some);
    }
    let Some(token) = cookie::value(headers, cookie::SESSION) else { return Ok(None) };
    if !method.is_safe() && !app.own_address.sent(headers) {
        return Err(ApiError::cross_origin());
    }
    by_access_token(app, &token).await.map(Some)
}

/// Identifies a git client, which sends its key as the password, or as the user name as in
/// `https://KEY@host/`.
pub async fn identify_git(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Identity>, ApiError> {
    let Some(basic) = credentials(headers, "basic") else {
        return identify(app, method, headers).await;
    };
    let decoded = BASE64_STANDARD.decode(basic).ok().and_then(|text| String::from_utf8(text).ok());
    let secret = match decoded.as_deref().and_then(|text| text.split_once(':')) {
        Some((user, "")) => user,
        Some((_, password)) => password,
        None => "",
    };
    by_secret(app, secret).await.map(Some)
}

/// The user of an access token or forge key.
pub async fn by_secret(app: &App, secret: &str) -> Result<Identity, ApiError> {
    match secret.starts_with(token::FORGE_KEY_PREFIX) {
        true => by_forge_key(app, secret).await,
        false => by_access_token(app, secret).await,
    }
}

async fn by_access_token(app: &App, token: &str) -> Result<Identity, ApiError> {
    let claims = app.tokens.read(token).ok_or_else(ApiError::unauthorized)?;
    let until = DateTime::from_timestamp(claims.exp, 0).ok_or_else(ApiError::unauthorized)?;
    let mut conn = app.db.read().await?;
    let user = users::of_session(&mut conn, claims.sub, claims.sid, store::now()).await?;
    let user = user.ok_or_else(ApiError::unauthorized)?;
    Ok(Identity { user, proof: Proof::Session { id: claims.sid, until } })
}

async fn by_forge_key(app: &App, key: &str) -> Result<Identity, ApiError> {
    let (digest, now) = (token::digest(key), store::now());
    let mut conn = app.db.read().await?;
    let key = store::forge_keys::usable(&mut conn, &digest, now).await?;
    let key = key.ok_or_else(ApiError::unauthorized)?;
    let user = users::get(&mut conn, key.user_id).await?;
    let user = user.filter(|user| user.disabled_at.is_none()).ok_or_else(ApiError::unauthorized)?;
    drop(conn);
    let a_minute_ago = now - TimeDelta::minutes(1);
    if key.last_used_at.is_none_or(|at| at < a_minute_ago) {
        let mut tx = app.db.write().await?;
        store::forge_keys::touch(&mut tx, key.id, now, a_minute_ago).await?;
        tx.commit().await?;
    }
    let grant = Arc::new(KeyGrant::from(&key));
    let proof = Proof::ForgeKey { digest: digest.into(), grant };
    Ok(Identity { user, proof })
}

/// The credentials in the `Authorization` header, if it has this scheme.
pub fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (given, rest) = value.split_once(' ')?;
    given.eq_ignore_ascii_case(scheme).then(|| rest.trim())
}

impl FromRequestParts<Shared> for Identity {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let identity = identify(app, &parts.method, &parts.headers).await?;
        let identity = identity.ok_or_else(ApiError::unauthorized)?;
        if let Some(key) = identity.key() {
            let path = parts.extensions.get::<MatchedPath>();
            key.check_route(&parts.method, path.map_or("", MatchedPath::as_str))?;
        }
        parts.extensions.insert(identity.clone());
        Ok(identity)
    }
}

impl TryFrom<Identity> for Admin {
    type Error = ApiError;

    fn try_from(Identity { user, .. }: Identity) -> Result<Self, ApiError> {
        match user.role {
            UserRole::Admin => Ok(Self(user)),
            UserRole::User => Err(ApiError::forbidden("Only administrators may do this.")),
        }
    }
}

impl FromRequestParts<Shared> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        Identity::from_request_parts(parts, app).await?.try_into()
    }
}

impl FromRequestParts<Shared> for SignedIn {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        match Identity::from_request_parts(parts, app).await? {
            Identity { user, proof: Proof::Session { id, .. } } => Ok(Self { user, session: id }),
            _ => Err(ApiError::sign_in_required()),
        }
    }
}

impl FromRequestParts<Shared> for SignedInAdmin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, ApiError> {
        let Admin(admin) = Admin::from_request_parts(parts, app).await?;
        SignedIn::from_request_parts(parts, app).await?;
        Ok(Self(admin))
    }
}

impl FromRequestParts<Shared> for ClientAddress {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Infallible> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(Ipv6Addr::UNSPECIFIED.into(), |ConnectInfo(peer)| peer.ip());
        Ok(app.trusted_proxies.client(peer, &parts.headers))
    }
}
