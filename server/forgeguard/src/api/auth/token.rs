//! Access tokens, which say who and until when, and opaque secrets, which say nothing.

use std::{fs, io, io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::ids::{SessionId, UserId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::secret::Secret;

/// How long an access token counts.
pub const ACCESS_LIFE: TimeDelta = TimeDelta::minutes(15);
/// How long a session lives after it was last refreshed.
pub const SESSION_LIFE: TimeDelta = TimeDelta::days(30);
/// What every forge key begins with.
pub const FORGE_KEY_PREFIX: &str = "fgk_";

/// What an access token says.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Claims {
    /// Who.
    pub sub: UserId,
    /// The session it belongs to; once that has ended, the token counts no more.
    pub sid: SessionId,
    /// Until when, in Unix seconds.
    pub exp: i64,
}

/// Signs and reads access tokens.
#[derive(Clone)]
pub struct Tokens {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
}

impl Tokens {
    /// With the key that all nodes of an installation share.
    pub fn new(key: &Secret<Vec<u8>>) -> Self {
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        Self {
            encoding: EncodingKey::from_secret(key.expose()),
            decoding: DecodingKey::from_secret(key.expose()),
            validation,
        }
    }

    /// A token for this session, and when it ends.
    pub fn issue(
        &self,
        user: UserId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<(String, DateTime<Utc>), jsonwebtoken::errors::Error> {
        let expires_at = (now + ACCESS_LIFE).trunc_subsecs(0);
        let claims = Claims { sub: user, sid: session, exp: expires_at.timestamp() };
        let token = jsonwebtoken::encode(&Header::default(), &claims, &self.encoding)?;
        Ok((token, expires_at))
    }

    /// What a token says, if it is ours and has not ended.
    pub fn read(&self, token: &str) -> Option<Claims> {
        let read = jsonwebtoken::decode(token, &self.decoding, &self.validation);
        read.ok().map(|token| token.claims)
    }
}

/// The key in `file`, made at the first start, readable by its owner alone.
pub fn signing_key(file: &Path) -> io::Result<Secret<Vec<u8>>> {
    let mut options = fs::File::options();
    match options.write(true).create_new(true).mode(0o600).open(file) {
        Ok(mut new) => {
            new.write_all(&rand::random::<[u8; 32]>())?;
            new.sync_all()?;
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    let key = fs::read(file)?;
    if key.len() < 32 {
        return Err(io::Error::other("the key is shorter than 32 bytes; remove the file"));
    }
    Ok(Secret::new(key))
}

/// 256 random bits, as text.
pub fn opaque() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// What is stored of an opaque secret. It is random, so one round of sha256 is enough.
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
    fn a_token_counts_for_its_key_and_its_time_alone() {
        let (user, session) = (crate::store::new_id(), crate::store::new_id());
        let now = Utc::now();
        let (token, expires_at) = tokens(1).issue(user, session, now).unwrap();
        assert_eq!(expires_at, (now + ACCESS_LIFE).trunc_subsecs(0));
        let claims = tokens(1).read(&token).unwrap();
        assert_eq!((claims.sub, claims.sid), (user, session));
        assert!(tokens(2).read(&token).is_none());
        let (old, _) = tokens(1).issue(user, session, now - ACCESS_LIFE * 2).unwrap();
        assert!(tokens(1).read(&old).is_none());
    }

    #[test]
    fn a_token_without_signature_is_nobodys() {
        let claims = r#"{"sub":"00000000-0000-0000-0000-000000000000","sid":"00000000-0000-0000-0000-000000000000","exp":99999999999}"#;
        let part = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
        let forged = format!("{}.{}.", part(r#"{"alg":"none","typ":"JWT"}"#), part(claims));
        assert!(tokens(1).read(&forged).is_none());
    }

    #[test]
    fn the_key_is_made_once_and_kept_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret.key");
        let key = signing_key(&file).unwrap();
        assert_eq!(signing_key(&file).unwrap().expose(), key.expose());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
