//! The settings of a sign-in provider as an administrator enters them, and their checks.

use domain::sign_in_provider::{FirstSignIn, SignInProviderKind};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{api_error::ApiError, check::Check};
use crate::secret::Secret;

/// In characters.
const MAX_NAME_LENGTH: usize = 60;
/// In characters.
const MAX_LINE_LENGTH: usize = 500;
const MAX_DOMAINS: usize = 100;

#[derive(Debug, Deserialize, ToSchema)]
pub struct SignInProviderRequest {
    /// At most 60 characters; shown on the button.
    #[schema(min_length = 1, max_length = 60)]
    name: String,
    pub kind: SignInProviderKind,
    /// Of GitHub: the address of the server, such as `https://github.com`.
    #[schema(max_length = 500)]
    issuer_url: String,
    #[schema(min_length = 1, max_length = 500)]
    client_id: String,
    /// Omitted to keep the stored one, which is possible only for the same issuer URL.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 500)]
    client_secret: Option<Secret<String>>,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default)]
    pub first_sign_in: FirstSignIn,
    /// Required for `domains`.
    #[serde(default)]
    allowed_domains: Vec<String>,
    /// The name of a claim, or a path with dots; not for GitHub.
    #[serde(default)]
    #[schema(max_length = 500)]
    role_claim: Option<String>,
    /// The value of that claim which makes a user an administrator.
    #[serde(default)]
    #[schema(max_length = 500)]
    admin_value: Option<String>,
}

/// The checked fields of a request.
pub struct Checked {
    pub name: String,
    pub issuer_url: String,
    pub client_id: String,
    pub client_secret: Option<Secret<String>>,
    pub allowed_domains: String,
    pub role_claim: Option<String>,
    pub admin_value: Option<String>,
}

fn yes() -> bool {
    true
}

impl SignInProviderRequest {
    /// Errors do not contain the secret.
    pub fn checked(self) -> Result<Checked, ApiError> {
        let mut check = Check::new();
        let name = check.line("name", &self.name, MAX_NAME_LENGTH);
        let issuer_url = check.line("issuer_url", &self.issuer_url, MAX_LINE_LENGTH);
        if let Some(why) = url_problem(&issuer_url) {
            check.reject("issuer_url", why);
        }
        let issuer_url = match self.kind {
            SignInProviderKind::Oidc => issuer_url,
            SignInProviderKind::GitHub => issuer_url.trim_end_matches('/').to_owned(),
        };
        let client_id = check.line("client_id", &self.client_id, MAX_LINE_LENGTH);
        if !client_id.bytes().all(|byte| byte.is_ascii_graphic()) {
            check.reject("client_id", "must not contain spaces or characters outside ASCII");
        }
        let client_secret = self.client_secret.map(|secret| secret.expose().trim().to_owned());
        let client_secret = client_secret.filter(|secret| !secret.is_empty());
        if client_secret.as_ref().is_some_and(|secret| secret.len() > MAX_LINE_LENGTH) {
            check.reject("client_secret", format!("use at most {MAX_LINE_LENGTH} characters"));
        }
        let domains = domains(&mut check, &self.allowed_domains);
        if self.first_sign_in == FirstSignIn::Domains && domains.is_empty() {
            check.reject("allowed_domains", "enter at least one domain, such as example.org");
        }
        let filled = |text: &String| !text.trim().is_empty();
        let role_claim = self.role_claim.filter(filled);
        let role_claim = role_claim.map(|it| check.line("role_claim", &it, MAX_LINE_LENGTH));
        let admin_value = self.admin_value.filter(filled);
        let admin_value = admin_value.map(|it| check.line("admin_value", &it, MAX_LINE_LENGTH));
        match (&role_claim, &admin_value) {
            (Some(_), _) if self.kind == SignInProviderKind::GitHub => {
                check.reject("role_claim", "GitHub sends no claims");
            }
            (Some(_), None) => check.reject("admin_value", "must not be empty with a role claim"),
            (None, Some(_)) => check.reject("role_claim", "must not be empty with a value"),
            _ => {}
        }
        check.done()?;
        let allowed_domains = serde_json::to_string(&domains).map_err(ApiError::internal)?;
        let client_secret = client_secret.map(Secret::new);
        Ok(Checked {
            name,
            issuer_url,
            client_id,
            client_secret,
            allowed_domains,
            role_claim,
            admin_value,
        })
    }
}

/// In lower case, without duplicates.
fn domains(check: &mut Check, given: &[String]) -> Vec<String> {
    let mut domains: Vec<String> =
        given.iter().map(|domain| domain.trim().trim_start_matches('@').to_lowercase()).collect();
    domains.retain(|domain| !domain.is_empty());
    domains.sort_unstable();
    domains.dedup();
    let is_valid = |domain: &String| {
        domain.len() <= 253
            && domain.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
            && !domain.starts_with('.')
            && !domain.ends_with('.')
    };
    if domains.len() > MAX_DOMAINS {
        check.reject("allowed_domains", format!("use at most {MAX_DOMAINS} domains"));
    }
    if let Some(domain) = domains.iter().find(|domain| !is_valid(domain)) {
        check.reject("allowed_domains", format!("{domain:?} is not a domain such as example.org"));
    }
    domains
}

fn url_problem(text: &str) -> Option<&'static str> {
    let Ok(url) = reqwest::Url::parse(text) else { return Some("must be a URL") };
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() {
        return Some("must begin with https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("must not contain a user or password");
    }
    let is_plain = url.query().is_none() && url.fragment().is_none();
    (!is_plain).then_some("must have no query and no fragment")
}

/// A secret is bound to its issuer URL.
pub fn secret_missing() -> ApiError {
    ApiError::invalid("client_secret", "must not be empty")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn problem(change: Value) -> String {
        let mut body = json!({
            "name": "Company", "kind": "oidc", "issuer_url": "https://id.example.org",
            "client_id": "forgeguard", "client_secret": "hunter2",
        });
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        let request: SignInProviderRequest = serde_json::from_value(body).unwrap();
        request.checked().err().map(|error| error.detail().to_owned()).unwrap_or_default()
    }

    #[test]
    fn invalid_fields_are_named_and_the_secret_is_not_shown() {
        for (change, field) in [
            (json!({}), ""),
            (json!({"name": " "}), "name"),
            (json!({"issuer_url": "id.example.org"}), "issuer_url"),
            (json!({"issuer_url": "ftp://id.example.org"}), "issuer_url"),
            (json!({"issuer_url": "https://a:b@id.example.org"}), "issuer_url"),
            (json!({"issuer_url": "https://id.example.org?a=b"}), "issuer_url"),
            (json!({"client_id": "a b"}), "client_id"),
            (json!({"client_secret": "hunter2".repeat(100)}), "client_secret"),
            (json!({"first_sign_in": "domains"}), "allowed_domains"),
            (json!({"first_sign_in": "domains", "allowed_domains": ["@Example.org "]}), ""),
            (json!({"first_sign_in": "domains", "allowed_domains": ["a@b"]}), "allowed_domains"),
            (json!({"role_claim": "groups"}), "admin_value"),
            (json!({"admin_value": "admins"}), "role_claim"),
            (json!({"role_claim": "groups", "admin_value": "admins"}), ""),
            (json!({"role_claim": "a", "admin_value": "b", "kind": "github"}), "role_claim"),
        ] {
            let detail = problem(change.clone());
            assert!(detail.starts_with(field), "{change}: {detail}");
            assert_eq!(detail.is_empty(), field.is_empty(), "{change}: {detail}");
            assert!(!detail.contains("hunter2"), "{detail}");
        }
    }
}
