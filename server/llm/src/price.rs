//! What tokens cost. Money is counted in millionths of a US dollar.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{offline::OFFLINE, usage::Usage};

/// Prices of one model in millionths of a US dollar for a million tokens: 3 USD are `3_000_000`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Prompt tokens.
    pub input: u64,
    /// Written tokens.
    pub output: u64,
    /// Prompt tokens from the cache.
    pub cache_read: u64,
    /// Prompt tokens into the cache.
    pub cache_write: u64,
}

/// Prices by model. A key that ends in `*` stands for every model that begins like it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PriceTable(pub BTreeMap<String, Price>);

impl Price {
    /// Costs nothing.
    pub const FREE: Self = Self { input: 0, output: 0, cache_read: 0, cache_write: 0 };

    /// What a call cost, rounded up to a millionth of a dollar so that a budget is never overrun.
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

impl PriceTable {
    /// The price of a model: its own entry, else the longest `*` entry that fits, else none.
    /// The offline model is free.
    pub fn price(&self, model: &str) -> Option<Price> {
        if model == OFFLINE {
            return Some(Price::FREE);
        }
        let own = self.0.get(model);
        let family = || {
            self.0
                .iter()
                .filter_map(|(key, price)| Some((key.strip_suffix('*')?, price)))
                .filter(|(prefix, _)| model.starts_with(prefix))
                .max_by_key(|(prefix, _)| prefix.len())
                .map(|(_, price)| price)
        };
        own.or_else(family).copied()
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

    #[test]
    fn the_nearest_entry_wins() {
        let table: PriceTable = serde_json::from_value(serde_json::json!({
            "acme-*": {"input": 1, "output": 0, "cache_read": 0, "cache_write": 0},
            "acme-large-*": {"input": 2, "output": 0, "cache_read": 0, "cache_write": 0},
            "acme-large-3": {"input": 3, "output": 0, "cache_read": 0, "cache_write": 0},
        }))
        .unwrap();
        for (model, input) in [
            ("acme-small", Some(1)),
            ("acme-large-2", Some(2)),
            ("acme-large-3", Some(3)),
            ("other", None),
            ("offline", Some(0)),
        ] {
            assert_eq!(table.price(model).map(|price| price.input), input, "{model}");
        }
    }
}
