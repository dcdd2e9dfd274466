//! Passwords: argon2id, off the async threads, a few at a time.

use std::{sync::Arc, time::Duration};

use argon2::{
    Argon2,
    password_hash::{Error, PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use tokio::{sync::Semaphore, task, time::timeout};

use crate::secret::Secret;

/// One hash takes 19 MiB and tens of milliseconds of a core.
const AT_ONCE: usize = 2;
const PATIENCE: Duration = Duration::from_secs(10);

/// Hashes and verifies passwords. Clones share the limit.
#[derive(Clone, Debug)]
pub struct Passwords {
    permits: Arc<Semaphore>,
}

/// A hash of nothing anybody knows, made with the same cost as all others.
const DECOY: &str = "$argon2id$v=19$m=19456,t=2,p=1$\
    Zm9yZ2VndWFyZCBkZWNveQ$Bm3yCvwVoqbH1aYxu2pNrcLfUg8RkT0jOEsGhXz5dQI";

/// Why a password could not be hashed or compared.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too many others wait.
    #[error("too many people are signing in at once")]
    Crowded,
    /// The library failed.
    #[error("hashing failed: {0}")]
    Hash(Error),
    /// The thread was lost.
    #[error("hashing was broken off")]
    BrokenOff,
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

impl Passwords {
    /// Ready to hash.
    pub fn new() -> Self {
        Self { permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// The hash to store, in PHC form.
    pub async fn hash(&self, password: Secret<String>) -> Result<String, PasswordError> {
        self.work(move || hash(password.expose())).await?.map_err(PasswordError::Hash)
    }

    /// Whether the password has this hash. Without a hash the answer is no, and takes as long.
    pub async fn verify(
        &self,
        stored: Option<String>,
        password: Secret<String>,
    ) -> Result<bool, PasswordError> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(|| DECOY.to_owned());
        match self.work(move || verify(&stored, password.expose())).await? {
            Ok(()) => Ok(known),
            Err(Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(PasswordError::Hash(error)),
        }
    }

    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let permit = timeout(PATIENCE, self.permits.clone().acquire_owned()).await;
        let Ok(Ok(permit)) = permit else { return Err(PasswordError::Crowded) };
        // The permit goes along: a client that leaves does not free the core.
        let done = task::spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        done.await.map_err(|_| PasswordError::BrokenOff)
    }
}

fn hash(password: &str) -> Result<String, Error> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes())?;
    Ok(hash.to_string())
}

fn verify(stored: &str, password: &str) -> Result<(), Error> {
    let stored = PasswordHash::new(stored)?;
    Argon2::default().verify_password(password.as_bytes(), &stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_same_password_matches() {
        let passwords = Passwords::new();
        let secret = |text: &str| Secret::new(text.to_owned());
        let stored = passwords.hash(secret("correct horse")).await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        for (hash, password, expected) in [
            (Some(stored.clone()), "correct horse", true),
            (Some(stored), "correct horsf", false),
            (None, "anything", false),
        ] {
            let verified = passwords.verify(hash, secret(password)).await.unwrap();
            assert_eq!(verified, expected, "{password}");
        }
    }
}
