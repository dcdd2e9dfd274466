//! `forgeguard serve`: runs the service until it is stopped.

use std::process::ExitCode;

use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

use super::failure::Failure;
use crate::{config::Config, server};

pub async fn serve(config: &Config) -> Result<ExitCode, Failure> {
    let listener = TcpListener::bind(&config.listen).await.map_err(|error| {
        Failure::new(format!(
            "cannot listen on {}: {error}; choose another with --listen HOST:PORT",
            config.listen
        ))
    })?;
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let shutdown = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
    };
    server::serve(config, listener, shutdown).await?;
    Ok(ExitCode::SUCCESS)
}
