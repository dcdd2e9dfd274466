//! The one-time token of the first start, which authorizes creating the first account.

use std::sync::{Mutex, PoisonError};

use subtle::ConstantTimeEq;

use super::token;

/// Only in memory, from a start without accounts until the first account is created.
#[derive(Debug, Default)]
pub struct SetupToken(Mutex<Option<String>>);

impl SetupToken {
    /// Generates the token for the link that is printed.
    pub fn generate(&self) -> String {
        let token = token::opaque();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        token
    }

    pub fn matches(&self, given: &str) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().is_some_and(|held| bool::from(held.as_bytes().ct_eq(given.as_bytes())))
    }

    /// Invalidates the token.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_is_valid_until_it_is_forgotten() {
        let setup = SetupToken::default();
        assert!(!setup.matches(""));
        let token = setup.generate();
        assert!(setup.matches(&token) && !setup.matches("other"));
        setup.forget();
        assert!(!setup.matches(&token));
    }
}
