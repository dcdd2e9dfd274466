//! The models: who has which, where they are, what opens them and what they cost.

use std::time::Instant;

use domain::event::agents::Role;
use llm::{AnthropicSettings, Message, OpenAiSettings, Pace, Price, Request, collect};

use super::finding::Finding;
use crate::{
    config::{Access, Config, ModelName, ModelSettings, ProviderName},
    engine::models::Model,
    server,
};

/// Room for one word, also for a model that thinks first.
const ANSWER_TOKENS: u32 = 1_024;

/// What there is to say about each model; `ask` lets each of them answer.
pub(super) async fn look(config: &Config, ask: bool) -> Vec<Finding> {
    let settings = &config.models;
    let models = match server::models(settings, Pace::default()) {
        Ok(models) => models,
        Err(error) => return vec![broken(error.to_string())],
    };
    let mut findings = Vec::new();
    for (name, roles) in by_model(settings) {
        let model = models.of(roles[0]);
        let seen = format!("{} for {}", shown(name), names(&roles));
        if name.provider == ProviderName::Offline {
            findings.push(offline(settings, &seen));
            continue;
        }
        findings.push(priced(settings, name, model, &seen));
        if ask {
            findings.push(answer(model).await);
        }
    }
    findings
}

/// Each model once, with the roles that have it.
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

fn broken(seen: String) -> Finding {
    let remedy = Some("Mend [models] or the scenario in the settings.".to_owned());
    Finding { what: "model", holds: false, needed: true, seen, remedy }
}

fn offline(settings: &ModelSettings, seen: &str) -> Finding {
    let (holds, seen) = match &settings.scenario {
        Some(path) => (true, format!("{seen}: plays {}", path.display())),
        None => (false, format!("{seen}: plays the demo and nothing else")),
    };
    let remedy = "Set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL and [models] for a \
        server of your own.";
    Finding { what: "model", holds, needed: false, seen, remedy: Some(remedy.to_owned()) }
}

fn priced(settings: &ModelSettings, name: &ModelName, model: &Model, seen: &str) -> Finding {
    let (access, usual) = match name.provider {
        ProviderName::Anthropic => (&settings.anthropic, AnthropicSettings::BASE_URL),
        ProviderName::OpenAi | ProviderName::Offline => {
            (&settings.openai, OpenAiSettings::BASE_URL)
        }
    };
    let Access { key, base_url } = access;
    let address = base_url.as_deref().unwrap_or(usual);
    let key = if key.is_some() { "key set" } else { "no key" };
    let cost = match model.price {
        Some(Price { input, output, .. }) => {
            let usd = |micros: u64| micros as f64 / 1e6;
            format!("{} USD in and {} USD out for a million", usd(input), usd(output))
        }
        None => "price unknown".to_owned(),
    };
    let seen = format!("{seen}; {address}, {key}; window of {} tokens; {cost}", model.window);
    let remedy = format!(
        "Name its price under [prices.\"{}\"], or builds with a budget in USD do not run.",
        name.model
    );
    Finding {
        what: "model",
        holds: model.price.is_some(),
        needed: false,
        seen,
        remedy: Some(remedy),
    }
}

async fn answer(model: &Model) -> Finding {
    let request = Request {
        label: "doctor".to_owned(),
        model: model.name.clone(),
        system: "You answer with one word.".to_owned(),
        tools: Vec::new(),
        messages: vec![Message::user("Say: ready")],
        max_tokens: ANSWER_TOKENS,
        forgotten_turns: 0,
    };
    let begun = Instant::now();
    let heard = match model.provider.stream(&request).await {
        Ok(stream) => collect(stream, |_| {}).await,
        Err(error) => Err(error),
    };
    let (holds, seen) = match heard {
        Ok(_) => (true, format!("{} answers, in {} ms", model.name, begun.elapsed().as_millis())),
        Err(error) => (false, format!("{}: {error}", model.name)),
    };
    let remedy = Some("Check its key, its address and its name.".to_owned());
    Finding { what: "model asked", holds, needed: true, seen, remedy }
}
