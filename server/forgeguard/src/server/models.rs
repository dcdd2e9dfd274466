//! The models that the settings name.

use std::{fs, io, path::PathBuf, sync::Arc};

use llm::{
    Anthropic, AnthropicSettings, ApiKey, InvalidScenario, InvalidSettings, Offline, OpenAi,
    OpenAiSettings, Pace, Scenario,
};

use crate::{
    config::{ModelName, ModelSettings, ProviderName},
    engine::models::{Model, Models, USUAL_WINDOW},
};

/// Why a model that the settings name cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum NoModel {
    /// Its provider cannot be asked with these settings.
    #[error("a model cannot be reached: {0}")]
    Settings(#[from] InvalidSettings),
    /// The file of the scenario cannot be read.
    #[error("the scenario {} cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It holds no scenario.
    #[error("{}: {source}", path.display())]
    Scenario {
        /// The file.
        path: PathBuf,
        /// Why.
        source: InvalidScenario,
    },
}

/// A provider for each model, by role. The offline one speaks at this pace.
pub fn models(settings: &ModelSettings, pace: Pace) -> Result<Models, NoModel> {
    let offline = offline(settings.scenario.clone(), pace)?;
    let model = |name| model(settings, name, &offline);
    let mut models = Models::only(model(&settings.usual)?);
    for (role, name) in &settings.by_role {
        models = models.with(*role, model(name)?);
    }
    Ok(models)
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

fn model(settings: &ModelSettings, name: &ModelName, offline: &Offline) -> Result<Model, NoModel> {
    let price = settings.prices.price(&name.model);
    let (name, window) = (name.clone(), USUAL_WINDOW);
    Ok(match name.provider {
        ProviderName::Offline => Model::offline(offline.clone()),
        ProviderName::Anthropic => {
            let access = &settings.anthropic;
            let key = access.key.as_ref().map_or("", |key| key.expose());
            let mut own = AnthropicSettings::new(ApiKey::new(key));
            own.base_url = access.base_url.clone().unwrap_or(own.base_url);
            let provider = Arc::new(Anthropic::new(own)?);
            Model { provider, name: name.model, price, window }
        }
        ProviderName::OpenAi => {
            let access = &settings.openai;
            let mut own = OpenAiSettings::new(ApiKey::new(""));
            own.key = access.key.as_ref().map(|key| ApiKey::new(key.expose().as_str()));
            own.base_url = access.base_url.clone().unwrap_or(own.base_url);
            let provider = Arc::new(OpenAi::new(own)?);
            Model { provider, name: name.model, price, window }
        }
    })
}
