//! `forgeguard usage`: prints what a build or a generation used, as a table or as JSON.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::ids::{BuildId, GenerationId, Id};
use uuid::Uuid;

use super::{failure::Failure, writing_usage};
use crate::{
    api::Generation,
    config::Config,
    engine::{BuildUsage, ContractTokens, UsageCounts, usage},
    journal::Journal,
    server, store,
};

pub async fn usage(config: &Config, id: Uuid, json: bool) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let mut conn = db.read().await?;
    let build = BuildId::from_uuid(id);
    let mut out = io::stdout();
    if store::builds::get(&mut conn, build).await?.is_some() {
        let state = Journal::start(db.clone()).state(build).await?;
        let used = usage::of_state(&mut conn, build, &state).await?;
        match json {
            true => writeln!(out, "{}", serde_json::to_string(&used)?)?,
            false => show(&mut out, &used)?,
        }
    } else if let Some(row) =
        store::generations::get(&mut conn, GenerationId::from_uuid(id)).await?
    {
        let generation = Generation::read(&mut conn, row).await?;
        match json {
            true => writeln!(out, "{}", serde_json::to_string(&generation)?)?,
            false => writing_usage::show(&mut out, &generation)?,
        }
    } else {
        return Err(Failure::new(format!("there is no build and no generation {id}")));
    }
    drop(conn);
    db.close().await;
    Ok(ExitCode::SUCCESS)
}

fn show(out: &mut impl Write, used: &BuildUsage) -> io::Result<()> {
    writeln!(
        out,
        "{:<9} {:<28} {:>7} {:>11} {:>11} {:>11} {:>11} {:>10}",
        "role", "model", "replies", "in", "out", "cache read", "cache write", "USD"
    )?;
    for model in &used.models {
        line(out, model.role.name(), &model.model, &model.counts)?;
    }
    line(out, "total", "", &used.total)?;
    writeln!(
        out,
        "\n{:<9} {:<18} {:>7} {:>6} {:>11}",
        "role", "contract", "version", "reads", "tokens"
    )?;
    for read in &used.contracts {
        let (role, contract) = (read.role.name(), read.contract.name());
        let version =
            if read.version == 0 { "example".to_owned() } else { read.version.to_string() };
        writeln!(
            out,
            "{role:<9} {contract:<18} {version:>7} {:>6} {:>11}",
            read.reads, read.tokens
        )?;
    }
    let delivery = &used.delivery;
    let compare = |ContractTokens { on_demand, pushed }| format!("{on_demand:>11} {pushed:>11}");
    writeln!(
        out,
        "\n{:<32} {:>11} {:>11}",
        "tokens of contracts, estimated", "on demand", "pushed"
    )?;
    writeln!(out, "{:<32} {}", "once per conversation", compare(delivery.once))?;
    writeln!(out, "{:<32} {}", "sent in each request", compare(delivery.sent))
}

fn line(out: &mut impl Write, role: &str, model: &str, counts: &UsageCounts) -> io::Result<()> {
    let UsageCounts { turns, tokens_in, tokens_out, cache_read, cache_write, .. } = counts;
    let usd = counts.cost_usd_micros as f64 / 1e6;
    writeln!(
        out,
        "{role:<9} {model:<28} {turns:>7} {tokens_in:>11} {tokens_out:>11} {cache_read:>11} {cache_write:>11} {usd:>10.4}"
    )
}
