//! Conversations of several turns.

use llm::{
    Anthropic, AnthropicCredential, AnthropicSettings, ApiKey, Message, OpenAi, OpenAiSettings,
    Provider, Reply, Usage, UserBlock, collect,
};
use model_server::{Dialect, KEY, ModelServer, Turn};
use serde_json::{Value, json};

use crate::fixture::{ask, provider, request, results};

#[tokio::test]
async fn tool_results_precede_user_messages() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([
            Turn::says("Looking.").calls("look", json!({"at": "a"})).calls("ask", json!({})),
            Turn::reply().calls("look", json!({})),
            Turn::says("Done."),
        ]);
        let provider = provider(dialect, server.base_url());
        let mut messages = vec![Message::user("Begin."), Message::user("And be quick.")];
        loop {
            let reply = ask(&*provider, messages.clone()).await.unwrap();
            let results = results(&reply);
            messages.push(reply.into_message());
            if results.is_empty() {
                break;
            }
            messages.push(Message::user("Wait, one thing more."));
            messages.push(Message::User { content: results });
        }
        let [first, second, third] = &server.requests()[..] else { panic!("three requests") };
        assert_eq!((first.turn(), second.turn(), third.turn()), (0, 1, 2));
        assert_eq!(first.system(), "You are brief.");
        assert_eq!(first.tools(), ["look", "ask"]);
        let news = second.news();
        assert!(news[0].ends_with("result 0 of look") && news[1].ends_with("result 1 of ask"));
        assert_eq!(news[2], "Wait, one thing more.");
        server.finish();
    }
}

#[tokio::test]
async fn signed_thinking_is_sent_back_in_its_position() {
    let server = ModelServer::start(Dialect::Anthropic).await;
    server.script([
        Turn::reply()
            .thinks("First this.")
            .and_says("I look.")
            .calls("look", json!({"at": 1}))
            .thinks("Then that.")
            .calls("ask", json!({"what": "x"})),
        Turn::says("Done."),
    ]);
    let provider = provider(Dialect::Anthropic, server.base_url());
    let reply = ask(&*provider, vec![Message::user("Begin.")]).await.unwrap();
    let results = results(&reply);
    // Round trip through the stored transcript.
    let stored = serde_json::to_string(&reply.into_message()).unwrap();
    let said = serde_json::from_str(&stored).unwrap();
    let messages = vec![Message::user("Begin."), said, Message::User { content: results }];
    ask(&*provider, messages).await.unwrap();

    let sent = &server.requests()[1].json["messages"][1]["content"];
    let kinds: Vec<_> = sent.as_array().unwrap().iter().map(|b| b["type"].clone()).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "thinking", "tool_use"]);
    assert_eq!(sent[3]["thinking"], "Then that.");
    assert_eq!(sent[4]["input"], json!({"what": "x"}));
    server.finish();
}

#[tokio::test]
async fn conversation_can_continue_with_another_provider() {
    let server = ModelServer::start(Dialect::Anthropic).await;
    server.script([Turn::reply().thinks("Hm.").calls("look", json!({}))]);
    let first = provider(Dialect::Anthropic, server.base_url());
    let reply = ask(&*first, vec![Message::user("Begin.")]).await.unwrap();
    server.finish();

    let content = results(&reply);
    let other = ModelServer::start(Dialect::OpenAi).await;
    other.script([Turn::says("Going on.")]);
    let messages = vec![Message::user("Begin."), reply.into_message(), Message::User { content }];
    ask(&*provider(Dialect::OpenAi, other.base_url()), messages).await.unwrap();
    other.finish();
}

#[tokio::test]
async fn empty_reply_is_not_sent_back() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([Turn::reply().thinks("Hm."), Turn::says("Well.")]);
        let provider = provider(dialect, server.base_url());
        let reply = ask(&*provider, vec![Message::user("Begin.")]).await.unwrap();
        let messages =
            vec![Message::user("Begin."), reply.into_message(), Message::user("Say something.")];
        ask(&*provider, messages).await.unwrap();
        server.finish();
    }
}

#[tokio::test]
async fn compatible_server_needs_no_key_and_may_omit_usage() {
    let server = ModelServer::start(Dialect::OpenAi).await;
    server.want_no_key();
    let chunk = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    // No usage, no `[DONE]`, no indices, the input as an object.
    let calls = |id: &str| {
        json!({"tool_calls": [{"id": id, "function":
            {"name": "look", "arguments": {"at": id}}}]})
    };
    let body = chunk(json!({"delta": {"role": "assistant", "content": "Hi", "reasoning": "hm"}}))
        + &chunk(json!({"delta": calls("a")}))
        + &chunk(json!({"delta": calls("b"), "finish_reason": null}))
        + &chunk(json!({"delta": {}, "finish_reason": "stop"}));
    server.script([Turn::status(200).header("content-type", "text/plain").body(body)]);
    let settings = OpenAiSettings {
        base_url: server.base_url() + "/",
        key: None,
        ..OpenAiSettings::new(ApiKey::new(""))
    };
    let provider = OpenAi::new(settings).unwrap();
    let request = request(vec![Message::user("Hello?")]);
    let reply: Reply = collect(provider.stream(&request).await.unwrap(), |_| {}).await.unwrap();
    server.finish();
    assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("Hi", "hm"));
    let ids: Vec<_> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(reply.stop_reason, llm::StopReason::ToolUse);
    assert_eq!(reply.usage.input, request.estimated_tokens());
    assert!(reply.usage.output > 0 && reply.usage.output < 20, "{:?}", reply.usage);
    assert_ne!(reply.usage, Usage::default());
}

