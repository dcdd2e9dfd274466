//! `forgeguard status`: prints the number of builds by status.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::state::Status;

use super::failure::Failure;
use crate::{config::Config, server, store::builds};

pub async fn status(config: &Config) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let mut conn = db.read().await?;
    let mut out = io::stdout();
    for status in Status::ALL {
        let count = builds::count(&mut conn, status).await?;
        writeln!(out, "{:<15} {count}", status.name())?;
    }
    drop(conn);
    db.close().await;
    Ok(ExitCode::SUCCESS)
}
