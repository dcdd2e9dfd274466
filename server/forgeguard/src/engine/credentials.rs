//! Tokens and keys for remote repositories. Secrets are encrypted in the database, bound to their
//! host, and never returned.

use domain::{
    audit::AuditAction,
    ids::{CredentialId, ProjectId, UserId},
    remote::{CredentialKind, CredentialScope},
    validation::ValidationError,
};
use git::remote::{Login, RemoteUrl, Transport, generate_key};
use serde_json::json;

use super::{encryption_key::EncryptionKey, error::EngineError, handle::Engine};
use crate::{
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        credentials::{self, Credential},
        projects::Project,
        users::User,
    },
};

/// A credential to be added.
pub struct NewCredential {
    /// Whose it is: neither for the whole installation.
    pub user_id: Option<UserId>,
    pub project_id: Option<ProjectId>,
    pub name: String,
    /// As in [`Credential::host`].
    pub host: String,
    pub secret: NewSecret,
}

pub enum NewSecret {
    Token {
        username: String,
        token: Secret<String>,
    },
    /// To be generated.
    SshKey,
}

impl Engine {
    /// Adds a credential; a key is generated.
    pub async fn add_credential(
        &self,
        by: &User,
        new: NewCredential,
    ) -> Result<Credential, EngineError> {
        let id = store::new_id();
        let NewCredential { user_id, project_id, name, host, secret } = new;
        let (kind, username, public_key, secret) = match secret {
            NewSecret::Token { username, token } => {
                (CredentialKind::Token, Some(username), None, token)
            }
            NewSecret::SshKey => {
                let pair = generate_key("forgeguard").await.map_err(|why| {
                    EngineError::InvalidRemote(ValidationError::new("kind", why.to_string()))
                })?;
                let private_key = Secret::new(pair.private_key);
                (CredentialKind::SshKey, None, Some(pair.public_key), private_key)
            }
        };
        let (file, context) = (self.paths().encryption_key(), context(id, &host));
        let sealed_secret = self
            .blocking(move || Ok(EncryptionKey::load(&file)?.encrypt(&secret, &context)?))
            .await?;
        let scope = match (user_id, project_id) {
            (Some(_), _) => CredentialScope::User,
            (None, Some(_)) => CredentialScope::Project,
            (None, None) => CredentialScope::Installation,
        };
        let credential = Credential {
            id,
            scope,
            user_id,
            project_id: project_id.filter(|_| scope == CredentialScope::Project),
            name,
            host,
            kind,
            username,
            public_key,
            sealed_secret,
            created_by: by.id,
            created_at: store::now(),
            last_used_at: None,
        };
        let mut tx = self.db().write().await?;
        credentials::insert(&mut tx, &credential).await?;
        audit_log::append(&mut tx, &entry(by, AuditAction::CredentialAdded, &credential)).await?;
        tx.commit().await?;
        Ok(credential)
    }

    /// Removes a credential; remotes that used it have none afterwards.
    pub async fn remove_credential(
        &self,
        by: &User,
        credential: &Credential,
    ) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        credentials::remove(&mut tx, credential.id).await?;
        audit_log::append(&mut tx, &entry(by, AuditAction::CredentialRemoved, credential)).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The login for a URL, or why the credential cannot be used for it.
    pub(super) async fn login(
        &self,
        credential: &Credential,
        url: &RemoteUrl,
    ) -> Result<Login, String> {
        if credential.host != url.authority() {
            return Err(format!(
                "the credential “{}” is for {} and is not sent to {}",
                credential.name,
                credential.host,
                url.authority()
            ));
        }
        let (file, sealed) = (self.paths().encryption_key(), credential.sealed_secret.clone());
        let context = context(credential.id, &credential.host);
        let secret = self
            .blocking(move || Ok(EncryptionKey::read(&file)?.decrypt(&sealed, &context)))
            .await
            .ok()
            .flatten()
            .ok_or_else(|| {
                format!(
                    "the credential “{}” cannot be decrypted with this node's encryption.key; copy \
                     that file from the node on which it was added, or add it again",
                    credential.name
                )
            })?;
        match (credential.kind, url.transport()) {
            (CredentialKind::Token, Transport::Https | Transport::Http) => Ok(Login::Token {
                username: credential.username.clone().unwrap_or_default(),
                token: secret.expose().clone(),
            }),
            (CredentialKind::SshKey, Transport::Ssh) => {
                Ok(Login::Key { private_key: secret.expose().clone() })
            }
            (CredentialKind::Token, Transport::Ssh) => {
                Err("an address with ssh needs an SSH key, not a token".to_owned())
            }
            (CredentialKind::SshKey, _) => {
                Err("an SSH key needs an address such as git@host:owner/name.git".to_owned())
            }
        }
    }
}

/// Whether projects of this user may use it: for one project, or for a new one.
pub fn is_usable(credential: &Credential, owner: UserId, project: Option<ProjectId>) -> bool {
    match credential.scope {
        CredentialScope::Installation => true,
        CredentialScope::User => credential.user_id == Some(owner),
        CredentialScope::Project => project.is_some() && credential.project_id == project,
    }
}

/// The same for a project that exists.
pub(super) fn is_usable_by(credential: &Credential, project: &Project) -> bool {
    is_usable(credential, project.owner_id, Some(project.id))
}

/// Binds a stored secret to its host.
pub(super) fn context(id: CredentialId, host: &str) -> String {
    format!("credential\n{id}\n{host}")
}

fn entry<'a>(by: &'a User, action: AuditAction, credential: &Credential) -> NewEntry<'a> {
    let subject = match credential.project_id {
        Some(project) => format!("project/{project}"),
        None => format!("credential/{}", credential.id),
    };
    let detail = json!({
        "name": credential.name, "host": credential.host, "kind": credential.kind,
        "scope": credential.scope,
    });
    NewEntry::by(by, store::now(), action, subject, detail)
}
