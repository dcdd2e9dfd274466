//! Signatures of requests as defined by the Standard Webhooks specification.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use ring::hmac;

use crate::secret::Secret;

/// The prefix of secrets, before the Base64 of the key.
const SECRET_PREFIX: &str = "whsec_";

/// A new secret with 256 random bits, as users enter it at the receiver.
pub fn new_secret() -> Secret<String> {
    let key = rand::random::<[u8; 32]>();
    Secret::new(format!("{SECRET_PREFIX}{}", BASE64_STANDARD.encode(key)))
}

/// The value of `webhook-signature`: over id, time and body. None if the secret is malformed.
pub fn sign(secret: &Secret<String>, id: &str, timestamp: i64, body: &str) -> Option<String> {
    let key = secret.expose().strip_prefix(SECRET_PREFIX)?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &BASE64_STANDARD.decode(key).ok()?);
    let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64_STANDARD.encode(tag)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_is_that_of_the_specification() {
        // The example of the specification's reference libraries.
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let signed =
            sign(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signed.as_deref(), Some(expected));
        assert!(sign(&Secret::new("hunter2".to_owned()), "id", 0, "").is_none());
        assert!(sign(&new_secret(), "id", 0, "").is_some());
    }
}
