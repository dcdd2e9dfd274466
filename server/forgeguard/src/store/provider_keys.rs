//! Keys and addresses of model providers that were set in the app; keys are encrypted.

use chrono::{DateTime, Utc};
use domain::{ids::UserId, model_provider::ModelProvider};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct ProviderKey {
        pub provider: ModelProvider,
        /// The encrypted key; None for an address without a key.
        pub sealed_key: Option<String>,
        /// The last characters of the key, to distinguish keys.
        pub last_four: Option<String>,
        /// If not the provider's own address.
        pub base_url: Option<String>,
        pub set_by: UserId,
        pub set_by_name: String,
        pub set_at: DateTime<Utc>,
    }
}

#[derive(Clone, Debug)]
pub struct NewProviderKey<'a> {
    pub provider: ModelProvider,
    pub sealed_key: Option<&'a str>,
    pub last_four: Option<&'a str>,
    pub base_url: Option<&'a str>,
    pub set_by: UserId,
    pub set_at: DateTime<Utc>,
}

/// All of them, by provider.
pub async fn list(conn: &mut Conn) -> Result<Vec<ProviderKey>> {
    const SQL: &str = "SELECT provider, sealed_key, last_four, base_url, set_by, \
        users.name AS set_by_name, set_at \
        FROM provider_keys JOIN users ON users.id = provider_keys.set_by ORDER BY provider";
    Ok(fetch!(conn, SQL))
}

/// Adds or replaces the key of a provider.
pub async fn set(conn: &mut Conn, key: &NewProviderKey<'_>) -> Result<()> {
    const SQL: &str = "INSERT INTO provider_keys \
        (provider, sealed_key, last_four, base_url, set_by, set_at) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (provider) DO UPDATE SET \
        sealed_key = excluded.sealed_key, last_four = excluded.last_four, \
        base_url = excluded.base_url, set_by = excluded.set_by, set_at = excluded.set_at";
    execute!(
        conn,
        SQL,
        key.provider,
        key.sealed_key,
        key.last_four,
        key.base_url,
        key.set_by,
        key.set_at,
    );
    Ok(())
}

pub async fn remove(conn: &mut Conn, provider: ModelProvider) -> Result<()> {
    execute!(conn, "DELETE FROM provider_keys WHERE provider = $1", provider);
    Ok(())
}
