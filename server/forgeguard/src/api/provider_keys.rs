//! `/api/settings/provider-keys`: keys of model providers, for administrators. A key is never
//! returned.

use axum::{extract::State, http::StatusCode};
use chrono::{DateTime, Utc};
use domain::model_provider::ModelProvider;
use llm::ModelError;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    check::Check,
    extract::{Json, PathParams},
    identity::{Admin, SignedInAdmin},
    list::List,
};
use crate::{
    engine::provider_keys::{ConnectionError, ConnectionTest as TestResult, NewAccess},
    secret::Secret,
};

/// In characters.
const MAX_KEY_LENGTH: usize = 1_000;
/// In characters.
const MAX_URL_LENGTH: usize = 500;
/// In characters.
const MAX_MODEL_NAME_LENGTH: usize = 200;

/// The access to a model provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProviderKey {
    provider: ModelProvider,
    /// The environment variable that configures the provider and takes precedence.
    #[schema(required)]
    fixed_by: Option<String>,
    /// A key is set in the app.
    is_set: bool,
    /// The end of that key; null if it is too short to show a part of it.
    #[schema(required)]
    last_four: Option<String>,
    /// The address that is set in the app; null for the provider's own.
    #[schema(required)]
    base_url: Option<String>,
    #[schema(required)]
    set_at: Option<DateTime<Utc>>,
    /// The name of the administrator.
    #[schema(required)]
    set_by: Option<String>,
    /// Why this node cannot use the key.
    #[schema(required)]
    problem: Option<String>,
    /// The model that is used if none is chosen.
    default_model: String,
}

/// Replaces key and address: a stored key is never sent to a new address.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SetProviderKeyRequest {
    /// May be omitted if the server at `base_url` needs none.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 1000)]
    key: Option<Secret<String>>,
    /// A compatible endpoint; the provider's own if omitted.
    #[serde(default)]
    #[schema(max_length = 500)]
    base_url: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct TestProviderKeyRequest {
    /// Such as `openai/my-model`; the model in use, or the default one, if omitted.
    #[serde(default)]
    model: Option<String>,
}

