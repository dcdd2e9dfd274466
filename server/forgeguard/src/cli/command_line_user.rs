//! The account that owns the builds of the command line.

use domain::user_role::UserRole;

use super::failure::Failure;
use crate::{
    api::{
        App,
        accounts::{self, AccountCreator, NewAccount},
        auth::token,
    },
    secret::Secret,
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
        // It is not stored in clear, and not shown.
        password: Secret::new(token::opaque()),
        role: UserRole::User,
    };
    Ok(accounts::create(&app.db, &app.passwords, new, AccountCreator::CommandLine).await?)
}
