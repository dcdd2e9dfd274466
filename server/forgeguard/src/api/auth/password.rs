//! Password hashing with argon2id, off the async threads, with limited concurrency.

use std::{num::NonZeroUsize, thread};

use argon2::{
    Argon2,
    password_hash::{Error, PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use tokio::task;

use super::hash_queue::{HashQueue, QueueFull};
use crate::secret::Secret;

/// Per core. A hash takes 19 MiB and about 30 ms, so the last one waits for a quarter of a second.
const MAX_WAITING_PER_CORE: usize = 8;

/// Hashes and verifies passwords. Clones share the limit.
#[derive(Clone, Debug)]
pub struct Passwords {
    queue: HashQueue,
}

#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The queue is full.
    #[error("too many passwords are waiting to be hashed")]
    QueueFull,
    #[error("hashing failed: {0}")]
    Hash(Error),
    /// The thread panicked.
    #[error("hashing was interrupted")]
    BrokenOff,
}

impl Default for Passwords {
    fn default() -> Self {
        Self::new()
    }
}

impl Passwords {
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { queue: HashQueue::new(cores, cores * MAX_WAITING_PER_CORE) }
    }

    /// Returns the hash to store, in PHC format.
    pub async fn hash(&self, password: Secret<String>) -> Result<String, PasswordError> {
        self.work(0, move || hash(password.expose())).await?.map_err(PasswordError::Hash)
    }

    /// Whether the password has this hash. Without a hash the result is false and takes as long.
    /// The waiting password with the lowest `priority` is verified first.
    pub async fn verify(
        &self,
        stored: Option<String>,
        password: Secret<String>,
        priority: u32,
    ) -> Result<bool, PasswordError> {
        let known = stored.is_some();
        let stored = stored.unwrap_or_else(hash_of_unknown);
        match self.work(priority, move || verify(&stored, password.expose())).await? {
            Ok(()) => Ok(known),
            Err(Error::PasswordInvalid) => Ok(false),
            Err(error) => Err(PasswordError::Hash(error)),
        }
    }

    async fn work<T: Send + 'static>(
        &self,
        priority: u32,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let slot = self.queue.acquire(priority).await;
        let slot = slot.map_err(|QueueFull| PasswordError::QueueFull)?;
        // The job holds the slot: a client that disconnects does not free the core early.
        let done = task::spawn_blocking(move || {
            let _slot = slot;
            work()
        });
        done.await.map_err(|_| PasswordError::BrokenOff)
    }
}

fn hash(password: &str) -> Result<String, Error> {
    let hash: PasswordHash = Argon2::default().hash_password(password.as_bytes())?;
    Ok(hash.to_string())
}

/// The hash of an unknown password, random instead of computed. Verifying a password against it takes
/// as long as against any other hash.
pub fn hash_of_unknown() -> String {
    let (salt, hash) = (rand::random::<[u8; 16]>(), rand::random::<[u8; 32]>());
    let [salt, hash] = [&salt[..], &hash].map(|bytes| BASE64_STANDARD_NO_PAD.encode(bytes));
    format!("$argon2id$v=19$m=19456,t=2,p=1${salt}${hash}")
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
            (Some(hash_of_unknown()), "", false),
            (None, "anything", false),
        ] {
            let verified = passwords.verify(hash, secret(password), 0).await.unwrap();
            assert_eq!(verified, expected, "{password}");
        }
    }
}
