//! Checks of the configured models: roles, address, credentials, price.

use domain::event::agents::Role;
use llm::{AnthropicSettings, OpenAiSettings, Price};

use super::{super::failure::Failure, check::Check};
use crate::{
    config::{Access, Config, ModelName, ModelSettings, ProviderName},
    engine::{
        Paths,
        models::{AppAccess, Model, ModelChoices},
        provider_keys,
    },
    server, store,
};

/// Checks each configured model; `send_requests` also sends it a request.
pub(super) async fn check(
    config: &Config,
    paths: &Paths,
    send_requests: bool,
) -> Result<Vec<Check>, Failure> {
    let app = app_access(config, paths).await?;
    let settings = &config.models.with_app(&app);
    let source = server::models(&config.models).map_err(|error| error.to_string());
    let models = source.and_then(|source| {
        source(&app).models(&ModelChoices::default()).map_err(|error| error.to_string())
    });
    let models = match models {
        Ok(models) => models,
        Err(error) => return Ok(vec![invalid(error)]),
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
    Ok(checks)
}

/// What is set in the app. The check of the database reports why it cannot be opened.
async fn app_access(config: &Config, paths: &Paths) -> Result<AppAccess, Failure> {
    let Ok(db) = server::open_database(config).await else { return Ok(AppAccess::new()) };
    let rows = store::provider_keys::list(&mut db.read().await?).await?;
    db.close().await;
    Ok(provider_keys::decrypt(rows, paths, &config.node))
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
        ProviderName::Anthropic => format!("anthropic/{}{}", name.model, name.thinking),
        ProviderName::OpenAi => format!("openai/{}{}", name.model, name.thinking),
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
    let remedy = "Set a provider's key in the installation settings, or ANTHROPIC_API_KEY or \
        OPENAI_API_KEY, or OPENAI_BASE_URL and [models] for a server of your own.";
    Check { name: "model", passed, required: false, observed, remedy: Some(remedy.to_owned()) }
}

fn configured(settings: &ModelSettings, name: &ModelName, model: &Model, observed: &str) -> Check {
    let (access, usual) = match name.provider {
        ProviderName::Anthropic => (&settings.anthropic, AnthropicSettings::BASE_URL),
        ProviderName::OpenAi | ProviderName::Offline => {
            (&settings.openai, OpenAiSettings::BASE_URL)
        }
    };
    let Access { key, auth_token, base_url, .. } = access;
    let address = base_url.as_deref().unwrap_or(usual);
    let opened = key.is_some() || auth_token.is_some();
    let key = if opened { "key set" } else { "no key" };
    let cost = match model.price {
        Some(Price { input, output, .. }) => {
            let usd = |micros: u64| micros as f64 / 1e6;
            let as_of = settings.catalog.price_date(&name.model);
            let as_of = as_of.map(|day| format!(" as of {day}")).unwrap_or_default();
            let (input, output) = (usd(input), usd(output));
            format!("{input} USD input and {output} USD output per million tokens{as_of}")
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
    let (passed, observed) = match model.test().await {
        Ok(time) => (true, format!("{} answers, in {} ms", model.name, time.as_millis())),
        Err(error) => (false, format!("{}: {error}", model.name)),
    };
    let remedy = Some("Check its key, address and name.".to_owned());
    Check { name: "model request", passed, required: true, observed, remedy }
}
