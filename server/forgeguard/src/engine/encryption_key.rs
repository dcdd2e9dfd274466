//! The key that encrypts secrets in the database: ChaCha20-Poly1305, created when it is first used.

use std::{fs, io, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};

use crate::secret::{self, Secret};

const KEY_LEN: usize = 32;

pub struct EncryptionKey {
    newest: LessSafeKey,
    /// Only decrypts, while secrets are encrypted again with the newest one.
    old: Option<LessSafeKey>,
}

impl EncryptionKey {
    /// The key in `file`, created if missing, readable only by its owner.
    pub fn load(file: &Path) -> io::Result<Self> {
        if !file.exists() {
            secret::create_file(file, &random::<KEY_LEN>()?)?;
        }
        Self::read(file)
    }

    /// The key in `file`, which must exist.
    pub fn read(file: &Path) -> io::Result<Self> {
        let bytes = fs::read(file)?;
        let key = |bytes: &[u8]| {
            UnboundKey::new(&CHACHA20_POLY1305, bytes).map(LessSafeKey::new).map_err(|_| {
                io::Error::other(format!("{} does not contain a valid key", file.display()))
            })
        };
        let (newest, old) = bytes.split_at(bytes.len().min(KEY_LEN));
        let old = (!old.is_empty()).then(|| key(old)).transpose()?;
        Ok(Self { newest: key(newest)?, old })
    }

    /// Puts a new key before the one in `file`, unless the file has two already.
    pub fn add(file: &Path) -> io::Result<()> {
        if Self::load(file)?.old.is_some() {
            return Ok(());
        }
        let added = random::<KEY_LEN>()?;
        secret::replace_file(file, &[added.as_slice(), &fs::read(file)?].concat())
    }

    /// Leaves only the newest key in `file`.
    pub fn remove_old(file: &Path) -> io::Result<()> {
        let mut bytes = fs::read(file)?;
        bytes.truncate(KEY_LEN);
        secret::replace_file(file, &bytes)
    }

    /// The encrypted text, with its nonce, in Base64. Decrypting it requires the same `context`.
    pub fn encrypt(&self, text: &Secret<String>, context: &str) -> io::Result<String> {
        let nonce = random::<NONCE_LEN>()?;
        let mut sealed = text.expose().as_bytes().to_vec();
        self.newest
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context.as_bytes()),
                &mut sealed,
            )
            .map_err(|_| io::Error::other("the text cannot be encrypted"))?;
        Ok(BASE64_STANDARD.encode([nonce.as_slice(), &sealed].concat()))
    }

    /// `None` if it was encrypted with another key or context, or changed since.
    pub fn decrypt(&self, sealed: &str, context: &str) -> Option<Secret<String>> {
        let old = self.old.as_ref();
        decrypt_with(&self.newest, sealed, context).or_else(|| decrypt_with(old?, sealed, context))
    }

    /// Whether it was encrypted with the newest key.
    pub fn is_current(&self, sealed: &str, context: &str) -> bool {
        decrypt_with(&self.newest, sealed, context).is_some()
    }
}

fn decrypt_with(key: &LessSafeKey, sealed: &str, context: &str) -> Option<Secret<String>> {
    let mut bytes = BASE64_STANDARD.decode(sealed).ok()?;
    let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
    let text = key.open_in_place(nonce, Aad::from(context.as_bytes()), sealed).ok()?;
    String::from_utf8(text.to_vec()).ok().map(Secret::new)
}

fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| io::Error::other("no random numbers for a key"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn secret(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[test]
    fn text_is_decrypted_only_with_the_same_key_and_context() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("encryption.key");
        assert!(EncryptionKey::read(&file).is_err());
        let key = EncryptionKey::load(&file).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let sealed = key.encrypt(&secret("sk-hunter2"), "openai").unwrap();
        assert_ne!(sealed, key.encrypt(&secret("sk-hunter2"), "openai").unwrap());

        let again = EncryptionKey::load(&file).unwrap();
        assert_eq!(again.decrypt(&sealed, "openai").unwrap().expose(), "sk-hunter2");
        assert!(again.decrypt(&sealed, "anthropic").is_none());
        let mut changed = BASE64_STANDARD.decode(&sealed).unwrap();
        changed[NONCE_LEN] ^= 1;
        assert!(again.decrypt(&BASE64_STANDARD.encode(changed), "openai").is_none());
        assert!(again.decrypt("AAAA", "openai").is_none());

        let other = EncryptionKey::load(&folder.path().join("other.key")).unwrap();
        assert!(other.decrypt(&sealed, "openai").is_none());
        fs::write(&file, "no key").unwrap();
        assert!(EncryptionKey::load(&file).is_err());
    }

    #[test]
    fn old_key_decrypts_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("encryption.key");
        let first = EncryptionKey::load(&file).unwrap();
        let sealed = first.encrypt(&secret("sk-hunter2"), "openai").unwrap();
        EncryptionKey::add(&file).unwrap();
        let both = EncryptionKey::read(&file).unwrap();
        assert_eq!(both.decrypt(&sealed, "openai").unwrap().expose(), "sk-hunter2");
        assert!(!both.is_current(&sealed, "openai"));
        let again = both.encrypt(&secret("sk-hunter2"), "openai").unwrap();
        assert!(both.is_current(&again, "openai"));
        assert!(first.decrypt(&again, "openai").is_none());

        // A rotation that was interrupted continues with the same new key.
        EncryptionKey::add(&file).unwrap();
        assert!(EncryptionKey::read(&file).unwrap().is_current(&again, "openai"));
        EncryptionKey::remove_old(&file).unwrap();
        let newest = EncryptionKey::read(&file).unwrap();
        assert!(newest.is_current(&again, "openai"));
        assert!(newest.decrypt(&sealed, "openai").is_none());
        assert_eq!(fs::read(&file).unwrap().len(), KEY_LEN);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
