//! Sign-ins of devices without a browser, such as terminals: the device shows a code, which its user
//! enters in a browser. The flow is that of RFC 8628.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Without vowels, so that no words appear, and without characters that look alike (RFC 8628, 6.1).
const ALPHABET: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const LENGTH: usize = 8;

/// What the user has decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceSignInStatus {
    Waiting,
    Approved,
    Denied,
}

/// The code that a user enters, such as `WDJB-MJHT`: about 34 bits, valid for minutes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserCode(String);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a code has 8 letters, such as WDJB-MJHT")]
pub struct InvalidUserCode;

impl UserCode {
    pub fn from_random(numbers: [u16; LENGTH]) -> Self {
        let letters = numbers.map(|number| ALPHABET[usize::from(number) % ALPHABET.len()]);
        Self(letters.map(char::from).into_iter().collect())
    }

    /// The letters, without the hyphen.
    pub fn letters(&self) -> &str {
        &self.0
    }
}

impl FromStr for UserCode {
    type Err = InvalidUserCode;

    /// Accepts lower case, and any or no punctuation and spaces between the letters.
    fn from_str(text: &str) -> Result<Self, InvalidUserCode> {
        let letters = text.chars().filter(|c| c.is_alphanumeric()).take(LENGTH + 1);
        let letters: String = letters.map(|c| c.to_ascii_uppercase()).collect();
        let is_code = letters.len() == LENGTH && letters.bytes().all(|it| ALPHABET.contains(&it));
        is_code.then_some(Self(letters)).ok_or(InvalidUserCode)
    }
}

impl fmt::Display for UserCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.0.split_at(LENGTH / 2);
        write!(f, "{first}-{second}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn codes_are_read_as_people_type_them() {
        for text in ["WDJB-MJHT", "wdjbmjht", " wdjb mjht ", "W.D.J.B.M.J.H.T", "WDJB–MJHT"] {
            assert_eq!(text.parse::<UserCode>().unwrap().to_string(), "WDJB-MJHT", "{text}");
        }
        for text in ["", "WDJB", "WDJB-MJHTX", "WDJB-MJHA", "WDJB-MJH1", "ẞẞẞẞ"] {
            assert_eq!(text.parse::<UserCode>(), Err(InvalidUserCode), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_code_is_read_back(numbers: [u16; LENGTH]) {
            let code = UserCode::from_random(numbers);
            prop_assert_eq!(code.to_string().parse::<UserCode>(), Ok(code));
        }

        #[test]
        fn any_text_is_read_or_rejected(text: String) {
            if let Ok(code) = text.parse::<UserCode>() {
                prop_assert_eq!(code.letters().len(), LENGTH);
            }
        }
    }
}
