//! Token prices. Amounts are in millionths of a US dollar.

use serde::{Deserialize, Serialize};

use crate::usage::Usage;

/// Prices of one model in millionths of a US dollar per million tokens: 3 USD is `3_000_000`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Prompt tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Prompt tokens read from the cache.
    pub cache_read: u64,
    /// Prompt tokens written to the cache.
    pub cache_write: u64,
}

impl Price {
    pub const FREE: Self = Self { input: 0, output: 0, cache_read: 0, cache_write: 0 };

    /// The cost of a call, rounded up to a millionth of a dollar so that a budget is never
    /// exceeded.
    pub fn cost_usd_micros(self, usage: Usage) -> u64 {
        let per_million = [
            (usage.input, self.input),
            (usage.output, self.output),
            (usage.cache_read, self.cache_read),
            (usage.cache_write, self.cache_write),
        ];
        let sum: u128 =
            per_million.iter().map(|(count, price)| u128::from(*count) * u128::from(*price)).sum();
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price =
        Price { input: 3_000_000, output: 15_000_000, cache_read: 300_000, cache_write: 3_750_000 };

    #[test]
    fn each_kind_of_token_has_its_price() {
        let usage = |input, output, cache_read, cache_write| Usage {
            input,
            output,
            cache_read,
            cache_write,
        };
        for (usage, micros) in [
            (usage(0, 0, 0, 0), 0),
            (usage(1_000, 0, 0, 0), 3_000),
            (usage(0, 1_000, 0, 0), 15_000),
            (usage(0, 0, 1_000, 0), 300),
            (usage(0, 0, 0, 1_000), 3_750),
            (usage(0, 0, 1, 0), 1),
            (usage(1, 1, 1, 1), 23),
            (usage(u64::MAX, u64::MAX, u64::MAX, u64::MAX), u64::MAX),
        ] {
            assert_eq!(PRICE.cost_usd_micros(usage), micros, "{usage:?}");
            assert_eq!(Price::FREE.cost_usd_micros(usage), 0);
        }
    }
}
