//! How much a model thinks: what is requested, and what happens if the server rejects it.

use std::sync::Arc;

use llm::{
    Anthropic, AnthropicCredential, AnthropicSettings, ApiKey, Message, OpenAi, OpenAiApi,
    OpenAiSettings, Provider, Thinking, Timeouts,
};
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::{Value, json};

use crate::fixture::ask;

fn provider(dialect: Dialect, base_url: String, option: &str) -> Arc<dyn Provider> {
    let (key, timeouts) = (ApiKey::new(KEY), Timeouts::default());
    let thinking = Thinking::parse(option).unwrap();
    let api = match dialect {
        Dialect::Anthropic => {
            let credential = AnthropicCredential::ApiKey(key);
            let settings = AnthropicSettings { base_url, credential, timeouts };
            return Arc::new(Anthropic::new(settings).unwrap().with_thinking(thinking));
        }
        Dialect::OpenAi | Dialect::Gemini => OpenAiApi::Chat,
        Dialect::Responses => OpenAiApi::Responses,
    };
    let settings = OpenAiSettings { base_url, api: Some(api), ..OpenAiSettings::new(key) };
    Arc::new(OpenAi::new(settings).unwrap().with_thinking(thinking))
}

/// What a request says about thinking.
fn sent(body: &Value) -> Vec<Value> {
    let names = ["thinking", "output_config", "reasoning_effort", "reasoning"];
    names.iter().filter_map(|name| body.get(name).cloned()).collect()
}

#[tokio::test]
async fn thinking_is_requested_as_each_api_names_it() {
    let summarised = json!({"effort": "high", "summary": "auto"});
    for (dialect, option, expected) in [
        (
            Dialect::Anthropic,
            "thinking=2000",
            vec![json!({"type": "enabled", "budget_tokens": 2000})],
        ),
        (
            Dialect::Anthropic,
            "effort=high",
            vec![json!({"type": "adaptive"}), json!({"effort": "high"})],
        ),
        (Dialect::OpenAi, "effort=high", vec![json!("high")]),
        (Dialect::Responses, "effort=high", vec![summarised]),
    ] {
        let server = ModelServer::start(dialect).await;
        server.script([Turn::says("Well.")]);
        let provider = provider(dialect, server.base_url(), option);
        ask(&*provider, vec![Message::user("Begin.")]).await.unwrap();
        assert_eq!(sent(&server.requests()[0].json), expected, "{option}");
        server.finish();
    }
}

#[tokio::test]
async fn rejected_thinking_is_left_out_from_then_on() {
    for (dialect, option, message) in [
        (Dialect::Anthropic, "thinking=2000", "thinking.type: this model does not support it"),
        (Dialect::OpenAi, "effort=high", "Unsupported parameter: 'reasoning_effort'."),
        (Dialect::Responses, "effort=high", "Unsupported parameter: 'reasoning.effort'."),
    ] {
        let server = ModelServer::start(dialect).await;
        let refusal = Turn::error(400, "invalid_request_error", message);
        server.script([refusal, Turn::says("First."), Turn::says("Second.")]);
        let provider = provider(dialect, server.base_url(), option);
        for text in ["First.", "Second."] {
            assert_eq!(ask(&*provider, vec![Message::user("Go.")]).await.unwrap().text, text);
        }
        let requests = server.requests();
        let counts: Vec<usize> = requests.iter().map(|seen| sent(&seen.json).len()).collect();
        assert_eq!(counts, [1, 0, 0], "{message}");
        server.finish();
    }
}

#[tokio::test]
async fn rejected_summary_keeps_the_effort() {
    let server = ModelServer::start(Dialect::Responses).await;
    let refusal = "Your organization must be verified to generate reasoning summaries.";
    server.script([Turn::error(400, "invalid_request_error", refusal), Turn::says("Well.")]);
    let provider = provider(Dialect::Responses, server.base_url(), "effort=low");
    ask(&*provider, vec![Message::user("Go.")]).await.unwrap();
    assert_eq!(sent(&server.requests()[1].json), [json!({"effort": "low"})]);
    server.finish();
}

#[tokio::test]
async fn reasoning_of_each_api_is_kept_in_the_message() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([Turn::reply().thinks("Where to look?").calls("look", json!({"at": "a"}))]);
        let provider = provider(dialect, server.base_url(), "effort=low");
        let reply = ask(&*provider, vec![Message::user("Begin.")]).await.unwrap();
        let stored = serde_json::to_value(reply.into_message()).unwrap();
        let message: Message = serde_json::from_value(stored).unwrap();
        assert_eq!(llm::reasoning(&message).as_deref(), Some("Where to look?"));
        server.finish();
    }
}
