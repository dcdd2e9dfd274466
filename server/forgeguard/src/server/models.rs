//! The configured models.

use std::{collections::BTreeMap, fs, io, path::PathBuf, sync::Arc};

use llm::{
    Anthropic, AnthropicCredential, AnthropicSettings, ApiKey, InvalidScenario, InvalidSettings,
    Offline, OpenAi, OpenAiSettings, Provider, Scenario,
};

use crate::{
    config::{Access, ModelName, ModelSettings, ProviderName, default_model},
    engine::models::{
        DEFAULT_CONTEXT_WINDOW, FixedModel, Model, ModelSource, OpenSource, UnavailableModel,
    },
    secret::Secret,
};

/// A configured model is unavailable.
#[derive(Debug, thiserror::Error)]
pub enum NoModel {
    /// The settings of its provider are invalid.
    #[error("a model is unavailable: {0}")]
    Settings(String),
    #[error("the scenario {} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// The file is not a scenario.
    #[error("{}: {source}", path.display())]
    Scenario { path: PathBuf, source: InvalidScenario },
}

/// In errors about a key that is set in the app.
const APP_KEY: &str = "the key in the installation settings";

/// The models available to this node, given what is set in the app.
pub fn models(settings: &ModelSettings) -> Result<OpenSource, NoModel> {
    for (model, end_of_life) in settings.ending() {
        tracing::warn!(model, end_of_life, "a configured model reaches its end of life");
    }
    let offline = offline(settings.scenario.clone())?;
    let providers = Providers::new(settings.clone(), offline.clone());
    let open = |name: &ModelName| providers.model(name).map_err(NoModel::Settings);
    let mut fixed = BTreeMap::new();
    for (role, fixed_by) in &settings.fixed_by {
        let name = role.and_then(|role| settings.by_role.get(&role)).unwrap_or(&settings.usual);
        fixed.insert(*role, FixedModel { model: open(name)?, fixed_by: fixed_by.clone() });
    }
    open(&settings.usual)?;
    let settings = settings.clone();
    Ok(Arc::new(move |app| {
        let providers = Providers::new(settings.with_app(app), offline.clone());
        let usual = &providers.settings.usual;
        let unavailable = |reason| UnavailableModel { name: usual.model.clone(), reason };
        let fallback = providers.model(usual).map_err(unavailable);
        let open = Arc::new(move |name: &str| {
            let name = providers.settings.model_name(name).map_err(str::to_owned)?;
            providers.model(&name)
        });
        let (fixed, configured_providers) = (fixed.clone(), settings.configured_providers());
        ModelSource { fallback, fixed, open, configured_providers, default_model }
    }))
}

/// One client per provider, shared by its models, or the reason why there is none.
struct Providers {
    settings: ModelSettings,
    offline: Offline,
    anthropic: Result<Anthropic, String>,
    openai: Result<OpenAi, String>,
}

fn offline(scenario: Option<PathBuf>) -> Result<Offline, NoModel> {
    let Some(path) = scenario else { return Ok(Offline::without_scenario()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(NoModel::Unreadable { path, source }),
    };
    let scenario = Scenario::load(&text).map_err(|source| NoModel::Scenario { path, source })?;
    Ok(Offline::playing(scenario))
}

impl Providers {
    fn new(settings: ModelSettings, offline: Offline) -> Self {
        let access = &settings.anthropic;
        let key = |key: &Secret<String>| ApiKey::new(key.expose().as_str());
        let credential = match (&access.auth_token, &access.key) {
            (Some(token), _) => AnthropicCredential::AuthToken(key(token)),
            (None, Some(own)) => AnthropicCredential::ApiKey(key(own)),
            (None, None) => AnthropicCredential::Absent,
        };
        let usual = AnthropicSettings::new(credential);
        let anthropic = Anthropic::new(AnthropicSettings {
            base_url: access.base_url.clone().unwrap_or_else(|| usual.base_url.clone()),
            timeouts: settings.timeouts,
            ..usual
        });
        let anthropic = usable(access, anthropic).map(|client| match access.is_from_app {
            true => client.with_key_source(APP_KEY),
            false => client,
        });
        let access = &settings.openai;
        let base_url = access.base_url.as_deref().unwrap_or(OpenAiSettings::BASE_URL);
        let openai = OpenAi::new(OpenAiSettings {
            base_url: base_url.to_owned(),
            key: access.key.as_ref().map(key),
            timeouts: settings.timeouts,
            api: None,
            catalog: settings.catalog.clone(),
        });
        let openai = usable(access, openai).map(|client| match access.is_from_app {
            true => client.with_key_source(APP_KEY),
            false => client,
        });
        Self { settings, offline, anthropic, openai }
    }

    fn model(&self, name: &ModelName) -> Result<Model, String> {
        let thinking = name.thinking;
        let provider: Arc<dyn Provider> = match name.provider {
            ProviderName::Offline => {
                let has_scenario = self.settings.scenario.is_some();
                return Ok(Model::offline(self.offline.clone(), has_scenario));
            }
            ProviderName::Anthropic => Arc::new(self.anthropic.clone()?.with_thinking(thinking)),
            ProviderName::OpenAi => Arc::new(self.openai.clone()?.with_thinking(thinking)),
        };
        let facts = self.settings.catalog.facts(&name.model);
        Ok(Model {
            provider,
            name: name.model.clone(),
            thinking,
            price: facts.price,
            window: facts.context_window.unwrap_or(DEFAULT_CONTEXT_WINDOW),
            max_output_tokens: facts.max_output_tokens,
            is_configured: true,
        })
    }
}

fn usable<T>(access: &Access, client: Result<T, InvalidSettings>) -> Result<T, String> {
    match &access.problem {
        Some(problem) => Err(problem.clone()),
        None => client.map_err(|error| error.to_string()),
    }
}
