//! The model catalog: prices, limits, end of life, and supported APIs.
//!
//! The built-in table is `catalog.json`, dated in its field `read`; CONTRIBUTING.md describes how
//! to update it. Configured entries take precedence, because prices change and gateways have their
//! own. Unknown models have no price; nothing is inferred from similar names.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::{Deserialize, Serialize};

use crate::{offline::OFFLINE, price::Price};

/// An API of OpenAI-compatible servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenAiApi {
    /// `POST /chat/completions`, which nearly all servers support.
    Chat,
    /// `POST /responses`, OpenAI's successor to it.
    Responses,
}

/// Known properties of one model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelFacts {
    pub price: Option<Price>,
    /// Tokens of prompt and reply together.
    pub context_window: Option<u64>,
    /// Tokens of one reply.
    pub max_output_tokens: Option<u32>,
    /// The first day on which the provider no longer serves it, such as `2026-11-30`.
    pub end_of_life: Option<String>,
    /// Whether it is a reasoning model.
    pub reasons: bool,
    /// Supported APIs at OpenAI; empty if unknown.
    pub apis: Vec<OpenAiApi>,
}

/// Properties of models: configured entries over built-in ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelCatalog {
    own: BTreeMap<String, ModelFacts>,
}

/// A row of `catalog.json`; prices in USD per million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    provider: String,
    input: f64,
    output: f64,
    cache_read: Option<f64>,
    cache_write: Option<f64>,
    context_window: Option<u64>,
    max_output_tokens: Option<u32>,
    end_of_life: Option<String>,
    #[serde(default)]
    reasoning: bool,
    #[serde(default)]
    apis: Vec<OpenAiApi>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltIn {
    #[serde(rename = "source")]
    _source: String,
    read: String,
    models: BTreeMap<String, Row>,
}

static BUILT_IN: LazyLock<(String, BTreeMap<String, ModelFacts>)> = LazyLock::new(|| {
    let table: BuiltIn =
        serde_json::from_str(include_str!("catalog.json")).unwrap_or_else(|error| {
            // A test parses the file, so released builds have a valid one.
            panic!("catalog.json is invalid: {error}")
        });
    let (mut models, mut unprefixed) = (BTreeMap::new(), Vec::new());
    for (name, row) in table.models {
        let prefixed = name.strip_prefix(row.provider.as_str());
        let own_name = prefixed.and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
        let facts = ModelFacts::from(row);
        unprefixed.extend(own_name.map(|own_name| (own_name, facts.clone())));
        models.insert(name, facts);
    }
    // At their own addresses, providers use names without the prefix of the table.
    for (name, facts) in unprefixed {
        models.entry(name).or_insert(facts);
    }
    (table.read, models)
});

impl From<Row> for ModelFacts {
    fn from(row: Row) -> Self {
        let price = Price {
            input: micros(row.input),
            output: micros(row.output),
            cache_read: micros(row.cache_read.unwrap_or(row.input)),
            cache_write: micros(row.cache_write.unwrap_or(row.input)),
        };
        Self {
            price: Some(price),
            context_window: row.context_window,
            max_output_tokens: row.max_output_tokens,
            end_of_life: row.end_of_life,
            reasons: row.reasoning,
            apis: row.apis,
        }
    }
}

impl ModelCatalog {
    /// Unset fields of an entry are taken from the built-in one.
    pub fn with_own(own: BTreeMap<String, ModelFacts>) -> Self {
        Self { own }
    }

    /// The day on which the price of a model was read, unless it is unknown or the user's own.
    pub fn price_date(&self, model: &str) -> Option<&'static str> {
        let has_price = |table| find(table, model).is_some_and(|facts| facts.price.is_some());
        (has_price(&BUILT_IN.1) && !has_price(&self.own)).then_some(&BUILT_IN.0)
    }

    /// Properties of a model, by its exact name or that of its family, which is the name without a
    /// trailing date.
    pub fn facts(&self, model: &str) -> ModelFacts {
        if model == OFFLINE {
            return ModelFacts { price: Some(Price::FREE), ..ModelFacts::default() };
        }
        let facts = |table| find(table, model).cloned().unwrap_or_default();
        let (own, built_in) = (facts(&self.own), facts(&BUILT_IN.1));
        ModelFacts {
            price: own.price.or(built_in.price),
            context_window: own.context_window.or(built_in.context_window),
            max_output_tokens: own.max_output_tokens.or(built_in.max_output_tokens),
            end_of_life: own.end_of_life.or(built_in.end_of_life),
            reasons: own.reasons || built_in.reasons,
            apis: if own.apis.is_empty() { built_in.apis } else { own.apis },
        }
    }
}

