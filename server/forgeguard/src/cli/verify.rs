//! `forgeguard verify`: a build of this installation, or a bundle from anywhere, checked again.

use std::{
    fs,
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use domain::ids::BuildId;

use super::failure::Failure;
use crate::{
    config::Config,
    engine::{
        bundle_check::{self, BundleCheck},
        seal_key::{PublicKey, SealKey},
    },
    journal::verify,
    server,
};

/// Checks the build of this id, or the bundle in this file.
pub async fn verify(config: &Config, what: &str, key: Option<&Path>) -> Result<ExitCode, Failure> {
    match what.parse() {
        Ok(build) => verify_build(config, build).await,
        Err(_) => {
            let trusted = key.map(read_key).transpose()?;
            let is_trusted = trusted.is_some();
            let file = Path::new(what).to_owned();
            // The file can be large, and is read from start to end.
            let check =
                tokio::task::spawn_blocking(move || bundle_check::check(&file, trusted.as_ref()));
            let check = check.await.map_err(|error| Failure::new(error.to_string()))?;
            let check =
                check.map_err(|error| Failure::new(format!("{what} cannot be read: {error}")))?;
            tell(&check, is_trusted)
        }
    }
}

/// Prints the key that others check this installation's seals with.
pub fn seal_key(config: &Config) -> Result<ExitCode, Failure> {
    let file = config.data_dir.join("seal.key");
    if !file.exists() {
        return Err(Failure::new("there is no key yet; it is made when the service first starts"));
    }
    let key = SealKey::load(&file)?.public();
    writeln!(io::stderr(), "key {}", key.id())?;
    write!(io::stdout(), "{}", key.to_pem())?;
    Ok(ExitCode::SUCCESS)
}

async fn verify_build(config: &Config, build: BuildId) -> Result<ExitCode, Failure> {
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

fn read_key(file: &Path) -> Result<PublicKey, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{} cannot be read: {error}", file.display())))?;
    PublicKey::from_pem(&text).ok_or_else(|| {
        Failure::new(format!("{} holds no Ed25519 key as `seal-key` prints it", file.display()))
    })
}

fn tell(check: &BundleCheck, is_trusted: bool) -> Result<ExitCode, Failure> {
    let mut out = io::stdout();
    for problem in &check.problems {
        writeln!(out, "{problem}")?;
    }
    if !check.problems.is_empty() {
        return Ok(ExitCode::FAILURE);
    }
    let verdict = check.verdict.map_or("no verdict", |verdict| verdict.name());
    let (branch, commit) = check.branch.clone().unwrap_or_default();
    writeln!(out, "ok: {verdict}, {branch} at {commit}, {} events", check.events)?;
    if !is_trusted {
        let id = check.key_id.as_deref().unwrap_or("?");
        writeln!(
            out,
            "signed with key {id}: compare it with `forgeguard seal-key` of whom you trust"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
