//! Checks of the configured models: roles, address, credentials, price.

use std::time::Instant;

use domain::event::agents::Role;
use llm::{AnthropicSettings, Message, OpenAiSettings, Pace, Price, Request, collect};

use super::check::Check;
use crate::{
    config::{Access, Config, ModelName, ModelSettings, ProviderName},
    engine::models::{Model, ModelChoices},
    server,
};

/// Enough for one word, including the reasoning of models that think first.
const MAX_REPLY_TOKENS: u32 = 1_024;

/// Checks each configured model; `send_requests` also sends it a request.
pub(super) async fn check(config: &Config, send_requests: bool) -> Vec<Check> {
    let settings = &config.models;
    let source = server::models(settings, Pace::default()).map_err(|error| error.to_string());
    let models = source.and_then(|source| {
        source.models(&ModelChoices::default()).map_err(|error| error.to_string())
    });
    let models = match models {
        Ok(models) => models,
        Err(error) => return vec![invalid(error)],
    };
    let mut checks = Vec::new();
    for (name, roles) in by_model(settings) {
        let model = models.of(roles[0]);
        let observed = format!("{} for {}", shown(name), names(&roles));
        if name.provider == ProviderName::Offline {
            checks.push(offline(settings, &observed));
            continue;
        }
        checks.push(configured(settings, name, model, &observed));
        if send_requests {
            checks.push(request(model).await);
        }
    }
    checks
}

/// Each model once, with its roles.
fn by_model(settings: &ModelSettings) -> Vec<(&ModelName, Vec<Role>)> {
    let mut models: Vec<(&ModelName, Vec<Role>)> = Vec::new();
    for role in Role::ALL {
        let name = settings.by_role.get(&role).unwrap_or(&settings.usual);
        match models.iter_mut().find(|(other, _)| *other == name) {
            Some((_, roles)) => roles.push(role),
            None => models.push((name, vec![role])),
        }
    }
    models
}

fn shown(name: &ModelName) -> String {
    match name.provider {
        ProviderName::Anthropic => format!("anthropic/{}", name.model),
        ProviderName::OpenAi => format!("openai/{}", name.model),
        ProviderName::Offline => name.model.clone(),
    }
}

fn names(roles: &[Role]) -> String {
    roles.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}

fn invalid(observed: String) -> Check {
    let remedy = Some("Correct [models] or the scenario in the configuration.".to_owned());
    Check { name: "model", passed: false, required: true, observed, remedy }
}

fn offline(settings: &ModelSettings, observed: &str) -> Check {
    let (passed, observed) = match &settings.scenario {
        Some(path) => (true, format!("{observed}: plays {}", path.display())),
        None => (false, format!("{observed}: only replays the demo")),
    };
    let remedy = "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and [models] for a \
        server of your own.";
    Check { name: "model", passed, required: false, observed, remedy: Some(remedy.to_owned()) }
}

fn configured(settings: &ModelSettings, name: &ModelName, model: &Model, observed: &str) -> Check {
    let (access, usual) = match name.provider {
        ProviderName::Anthropic => (&settings.anthropic, AnthropicSettings::BASE_URL),
        ProviderName::OpenAi | ProviderName::Offline => {
            (&settings.openai, OpenAiSettings::BASE_URL)
        }
    };
    let Access { key, auth_token, base_url } = access;
    let address = base_url.as_deref().unwrap_or(usual);
    let opened = key.is_some() || auth_token.is_some();
    let key = if opened { "key set" } else { "no key" };
    let cost = match model.price {
        Some(Price { input, output, .. }) => {
            let usd = |micros: u64| micros as f64 / 1e6;
            format!("{} USD input and {} USD output per million tokens", usd(input), usd(output))
        }
        None => "price unknown".to_owned(),
    };
    let end_of_life = settings.catalog.facts(&name.model).end_of_life;
    let ends = end_of_life.as_ref().map(|day| format!("; end of life {day}")).unwrap_or_default();
    let observed =
        format!("{observed}; {address}, {key}; window of {} tokens; {cost}{ends}", model.window);
    let remedy = match end_of_life {
        Some(day) => {
            format!("Choose another model before {day}, when this one reaches its end of life.")
        }
        None => format!(
            "Set its price under [catalog.\"{}\"]; without it, builds with a USD limit cannot start.",
            name.model
        ),
    };
    Check {
        name: "model",
        passed: model.price.is_some() && settings.catalog.facts(&name.model).end_of_life.is_none(),
        required: false,
        observed,
        remedy: Some(remedy),
    }
}

async fn request(model: &Model) -> Check {
    let request = Request {
        label: "doctor".to_owned(),
        model: model.name.clone(),
        system: "You answer with one word.".to_owned(),
        tools: Vec::new(),
        messages: vec![Message::user("Say: ready")],
        max_tokens: MAX_REPLY_TOKENS,
        forgotten_turns: 0,
    };
    let started = Instant::now();
    let heard = match model.provider.stream(&request).await {
        Ok(stream) => collect(stream, |_| {}).await,
        Err(error) => Err(error),
    };
    let (passed, observed) = match heard {
        Ok(_) => (true, format!("{} answers, in {} ms", model.name, started.elapsed().as_millis())),
        Err(error) => (false, format!("{}: {error}", model.name)),
    };
    let remedy = Some("Check its key, address and name.".to_owned());
    Check { name: "model request", passed, required: true, observed, remedy }
}
