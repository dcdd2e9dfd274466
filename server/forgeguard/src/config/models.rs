//! Which models agents use, where they are served, and what they cost.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use domain::{event::agents::Role, model_provider::ModelProvider};
use serde::Deserialize;

use super::error::ConfigError;
use crate::{
    engine::models::{AppAccess, ProviderAccess},
    secret::Secret,
};

/// Used if a key is set and no model is configured.
const DEFAULT_ANTHROPIC_MODEL: &str = "claude-sonnet-5-5";
const DEFAULT_OPENAI_MODEL: &str = "gpt-6.1-sol";
/// The provider of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderName {
    /// Anthropic's Messages API.
    Anthropic,
    /// OpenAI, or any endpoint compatible with its chat completions or Responses API.
    OpenAi,
    /// No provider: replies are read from a scenario.
    Offline,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelName {
    pub provider: ProviderName,
    /// As the provider calls it.
    pub model: String,
    /// From the end of the name, such as `?effort=high`.
    pub thinking: llm::Thinking,
}

/// Address and credentials of a provider.
#[derive(Clone, Debug)]
pub struct Access {
    /// Optional for self-hosted servers.
    pub key: Option<Secret<String>>,
    /// A bearer token instead of the key, for gateways to Anthropic's API.
    pub auth_token: Option<Secret<String>>,
    /// If not the default address.
    pub base_url: Option<String>,
    /// Set in the app rather than in the environment.
    pub is_from_app: bool,
    /// Why the key that is set in the app cannot be used.
    pub problem: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ModelSettings {
    /// For contracts, and for roles without their own model.
    pub usual: ModelName,
    /// For single roles.
    pub by_role: BTreeMap<Role, ModelName>,
    /// The setting that names a role's model, or (`None`) the default model. Models that no setting
    /// names can be chosen in the app.
    pub fixed_by: BTreeMap<Option<Role>, String>,
    pub anthropic: Access,
    pub openai: Access,
    /// Prices and limits by model.
    pub catalog: llm::ModelCatalog,
    pub timeouts: llm::Timeouts,
    /// The scenario of the offline model; if None, only the bundled demo.
    pub scenario: Option<PathBuf>,
}

/// Credentials from the environment.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    pub anthropic: Access,
    pub openai: Access,
}

/// `[models]` in the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsSection {
    /// Such as `anthropic/claude-sonnet-5-5`.
    pub usual: Option<String>,
    pub scout: Option<String>,
    pub coder: Option<String>,
    pub auditor: Option<String>,
    pub fixer: Option<String>,
    /// Seconds from a request to the first part of the reply.
    pub first_byte_timeout: Option<u64>,
    /// Seconds between two parts of a reply.
    pub idle_timeout: Option<u64>,
}

/// The models named in the environment and the file, and which of them named what.
#[derive(Clone, Debug, Default)]
pub(super) struct NamedModels {
    models: ModelsSection,
    fixed_by: BTreeMap<Option<Role>, String>,
}

impl NamedModels {
    /// The environment takes precedence over the file.
    pub fn new(environment: ModelsSection, file: ModelsSection) -> Self {
        let mut fixed_by = BTreeMap::new();
        for (role, setting, name) in file.by_setting() {
            if name.is_some() {
                fixed_by.insert(role, format!("{setting} in the configuration file"));
            }
        }
        for (role, _, name) in environment.by_setting() {
            if name.is_some() {
                let ending = role.map(|role| format!("_{}", role.name().to_uppercase()));
                let variable = format!("FORGEGUARD_MODEL{}", ending.unwrap_or_default());
                fixed_by.insert(role, variable);
            }
        }
        Self { models: environment.or(file), fixed_by }
    }
}

