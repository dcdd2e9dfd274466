//! The one-time token of the first start: whoever has it makes the first account.

use std::sync::{Mutex, PoisonError};

use subtle::ConstantTimeEq;

use super::token;

/// Lives in memory alone, from a start without any account until the first one is made.
#[derive(Debug, Default)]
pub struct SetupToken(Mutex<Option<String>>);

impl SetupToken {
    /// Makes the token; the answer goes into the link that is printed.
    pub fn make(&self) -> String {
        let token = token::opaque();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
        token
    }

    /// Whether this is the token.
    pub fn matches(&self, given: &str) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().is_some_and(|held| bool::from(held.as_bytes().ct_eq(given.as_bytes())))
    }

    /// It has done its work.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_the_door_once() {
        let setup = SetupToken::default();
        assert!(!setup.matches(""));
        let token = setup.make();
        assert!(setup.matches(&token) && !setup.matches("other"));
        setup.forget();
        assert!(!setup.matches(&token));
    }
}
