//! Signed access tokens, and opaque secrets.

use std::{fs, io, path::Path};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::ids::{SessionId, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::secret::{self, Secret};

pub const ACCESS_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// Since the last refresh.
pub const SESSION_LIFETIME: TimeDelta = TimeDelta::days(30);
pub const FORGE_KEY_PREFIX: &str = "fgk_";

/// The claims of an access token.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Claims {
    pub sub: UserId,
    /// The token is valid only while this session is.
    pub sid: SessionId,
    /// In Unix seconds.
    pub exp: i64,
}

#[derive(Clone)]
pub struct Tokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

impl Tokens {
    /// `key` is shared by all nodes of an installation.
    pub fn new(key: &Secret<Vec<u8>>) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        Self {
            encoding: EncodingKey::from_secret(key.expose()),
            decoding: DecodingKey::from_secret(key.expose()),
            validation,
        }
    }

    /// A token for this session, and when it expires.
    pub fn issue(
        &self,
        user: UserId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<(String, DateTime<Utc>), jsonwebtoken::errors::Error> {
        let expires_at = (now + ACCESS_TOKEN_LIFETIME).trunc_subsecs(0);
        let claims = Claims { sub: user, sid: session, exp: expires_at.timestamp() };
        let token = jsonwebtoken::encode(&Header::default(), &claims, &self.encoding)?;
        Ok((token, expires_at))
    }

    /// The claims of a valid, unexpired token.
    pub fn read(&self, token: &str) -> Option<Claims> {
        let read = jsonwebtoken::decode(token, &self.decoding, &self.validation);
        read.ok().map(|token| token.claims)
    }
}

/// Reads the key from `file`, which is created at the first start with mode 0600.
pub fn signing_key(file: &Path) -> io::Result<Secret<Vec<u8>>> {
    if !file.exists() {
        secret::create_file(file, &rand::random::<[u8; 32]>())?;
    }
    let key = fs::read(file)?;
    if key.len() < 32 {
        return Err(io::Error::other("the key is shorter than 32 bytes; remove the file"));
    }
    Ok(Secret::new(key))
}

/// 256 random bits, hex-encoded.
pub fn opaque() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// The stored form of an opaque secret. It is random, so one round of SHA-256 is enough.
pub fn digest(secret: &str) -> String {
    hex::encode(Sha256::digest(secret.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn tokens(byte: u8) -> Tokens {
        Tokens::new(&Secret::new(vec![byte; 32]))
    }

    #[test]
    fn token_is_valid_for_its_key_until_it_expires() {
        let (user, session) = (crate::store::new_id(), crate::store::new_id());
        let now = Utc::now();
        let (token, expires_at) = tokens(1).issue(user, session, now).unwrap();
        assert_eq!(expires_at, (now + ACCESS_TOKEN_LIFETIME).trunc_subsecs(0));
        let claims = tokens(1).read(&token).unwrap();
        assert_eq!((claims.sub, claims.sid), (user, session));
        assert!(tokens(2).read(&token).is_none());
        let (old, _) = tokens(1).issue(user, session, now - ACCESS_TOKEN_LIFETIME * 2).unwrap();
        assert!(tokens(1).read(&old).is_none());
    }

    #[test]
    fn token_without_signature_is_rejected() {
        let claims = r#"{"sub":"00000000-0000-0000-0000-000000000000","sid":"00000000-0000-0000-0000-000000000000","exp":99999999999}"#;
        let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        let forged = format!("{}.{}.", part(r#"{"alg":"none","typ":"JWT"}"#), part(claims));
        assert!(tokens(1).read(&forged).is_none());
    }

    #[test]
    fn signing_key_is_created_once_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret.key");
        let key = signing_key(&file).unwrap();
        assert_eq!(signing_key(&file).unwrap().expose(), key.expose());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
