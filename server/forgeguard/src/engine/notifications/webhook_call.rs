//! One signed request to a webhook. Only public or allowed addresses are called, redirects are not
//! followed, and the response's body is not read.

use std::{net::SocketAddr, time::Duration};

use chrono::Utc;
use domain::ids::WebhookId;
use reqwest::{Client, StatusCode, Url, header, redirect};

use super::{attempt_error::AttemptError, signature};
use crate::{
    engine::{error::EngineError, handle::Engine},
    store::{deliveries::Delivery, webhooks},
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For the whole request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends a delivery to a webhook.
pub async fn call(
    engine: &Engine,
    webhook: WebhookId,
    delivery: &Delivery,
) -> Result<Result<(), AttemptError>, EngineError> {
    let failed = |why: String| Ok(Err(AttemptError::Failed(why)));
    let webhook = webhooks::get(&mut engine.db().read().await?, webhook).await?;
    let Some(webhook) = webhook.filter(|webhook| webhook.disabled_at.is_none()) else {
        return Ok(Err(AttemptError::Gone("the webhook is disabled".to_owned())));
    };
    let secret = match engine.webhook_secret(&webhook).await {
        Ok(secret) => secret,
        Err(why) => return failed(why),
    };
    let (url, addresses) = match destination(engine, &webhook.url).await {
        Ok(found) => found,
        Err(why) => return failed(why),
    };
    let (id, timestamp) = (delivery.id.to_string(), Utc::now().timestamp());
    let Some(signed) = signature::sign(&secret, &id, timestamp, &delivery.body) else {
        return failed("the secret of the webhook is damaged".to_owned());
    };
    let client = match client(&url, &addresses) {
        Ok(client) => client,
        Err(why) => return failed(why),
    };
    let request = client
        .post(url)
        .header(header::CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", timestamp.to_string())
        .header("webhook-signature", signed)
        .body(delivery.body.clone());
    Ok(match request.send().await {
        Ok(response) => judge(response.status()),
        Err(error) => Err(AttemptError::Failed(reason(&error))),
    })
}

/// The URL, and the addresses of its host that may be called; or why there are none.
pub async fn destination(engine: &Engine, url: &str) -> Result<(Url, Vec<SocketAddr>), String> {
    let url = Url::parse(url).map_err(|error| format!("the URL is invalid: {error}"))?;
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(443);
    let rules = engine.parts.network.clone().unwrap_or_default();
    let addresses =
        rules.allowed_addresses(&host, port).await.map_err(|error| error.to_string())?;
    Ok((url, addresses))
}

/// A client that connects to these addresses only, without resolving the name again.
fn client(url: &Url, addresses: &[SocketAddr]) -> Result<Client, String> {
    let config = llm::tls_config().map_err(|error| error.to_string())?;
    Client::builder()
        .user_agent(concat!("ForgeGuard/", env!("CARGO_PKG_VERSION")))
        .redirect(redirect::Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .resolve_to_addrs(url.host_str().unwrap_or_default(), addresses)
        .tls_backend_preconfigured(config)
        .build()
        .map_err(|error| error.to_string())
}

fn judge(status: StatusCode) -> Result<(), AttemptError> {
    let why = format!("the server responded with {status}");
    match status {
        StatusCode::GONE => Err(AttemptError::Gone(why)),
        status if status.is_success() => Ok(()),
        _ => Err(AttemptError::Failed(why)),
    }
}

/// Without the URL, which may contain a secret.
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        format!("the server did not respond within {} seconds", REQUEST_TIMEOUT.as_secs())
    } else if error.is_connect() {
        "the connection failed".to_owned()
    } else {
        "the request failed".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_success_is_delivered_and_410_ends_the_webhook() {
        assert_eq!(judge(StatusCode::NO_CONTENT), Ok(()));
        for status in [StatusCode::FOUND, StatusCode::NOT_FOUND, StatusCode::BAD_GATEWAY] {
            assert!(matches!(judge(status), Err(AttemptError::Failed(_))), "{status}");
        }
        assert!(matches!(judge(StatusCode::GONE), Err(AttemptError::Gone(_))));
    }
}
