//! The key that encrypts secrets in the database: ChaCha20-Poly1305, created when it is first used.

use std::{fs, io, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom, SystemRandom},
};

use crate::secret::{self, Secret};

const KEY_LEN: usize = 32;

pub struct EncryptionKey(LessSafeKey);

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
        let key = UnboundKey::new(&CHACHA20_POLY1305, &fs::read(file)?);
        let broken =
            |_| io::Error::other(format!("{} does not contain a valid key", file.display()));
        key.map(|key| Self(LessSafeKey::new(key))).map_err(broken)
    }

    /// The encrypted text, with its nonce, in Base64. Decrypting it requires the same `context`.
    pub fn encrypt(&self, text: &Secret<String>, context: &str) -> io::Result<String> {
        let nonce = random::<NONCE_LEN>()?;
        let mut sealed = text.expose().as_bytes().to_vec();
        self.0
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
        let mut bytes = BASE64_STANDARD.decode(sealed).ok()?;
        let (nonce, sealed) = bytes.split_at_mut_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let text = self.0.open_in_place(nonce, Aad::from(context.as_bytes()), sealed).ok()?;
        String::from_utf8(text.to_vec()).ok().map(Secret::new)
    }
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
}
