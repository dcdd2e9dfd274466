//! The encrypted secrets of several tables, for the rotation of the key that encrypts them. Each is
//! replaced only if it has not been changed since it was read.

use domain::{
    ids::{CredentialId, ProjectId, SignInProviderId, WebhookId},
    model_provider::ModelProvider,
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    pub struct CredentialSecret {
        pub id: CredentialId,
        pub host: String,
        pub sealed_secret: String,
    }
}

row! {
    pub struct RemoteSecret {
        pub project_id: ProjectId,
        pub sealed_hook_secret: String,
    }
}

row! {
    pub struct WebhookSecret {
        pub id: WebhookId,
        pub sealed_secret: String,
    }
}

pub async fn of_credentials(conn: &mut Conn) -> Result<Vec<CredentialSecret>> {
    Ok(fetch!(conn, "SELECT id, host, sealed_secret FROM credentials ORDER BY id"))
}

pub async fn of_remotes(conn: &mut Conn) -> Result<Vec<RemoteSecret>> {
    const SQL: &str = "SELECT project_id, sealed_hook_secret FROM remotes \
        WHERE sealed_hook_secret IS NOT NULL ORDER BY project_id";
    Ok(fetch!(conn, SQL))
}

pub async fn of_webhooks(conn: &mut Conn) -> Result<Vec<WebhookSecret>> {
    Ok(fetch!(conn, "SELECT id, sealed_secret FROM webhooks ORDER BY id"))
}

pub async fn replace_provider_key(
    conn: &mut Conn,
    provider: ModelProvider,
    old: &str,
    new: &str,
) -> Result<()> {
    const SQL: &str =
        "UPDATE provider_keys SET sealed_key = $3 WHERE provider = $1 AND sealed_key = $2";
    execute!(conn, SQL, provider, old, new);
    Ok(())
}

pub async fn replace_of_credential(
    conn: &mut Conn,
    id: CredentialId,
    old: &str,
    new: &str,
) -> Result<()> {
    const SQL: &str =
        "UPDATE credentials SET sealed_secret = $3 WHERE id = $1 AND sealed_secret = $2";
    execute!(conn, SQL, id, old, new);
    Ok(())
}

pub async fn replace_of_remote(
    conn: &mut Conn,
    project: ProjectId,
    old: &str,
    new: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE remotes SET sealed_hook_secret = $3 \
        WHERE project_id = $1 AND sealed_hook_secret = $2";
    execute!(conn, SQL, project, old, new);
    Ok(())
}

pub async fn replace_of_webhook(
    conn: &mut Conn,
    id: WebhookId,
    old: &str,
    new: &str,
) -> Result<()> {
    const SQL: &str = "UPDATE webhooks SET sealed_secret = $3 WHERE id = $1 AND sealed_secret = $2";
    execute!(conn, SQL, id, old, new);
    Ok(())
}

pub async fn replace_of_sign_in_provider(
    conn: &mut Conn,
    id: SignInProviderId,
    old: &str,
    new: &str,
) -> Result<()> {
    const SQL: &str =
        "UPDATE sign_in_providers SET sealed_secret = $3 WHERE id = $1 AND sealed_secret = $2";
    execute!(conn, SQL, id, old, new);
    Ok(())
}

pub async fn replace_smtp_password(conn: &mut Conn, old: &str, new: &str) -> Result<()> {
    const SQL: &str = "UPDATE smtp_settings SET sealed_password = $2 WHERE sealed_password = $1";
    execute!(conn, SQL, old, new);
    Ok(())
}
