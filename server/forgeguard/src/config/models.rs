//! Which models agents talk to, where those are, and what they cost.

use std::{collections::BTreeMap, path::PathBuf};

use domain::event::agents::Role;
use serde::Deserialize;

use super::error::ConfigError;
use crate::secret::Secret;

/// What is taken where a key is set and no model is named.
const USUAL_ANTHROPIC: &str = "claude-sonnet-4-5";
const USUAL_OPENAI: &str = "gpt-5";
/// List prices of common models in USD for a million tokens: input, output, cache read, cache
/// write. The file's own come first, for prices change.
const LIST_PRICES: [(&str, [f64; 4]); 7] = [
    ("claude-opus-4-5*", [5.0, 25.0, 0.5, 6.25]),
    ("claude-opus-*", [15.0, 75.0, 1.5, 18.75]),
    ("claude-sonnet-*", [3.0, 15.0, 0.3, 3.75]),
    ("claude-haiku-*", [1.0, 5.0, 0.1, 1.25]),
    ("gpt-5*", [1.25, 10.0, 0.125, 0.0]),
    ("gpt-5-mini*", [0.25, 2.0, 0.025, 0.0]),
    ("gpt-5-nano*", [0.05, 0.4, 0.005, 0.0]),
];

/// Who serves a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderName {
    /// The Messages API.
    Anthropic,
    /// Any endpoint compatible with chat completions.
    OpenAi,
    /// Nobody: a scenario is played.
    Offline,
}

/// A model and who serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    /// Who.
    pub provider: ProviderName,
    /// The provider's name of it.
    pub model: String,
}

/// Where a provider is and what opens it.
#[derive(Clone, Debug)]
pub struct Access {
    /// Its key; servers of one's own often need none.
    pub key: Option<Secret<String>>,
    /// Where it is, if not at its usual address.
    pub base_url: Option<String>,
}

/// Everything about models.
#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// For every role that has none of its own.
    pub usual: ModelName,
    /// Of single roles.
    pub by_role: BTreeMap<Role, ModelName>,
    /// How Anthropic is reached.
    pub anthropic: Access,
    /// How an OpenAI-compatible endpoint is reached.
    pub openai: Access,
    /// Prices by model.
    pub prices: llm::PriceTable,
    /// What the offline model plays; without it, the bundled demo alone.
    pub scenario: Option<PathBuf>,
}

/// What the environment opens.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// Of Anthropic.
    pub anthropic: Access,
    /// Of an OpenAI-compatible endpoint.
    pub openai: Access,
}

/// `[models]` of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsSection {
    /// Such as `anthropic/claude-sonnet-4-5`.
    pub usual: Option<String>,
    /// The scout's.
    pub scout: Option<String>,
    /// The coder's.
    pub coder: Option<String>,
    /// The auditor's.
    pub auditor: Option<String>,
    /// The fixer's.
    pub fixer: Option<String>,
}

/// `[prices."claude-*"]` of the file, in USD for a million tokens.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceEntry {
    /// Prompt tokens.
    pub input: f64,
    /// Written tokens.
    pub output: f64,
    /// Prompt tokens from the provider's cache; like `input` where it is not said.
    pub cache_read: Option<f64>,
    /// Prompt tokens into the provider's cache; like `input` where it is not said.
    pub cache_write: Option<f64>,
}

impl ModelSettings {
    /// No key, no model.
    pub fn offline() -> Self {
        let nowhere = Access { key: None, base_url: None };
        Self {
            usual: offline(),
            by_role: BTreeMap::new(),
            anthropic: nowhere.clone(),
            openai: nowhere,
            prices: list_prices(),
            scenario: None,
        }
    }
}

/// Puts together what the file says and what the environment opens.
pub(super) fn resolve(
    named: ModelsSection,
    prices: BTreeMap<String, PriceEntry>,
    Keys { anthropic, openai }: Keys,
    scenario: Option<PathBuf>,
) -> Result<ModelSettings, ConfigError> {
    let read = |setting: &'static str, name: &str| {
        let name = parse(name).ok_or(ConfigError::Invalid {
            setting,
            why: "write who serves it and its name, such as anthropic/claude-sonnet-4-5, \
                  openai/gpt-5 or offline",
        })?;
        let (missing, why) = match name.provider {
            ProviderName::Anthropic => (
                anthropic.key.is_none(),
                "that model needs a key: set the variable ANTHROPIC_API_KEY",
            ),
            ProviderName::OpenAi => (
                openai.key.is_none() && openai.base_url.is_none(),
                "that model needs a key or an address: set OPENAI_API_KEY, or OPENAI_BASE_URL for \
                 a server of your own",
            ),
            ProviderName::Offline => (false, ""),
        };
        if missing { Err(ConfigError::Invalid { setting, why }) } else { Ok(name) }
    };
    let usual = match &named.usual {
        Some(name) => read("models.usual", name)?,
        // Who names a scenario wants it played, whatever else there is a key for.
        None if scenario.is_some() => offline(),
        None => found(&anthropic, &openai),
    };
    let mut by_role = BTreeMap::new();
    for (role, setting, name) in [
        (Role::Scout, "models.scout", &named.scout),
        (Role::Coder, "models.coder", &named.coder),
        (Role::Auditor, "models.auditor", &named.auditor),
        (Role::Fixer, "models.fixer", &named.fixer),
    ] {
        if let Some(name) = name {
            by_role.insert(role, read(setting, name)?);
        }
    }
    let plays = |name: &ModelName| name.provider == ProviderName::Offline;
    if scenario.is_some() && !by_role.values().chain([&usual]).any(plays) {
        let why = "the models that are named do not play it: name `offline` for those that shall";
        return Err(ConfigError::Invalid { setting: "scenario", why });
    }
    let mut table = list_prices();
    for (model, entry) in prices {
        table.0.insert(model, price(entry)?);
    }
    Ok(ModelSettings { usual, by_role, anthropic, openai, prices: table, scenario })
}

