//! `/api/hooks/{remote}`: webhooks of the server that hosts a project's remote repository. They are
//! signed with the secret of the remote. A push leads to a fetch, and news about a pull request has it
//! read again.

use axum::{
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::ids::ProjectId;
use ring::hmac;
use subtle::ConstantTimeEq;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    body,
    extract::PathParams,
};
use crate::{
    engine::remotes::HookEffect,
    store::{projects, remotes},
};

const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// In characters.
const MAX_DELIVERY_LENGTH: usize = 100;

/// A webhook whose sender knows the secret.
#[derive(Debug, PartialEq, Eq)]
struct Received {
    /// Unique for each webhook.
    delivery: String,
    /// Such as `push`, in lower case.
    event: String,
}

/// Receives a webhook of GitHub, Gitea, Forgejo or GitLab.
#[utoipa::path(post, path = "/api/hooks/{remote}", tag = "projects", security(()),
    params(("remote" = ProjectId, Path, description = "The id of the project that follows it")), responses(
        (status = 202, description = "A fetch is queued, or open pull requests are read again"),
        (status = 204, description = "The event leads to nothing"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn receive_hook(
    State(app): State<Shared>,
    PathParams(id): PathParams<ProjectId>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, ApiError> {
    let body = body::read(&headers, body, MAX_BODY_BYTES).await?;
    let mut conn = app.db.read().await?;
    let project = projects::get(&mut conn, id).await?;
    let remote = remotes::get(&mut conn, id).await?;
    drop(conn);
    let project = project.filter(|project| project.archived_at.is_none());
    let (Some(_), Some(remote)) = (project, remote) else { return Err(rejected()) };
    let secret = app.engine.hook_secret(&remote).await?.ok_or_else(rejected)?;
    let received = verify(&headers, &body, secret.expose()).ok_or_else(rejected)?;
    let effect = effect(&received.event);
    if !app.engine.receive_hook(id, &received.delivery, effect).await? {
        return Err(ApiError::conflict("This webhook was received before."));
    }
    Ok(if effect.is_some() { StatusCode::ACCEPTED } else { StatusCode::NO_CONTENT })
}

/// The same for an unknown project, a missing secret and a wrong signature.
fn rejected() -> ApiError {
    ApiError::forbidden("This webhook is not accepted: its signature does not match a project.")
}

/// What an event leads to. Forgejo and Gitea send one event for each thing that happens to a pull
/// request, such as `pull_request_comment`.
fn effect(event: &str) -> Option<HookEffect> {
    match event {
        "push" | "create" | "delete" | "push hook" | "tag push hook" => Some(HookEffect::Fetch),
        "check_run" | "check_suite" | "status" | "merge request hook" | "note hook"
        | "pipeline hook" => Some(HookEffect::ReadPullRequests),
        event if event.starts_with("pull_request") => Some(HookEffect::ReadPullRequests),
        _ => None,
    }
}

/// The webhook, if its signature or token is correct. Both are compared in constant time.
fn verify(headers: &HeaderMap, body: &[u8], secret: &str) -> Option<Received> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let first = |names: &[&str]| names.iter().find_map(|name| text(name));
    let (delivery, event) = if let Some(token) = text("x-gitlab-token") {
        let is_right: bool = token.as_bytes().ct_eq(secret.as_bytes()).into();
        if !is_right {
            return None;
        }
        // Retries have the same key; older versions of GitLab send only the id of the event.
        (first(&["idempotency-key", "x-gitlab-event-uuid"])?, text("x-gitlab-event")?)
    } else {
        let signature = first(&["x-forgejo-signature", "x-gitea-signature"]).or_else(|| {
            text("x-hub-signature-256").and_then(|value| value.strip_prefix("sha256="))
        })?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        hmac::verify(&key, body, &hex::decode(signature).ok()?).ok()?;
        (
            first(&["x-forgejo-delivery", "x-gitea-delivery", "x-github-delivery"])?,
            first(&["x-forgejo-event", "x-gitea-event", "x-github-event"])?,
        )
    };
    let is_plain = delivery.bytes().all(|byte| byte.is_ascii_graphic());
    let is_valid = is_plain && (1..=MAX_DELIVERY_LENGTH).contains(&delivery.len());
    is_valid.then(|| Received {
        delivery: delivery.to_owned(),
        event: event.trim().to_ascii_lowercase(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret";
    const BODY: &[u8] = br#"{"ref":"refs/heads/main"}"#;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    fn signature(body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET.as_bytes());
        hex::encode(hmac::sign(&key, body).as_ref())
    }

    #[test]
    fn news_about_pull_requests_has_them_read_again() {
        for event in ["pull_request", "pull_request_review", "merge request hook", "status"] {
            assert_eq!(effect(event), Some(HookEffect::ReadPullRequests), "{event}");
        }
        for event in ["ping", "issues", "wiki page hook"] {
            assert_eq!(effect(event), None, "{event}");
        }
    }

    #[test]
    fn signatures_of_all_forges_are_verified() {
        let (hexed, prefixed) = (signature(BODY), format!("sha256={}", signature(BODY)));
        let github = [
            ("x-hub-signature-256", prefixed.as_str()),
            ("x-github-delivery", "1"),
            ("x-github-event", "push"),
        ];
        let gitea = [
            ("x-gitea-signature", hexed.as_str()),
            ("x-gitea-delivery", "1"),
            ("x-gitea-event", "push"),
        ];
        let gitlab = [
            ("x-gitlab-token", SECRET),
            ("x-gitlab-event-uuid", "1"),
            ("x-gitlab-event", "Push Hook"),
        ];
        for pairs in [&github, &gitea, &gitlab] {
            let received = verify(&headers(pairs), BODY, SECRET).unwrap();
            assert_eq!(received.delivery, "1");
            assert_eq!(effect(&received.event), Some(HookEffect::Fetch), "{received:?}");
            assert_eq!(verify(&headers(pairs), BODY, "another"), None);
            for missing in 0..pairs.len() {
                let mut fewer = pairs.to_vec();
                fewer.remove(missing);
                assert_eq!(verify(&headers(&fewer), BODY, SECRET), None, "{fewer:?}");
            }
        }
        assert_eq!(verify(&headers(&github), b"{}", SECRET), None);
    }

    #[test]
    fn malformed_signatures_and_ids_are_rejected() {
        let signed = signature(BODY);
        for (signature, delivery) in
            [("zz", "1"), ("", "1"), (&signed[2..], "1"), (signed.as_str(), "a b"), (&signed, "")]
        {
            let pairs = [
                ("x-gitea-signature", signature),
                ("x-gitea-delivery", delivery),
                ("x-gitea-event", "push"),
            ];
            assert_eq!(verify(&headers(&pairs), BODY, SECRET), None, "{signature} {delivery}");
        }
    }
}
