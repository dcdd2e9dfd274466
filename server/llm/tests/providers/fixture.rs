//! Providers of each API, and requests for tests.

use std::{sync::Arc, time::Duration};

use llm::{
    Anthropic, AnthropicCredential, AnthropicSettings, ApiKey, Message, ModelError, OpenAi,
    OpenAiApi, OpenAiSettings, Provider, Reply, Request, Timeouts, ToolCall, ToolDefinition,
    UserBlock, collect,
};
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::json;

pub const LABEL: &str = "phase-1/execute";
/// Longer than any response takes in these tests.
const IDLE: Duration = Duration::from_secs(30);

pub fn provider(dialect: Dialect, base_url: String) -> Arc<dyn Provider> {
    provider_with(dialect, base_url, IDLE)
}

pub fn provider_with(dialect: Dialect, base_url: String, idle: Duration) -> Arc<dyn Provider> {
    let key = ApiKey::new(KEY);
    let timeouts = Timeouts { first_byte: idle, idle };
    let openai = |api| OpenAiSettings {
        base_url: base_url.clone(),
        timeouts,
        api: Some(api),
        ..OpenAiSettings::new(key.clone())
    };
    match dialect {
        Dialect::Anthropic => {
            let credential = AnthropicCredential::ApiKey(key);
            let settings = AnthropicSettings { base_url, credential, timeouts };
            Arc::new(Anthropic::new(settings).unwrap())
        }
        Dialect::OpenAi | Dialect::Gemini => {
            Arc::new(OpenAi::new(openai(OpenAiApi::Chat)).unwrap())
        }
        Dialect::Responses => Arc::new(OpenAi::new(openai(OpenAiApi::Responses)).unwrap()),
    }
}

pub fn request(messages: Vec<Message>) -> Request {
    let tool = |name: &str| ToolDefinition {
        name: name.into(),
        description: format!("Does {name}."),
        input_schema: json!({"type": "object", "properties": {}}).into(),
    };
    Request {
        label: LABEL.into(),
        model: "some-model".into(),
        system: "You are brief.".into(),
        tools: [tool("look"), tool("ask")].into(),
        messages,
        max_tokens: 4_000,
        forgotten_turns: 0,
        earlier_turns: 0,
    }
}

/// The provider's result for one turn of the model.
pub async fn reply_to(dialect: Dialect, turn: Turn) -> Result<Reply, ModelError> {
    let server = ModelServer::start(dialect).await;
    server.script([turn]);
    let heard = ask(&*provider(dialect, server.base_url()), vec![Message::user("Begin.")]).await;
    server.finish();
    heard
}

pub async fn ask(provider: &dyn Provider, messages: Vec<Message>) -> Result<Reply, ModelError> {
    collect(provider.stream(&request(messages)).await?, |_| {}).await
}

/// A tool result for each call of a reply.
pub fn results(reply: &Reply) -> Vec<UserBlock> {
    let result = |(at, call): (usize, &ToolCall)| UserBlock::ToolResult {
        call_id: call.id.clone(),
        content: format!("result {at} of {}", call.name),
        is_error: at == 1,
    };
    reply.tool_calls.iter().enumerate().map(result).collect()
}
