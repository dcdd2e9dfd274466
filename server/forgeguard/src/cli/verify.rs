//! `forgeguard verify`: verifies a build of this installation, or a bundle from elsewhere.

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
        Paths,
        bundle_check::{self, BundleCheck},
        seal_key::{PublicKey, SealKey},
        verify::{Verifier, audit_log::AuditVerification},
    },
    server,
    store::Db,
};

/// Exit code if verification could not run; 1 means that it failed.
pub const NOT_VERIFIABLE: u8 = 2;

/// Verifies the build with this id, or the bundle in this file.
pub async fn verify(config: &Config, what: &str, key: Option<&Path>) -> Result<ExitCode, Failure> {
    match what.parse() {
        Ok(build) => verify_build(config, build).await,
        Err(_) => {
            let trusted = key.map(read_key).transpose()?;
            let is_trusted = trusted.is_some();
            let file = Path::new(what).to_owned();
            // The file may be large and is read completely.
            let check =
                tokio::task::spawn_blocking(move || bundle_check::check(&file, trusted.as_ref()));
            let check = check.await.map_err(|error| Failure::new(error.to_string()))?;
            let check =
                check.map_err(|error| Failure::new(format!("{what} cannot be read: {error}")))?;
            tell(&check, is_trusted)
        }
    }
}

/// Prints the public key of this installation's seals.
pub fn seal_key(config: &Config) -> Result<ExitCode, Failure> {
    let file = config.data_dir.join("seal.key");
    if !file.exists() {
        return Err(Failure::new(
            "there is no key yet; it is created when the service first starts",
        ));
    }
    let key = SealKey::load(&file)?.public();
    writeln!(io::stderr(), "key {}", key.id())?;
    write!(io::stdout(), "{}", key.to_pem())?;
    Ok(ExitCode::SUCCESS)
}

async fn verify_build(config: &Config, build: BuildId) -> Result<ExitCode, Failure> {
    let (db, verifier) = verifier(config).await?;
    let found = verifier.build(build).await;
    db.close().await;
    let found = found?;
    let mut out = io::stdout();
    for problem in &found.problems {
        writeln!(out, "{problem}")?;
    }
    for note in &found.notes {
        writeln!(io::stderr(), "note: {note}")?;
    }
    if !found.ok {
        return Ok(ExitCode::FAILURE);
    }
    writeln!(out, "ok: {} events, head {}", found.events, found.head_hash)?;
    Ok(ExitCode::SUCCESS)
}

/// Verifies the audit log of this installation.
pub async fn verify_audit_log(config: &Config) -> Result<ExitCode, Failure> {
    let (db, verifier) = verifier(config).await?;
    let found = verifier.audit_log().await;
    db.close().await;
    let found = found?;
    let mut out = io::stdout();
    for problem in &found.problems {
        writeln!(out, "{problem}")?;
    }
    if !found.ok {
        return Ok(ExitCode::FAILURE);
    }
    let AuditVerification { entries, seals, head_hash, .. } = found;
    writeln!(out, "ok: {entries} audit log entries, {seals} seals, head {head_hash}")?;
    Ok(ExitCode::SUCCESS)
}

async fn verifier(config: &Config) -> Result<(Db, Verifier), Failure> {
    let paths = Paths::create(&config.data_dir)?;
    let db = server::open_database(config).await?;
    Ok((db.clone(), Verifier::new(db, paths)))
}

fn read_key(file: &Path) -> Result<PublicKey, Failure> {
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::new(format!("{} cannot be read: {error}", file.display())))?;
    PublicKey::from_pem(&text).ok_or_else(|| {
        Failure::new(format!(
            "{} does not contain an Ed25519 key as printed by `seal-key`",
            file.display()
        ))
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
            "signed with key {id}: compare it with the output of `forgeguard seal-key` on the issuing installation"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