#[tokio::test]
async fn reasoning_is_sent_back_with_its_call() {
    for dialect in [Dialect::OpenAi, Dialect::Responses] {
        let server = ModelServer::start(dialect).await;
        server.script([
            Turn::reply().thinks("Where to look?").calls("look", json!({"at": "a"})),
            Turn::says("Done."),
        ]);
        let provider = provider(dialect, server.base_url());
        let mut messages = vec![Message::user("Begin.")];
        let reply = ask(&*provider, messages.clone()).await.unwrap();
        let results = results(&reply);
        messages.extend([reply.into_message(), Message::User { content: results }]);
        ask(&*provider, messages).await.unwrap();
        let second = server.requests().pop().unwrap().json;
        match dialect {
            Dialect::Responses => {
                assert_eq!(second["input"][1]["encrypted_content"], "encrypted Where to look?");
                assert_eq!(second["input"][2]["type"], "function_call");
            }
            _ => assert_eq!(second["messages"][2]["reasoning_content"], "Where to look?"),
        }
        server.finish();
    }
}

#[tokio::test]
async fn rejected_limit_name_is_replaced_for_later_calls_too() {
    let server = ModelServer::start(Dialect::OpenAi).await;
    let refusal = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
        'max_completion_tokens' instead.";
    server.script([
        Turn::error(400, "unsupported_parameter", refusal),
        Turn::says("First."),
        Turn::says("Second."),
        Turn::error(400, "unsupported_parameter", "Unsupported parameter: 'stream_options'."),
    ]);
    let provider = provider(Dialect::OpenAi, server.base_url());
    for text in ["First.", "Second."] {
        assert_eq!(ask(&*provider, vec![Message::user("Go.")]).await.unwrap().text, text);
    }
    let other = ask(&*provider, vec![Message::user("Go.")]).await.unwrap_err();
    assert!(other.to_string().contains("'stream_options'"), "{other}");
    let names: Vec<_> =
        server.requests().iter().map(|seen| seen.json["max_completion_tokens"].is_u64()).collect();
    assert_eq!(names, [false, true, true, true]);
    server.finish();
}

#[tokio::test]
async fn anthropic_sends_the_configured_credential() {
    for (credential, header) in [
        (AnthropicCredential::ApiKey(ApiKey::new(KEY)), ("x-api-key", KEY.to_owned())),
        (
            AnthropicCredential::AuthToken(ApiKey::new(KEY)),
            ("authorization", format!("Bearer {KEY}")),
        ),
        (AnthropicCredential::Absent, ("anthropic-version", "2023-06-01".to_owned())),
    ] {
        let server = ModelServer::start(Dialect::Anthropic).await;
        server.want_no_key();
        server.script([Turn::says("Hello.")]);
        let base_url = server.base_url();
        let settings = AnthropicSettings { base_url, ..AnthropicSettings::new(credential.clone()) };
        let provider = Anthropic::new(settings).unwrap();
        // The server rejects unexpected keys, so two of the three calls fail.
        let _ = ask(&provider, vec![Message::user("Hello?")]).await;
        let seen = server.requests().pop().unwrap();
        assert_eq!(seen.header(header.0), Some(header.1.as_str()));
        let sent = ["x-api-key", "authorization"].map(|name| seen.header(name).is_some());
        let expected = match credential {
            AnthropicCredential::ApiKey(_) => [true, false],
            AnthropicCredential::AuthToken(_) => [false, true],
            AnthropicCredential::Absent => [false, false],
        };
        assert_eq!(sent, expected);
        server.take_faults();
    }
}

#[tokio::test]
async fn model_server_rejects_invalid_requests() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([Turn::says("Never said.")]);
        let orphan = UserBlock::ToolResult {
            call_id: "missing-call".into(),
            content: "x".into(),
            is_error: false,
        };
        let messages = vec![Message::User { content: vec![orphan] }];
        let error = ask(&*provider(dialect, server.base_url()), messages).await.unwrap_err();
        assert!(error.to_string().contains("`missing-call` has no call"), "{error}");
        assert_eq!(server.take_faults().len(), 1);
    }
}

#[test]
fn settings_do_not_reveal_the_key() {
    let settings = OpenAiSettings::new(ApiKey::new("sk-secret"));
    let shown = format!("{settings:?}");
    assert!(!shown.contains("sk-secret") && shown.contains("***"), "{shown}");
    assert!(
        OpenAi::new(OpenAiSettings {
            base_url: "http://localhost:1".into(),
            ..OpenAiSettings::new(ApiKey::new("sk-\u{1F34F}\n-x"))
        })
        .is_err_and(|error| !error.to_string().contains("sk-"))
    );
}
