//! `forgeguard scenario`: prints the model replies of a build, for replaying them.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::ids::BuildId;

use super::failure::Failure;
use crate::{agent::recording, config::Config, server};

pub async fn scenario(config: &Config, build: BuildId) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let mut conn = db.read().await?;
    let scenario = recording::record(&mut conn, build).await?;
    drop(conn);
    db.close().await;
    writeln!(io::stdout(), "{}", scenario.to_json())?;
    Ok(ExitCode::SUCCESS)
}
