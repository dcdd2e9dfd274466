//! A provider of either dialect, and the requests that tests make of it.

use std::{sync::Arc, time::Duration};

use llm::{
    Anthropic, AnthropicSettings, ApiKey, Message, ModelError, OpenAi, OpenAiSettings, Provider,
    Reply, Request, ToolCall, ToolDefinition, UserBlock, collect,
};
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::json;

pub const LABEL: &str = "phase-1/execute";
/// Longer than any answer takes here.
const IDLE: Duration = Duration::from_secs(30);

pub fn provider(dialect: Dialect, base_url: String) -> Arc<dyn Provider> {
    provider_with(dialect, base_url, IDLE)
}

pub fn provider_with(dialect: Dialect, base_url: String, idle: Duration) -> Arc<dyn Provider> {
    let key = ApiKey::new(KEY);
    match dialect {
        Dialect::Anthropic => {
            Arc::new(Anthropic::new(AnthropicSettings { base_url, key, idle }).unwrap())
        }
        Dialect::OpenAi => {
            let settings = OpenAiSettings { base_url, key: Some(key), idle };
            Arc::new(OpenAi::new(settings).unwrap())
        }
    }
}

pub fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: format!("Does {name}."),
        input_schema: json!({"type": "object", "properties": {}}),
    };
    Request {
        label: LABEL.into(),
        model: "some-model".into(),
        system: "You are brief.".into(),
        tools: vec![tool("look"), tool("ask")],
        messages,
        max_tokens: 4_000,
        forgotten_turns: 0,
    }
}

/// What a provider makes of one turn of the model.
pub async fn hear(dialect: Dialect, turn: Turn) -> Result<Reply, ModelError> {
    let server = ModelServer::start(dialect).await;
    server.script([turn]);
    let heard = ask(&*provider(dialect, server.base_url()), vec![Message::user("Begin.")]).await;
    server.finish();
    heard
}

pub async fn ask(provider: &dyn Provider, messages: Vec<Message>) -> Result<Reply, ModelError> {
    collect(provider.stream(&request(messages)).await?, |_| {}).await
}

/// A result for each call of a reply.
pub fn results(reply: &Reply) -> Vec<UserBlock> {
    let result = |(at, call): (usize, &ToolCall)| UserBlock::ToolResult {
        call_id: call.id.clone(),
        content: format!("result {at} of {}", call.name),
        is_error: at == 1,
    };
    reply.tool_calls.iter().enumerate().map(result).collect()
}