impl ModelsSection {
    /// Each name with its role, `None` for the default model, and its setting.
    fn by_setting(&self) -> [(Option<Role>, &'static str, Option<&str>); 5] {
        [
            (None, "models.usual", self.usual.as_deref()),
            (Some(Role::Scout), "models.scout", self.scout.as_deref()),
            (Some(Role::Coder), "models.coder", self.coder.as_deref()),
            (Some(Role::Auditor), "models.auditor", self.auditor.as_deref()),
            (Some(Role::Fixer), "models.fixer", self.fixer.as_deref()),
        ]
    }

    /// Settings that are missing here are taken from `weaker`.
    pub fn or(self, weaker: Self) -> Self {
        Self {
            usual: self.usual.or(weaker.usual),
            scout: self.scout.or(weaker.scout),
            coder: self.coder.or(weaker.coder),
            auditor: self.auditor.or(weaker.auditor),
            fixer: self.fixer.or(weaker.fixer),
            first_byte_timeout: self.first_byte_timeout.or(weaker.first_byte_timeout),
            idle_timeout: self.idle_timeout.or(weaker.idle_timeout),
        }
    }
}

/// `[catalog."my-model"]` in the file, which takes precedence over the built-in catalog. Prices are
/// in USD per million tokens.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogEntry {
    /// Input tokens; requires `output`.
    pub input: Option<f64>,
    /// Output tokens.
    pub output: Option<f64>,
    /// Input tokens read from the provider's cache; default: `input`.
    pub cache_read: Option<f64>,
    /// Input tokens written to the provider's cache; default: `input`.
    pub cache_write: Option<f64>,
    /// The context window: tokens of input and output together.
    pub context_window: Option<u64>,
    /// The maximum of output tokens.
    pub max_output_tokens: Option<u32>,
    /// `chat` or `responses`, for OpenAI-compatible endpoints.
    pub api: Option<llm::OpenAiApi>,
}

impl Access {
    /// No credentials, and the default address.
    pub const NONE: Self =
        Self { key: None, auth_token: None, base_url: None, is_from_app: false, problem: None };

    fn opens(&self) -> bool {
        self.key.is_some()
            || self.auth_token.is_some()
            || self.base_url.is_some()
            || self.problem.is_some()
    }

    /// The variable that configures the provider, so that the app cannot.
    fn variable(&self, provider: ModelProvider) -> Option<String> {
        let suffix = match self {
            Self { auth_token: Some(_), .. } => "AUTH_TOKEN",
            Self { key: Some(_), .. } => "API_KEY",
            Self { base_url: Some(_), .. } => "BASE_URL",
            _ => return None,
        };
        Some(format!("{}_{suffix}", provider.name().to_uppercase()))
    }

    fn from_app(set: Result<ProviderAccess, String>) -> Self {
        match set {
            Ok(ProviderAccess { key, base_url }) => {
                Self { key, base_url, is_from_app: true, ..Self::NONE }
            }
            Err(problem) => Self { problem: Some(problem), is_from_app: true, ..Self::NONE },
        }
    }
}

impl ModelSettings {
    /// Only the offline model.
    pub fn offline() -> Self {
        Self {
            usual: offline(),
            by_role: BTreeMap::new(),
            fixed_by: BTreeMap::new(),
            anthropic: Access::NONE,
            openai: Access::NONE,
            catalog: llm::ModelCatalog::default(),
            timeouts: llm::Timeouts::default(),
            scenario: None,
        }
    }

    /// The settings together with what is set in the app. A provider that the environment configures
    /// is not changed: its key is sent only to its own address.
    pub fn with_app(&self, app: &AppAccess) -> Self {
        let mut settings = self.clone();
        for (provider, set) in app {
            let access = match provider {
                ModelProvider::Anthropic => &mut settings.anthropic,
                ModelProvider::OpenAi => &mut settings.openai,
            };
            if !access.opens() {
                *access = Access::from_app(set.clone());
            }
        }
        if settings.usual.provider == ProviderName::Offline
            && !settings.fixed_by.contains_key(&None)
        {
            settings.usual = found(&settings.anthropic, &settings.openai);
        }
        settings
    }

