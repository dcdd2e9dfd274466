//! `forgeguard serve`: runs the service until it is stopped.

use std::process::ExitCode;

use tokio::net::TcpListener;

use super::{failure::Failure, shutdown};
use crate::{config::Config, server};

pub async fn serve(config: &Config) -> Result<ExitCode, Failure> {
    let listener = TcpListener::bind(&config.listen).await.map_err(|error| {
        Failure::new(format!(
            "cannot listen on {}: {error}; choose another with --listen HOST:PORT",
            config.listen
        ))
    })?;
    let signals = shutdown::signals()?;
    let shutdown = async move {
        signals.await;
        tracing::info!("stopping");
    };
    server::serve(config, listener, shutdown).await?;
    Ok(ExitCode::SUCCESS)
}