/// The result of one request to a model.
#[derive(Debug, Serialize, ToSchema)]
pub struct ConnectionTest {
    /// Provider and name.
    model: String,
    /// Null if the model replied.
    #[schema(required)]
    problem: Option<ConnectionProblem>,
    /// What happened, and what to do.
    message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionProblem {
    WrongKey,
    UnknownModel,
    /// The provider cannot be reached, or does not reply in time.
    NoConnection,
    /// The provider accepts the key, but not the request: no credit, a rate limit, overload.
    Rejected,
    /// The model cannot be used with these settings.
    Unavailable,
}

/// Lists the access to each provider, without keys.
#[utoipa::path(get, path = "/api/settings/provider-keys", tag = "settings", responses(
    (status = 200, body = List<ProviderKey>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_provider_keys(
    State(app): State<Shared>,
    _: Admin,
) -> Result<Json<List<ProviderKey>>, ApiError> {
    Ok(Json(show(&app).await?))
}

/// Sets the key or the address of a provider, or both. It is used by the next agent run.
#[utoipa::path(put, path = "/api/settings/provider-keys/{provider}", tag = "settings",
    params(("provider" = ModelProvider, Path, description = "The provider")),
    request_body = SetProviderKeyRequest, responses(
        (status = 200, body = List<ProviderKey>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn set_provider_key(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(provider): PathParams<ModelProvider>,
    Json(request): Json<SetProviderKeyRequest>,
) -> Result<Json<List<ProviderKey>>, ApiError> {
    let source = app.engine.model_source().await?;
    if let Some(variable) = source.configured_providers.get(&provider) {
        let detail = format!("{} is configured by {variable}.", provider.display_name());
        return Err(ApiError::conflict(detail));
    }
    app.engine.set_provider_key(&admin, request.checked(provider)?).await?;
    Ok(Json(show(&app).await?))
}

/// Removes the key and the address of a provider.
#[utoipa::path(delete, path = "/api/settings/provider-keys/{provider}", tag = "settings",
    params(("provider" = ModelProvider, Path, description = "The provider")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_provider_key(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(provider): PathParams<ModelProvider>,
) -> Result<StatusCode, ApiError> {
    app.engine.remove_provider_key(&admin, provider).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends one short request to a model of the provider, with the key that builds would use.
#[utoipa::path(post, path = "/api/settings/provider-keys/{provider}/test", tag = "settings",
    params(("provider" = ModelProvider, Path, description = "The provider")),
    request_body = TestProviderKeyRequest, responses(
        (status = 200, body = ConnectionTest),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn test_provider_key(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(provider): PathParams<ModelProvider>,
    Json(TestProviderKeyRequest { model }): Json<TestProviderKeyRequest>,
) -> Result<Json<ConnectionTest>, ApiError> {
    let mut check = Check::new();
    let model = model.filter(|name| !name.trim().is_empty());
    let model = model.map(|name| check.line("model", &name, MAX_MODEL_NAME_LENGTH));
    let prefix = format!("{}/", provider.name());
    if model.as_ref().is_some_and(|name| !name.starts_with(&prefix)) {
        check.reject("model", format!("must begin with {prefix}"));
    }
    check.done()?;
    Ok(Json(app.engine.test_provider(&admin, provider, model).await?.into()))
}

impl SetProviderKeyRequest {
    /// Errors do not contain the key.
    fn checked(self, provider: ModelProvider) -> Result<NewAccess, ApiError> {
        let mut check = Check::new();
        let filled = |text: &String| !text.is_empty();
        let key = self.key.map(|key| key.expose().trim().to_owned()).filter(filled);
        if let Some(key) = &key {
            if key.len() > MAX_KEY_LENGTH {
                check.reject("key", format!("use at most {MAX_KEY_LENGTH} characters"));
            } else if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                check.reject("key", "must not contain spaces or characters outside ASCII");
            }
        }
        let base_url = self.base_url.map(|url| url.trim().to_owned()).filter(filled);
        let base_url = base_url.map(|url| {
            let url = check.line("base_url", &url, MAX_URL_LENGTH);
            if let Some(reason) = url_problem(&url) {
                check.reject("base_url", reason);
            }
            url
        });
        if key.is_none() && base_url.is_none() {
            check.reject("key", "must not be empty");
        }
        check.done()?;
        Ok(NewAccess { provider, key: key.map(Secret::new), base_url })
    }
}

fn url_problem(url: &str) -> Option<&'static str> {
    let Ok(uri) = url.parse::<axum::http::Uri>() else { return Some("must be a URL") };
    let is_http = matches!(uri.scheme_str(), Some("http" | "https"));
    match uri.authority() {
        Some(authority) if authority.as_str().contains('@') => {
            Some("must not contain a user or password")
        }
        Some(_) if is_http && uri.query().is_none() => None,
        _ => Some("must begin with http:// or https://, and have no query"),
    }
}

async fn show(app: &App) -> Result<List<ProviderKey>, ApiError> {
    let source = app.engine.model_source().await?;
    let mut stored = app.engine.provider_keys().await?;
    let items = ModelProvider::ALL.map(|provider| {
        let at = stored.iter().position(|key| key.row.provider == provider);
        let (row, problem) = match at.map(|at| stored.swap_remove(at)) {
            Some(key) => (Some(key.row), key.problem),
            None => (None, None),
        };
        ProviderKey {
            provider,
            fixed_by: source.configured_providers.get(&provider).cloned(),
            is_set: row.as_ref().is_some_and(|row| row.sealed_key.is_some()),
            last_four: row.as_ref().and_then(|row| row.last_four.clone()),
            base_url: row.as_ref().and_then(|row| row.base_url.clone()),
            set_at: row.as_ref().map(|row| row.set_at),
            set_by: row.map(|row| row.set_by_name),
            problem,
            default_model: (source.default_model)(provider),
        }
    });
    Ok(List { items: items.into(), next: None })
}

impl From<TestResult> for ConnectionTest {
    fn from(TestResult { model, result }: TestResult) -> Self {
        let (problem, message) = match result {
            Ok(time) => (None, format!("{model} replied in {} ms.", time.as_millis())),
            Err(error) => {
                let (problem, message) = explain(&model, &error);
                (Some(problem), message)
            }
        };
        Self { model, problem, message }
    }
}

fn explain(model: &str, error: &ConnectionError) -> (ConnectionProblem, String) {
    use ConnectionProblem as P;
    let error = match error {
        ConnectionError::Unavailable(error) => {
            return (P::Unavailable, format!("{model} cannot be used: {}.", error.reason));
        }
        ConnectionError::Failed(error) => error,
    };
    match error {
        ModelError::InvalidKey { .. } => (
            P::WrongKey,
            "The provider rejected the key. Check that it is complete, active and belongs to this \
             provider."
                .to_owned(),
        ),
        ModelError::UnknownModel { explanation, .. } => (
            P::UnknownModel,
            format!(
                "The provider does not know the model {model}, or not for this key ({explanation}). \
                 Enter another model, or check the base URL."
            ),
        ),
        ModelError::Unreachable { reason } => (
            P::NoConnection,
            format!(
                "The provider cannot be reached ({reason}). Check the base URL, and that this \
                 server may connect to it."
            ),
        ),
        ModelError::Timeout { .. } => (
            P::NoConnection,
            "The provider did not reply in time. Check the base URL, or try again later."
                .to_owned(),
        ),
        error => (P::Rejected, format!("The request failed: {error}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(key: Option<&str>, base_url: Option<&str>) -> String {
        let key = key.map(|key| Secret::new(key.to_owned()));
        let request = SetProviderKeyRequest { key, base_url: base_url.map(str::to_owned) };
        match request.checked(ModelProvider::OpenAi) {
            Ok(_) => String::new(),
            Err(error) => error.detail().to_owned(),
        }
    }

    #[test]
    fn key_or_address_is_required_and_checked() {
        for (key, base_url, rejected) in [
            (Some("sk-1"), None, ""),
            (None, Some("http://127.0.0.1:11434/v1"), ""),
            (Some(" sk-1\n"), Some(" https://proxy.example.org "), ""),
            (None, None, "key"),
            (Some(" "), Some(""), "key"),
            (Some("sk 1"), None, "key"),
            (Some("sk-ä"), None, "key"),
            (Some("sk-1"), Some("ftp://example.org"), "base_url"),
            (Some("sk-1"), Some("example.org/v1"), "base_url"),
            (Some("sk-1"), Some("https://ada:secret@example.org"), "base_url"),
        ] {
            let detail = fields(key, base_url);
            assert!(
                detail.contains(rejected) && detail.is_empty() == rejected.is_empty(),
                "{detail}"
            );
            assert!(!detail.contains("sk"), "{detail}");
        }
    }

    #[test]
    fn failures_are_explained() {
        let unreachable = ModelError::Unreachable { reason: "connection refused".to_owned() };
        let wrong = ModelError::InvalidKey { provider: "openai".into(), variable: "V".into() };
        for (error, problem, word) in [
            (wrong, ConnectionProblem::WrongKey, "rejected the key"),
            (unreachable, ConnectionProblem::NoConnection, "connection refused"),
            (ModelError::TooLong, ConnectionProblem::Rejected, "too long"),
        ] {
            let (found, message) = explain("openai/m", &ConnectionError::Failed(error));
            assert_eq!(found, problem);
            assert!(message.contains(word), "{message}");
        }
    }
}
