//! The account that owns the builds of the command line.

use domain::user_role::UserRole;

use super::failure::Failure;
use crate::{
    api::{
        App,
        accounts::{self, AccountCreator, NewAccount},
    },
    store::users::{self, User},
};

/// Creates the account if it does not exist.
pub async fn command_line_user(app: &App) -> Result<User, Failure> {
    if let Some(user) = users::by_email(&mut app.db.read().await?, users::COMMAND_LINE).await? {
        return Ok(user);
    }
    let new = NewAccount {
        email: users::COMMAND_LINE.to_owned(),
        name: "command line".to_owned(),
        password: None,
        role: UserRole::User,
    };
    Ok(accounts::create(&app.db, &app.passwords, new, AccountCreator::CommandLine).await?)
}
