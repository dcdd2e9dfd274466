//! Tokens that a call used, as reported by a provider or estimated from text.

use std::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

/// Tokens of one or more calls. The four counts are disjoint: tokens read from or written to the
/// provider's cache are not in `input`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Usage {
    /// Prompt tokens at the full price.
    pub input: u64,
    /// Tokens that the model wrote.
    pub output: u64,
    /// Prompt tokens read from the cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    #[serde(default)]
    pub cache_write: u64,
}

impl Usage {
    /// All prompt tokens, cached or not.
    pub fn prompt(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }
}

impl Add for Usage {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
        }
    }
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// Estimates the tokens of a text as a quarter of its characters, rounded up. The error is about 25
/// % for English and code, which suffices for reservations and for the offline model.
pub fn estimated_tokens(text: &str) -> u64 {
    text.chars().count().div_ceil(4) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_count_is_added_separately() {
        let mut sum = Usage { input: 1, output: 2, cache_read: 3, cache_write: 4 };
        sum += Usage { input: 10, output: 20, cache_read: 30, cache_write: u64::MAX };
        assert_eq!(sum, Usage { input: 11, output: 22, cache_read: 33, cache_write: u64::MAX });
        assert_eq!(Usage { input: 1, output: 9, cache_read: 2, cache_write: 3 }.prompt(), 6);
    }

    #[test]
    fn estimate_counts_characters_not_bytes() {
        for (text, tokens) in [("", 0), ("a", 1), ("four", 1), ("fives", 2), ("äöüß", 1)] {
            assert_eq!(estimated_tokens(text), tokens, "{text}");
        }
    }
}
