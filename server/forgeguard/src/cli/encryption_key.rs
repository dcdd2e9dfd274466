//! `forgeguard rotate-encryption-key`: encrypts all stored secrets with a new key.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use super::failure::Failure;
use crate::{
    config::Config,
    engine::{Paths, key_rotation},
    server,
};

pub async fn rotate(config: &Config) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let rotated = key_rotation::rotate(&db, &Paths::create(&config.data_dir)?).await;
    db.close().await;
    let rotated = rotated?;
    let mut out = io::stdout();
    writeln!(out, "secrets encrypted with the new key: {}", rotated.encrypted)?;
    if rotated.unreadable > 0 {
        writeln!(
            out,
            "secrets that could not be decrypted and have to be entered again: {}",
            rotated.unreadable
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
