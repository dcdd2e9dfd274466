//! `forgeguard verify`: the journal of a build, checked again.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::ids::BuildId;

use super::failure::Failure;
use crate::{config::Config, journal::verify, server};

pub async fn verify(config: &Config, build: BuildId) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let found = verify::verify(&db, build).await?;
    db.close().await;
    let mut out = io::stdout();
    let Some(first) = found.problems.first() else {
        writeln!(out, "ok: {} events, head {}", found.events, found.head_hash)?;
        return Ok(ExitCode::SUCCESS);
    };
    let place = first.seq.map(|seq| format!("event {seq}: ")).unwrap_or_default();
    writeln!(out, "{place}{}", first.what)?;
    Ok(ExitCode::FAILURE)
}
