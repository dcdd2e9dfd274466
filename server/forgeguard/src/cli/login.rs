//! `forgeguard login` and `forgeguard logout`: a forge key for this machine, approved by its user in a
//! browser on any machine.

use std::{process::ExitCode, time::Duration};

use chrono::{DateTime, Utc};
use clap::Args;
use domain::{device_sign_in::DeviceSignInStatus, ids::ForgeKeyId};
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{
    api_client::{answered, http_client, unreachable_server},
    build_outcome::say,
    failure::Failure,
    stored_keys::{self, StoredKey, StoredKeys},
};
use crate::{config, secret::Secret};

/// The longest sign-in that is waited for, whatever the server says.
const MAX_WAIT: Duration = Duration::from_secs(3_600);
const MAX_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct LoginArguments {
    /// Address of the server
    #[arg(long, value_name = "URL", env = "FORGEGUARD_SERVER")]
    server: String,
    /// What the key permits in addition to reading
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        value_parser = ["build", "contracts", "review"],
        default_values = ["build"],
        conflicts_with = "full_access"
    )]
    scopes: Vec<String>,
    /// Permit everything that the account may do with a key
    #[arg(long)]
    full_access: bool,
}

#[derive(Args, Debug)]
pub struct LogoutArguments {
    /// Address of the server
    #[arg(long, value_name = "URL", env = "FORGEGUARD_SERVER")]
    server: String,
}

#[derive(Deserialize)]
struct Started {
    device_code: String,
    user_code: String,
    url: String,
    url_with_code: String,
    expires_at: DateTime<Utc>,
    interval_s: u64,
}

#[derive(Deserialize)]
struct Outcome {
    status: DeviceSignInStatus,
    key: Option<NewKey>,
}

#[derive(Deserialize)]
struct NewKey {
    id: ForgeKeyId,
    key: Secret<String>,
    expires_at: Option<DateTime<Utc>>,
}

pub async fn login(arguments: LoginArguments) -> Result<ExitCode, Failure> {
    let LoginArguments { server, scopes, full_access } = arguments;
    let server = stored_keys::address(&server)?;
    // Fails before the user has done anything.
    StoredKeys::read()?;
    let client = http_client()?.build()?;
    let scopes = (!full_access).then_some(scopes);
    let request = json!({ "device_name": config::host_name(), "scopes": scopes });
    let started: Started = read(post(&client, &server, "", &request).await?).await?;
    say(&format!(
        "Open {} in a browser and enter the code {}, or open {}",
        started.url, started.user_code, started.url_with_code
    ));
    let key = approved(&client, &server, &started).await?;
    let until = key.expires_at.map(|at| format!(" until {}", at.format("%Y-%m-%d")));
    // Read again: another login may have ended in the meantime.
    let earlier = StoredKeys::read()?.put(&server, StoredKey { id: key.id, key: key.key })?;
    say(&format!("signed in to {server}{}", until.unwrap_or_default()));
    if let Some(earlier) = earlier {
        revoke(&client, &server, &earlier).await.inspect_err(|_| {
            say("the earlier key of this machine was not revoked; do so on the account page");
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

pub async fn logout(LogoutArguments { server }: LogoutArguments) -> Result<ExitCode, Failure> {
    let server = stored_keys::address(&server)?;
    let Some(removed) = StoredKeys::read()?.remove(&server)? else {
        say(&format!("there is no key for {server}"));
        return Ok(ExitCode::SUCCESS);
    };
    let client = http_client()?.build()?;
    revoke(&client, &server, &removed).await.inspect_err(|_| {
        say("the key was removed from this machine, but not revoked; do so on the account page");
    })?;
    say(&format!("signed out of {server}"));
    Ok(ExitCode::SUCCESS)
}

/// Waits until the user has approved.
async fn approved(client: &Client, server: &Url, started: &Started) -> Result<NewKey, Failure> {
    let expired = || Failure::new("the code has expired; run `forgeguard login` again");
    let remaining = (started.expires_at - Utc::now()).to_std().unwrap_or_default().min(MAX_WAIT);
    let until = Instant::now() + remaining;
    let interval = Duration::from_secs(started.interval_s.max(1)).min(MAX_INTERVAL);
    let request = json!({ "device_code": started.device_code });
    while Instant::now() < until {
        sleep(interval).await;
        // A server that cannot be reached may be restarting.
        let Ok(response) = post(client, server, "/poll", &request).await else { continue };
        match response.status() {
            StatusCode::TOO_MANY_REQUESTS => continue,
            StatusCode::NOT_FOUND => break,
            status if status.is_server_error() => continue,
            _ => {}
        }
        let Outcome { status, key } = read(response).await?;
        match (status, key) {
            (DeviceSignInStatus::Waiting, _) => {}
            (DeviceSignInStatus::Approved, Some(key)) => return Ok(key),
            _ => return Err(Failure::new("the sign-in was denied")),
        }
    }
    Err(expired())
}

async fn post(
    client: &Client,
    server: &Url,
    path: &str,
    body: &Value,
) -> Result<Response, Failure> {
    let request = client.post(url(server, &format!("/api/device-sign-ins{path}"))).json(body);
    request.send().await.map_err(|error| unreachable_server(server.as_str(), error))
}

async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    Ok(answered(response).await?.json().await?)
}

/// Revokes a key, unless it is not valid any more.
async fn revoke(client: &Client, server: &Url, key: &StoredKey) -> Result<(), Failure> {
    let request = client.delete(url(server, &format!("/api/forge-keys/{}", key.id)));
    let sent = request.bearer_auth(key.key.expose()).send().await;
    let response = sent.map_err(|error| unreachable_server(server.as_str(), error))?;
    if response.status() != StatusCode::UNAUTHORIZED {
        answered(response).await?;
    }
    Ok(())
}

fn url(server: &Url, path: &str) -> String {
    format!("{}{path}", server.as_str().trim_end_matches('/'))
}
