//! Who sent a request: taken from a bearer token, a forge key or a browser's cookie.

use std::sync::Arc;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, Method, header, request::Parts},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{event::life::Actor, ids::SessionId};

use super::{
    app::{App, Shared},
    auth::{cookie, token},
    problem::Problem,
};
use crate::store::{
    self,
    users::{self, User},
};

/// A person, and how they proved who they are.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Who.
    pub user: User,
    /// How, and for how long.
    pub proof: Proof,
}

/// How somebody proved who they are.
#[derive(Clone, Debug)]
pub enum Proof {
    /// With an access token of this session, which counts until then.
    Session {
        /// The session.
        id: SessionId,
        /// When the token ends.
        until: DateTime<Utc>,
    },
    /// With a forge key.
    ForgeKey {
        /// Its digest.
        digest: Arc<str>,
        /// It opens nothing that changes anything.
        read_only: bool,
    },
}

/// An administrator.
pub struct Admin(pub User);

/// A person who signed in with a password, not with a key.
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// Their session.
    pub session: SessionId,
}

impl Identity {
    /// As journals name them.
    pub fn actor(&self) -> Actor {
        Actor::User { id: self.user.id, name: self.user.name.clone() }
    }

    /// Whether the session or the key behind this still counts.
    pub async fn still_holds(&self, app: &App) -> store::Result<bool> {
        let mut conn = app.db.read().await?;
        let now = store::now();
        let holds = match &self.proof {
            Proof::Session { id, .. } => store::sessions::get(&mut conn, *id, now).await?.is_some(),
            Proof::ForgeKey { digest, .. } => {
                store::forge_keys::usable(&mut conn, digest, now).await?.is_some()
            }
        };
        Ok(holds && active(users::get(&mut conn, self.user.id).await?).is_some())
    }
}

/// Who a request is from; None without any credentials. Wrong credentials are a 401, and a
/// cookie on an unsafe request from a page of another site is a 403.
pub async fn identify(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Identity>, Problem> {
    if let Some(bearer) = credentials(headers, "bearer") {
        let identity = by_secret(app, bearer).await?;
        if !method.is_safe() && matches!(identity.proof, Proof::ForgeKey { read_only: true, .. }) {
            return Err(Problem::forbidden("This forge key only reads."));
        }
        return Ok(Some(identity));
    }
    let Some(token) = cookie::value(headers, cookie::SESSION) else { return Ok(None) };
    if !method.is_safe() && !app.own_address.sent(headers) {
        return Err(Problem::foreign_origin());
    }
    by_access_token(app, &token).await.map(Some)
}

/// The same for a git client, which sends its key as a password.
pub async fn identify_git(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Identity>, Problem> {
    let Some(basic) = credentials(headers, "basic") else {
        return identify(app, method, headers).await;
    };
    let decoded = BASE64_STANDARD.decode(basic).ok().and_then(|text| String::from_utf8(text).ok());
    let password = decoded.as_deref().and_then(|text| text.split_once(':')).map(|(_, key)| key);
    by_secret(app, password.unwrap_or_default()).await.map(Some)
}

/// Who holds this access token or forge key.
pub async fn by_secret(app: &App, secret: &str) -> Result<Identity, Problem> {
    match secret.starts_with(token::FORGE_KEY_PREFIX) {
        true => by_forge_key(app, secret).await,
        false => by_access_token(app, secret).await,
    }
}

async fn by_access_token(app: &App, token: &str) -> Result<Identity, Problem> {
    let claims = app.tokens.read(token).ok_or_else(Problem::unauthenticated)?;
    let until = DateTime::from_timestamp(claims.exp, 0).ok_or_else(Problem::unauthenticated)?;
    let mut conn = app.db.read().await?;
    let session = store::sessions::get(&mut conn, claims.sid, store::now()).await?;
    let session = session.filter(|session| session.user_id == claims.sub);
    let session = session.ok_or_else(Problem::unauthenticated)?;
    let user = active(users::get(&mut conn, session.user_id).await?);
    let user = user.ok_or_else(Problem::unauthenticated)?;
    Ok(Identity { user, proof: Proof::Session { id: session.id, until } })
}

async fn by_forge_key(app: &App, key: &str) -> Result<Identity, Problem> {
    let (digest, now) = (token::digest(key), store::now());
    let mut conn = app.db.read().await?;
    let key = store::forge_keys::usable(&mut conn, &digest, now).await?;
    let key = key.ok_or_else(Problem::unauthenticated)?;
    let user = active(users::get(&mut conn, key.user_id).await?);
    let user = user.ok_or_else(Problem::unauthenticated)?;
    drop(conn);
    let a_minute_ago = now - TimeDelta::minutes(1);
    if key.last_used_at.is_none_or(|at| at < a_minute_ago) {
        let mut tx = app.db.write().await?;
        store::forge_keys::touch(&mut tx, key.id, now, a_minute_ago).await?;
        tx.commit().await?;
    }
    let proof = Proof::ForgeKey { digest: digest.into(), read_only: key.read_only };
    Ok(Identity { user, proof })
}

fn active(user: Option<User>) -> Option<User> {
    user.filter(|user| user.disabled_at.is_none())
}

fn credentials<'h>(headers: &'h HeaderMap, scheme: &str) -> Option<&'h str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (given, rest) = value.split_once(' ')?;
    given.eq_ignore_ascii_case(scheme).then(|| rest.trim())
}

impl FromRequestParts<Shared> for Identity {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        if let Some(known) = parts.extensions.get::<Self>() {
            return Ok(known.clone());
        }
        let identity = identify(app, &parts.method, &parts.headers).await?;
        let identity = identity.ok_or_else(Problem::unauthenticated)?;
        parts.extensions.insert(identity.clone());
        Ok(identity)
    }
}

impl FromRequestParts<Shared> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        let Identity { user, .. } = Identity::from_request_parts(parts, app).await?;
        match user.role.as_str() {
            "admin" => Ok(Self(user)),
            _ => Err(Problem::forbidden("Only administrators may do this.")),
        }
    }
}

impl FromRequestParts<Shared> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &Shared) -> Result<Self, Problem> {
        match Identity::from_request_parts(parts, app).await? {
            Identity { user, proof: Proof::Session { id, .. } } => Ok(Self { user, session: id }),
            _ => Err(Problem::forbidden("A forge key cannot do this: sign in with a password.")),
        }
    }
}
