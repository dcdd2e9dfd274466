//! `/api/credentials`: tokens and keys for remote repositories. Secrets are never returned.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::{
    ids::{CredentialId, ProjectId},
    remote::{CredentialKind, CredentialScope, ForgeKind},
    user_role::UserRole,
};
use git::remote::RemoteUrl;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::{Json, PathParams},
    identity::{Identity, SignedIn},
    list::List,
};
use crate::{
    engine::credentials::{NewCredential, NewSecret},
    secret::Secret,
    store::{
        credentials,
        projects::{self, Project},
        users::User,
    },
};

const MAX_TOKEN_LENGTH: usize = 2_000;
/// In characters.
const MAX_NAME_LENGTH: usize = 80;
const MAX_HOST_LENGTH: usize = 250;

/// A token or key for the repositories of one server. The secret is never returned.
#[derive(Debug, Serialize, ToSchema)]
pub struct Credential {
    id: CredentialId,
    scope: CredentialScope,
    /// The project of the scope `project`.
    #[schema(required)]
    project: Option<ProjectId>,
    name: String,
    /// The only host that receives it, with its port if that is not the usual one.
    host: String,
    kind: CredentialKind,
    /// The user name that is sent with a token.
    #[schema(required)]
    username: Option<String>,
    /// For a key: what to add as a deploy key on the server.
    #[schema(required)]
    public_key: Option<String>,
    created_at: DateTime<Utc>,
    #[schema(required)]
    last_used_at: Option<DateTime<Utc>>,
    /// Whether the requesting user may remove it.
    removable: bool,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateCredentialRequest {
    /// `installation` is for administrators only.
    scope: CredentialScope,
    /// Required for the scope `project`.
    #[serde(default)]
    project: Option<ProjectId>,
    #[schema(min_length = 1, max_length = 80)]
    name: String,
    /// A host such as `git.example.org` or `git.example.org:8443`, or the URL of a repository.
    #[schema(min_length = 1, max_length = 250)]
    host: String,
    /// A key is generated.
    kind: CredentialKind,
    /// Required for a token.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2000)]
    token: Option<Secret<String>>,
    /// With a token; the one that the server usually expects if omitted.
    #[serde(default)]
    #[schema(max_length = 80)]
    username: Option<String>,
}

impl Credential {
    pub fn new(row: credentials::Credential, by: &User) -> Self {
        let removable = match row.scope {
            CredentialScope::Installation => by.role == UserRole::Admin,
            CredentialScope::User | CredentialScope::Project => true,
        };
        Self {
            id: row.id,
            scope: row.scope,
            project: row.project_id,
            name: row.name,
            host: row.host,
            kind: row.kind,
            username: row.username,
            public_key: row.public_key,
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            removable,
        }
    }
}

/// Lists the credentials that the user may use: their own, those of their projects, and those of the
/// installation.
#[utoipa::path(get, path = "/api/credentials", tag = "projects", responses(
    (status = 200, body = List<Credential>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_credentials(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
) -> Result<Json<List<Credential>>, ApiError> {
    let rows = credentials::usable_by(&mut app.db.read().await?, user.id).await?;
    let items = rows.into_iter().map(|row| Credential::new(row, &user)).collect();
    Ok(Json(List { items, next: None }))
}

/// Adds a token, or generates a key.
#[utoipa::path(post, path = "/api/credentials", tag = "projects",
    request_body = CreateCredentialRequest, responses(
        (status = 201, body = Credential),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_credential(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    Json(request): Json<CreateCredentialRequest>,
) -> Result<(StatusCode, Json<Credential>), ApiError> {
    let (scope, project) = (request.scope, request.project);
    let mut new = request.checked()?;
    match (scope, project) {
        (CredentialScope::Installation, _) if user.role != UserRole::Admin => {
            return Err(ApiError::forbidden("Only administrators can add these credentials."));
        }
        (CredentialScope::Installation, _) => {}
        (CredentialScope::User, _) => new.user_id = Some(user.id),
        (CredentialScope::Project, Some(project)) => {
            let found = projects::get(&mut app.db.read().await?, project).await?;
            let is_own = |project: &Project| project.owner_id == user.id;
            found.filter(is_own).ok_or_else(|| ApiError::not_found("project"))?;
            new.project_id = Some(project);
        }
        (CredentialScope::Project, None) => {
            return Err(ApiError::invalid("project", "choose a project"));
        }
    }
    let credential = app.engine.add_credential(&user, new).await?;
    Ok((StatusCode::CREATED, Json(Credential::new(credential, &user))))
}

/// Removes a credential. Projects that use it cannot be fetched until another one is chosen.
#[utoipa::path(delete, path = "/api/credentials/{credential}", tag = "projects",
    params(("credential" = CredentialId, Path, description = "The credential's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_credential(
    State(app): State<Shared>,
    SignedIn { user, .. }: SignedIn,
    PathParams(id): PathParams<CredentialId>,
) -> Result<StatusCode, ApiError> {
    let usable = credentials::usable_by(&mut app.db.read().await?, user.id).await?;
    let found = usable.into_iter().find(|row| row.id == id);
    let found = found.ok_or_else(|| ApiError::not_found("credential"))?;
    if found.scope == CredentialScope::Installation && user.role != UserRole::Admin {
        return Err(ApiError::forbidden("Only administrators can remove this credential."));
    }
    app.engine.remove_credential(&user, &found).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl CreateCredentialRequest {
    /// Without an owner. Errors do not contain the token.
    fn checked(self) -> Result<NewCredential, ApiError> {
        let mut check = Check::new();
        let name = check.line("name", &self.name, MAX_NAME_LENGTH);
        let host = check.line("host", &self.host, MAX_HOST_LENGTH);
        let host = authority(&host, self.kind).unwrap_or_else(|| {
            check.reject("host", "must be a host such as git.example.org, or a repository's URL");
            host
        });
        let token = self.token.map(|token| token.expose().trim().to_owned());
        let token = token.filter(|token| !token.is_empty());
        let username = self.username.filter(|name| !name.trim().is_empty());
        let username = username.map(|name| check.line("username", &name, MAX_NAME_LENGTH));
        let secret =
            match (self.kind, token) {
                (CredentialKind::SshKey, _) => NewSecret::SshKey,
                (CredentialKind::Token, token) => {
                    match &token {
                        None => check.reject("token", "must not be empty"),
                        Some(token) if token.len() > MAX_TOKEN_LENGTH => check
                            .reject("token", format!("use at most {MAX_TOKEN_LENGTH} characters")),
                        Some(token) if !token.bytes().all(|byte| byte.is_ascii_graphic()) => check
                            .reject("token", "must not contain spaces or characters outside ASCII"),
                        Some(_) => {}
                    }
                    let usual = ForgeKind::of_host(&host).token_user();
                    NewSecret::Token {
                        username: username.unwrap_or_else(|| usual.to_owned()),
                        token: Secret::new(token.unwrap_or_default()),
                    }
                }
            };
        check.done()?;
        Ok(NewCredential { user_id: None, project_id: None, name, host, secret })
    }
}

/// The host of a URL, or of a text that is only a host.
fn authority(text: &str, kind: CredentialKind) -> Option<String> {
    if let Ok(url) = text.parse::<RemoteUrl>() {
        return Some(url.authority());
    }
    let scheme = match kind {
        CredentialKind::Token => "https",
        CredentialKind::SshKey => "ssh",
    };
    let is_host = !text.contains(['/', '@', '?', '#']);
    let url: RemoteUrl = format!("{scheme}://{text}/repository").parse().ok()?;
    is_host.then(|| url.authority())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_is_read_from_a_host_or_a_url() {
        for (text, host) in [
            ("GitHub.com", Some("github.com")),
            ("git.example.org:8443", Some("git.example.org:8443")),
            ("https://git.example.org/a/b.git", Some("git.example.org")),
            ("git.example.org/a", None),
            ("ada@git.example.org", None),
            ("https://ada:word@git.example.org/a", None),
        ] {
            assert_eq!(authority(text, CredentialKind::Token).as_deref(), host, "{text}");
        }
        let ssh = authority("git@git.example.org:a/b.git", CredentialKind::SshKey);
        assert_eq!(ssh.as_deref(), Some("git.example.org"));
    }

    #[test]
    fn token_is_required_and_not_in_errors() {
        let request = |token: Option<&str>| CreateCredentialRequest {
            scope: CredentialScope::User,
            project: None,
            name: "deploy".to_owned(),
            host: "git.example.org".to_owned(),
            kind: CredentialKind::Token,
            token: token.map(|token| Secret::new(token.to_owned())),
            username: None,
        };
        assert!(request(Some(" tok-1 ")).checked().is_ok());
        for token in [None, Some(" "), Some("tok 1"), Some("tök")] {
            let Err(error) = request(token).checked() else { panic!("{token:?} was accepted") };
            assert!(error.detail().contains("token:"), "{}", error.detail());
            assert!(!error.detail().contains("tok 1"), "{}", error.detail());
        }
    }
}
