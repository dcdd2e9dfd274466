//! The key that signs an installation's seals: Ed25519, created at the first start.

use std::{fs, io, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use domain::attestation::sha256;
use ring::{
    rand::SystemRandom,
    signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey},
};

use crate::secret;

/// The prefix of an Ed25519 public key in SPKI format (RFC 8410).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];
const BEGIN: &str = "-----BEGIN PUBLIC KEY-----";
const END: &str = "-----END PUBLIC KEY-----";

/// The installation's private key.
pub struct SealKey(Ed25519KeyPair);

/// The installation's public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(Vec<u8>);

impl SealKey {
    /// The key in `file`, created if missing, readable only by its owner.
    pub fn load(file: &Path) -> io::Result<Self> {
        if !file.exists() {
            let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
                .map_err(|_| io::Error::other("no random numbers for a key"))?;
            secret::create_file(file, made.as_ref())?;
        }
        Self::read(file)
    }

    /// The key in `file`, which must exist.
    pub fn read(file: &Path) -> io::Result<Self> {
        let broken =
            |_| io::Error::other(format!("{} does not contain a valid key", file.display()));
        Ed25519KeyPair::from_pkcs8(&fs::read(file)?).map(Self).map_err(broken)
    }

    pub fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.0.sign(bytes).as_ref().to_vec()
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.public_key().as_ref().to_vec())
    }
}

impl PublicKey {
    /// Parses a PEM file.
    pub fn from_pem(text: &str) -> Option<Self> {
        let inner = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
        let der = BASE64_STANDARD.decode(inner.split_whitespace().collect::<String>()).ok()?;
        let key = der.strip_prefix(&SPKI)?;
        (key.len() == 32).then(|| Self(key.to_vec()))
    }

    /// As a PEM file.
    pub fn to_pem(&self) -> String {
        format!("{BEGIN}\n{}\n{END}\n", BASE64_STANDARD.encode(self.der()))
    }

    /// Its name: SHA-256 of its SPKI form, in hex.
    pub fn id(&self) -> String {
        sha256(&self.der())
    }

    /// Whether the signature is valid for these bytes.
    pub fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, &self.0).verify(bytes, signature).is_ok()
    }

    fn der(&self) -> Vec<u8> {
        [&SPKI, self.0.as_slice()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_same_key_again_readable_by_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("seal.key");
        let key = SealKey::load(&file).unwrap();
        let again = SealKey::load(&file).unwrap();
        assert_eq!(key.public(), again.public());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let signature = key.sign(b"sealed");
        assert!(again.public().verifies(b"sealed", &signature));
        assert!(!again.public().verifies(b"Sealed", &signature));
        fs::write(&file, "no key").unwrap();
        assert!(SealKey::load(&file).is_err());
    }

    #[test]
    fn a_public_key_is_read_as_other_tools_write_it() {
        // RFC 8410, section 10.1.
        let pem = "-----BEGIN PUBLIC KEY-----\n\
            MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
            -----END PUBLIC KEY-----\n";
        let key = PublicKey::from_pem(pem).unwrap();
        assert_eq!((key.to_pem().as_str(), key.id().len()), (pem, 64));
        assert_eq!(PublicKey::from_pem("-----BEGIN PUBLIC KEY-----\nAA==\n"), None);
    }
}
