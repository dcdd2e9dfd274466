//! `forgeguard user add`: creates an account.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::ExitCode,
};

use domain::user_role::UserRole;

use super::failure::Failure;
use crate::{
    api::{
        accounts::{self, AccountCreator, NewAccount},
        auth::password::Passwords,
    },
    config::Config,
    secret::Secret,
    server,
};

pub async fn add(
    config: &Config,
    email: String,
    name: Option<String>,
    admin: bool,
) -> Result<ExitCode, Failure> {
    let password = Some(read_password()?);
    let db = server::open_database(config).await?;
    let name = name.unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
    let role = if admin { UserRole::Admin } else { UserRole::User };
    let new = NewAccount { email, name, password, role };
    let user = accounts::create(&db, &Passwords::new(), new, AccountCreator::CommandLine).await?;
    db.close().await;
    writeln!(io::stdout(), "{}", user.id)?;
    Ok(ExitCode::SUCCESS)
}

fn read_password() -> Result<Secret<String>, Failure> {
    let input = io::stdin();
    if input.is_terminal() {
        write!(io::stderr(), "Password (will be visible): ")?;
    }
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    Ok(Secret::new(line.trim_end_matches(['\r', '\n']).to_owned()))
}
