//! The first account of a server, signed in.

use domain::ids::UserId;
use serde_json::{Value, json};

use crate::Result;

/// A server's first admin with an access token.
#[derive(Clone, Debug)]
pub struct Account {
    /// Host and port of the server.
    pub address: String,
    /// Works as a bearer for 15 minutes.
    pub token: String,
    /// Who it is.
    pub user: UserId,
    client: reqwest::Client,
}

impl Account {
    /// As `FORGEGUARD_ADMIN_EMAIL`.
    pub const EMAIL: &str = "bench@example.org";
    /// As `FORGEGUARD_ADMIN_PASSWORD`.
    pub const PASSWORD: &str = "measured in one run";

    /// Signs in.
    pub async fn sign_in(address: &str) -> Result<Self> {
        let client = support::http_client().build()?;
        let body = json!({ "email": Self::EMAIL, "password": Self::PASSWORD });
        let url = format!("http://{address}/api/session");
        let session = client.post(url).json(&body).send().await?.error_for_status()?;
        let session: Value = session.json().await?;
        let text = |pointer: &str| {
            let text = session.pointer(pointer).and_then(Value::as_str);
            text.map(str::to_owned).ok_or_else(|| format!("the session has no {pointer}"))
        };
        let (token, user) = (text("/access_token")?, text("/user/id")?.parse()?);
        Ok(Self { address: address.to_owned(), token, user, client })
    }

    /// Asks for `path`.
    pub async fn get(&self, path: &str) -> Result<Value> {
        let request = self.client.get(format!("http://{}{path}", self.address));
        let answer = request.bearer_auth(&self.token).send().await?.error_for_status()?;
        Ok(answer.json().await?)
    }

    /// Reads the event stream at `path` to its end.
    pub async fn stream(&self, path: &str) -> Result<String> {
        let request = self.client.get(format!("http://{}{path}", self.address));
        let request = request.bearer_auth(&self.token).header("accept", "text/event-stream");
        Ok(request.send().await?.error_for_status()?.text().await?)
    }

    /// Puts `body` in place of what is at `path`.
    pub async fn put(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self.client.put(format!("http://{}{path}", self.address)).json(body);
        let answer = request.bearer_auth(&self.token).send().await?.error_for_status()?;
        Ok(answer.json().await?)
    }

    /// Sends `body` to `path`.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let request = self.client.post(format!("http://{}{path}", self.address)).json(body);
        let answer = request.bearer_auth(&self.token).send().await?.error_for_status()?;
        Ok(answer.json().await?)
    }
}