    /// The providers that the environment configures, with the variable.
    pub fn configured_providers(&self) -> BTreeMap<ModelProvider, String> {
        let access = |provider| match provider {
            ModelProvider::Anthropic => &self.anthropic,
            ModelProvider::OpenAi => &self.openai,
        };
        let variables = ModelProvider::ALL
            .map(|provider| Some((provider, access(provider).variable(provider)?)));
        variables.into_iter().flatten().collect()
    }

    /// Parses a model's name, such as `anthropic/claude-sonnet-5-5`.
    ///
    /// # Errors
    /// A hint: the correct format, or what to set so that the model can be used.
    pub fn model_name(&self, name: &str) -> Result<ModelName, &'static str> {
        model_name(name, &self.anthropic, &self.openai)
    }

    /// Configured models with a known end of life, and its date.
    pub fn ending(&self) -> Vec<(&str, String)> {
        let mut ending: Vec<_> = std::iter::once(&self.usual)
            .chain(self.by_role.values())
            .filter_map(|name| {
                let end_of_life = self.catalog.facts(&name.model).end_of_life?;
                Some((name.model.as_str(), end_of_life))
            })
            .collect();
        ending.sort();
        ending.dedup();
        ending
    }
}

/// Combines the file and the credentials from the environment.
pub(super) fn resolve(
    NamedModels { models: named, mut fixed_by }: NamedModels,
    catalog: BTreeMap<String, CatalogEntry>,
    Keys { anthropic, openai }: Keys,
    scenario: Option<PathBuf>,
) -> Result<ModelSettings, ConfigError> {
    let read = |setting: &'static str, name: &str| {
        model_name(name, &anthropic, &openai).map_err(|why| ConfigError::Invalid { setting, why })
    };
    let usual = match &named.usual {
        Some(name) => read("models.usual", name)?,
        // A configured scenario takes precedence over models for which there is a key.
        None if scenario.is_some() => offline(),
        None => found(&anthropic, &openai),
    };
    let mut by_role = BTreeMap::new();
    for (role, setting, name) in named.by_setting() {
        if let (Some(role), Some(name)) = (role, name) {
            by_role.insert(role, read(setting, name)?);
        }
    }
    if scenario.is_some() {
        fixed_by.entry(None).or_insert_with(|| "scenario".to_owned());
    }
    let plays = |name: &ModelName| name.provider == ProviderName::Offline;
    if scenario.is_some() && !by_role.values().chain([&usual]).any(plays) {
        let why = "a scenario needs the model `offline`, but other models are configured";
        return Err(ConfigError::Invalid { setting: "scenario", why });
    }
    let mut own = BTreeMap::new();
    for (model, entry) in catalog {
        own.insert(model, facts(entry)?);
    }
    let catalog = llm::ModelCatalog::with_own(own);
    let timeouts = timeouts(&named)?;
    Ok(ModelSettings { usual, by_role, fixed_by, anthropic, openai, catalog, timeouts, scenario })
}

fn model_name(name: &str, anthropic: &Access, openai: &Access) -> Result<ModelName, &'static str> {
    let name = parse(name).ok_or(
        "write who serves it and its name, such as anthropic/claude-sonnet-5-5, \
         openai/gpt-6.1-sol or offline; ?effort=low, medium or high may follow the name, and \
         ?thinking=8000 that of a model of Anthropic",
    )?;
    match name.provider {
        ProviderName::Anthropic if !anthropic.opens() => {
            Err("that model needs a key or an address: set it in the installation settings, or \
             ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN or ANTHROPIC_BASE_URL in the environment")
        }
        ProviderName::OpenAi if !openai.opens() => {
            Err("that model needs a key or an address: set it in the installation settings, or \
             OPENAI_API_KEY or OPENAI_BASE_URL in the environment")
        }
        _ => Ok(name),
    }
}

