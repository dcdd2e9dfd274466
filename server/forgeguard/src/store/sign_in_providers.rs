//! Providers with which users sign in; their client secrets are encrypted.

use chrono::{DateTime, Utc};
use domain::{
    ids::{SignInProviderId, UserId},
    sign_in_provider::{FirstSignIn, SignInProviderKind},
};

use super::{
    conn::Conn,
    error::Result,
    statement::{Sql, execute, fetch, row},
};

row! {
    pub struct SignInProvider {
        pub id: SignInProviderId,
        /// On the button of the sign-in page; unique.
        pub name: String,
        pub kind: SignInProviderKind,
        /// Of GitHub: the address of the server.
        pub issuer_url: String,
        pub client_id: String,
        /// Encrypted.
        pub sealed_secret: String,
        pub enabled: bool,
        pub first_sign_in: FirstSignIn,
        /// A JSON list, in lower case.
        pub allowed_domains: String,
        /// None if roles are not taken from the provider.
        pub role_claim: Option<String>,
        /// The value of the claim that makes a user an administrator.
        pub admin_value: Option<String>,
        pub created_by: UserId,
        pub created_at: DateTime<Utc>,
    }
}

macro_rules! columns {
    () => {
        "id, name, kind, issuer_url, client_id, sealed_secret, enabled, first_sign_in, \
         allowed_domains, role_claim, admin_value, created_by, created_at"
    };
}

/// `Error::AlreadyExists` if the name is taken.
pub async fn insert(conn: &mut Conn, provider: &SignInProvider) -> Result<()> {
    const SQL: &str = concat!(
        "INSERT INTO sign_in_providers (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
    );
    execute!(
        conn,
        SQL,
        provider.id,
        provider.name.as_str(),
        provider.kind,
        provider.issuer_url.as_str(),
        provider.client_id.as_str(),
        provider.sealed_secret.as_str(),
        provider.enabled,
        provider.first_sign_in,
        provider.allowed_domains.as_str(),
        provider.role_claim.as_deref(),
        provider.admin_value.as_deref(),
        provider.created_by,
        provider.created_at,
    );
    Ok(())
}

/// Replaces everything that can be changed. `Error::AlreadyExists` if the name is taken.
pub async fn update(conn: &mut Conn, provider: &SignInProvider) -> Result<()> {
    const SQL: &str = "UPDATE sign_in_providers SET name = $2, kind = $3, issuer_url = $4, \
        client_id = $5, sealed_secret = $6, enabled = $7, first_sign_in = $8, \
        allowed_domains = $9, role_claim = $10, admin_value = $11 WHERE id = $1";
    execute!(
        conn,
        SQL,
        provider.id,
        provider.name.as_str(),
        provider.kind,
        provider.issuer_url.as_str(),
        provider.client_id.as_str(),
        provider.sealed_secret.as_str(),
        provider.enabled,
        provider.first_sign_in,
        provider.allowed_domains.as_str(),
        provider.role_claim.as_deref(),
        provider.admin_value.as_deref(),
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, id: SignInProviderId) -> Result<Option<SignInProvider>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM sign_in_providers WHERE id = $1");
    Ok(fetch!(conn, SQL, id).pop())
}

/// Makes other transactions that call this wait until this one ends. SQLite has one writer anyway.
pub async fn lock(conn: &mut Conn, id: SignInProviderId) -> Result<()> {
    // The lock leaves room for the one that inserting an identity takes.
    const SQL: Sql = Sql {
        sqlite: "SELECT id FROM sign_in_providers WHERE id = $1",
        postgres: "SELECT id FROM sign_in_providers WHERE id = $1 FOR NO KEY UPDATE",
    };
    let _: Vec<(SignInProviderId,)> = fetch!(conn, SQL, id);
    Ok(())
}

/// All of them, oldest first.
pub async fn list(conn: &mut Conn) -> Result<Vec<SignInProvider>> {
    const SQL: &str = concat!("SELECT ", columns!(), " FROM sign_in_providers ORDER BY id");
    Ok(fetch!(conn, SQL))
}

/// Also removes its identities. False if it does not exist.
pub async fn remove(conn: &mut Conn, id: SignInProviderId) -> Result<bool> {
    Ok(execute!(conn, "DELETE FROM sign_in_providers WHERE id = $1", id) > 0)
}