fn find<'a>(table: &'a BTreeMap<String, ModelFacts>, model: &str) -> Option<&'a ModelFacts> {
    table.get(model).or_else(|| table.get(family(model)))
}

/// The name without the date of its version: `-20250929`, `-2025-08-07` or `-latest`.
fn family(model: &str) -> &str {
    let is_digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let Some((rest, last)) = model.rsplit_once('-') else { return model };
    if last == "latest" || is_digits(last, 8) {
        return rest;
    }
    let mut parts = model.rsplitn(4, '-');
    let (day, month, year, rest) = (parts.next(), parts.next(), parts.next(), parts.next());
    match (day, month, year, rest) {
        (Some(day), Some(month), Some(year), Some(rest))
            if is_digits(day, 2) && is_digits(month, 2) && is_digits(year, 4) =>
        {
            rest
        }
        _ => model,
    }
}

fn micros(usd: f64) -> u64 {
    (usd * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(model: &str) -> ModelFacts {
        ModelCatalog::default().facts(model)
    }

    #[test]
    fn built_in_table_is_valid_and_dated() {
        assert!(BUILT_IN.1.len() > 200);
        assert!(ModelCatalog::default().price_date("gpt-5").unwrap().starts_with("20"));
        for (name, facts) in &BUILT_IN.1 {
            let is_date = |day: &String| day.len() == 10 && day.as_bytes()[4] == b'-';
            assert!(facts.end_of_life.as_ref().is_none_or(is_date), "{name}");
        }
    }

    #[test]
    fn price_is_found_by_exact_name_or_family() {
        let input = |model| facts(model).price.map(|price| price.input);
        for (model, expected) in [
            ("gpt-5", Some(1_250_000)),
            ("gpt-5-2025-08-07", Some(1_250_000)),
            ("gpt-5.5", Some(5_000_000)),
            ("gpt-5.5-2031-01-01", Some(5_000_000)),
            ("claude-sonnet-5-5-20310101", Some(2_000_000)),
            ("gpt-5-nonexistent", None),
            ("gpt-55", None),
            ("gpt", None),
            ("gemini/gemini-3.1-pro-preview", Some(2_000_000)),
            ("gemini-3.1-pro-preview", Some(2_000_000)),
            ("offline", Some(0)),
        ] {
            assert_eq!(input(model), expected, "{model}");
        }
    }

    #[test]
    fn configured_entry_overrides_only_its_fields() {
        let own = ModelFacts { context_window: Some(1_000), ..ModelFacts::default() };
        let mine = ModelFacts { price: Some(Price::FREE), ..ModelFacts::default() };
        let catalog = ModelCatalog::with_own(BTreeMap::from([
            ("gpt-5.5".to_owned(), own),
            ("mine".to_owned(), mine),
        ]));
        let found = catalog.facts("gpt-5.5");
        assert_eq!((found.context_window, found.max_output_tokens), (Some(1_000), Some(128_000)));
        assert_eq!(found.price.map(|price| price.input), Some(5_000_000));
        assert_eq!(catalog.facts("mine-2026-01-01").price, Some(Price::FREE));
        assert!(catalog.price_date("gpt-5.5").is_some() && catalog.price_date("mine").is_none());
    }

    #[test]
    fn limits_end_of_life_and_apis_are_known() {
        let sonnet = facts("claude-sonnet-4-5");
        assert_eq!(sonnet.end_of_life.as_deref(), Some("2026-11-30"));
        assert_eq!(
            (sonnet.context_window, sonnet.max_output_tokens),
            (Some(200_000), Some(64_000))
        );
        assert_eq!(facts("gpt-5.5-pro").apis, [OpenAiApi::Responses]);
        assert_eq!(facts("gpt-5.5").apis, [OpenAiApi::Chat, OpenAiApi::Responses]);
        assert!(facts("gpt-5.5").reasons && !facts("gpt-4o").reasons);
    }
}