fn timeouts(named: &ModelsSection) -> Result<llm::Timeouts, ConfigError> {
    let read = |setting, seconds: Option<u64>, default| match seconds {
        None => Ok(default),
        Some(seconds @ 1..=3_600) => Ok(Duration::from_secs(seconds)),
        Some(_) => {
            Err(ConfigError::Invalid { setting, why: "must be between 1 and 3,600 seconds" })
        }
    };
    let default = llm::Timeouts::default();
    let first_byte = named.first_byte_timeout;
    Ok(llm::Timeouts {
        first_byte: read("models.first_byte_timeout", first_byte, default.first_byte)?,
        idle: read("models.idle_timeout", named.idle_timeout, default.idle)?,
    })
}

/// The default model for the available credentials.
fn found(anthropic: &Access, openai: &Access) -> ModelName {
    let named = |provider, model: &str| {
        let (model, thinking) = (model.to_owned(), llm::Thinking::default());
        ModelName { provider, model, thinking }
    };
    if anthropic.opens() {
        named(ProviderName::Anthropic, DEFAULT_ANTHROPIC_MODEL)
    // Self-hosted servers have their own models, which have to be configured.
    } else if openai.key.is_some() || openai.problem.is_some() {
        named(ProviderName::OpenAi, DEFAULT_OPENAI_MODEL)
    } else {
        offline()
    }
}

/// The model of a provider that is used if none is named.
pub fn default_model(provider: ModelProvider) -> String {
    let name = match provider {
        ModelProvider::Anthropic => DEFAULT_ANTHROPIC_MODEL,
        ModelProvider::OpenAi => DEFAULT_OPENAI_MODEL,
    };
    format!("{}/{name}", provider.name())
}

fn offline() -> ModelName {
    let (model, thinking) = (llm::OFFLINE.to_owned(), llm::Thinking::default());
    ModelName { provider: ProviderName::Offline, model, thinking }
}

fn parse(name: &str) -> Option<ModelName> {
    let named = |provider, name: &str| {
        let (model, thinking) = match name.trim().split_once('?') {
            Some((model, option)) => (model, llm::Thinking::parse(option)?),
            None => (name.trim(), llm::Thinking::default()),
        };
        let is_supported = provider == ProviderName::Anthropic || thinking.budget.is_none();
        let model = model.to_owned();
        (is_supported && !model.is_empty()).then_some(ModelName { provider, model, thinking })
    };
    match name.split_once('/') {
        Some(("anthropic", model)) => named(ProviderName::Anthropic, model),
        Some(("openai", model)) => named(ProviderName::OpenAi, model),
        None if name == llm::OFFLINE => Some(offline()),
        _ => None,
    }
}

fn facts(entry: CatalogEntry) -> Result<llm::ModelFacts, ConfigError> {
    let invalid = |why| ConfigError::Invalid { setting: "catalog", why };
    let micros = |usd: f64| match (0.0..1e6).contains(&usd) {
        true => Ok((usd * 1e6).round() as u64),
        false => Err(invalid("prices must be in USD per million tokens, and not negative")),
    };
    let price = match (entry.input, entry.output) {
        (Some(input), Some(output)) => Some(llm::Price {
            input: micros(input)?,
            output: micros(output)?,
            cache_read: micros(entry.cache_read.unwrap_or(input))?,
            cache_write: micros(entry.cache_write.unwrap_or(input))?,
        }),
        (None, None) if entry.cache_read.is_none() && entry.cache_write.is_none() => None,
        _ => return Err(invalid("a price needs both `input` and `output`")),
    };
    if entry.context_window == Some(0) || entry.max_output_tokens == Some(0) {
        return Err(invalid("limits must be above 0"));
    }
    Ok(llm::ModelFacts {
        price,
        context_window: entry.context_window,
        max_output_tokens: entry.max_output_tokens,
        apis: entry.api.into_iter().collect(),
        ..llm::ModelFacts::default()
    })
}
