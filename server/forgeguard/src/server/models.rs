//! The configured models.

use std::{collections::BTreeMap, fs, io, path::PathBuf, sync::Arc};

use llm::{
    Anthropic, AnthropicCredential, AnthropicSettings, ApiKey, InvalidScenario, InvalidSettings,
    Offline, OpenAi, OpenAiSettings, Pace, Provider, Scenario,
};

use crate::{
    config::{ModelName, ModelSettings, ProviderName},
    engine::models::{DEFAULT_CONTEXT_WINDOW, FixedModel, Model, ModelSource},
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

/// The models available to this node. `pace` is the speed of the offline model.
pub fn models(settings: &ModelSettings, pace: Pace) -> Result<ModelSource, NoModel> {
    for (model, end_of_life) in settings.ending() {
        tracing::warn!(model, end_of_life, "a configured model reaches its end of life");
    }
    let providers = Providers::new(settings, offline(settings.scenario.clone(), pace)?);
    let open = |name: &ModelName| providers.model(name).map_err(NoModel::Settings);
    let mut fixed = BTreeMap::new();
    for (role, fixed_by) in &settings.fixed_by {
        let name = role.and_then(|role| settings.by_role.get(&role)).unwrap_or(&settings.usual);
        fixed.insert(*role, FixedModel { model: open(name)?, fixed_by: fixed_by.clone() });
    }
    let fallback = open(&settings.usual)?;
    let open = Arc::new(move |name: &str| {
        let name = providers.settings.model_name(name).map_err(str::to_owned)?;
        providers.model(&name)
    });
    Ok(ModelSource { fallback, fixed, open })
}

/// One client per provider, shared by its models, or the reason why there is none.
struct Providers {
    settings: ModelSettings,
    offline: Offline,
    anthropic: Result<Arc<dyn Provider>, String>,
    openai: Result<Arc<dyn Provider>, String>,
}

fn offline(scenario: Option<PathBuf>, pace: Pace) -> Result<Offline, NoModel> {
    let Some(path) = scenario else { return Ok(Offline::without_scenario()) };
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(source) => return Err(NoModel::Unreadable { path, source }),
    };
    let scenario = Scenario::load(&text).map_err(|source| NoModel::Scenario { path, source })?;
    Ok(Offline::playing(scenario, pace))
}

impl Providers {
    fn new(settings: &ModelSettings, offline: Offline) -> Self {
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
        let access = &settings.openai;
        let base_url = access.base_url.as_deref().unwrap_or(OpenAiSettings::BASE_URL);
        let openai = OpenAi::new(OpenAiSettings {
            base_url: base_url.to_owned(),
            key: access.key.as_ref().map(key),
            timeouts: settings.timeouts,
            api: None,
            catalog: settings.catalog.clone(),
        });
        fn shared(
            provider: Result<impl Provider + 'static, InvalidSettings>,
        ) -> Result<Arc<dyn Provider>, String> {
            provider.map(|one| Arc::new(one) as Arc<dyn Provider>).map_err(|e| e.to_string())
        }
        let (anthropic, openai) = (shared(anthropic), shared(openai));
        Self { settings: settings.clone(), offline, anthropic, openai }
    }

    fn model(&self, name: &ModelName) -> Result<Model, String> {
        let provider = match name.provider {
            ProviderName::Offline => {
                let has_scenario = self.settings.scenario.is_some();
                return Ok(Model::offline(self.offline.clone(), has_scenario));
            }
            ProviderName::Anthropic => self.anthropic.clone()?,
            ProviderName::OpenAi => self.openai.clone()?,
        };
        let facts = self.settings.catalog.facts(&name.model);
        Ok(Model {
            provider,
            name: name.model.clone(),
            price: facts.price,
            window: facts.context_window.unwrap_or(DEFAULT_CONTEXT_WINDOW),
            max_output_tokens: facts.max_output_tokens,
            is_configured: true,
        })
    }
}
