//! Notifications of MCP clients about changes of their lists, directly and through the bridge.

use std::{pin::Pin, process::Stdio, time::Duration};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

use crate::{
    harness::{Database, Instance, binary, text},
    mcp_client::{ACCEPT, Client, key, request},
};

const TOOLS: &str = "notifications/tools/list_changed";
const RESOURCES: &str = "notifications/resources/list_changed";
const NOTIFICATION_TIMEOUT: Duration = Duration::from_secs(60);
/// After it, a change is made again that may have come before the subscription.
const REPEAT_INTERVAL: Duration = Duration::from_secs(5);

/// The messages of an event stream.
struct Messages {
    chunks: Pin<Box<dyn Stream<Item = reqwest::Result<Bytes>> + Send>>,
    pending: String,
}

impl Messages {
    fn of(response: Response) -> Self {
        assert_eq!(response.status(), StatusCode::OK);
        Self { chunks: response.bytes_stream().boxed(), pending: String::new() }
    }

    /// The next message; `None` at the end. Cancellation-safe.
    async fn next(&mut self) -> Option<Value> {
        loop {
            while let Some(end) = self.pending.find('\n') {
                let line: String = self.pending.drain(..=end).collect();
                let data = line.strip_prefix("data:").unwrap_or_default();
                if let Ok(message) = serde_json::from_str(data) {
                    return Some(message);
                }
            }
            let chunk = self.chunks.next().await?.ok()?;
            self.pending.push_str(&String::from_utf8_lossy(&chunk));
        }
    }

    async fn method(&mut self) -> String {
        let next = timeout(NOTIFICATION_TIMEOUT, self.next()).await;
        text(&next.expect("a notification").expect("an open stream")["method"])
    }
}

support::on_both! {
    async fn mcp_session_is_notified_when_its_lists_change_and_until_its_key_is_revoked(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let project = ada.project("P").await;
        let (id, secret) = key(&ada, json!({"name": "editor"})).await;
        let client = Client::open(&instance, &secret).await;
        let mut messages = Messages::of(client.stream().await);

        ada.put(&format!("/api/projects/{project}/contracts/stack"), json!({"content": "# Stack\n\nC\n"})).await.json();
        assert_eq!(messages.method().await, RESOURCES);
        instance.queue_build(&project, &ada.id).await;
        assert_eq!(messages.method().await, RESOURCES);
        assert!(!client.tools().await.contains(&"forge_review_build".to_owned()));
        root.patch(&format!("/api/users/{}", ada.id), json!({"role": "admin"})).await.json();
        assert_eq!(messages.method().await, TOOLS);
        assert!(client.tools().await.contains(&"forge_review_build".to_owned()));

        assert_eq!(ada.delete(&format!("/api/forge-keys/{id}")).await.status, 204);
        let end = timeout(NOTIFICATION_TIMEOUT, messages.next()).await.expect("the stream ends");
        assert_eq!(end, None);
        instance.stop().await;
    }

    async fn mcp_subscription_is_notified_of_what_it_asks_for(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let (id, secret) = key(&ada, json!({"name": "editor"})).await;
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let wanted = json!({"resourcesListChanged": true, "promptsListChanged": true});
        let params = json!({"notifications": wanted, "_meta": meta});
        let sent = instance.client().post(format!("{}/mcp", instance.url)).bearer_auth(&secret)
            .header("accept", ACCEPT).header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "subscriptions/listen")
            .json(&request("subscriptions/listen", params)).send().await.expect("a stream");
        let mut messages = Messages::of(sent);
        let acknowledged = messages.next().await.expect("an acknowledgment");
        assert_eq!(acknowledged["params"]["notifications"], json!({"resourcesListChanged": true}));

        let mut version = 0;
        let notified = loop {
            let changed = json!({"content": format!("# Stack\n\nC {version}\n"), "version": version});
            ada.put(&format!("/api/projects/{project}/contracts/stack"), changed).await.json();
            version += 1;
            match timeout(REPEAT_INTERVAL, messages.next()).await {
                Ok(message) => break message.expect("a notification"),
                Err(_) => assert!(version < 12, "nothing is notified"),
            }
        };
        assert_eq!(notified["method"], RESOURCES);
        let subscription = &notified["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*subscription, json!(1));

        assert_eq!(ada.delete(&format!("/api/forge-keys/{id}")).await.status, 204);
        let end = timeout(NOTIFICATION_TIMEOUT, messages.next()).await.expect("the subscription ends");
        assert_eq!(end.expect("a result")["id"], json!(1));
        instance.stop().await;
    }
}

/// The bridge for clients that start programs, connected to a server.
struct Bridge {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Bridge {
    fn start(url: &str, key: &str) -> Self {
        let mut command = Command::new(binary());
        command.args(["mcp", "--server", url]).env("FORGEGUARD_KEY", key).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { child, lines }
    }

    async fn send(&mut self, message: &Value) {
        let input = self.child.stdin.as_mut().expect("its input");
        input.write_all(format!("{message}\n").as_bytes()).await.expect("it reads");
    }

    /// Skips messages until one that is wanted.
    async fn until(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        let next = async {
            loop {
                let line = self.lines.next_line().await.expect("text").expect("a line");
                let message: Value = serde_json::from_str(&line).expect("JSON");
                if is_wanted(&message) {
                    return message;
                }
            }
        };
        timeout(NOTIFICATION_TIMEOUT, next).await.expect("a message")
    }

    /// Ends its input, upon which it ends.
    async fn stop(mut self) {
        drop(self.child.stdin.take());
        let ended = timeout(NOTIFICATION_TIMEOUT, self.child.wait()).await.expect("it ends");
        assert!(ended.expect("a status").success());
    }
}

support::on_both! {
    async fn mcp_bridge_forwards_the_notifications_of_its_session(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let mut bridge = Bridge::start(&instance.url, &key(&ada, json!({"name": "editor"})).await.1);
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        bridge.send(&request("initialize", params)).await;
        let initialized = bridge.until(|message| message["id"] == 1).await;
        assert_eq!(initialized["result"]["protocolVersion"], "2025-06-18");
        bridge.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        ada.put(&format!("/api/projects/{project}/contracts/stack"), json!({"content": "# Stack\n\nC\n"})).await.json();
        bridge.until(|message| message["method"] == RESOURCES).await;
        bridge.send(&request("resources/list", json!({}))).await;
        let listed = bridge.until(|message| message["id"] == 1).await;
        assert_eq!(listed["result"]["resources"][0]["name"], "stack of P");
        bridge.stop().await;
        instance.stop().await;
    }
}
