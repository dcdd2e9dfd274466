//! Benchmark of contracts: time of validation, and tokens of generating the bundled example,
//! compared to sending all contracts.
//!
//! The real service generates the example: the offline model replays its scenario, and tool calls
//! are executed.

use std::{path::Path, time::Instant};

use domain::contract::{ContractSource, ContractType};
use forgeguard::{
    Server,
    config::{Config, FirstAdmin, LogFormat, SandboxChoice},
    contract_set::{ContractSet, ContractText},
    contracts::{consistency, templates::template, validate},
    secret::Secret,
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::oneshot};

use crate::{Result, account::Account, figures, options::Options, table::Measure};

/// The folder of the example.
fn example() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../static/example"))
}

/// Milliseconds of validation, and tokens of a generation.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let texts = texts()?;
    let times = options.amount(200, 20);
    let mut slowest = (ContractType::Manifesto, 0.0);
    for (kind, text) in &texts {
        let mut took = Vec::new();
        for _ in 0..times {
            let begun = Instant::now();
            validate(*kind, text).map_err(|misfit| format!("{kind}: {misfit}"))?;
            took.push(figures::ms(begun.elapsed()));
        }
        let median = figures::median(&took);
        if median > slowest.1 {
            slowest = (*kind, median);
        }
    }
    let set = set(&texts);
    let mut took = Vec::new();
    for _ in 0..times {
        let begun = Instant::now();
        let findings = consistency::check(&set);
        took.push(figures::ms(begun.elapsed()));
        if !findings.is_empty() {
            return Err(format!("the example's contracts disagree: {findings:?}").into());
        }
    }
    let nine = figures::median(&took);
    let (sent, pasted) = write().await?;
    let ratio = sent / pasted;
    let (kind, one) = slowest;
    Ok(vec![
        Measure::new("contracts: validation of one", format!("{one:.2} ms ({kind}, the slowest)"))
            .at_most(one, 10.0, " ms"),
        Measure::new("contracts: consistency of nine", format!("{nine:.2} ms"))
            .at_most(nine, 50.0, " ms"),
        Measure::new(
            "contracts: tokens to write nine",
            format!("{} sent, {} pasted", figures::grouped(sent), figures::grouped(pasted)),
        )
        .ratio(ratio)
        .at_most(ratio, 0.35, ""),
    ])
}

fn texts() -> Result<Vec<(ContractType, String)>> {
    let read = |kind: ContractType| {
        let path = example().join("contracts").join(kind.file_name());
        Ok((kind, std::fs::read_to_string(path)?))
    };
    ContractType::ALL.into_iter().map(read).collect()
}

fn set(texts: &[(ContractType, String)]) -> ContractSet {
    let text = |(kind, content): &(ContractType, String)| ContractText {
        kind: *kind,
        version: 1,
        source: ContractSource::Project,
        content: content.clone(),
        updated_at: None,
    };
    ContractSet::complete(texts.iter().map(text).collect(), template)
}

/// Estimated tokens of the generation, and of sending all contracts each time.
async fn write() -> Result<(f64, f64)> {
    let data = tempfile::tempdir()?;
    let mut config = Config::in_directory(data.path().to_owned());
    config.log.format = LogFormat::Json;
    config.sandbox = SandboxChoice::None;
    config.models.scenario = Some(example().join("scenario.json"));
    config.first_admin = Some(FirstAdmin {
        email: Account::EMAIL.to_owned(),
        password: Secret::new(Account::PASSWORD.to_owned()),
    });
    let server = Server::start(&config).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.run(listener, async move { drop(stopped.await) }));
    let account = Account::sign_in(&address).await?;
    let generation = generate(&account).await?;
    // Fails if it has already stopped, which is reported below.
    let _ = stop.send(());
    serving.await??;
    let contracts = generation["contracts"].as_array().ok_or("no contracts")?;
    let sum = |field: &str| -> f64 {
        contracts.iter().filter_map(|contract| contract[field].as_f64()).sum()
    };
    Ok((sum("sent_tokens"), sum("pasted_tokens")))
}

/// Generates the example's contracts and returns the finished generation.
async fn generate(account: &Account) -> Result<Value> {
    let project =
        account.post("/api/projects", &json!({"name": "TaskFlow", "description": ""})).await?;
    let project = format!("/api/projects/{}", text(&project)?);
    let mut answers: Value =
        serde_json::from_str(&std::fs::read_to_string(example().join("questionnaire.json"))?)?;
    answers["version"] = 0.into();
    account.put(&format!("{project}/questionnaire"), &answers).await?;
    let begun = account.post(&format!("{project}/contracts/generate"), &json!({})).await?;
    let run = format!("/api/generations/{}", text(&begun)?);
    // The stream ends with the generation.
    account.stream(&run).await?;
    let generation = account.get(&run).await?;
    match generation["status"].as_str() {
        Some("done") => Ok(generation),
        _ => Err(format!("the example was not written: {}", generation["failure"]).into()),
    }
}

fn text(thing: &Value) -> Result<&str> {
    Ok(thing["id"].as_str().ok_or("it has no id")?)
}
