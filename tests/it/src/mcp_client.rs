//! A client of `/mcp`, over plain HTTP.

use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};

use crate::harness::{Instance, Person, send, text};

pub const ACCEPT: &str = "application/json, text/event-stream";

/// A client with a session.
pub struct Client {
    pub url: String,
    http: reqwest::Client,
    pub key: String,
    session: Option<String>,
}

impl Client {
    pub fn post(&self, message: &Value) -> RequestBuilder {
        let request = self.http.post(&self.url).bearer_auth(&self.key).header("accept", ACCEPT);
        let request = match &self.session {
            Some(id) => {
                request.header("mcp-session-id", id).header("mcp-protocol-version", "2025-11-25")
            }
            None => request,
        };
        request.json(message)
    }

    pub async fn open(instance: &Instance, key: &str) -> Self {
        Self::open_at(&instance.url, instance.client(), key).await
    }

    pub async fn open_at(origin: &str, http: reqwest::Client, key: &str) -> Self {
        let url = format!("{origin}/mcp");
        let mut client = Self { url, http, key: key.to_owned(), session: None };
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        let answer = send(client.post(&request("initialize", params))).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        let id = answer.headers.get("mcp-session-id").expect("a session");
        client.session = Some(id.to_str().unwrap().to_owned());
        let result = message(&answer.text)["result"].clone();
        assert_eq!(result["serverInfo"]["name"], "forgeguard");
        let capabilities = &result["capabilities"];
        assert_eq!(capabilities["tools"]["listChanged"], true);
        assert_eq!(capabilities["resources"]["listChanged"], true);
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(send(client.post(&initialized)).await.status, StatusCode::ACCEPTED);
        client
    }

    /// The stream on which the server sends notifications.
    pub async fn stream(&self) -> Response {
        let id = self.session.as_deref().expect("a session");
        let request = self.http.get(&self.url).bearer_auth(&self.key);
        let request = request.header("accept", "text/event-stream").header("mcp-session-id", id);
        request.send().await.expect("a stream")
    }

    /// Ends the session.
    pub async fn end(&self) -> StatusCode {
        let id = self.session.as_deref().expect("a session");
        let request = self.http.delete(&self.url).bearer_auth(&self.key);
        send(request.header("mcp-session-id", id)).await.status
    }

    pub async fn request(&self, method: &str, params: Value) -> Value {
        let answer = send(self.post(&request(method, params))).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        message(&answer.text)
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.request("tools/call", params).await["result"].clone()
    }

    /// The data of a call that succeeds.
    pub async fn data(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The reason of a call that is rejected.
    pub async fn rejection(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], true, "{tool}: {result}");
        text(&result["content"][0]["text"])
    }

    pub async fn tools(&self) -> Vec<String> {
        let listed = self.request("tools/list", json!({})).await;
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        tools.map(|tool| text(&tool["name"])).collect()
    }
}

pub fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// The last message of a response, which is JSON or an event stream.
pub fn message(body: &str) -> Value {
    let data = body.lines().rev().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = data.filter_map(|data| serde_json::from_str(data).ok());
    let last = messages.next().or_else(|| serde_json::from_str(body).ok());
    last.unwrap_or_else(|| panic!("no message in {body}"))
}

pub async fn key(person: &Person, request: Value) -> (String, String) {
    let made = person.post("/api/forge-keys", request).await.json();
    (text(&made["id"]), text(&made["key"]))
}