/// The model that the keys at hand open.
fn found(anthropic: &Access, openai: &Access) -> ModelName {
    let named = |provider, model: &str| ModelName { provider, model: model.to_owned() };
    if anthropic.key.is_some() {
        named(ProviderName::Anthropic, USUAL_ANTHROPIC)
    } else if openai.key.is_some() {
        named(ProviderName::OpenAi, USUAL_OPENAI)
    } else {
        offline()
    }
}

fn offline() -> ModelName {
    ModelName { provider: ProviderName::Offline, model: llm::OFFLINE.to_owned() }
}

fn parse(name: &str) -> Option<ModelName> {
    let named = |provider, model: &str| {
        let model = model.trim().to_owned();
        (!model.is_empty()).then_some(ModelName { provider, model })
    };
    match name.split_once('/') {
        Some(("anthropic", model)) => named(ProviderName::Anthropic, model),
        Some(("openai", model)) => named(ProviderName::OpenAi, model),
        None if name == llm::OFFLINE => named(ProviderName::Offline, name),
        _ => None,
    }
}

fn price(entry: PriceEntry) -> Result<llm::Price, ConfigError> {
    let micros = |usd: f64| {
        if (0.0..1e6).contains(&usd) {
            return Ok((usd * 1e6).round() as u64);
        }
        Err(ConfigError::Invalid {
            setting: "prices",
            why: "write USD for a million tokens, from 0 up",
        })
    };
    Ok(llm::Price {
        input: micros(entry.input)?,
        output: micros(entry.output)?,
        cache_read: micros(entry.cache_read.unwrap_or(entry.input))?,
        cache_write: micros(entry.cache_write.unwrap_or(entry.input))?,
    })
}

fn list_prices() -> llm::PriceTable {
    let micros = |usd: f64| (usd * 1e6).round() as u64;
    let entry = |(model, [input, output, cache_read, cache_write]): (&str, [f64; 4])| {
        let price = llm::Price {
            input: micros(input),
            output: micros(output),
            cache_read: micros(cache_read),
            cache_write: micros(cache_write),
        };
        (model.to_owned(), price)
    };
    llm::PriceTable(LIST_PRICES.into_iter().map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(key: Option<&str>, base_url: Option<&str>) -> Access {
        Access {
            key: key.map(|key| Secret::new(key.to_owned())),
            base_url: base_url.map(str::to_owned),
        }
    }

    fn usual(
        named: Option<&str>,
        anthropic: Option<&str>,
        openai: (Option<&str>, Option<&str>),
    ) -> Result<String, String> {
        let section = ModelsSection { usual: named.map(str::to_owned), ..ModelsSection::default() };
        let openai = access(openai.0, openai.1);
        let keys = Keys { anthropic: access(anthropic, None), openai };
        resolve(section, BTreeMap::new(), keys, None)
            .map(|settings| settings.usual.model)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_key_at_hand_says_which_model() {
        for (anthropic, openai, expected) in [
            (None, None, "offline"),
            (Some("a"), None, USUAL_ANTHROPIC),
            (None, Some("o"), USUAL_OPENAI),
            (Some("a"), Some("o"), USUAL_ANTHROPIC),
        ] {
            assert_eq!(usual(None, anthropic, (openai, None)).unwrap(), expected);
        }
    }

    #[test]
    fn a_model_that_nothing_opens_is_refused_with_the_variable_to_set() {
        let refused = |named| usual(Some(named), None, (None, None)).unwrap_err();
        assert!(refused("anthropic/claude-x").contains("ANTHROPIC_API_KEY"));
        assert!(refused("openai/gpt").contains("OPENAI_BASE_URL"));
        assert!(refused("claude").starts_with("models.usual: write who serves it"));
        let own = (None, Some("http://localhost:11434/v1"));
        assert_eq!(usual(Some("openai/qwen/qwen3"), None, own).unwrap(), "qwen/qwen3");
    }

    #[test]
    fn the_files_prices_come_before_the_list() {
        let own = toml::from_str("[\"claude-sonnet-*\"]\ninput = 1\noutput = 2.5").unwrap();
        let keys = || Keys { anthropic: access(None, None), openai: access(None, None) };
        let settings = resolve(ModelsSection::default(), own, keys(), None).unwrap();
        let price = settings.prices.price("claude-sonnet-4-5").unwrap();
        assert_eq!(
            (price.input, price.output, price.cache_read),
            (1_000_000, 2_500_000, 1_000_000)
        );
        assert_eq!(settings.prices.price("gpt-5-mini-2").unwrap().output, 2_000_000);
        assert_eq!(settings.prices.price("a-model-of-mine"), None);
        let wrong = toml::from_str("[m]\ninput = -1\noutput = 2").unwrap();
        assert!(resolve(ModelsSection::default(), wrong, keys(), None).is_err());
    }

    #[test]
    fn a_scenario_is_played_by_the_offline_model() {
        let with_scenario = |named: &str| {
            let section: ModelsSection = toml::from_str(named).unwrap();
            let keys = Keys { anthropic: access(Some("a"), None), openai: access(None, None) };
            resolve(section, BTreeMap::new(), keys, Some("said.json".into()))
        };
        assert_eq!(with_scenario("").unwrap().usual, offline());
        let one_role = "usual = 'anthropic/claude-x'\nfixer = 'offline'";
        assert_eq!(with_scenario(one_role).unwrap().by_role[&Role::Fixer], offline());
        let error = with_scenario("usual = 'anthropic/claude-x'").unwrap_err().to_string();
        assert!(error.starts_with("scenario: "), "{error}");
    }
}
