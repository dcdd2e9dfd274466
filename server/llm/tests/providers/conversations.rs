//! Conversations of several turns: what goes back to the model.

use llm::{ApiKey, Message, OpenAi, OpenAiSettings, Provider, Reply, Usage, UserBlock, collect};
use model_server::{Dialect, ModelServer, Turn};
use serde_json::{Value, json};

use crate::asking::{ask, provider, request, results};

#[tokio::test]
async fn results_go_back_and_what_the_user_says_comes_after_them() {
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
async fn signed_thinking_goes_back_in_its_place() {
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
    // As a transcript is stored and read again.
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
async fn another_provider_can_take_a_conversation_over() {
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
async fn an_empty_reply_is_not_sent_back() {
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
async fn a_server_of_ones_own_needs_no_key_and_may_not_count() {
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
        idle: std::time::Duration::from_secs(30),
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
async fn a_wrong_request_is_a_fault_of_the_test() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([Turn::says("Never said.")]);
        let orphan = UserBlock::ToolResult {
            call_id: "nobody".into(),
            content: "x".into(),
            is_error: false,
        };
        let messages = vec![Message::User { content: vec![orphan] }];
        let error = ask(&*provider(dialect, server.base_url()), messages).await.unwrap_err();
        assert!(error.to_string().contains("`nobody` has no call"), "{error}");
        assert_eq!(server.take_faults().len(), 1);
    }
}

#[test]
fn settings_show_no_key() {
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
