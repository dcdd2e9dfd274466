//! `forgeguard key create`: creates a forge key.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use super::failure::Failure;
use crate::{api::forge_keys, config::Config, server, store::users};

pub async fn create(config: &Config, email: &str, name: &str) -> Result<ExitCode, Failure> {
    let db = server::open_database(config).await?;
    let user = users::by_email(&mut db.read().await?, email).await?;
    let user = user.ok_or_else(|| Failure::new(format!("no account has the address {email}")))?;
    let request = forge_keys::CreateForgeKeyRequest::named(name);
    let mut tx = db.write().await?;
    let target = forge_keys::KeyTarget::default();
    let made = forge_keys::make(&mut tx, &user, None, target, request).await?;
    tx.commit().await?;
    db.close().await;
    writeln!(io::stdout(), "{}", made.key)?;
    Ok(ExitCode::SUCCESS)
}
