//! The models that the settings name.

use llm::{Anthropic, AnthropicSettings, ApiKey, InvalidSettings, Offline, OpenAi, OpenAiSettings};

use crate::{
    config::{ModelName, ModelSettings, ProviderName},
    engine::models::{Model, Models, USUAL_WINDOW},
};

/// A provider for each model, by role.
pub fn models(settings: &ModelSettings) -> Result<Models, InvalidSettings> {
    let mut models = Models::only(model(settings, &settings.usual)?);
    for (role, name) in &settings.by_role {
        models = models.with(*role, model(settings, name)?);
    }
    Ok(models)
}

fn model(settings: &ModelSettings, name: &ModelName) -> Result<Model, InvalidSettings> {
    let price = settings.prices.price(&name.model);
    let (name, window) = (name.clone(), USUAL_WINDOW);
    Ok(match name.provider {
        ProviderName::Offline => Model::offline(Offline::without_scenario()),
        ProviderName::Anthropic => {
            let access = &settings.anthropic;
            let key = access.key.as_ref().map_or("", |key| key.expose());
            let mut own = AnthropicSettings::new(ApiKey::new(key));
            own.base_url = access.base_url.clone().unwrap_or(own.base_url);
            let provider = std::sync::Arc::new(Anthropic::new(own)?);
            Model { provider, name: name.model, price, window }
        }
        ProviderName::OpenAi => {
            let access = &settings.openai;
            let mut own = OpenAiSettings::new(ApiKey::new(""));
            own.key = access.key.as_ref().map(|key| ApiKey::new(key.expose().as_str()));
            own.base_url = access.base_url.clone().unwrap_or(own.base_url);
            let provider = std::sync::Arc::new(OpenAi::new(own)?);
            Model { provider, name: name.model, price, window }
        }
    })
}
