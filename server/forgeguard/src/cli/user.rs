//! `forgeguard user add`: accounts from the command line.

use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::ExitCode,
};

use super::failure::Failure;
use crate::{
    api::{
        accounts::{self, Maker, NewAccount},
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
    let password = read_password()?;
    let db = server::open_database(config).await?;
    let name = name.unwrap_or_else(|| email.split('@').next().unwrap_or_default().to_owned());
    let role = if admin { "admin" } else { "user" };
    let new = NewAccount { email, name, password, role };
    let user = accounts::create(&db, &Passwords::new(), new, Maker::CommandLine).await?;
    db.close().await;
    writeln!(io::stdout(), "{}", user.id)?;
    Ok(ExitCode::SUCCESS)
}

fn read_password() -> Result<Secret<String>, Failure> {
    let input = io::stdin();
    if input.is_terminal() {
        write!(io::stderr(), "Password (it will show): ")?;
    }
    let mut line = String::new();
    input.lock().read_line(&mut line)?;
    Ok(Secret::new(line.trim_end_matches(['\r', '\n']).to_owned()))
}
