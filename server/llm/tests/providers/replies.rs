//! Complete replies, in various framings.

use futures::StreamExt;
use llm::{Delta, Message, Reply, StopReason, Usage};
use model_server::{Dialect, ModelServer, Stop, Tokens, Turn};
use serde_json::json;

use crate::fixture::{provider, reply_to, request};

const TEXT: &str = "Zwölf Äpfel, 12 €, 🍏 and “quotes”\nin two lines.";

fn everything() -> Turn {
    Turn::reply()
        .thinks("Wo fange ich an?  🤔")
        .and_says(TEXT)
        .calls("look", json!({"at": "büro/ä.rs", "lines": [1, 2]}))
        .calls("ask", json!({}))
        .calls("look", json!({"text": "line\nline \"x\" \\ 🍏"}))
        .tokens(Tokens { input: 900, output: 77, cache_read: 4_000, cache_write: 0 })
}

fn check_everything(reply: &Reply) {
    assert_eq!(reply.text, TEXT);
    assert_eq!(reply.reasoning, "Wo fange ich an?  🤔");
    let calls: Vec<_> = reply.tool_calls.iter().map(|call| (&call.name[..], &call.input)).collect();
    let inputs = [
        json!({"at": "büro/ä.rs", "lines": [1, 2]}),
        json!({}),
        json!({"text": "line\nline \"x\" \\ 🍏"}),
    ];
    assert_eq!(calls, [("look", &inputs[0]), ("ask", &inputs[1]), ("look", &inputs[2])]);
    assert_eq!(reply.stop_reason, StopReason::ToolUse);
    assert_eq!(reply.usage, Usage { input: 900, output: 77, cache_read: 4_000, cache_write: 0 });
}

#[tokio::test]
async fn text_reasoning_and_calls_are_received() {
    for dialect in Dialect::ALL {
        check_everything(&reply_to(dialect, everything()).await.unwrap());
    }
}

#[tokio::test]
async fn framing_of_the_stream_does_not_matter() {
    for dialect in Dialect::ALL {
        let whole = reply_to(dialect, everything()).await.unwrap();
        for turn in [
            everything().byte_by_byte(),
            everything().in_half_characters(),
            everything().crlf(),
            everything().crlf().byte_by_byte(),
            everything().with_pings(),
            everything().with_pings().crlf().in_half_characters(),
        ] {
            assert_eq!(reply_to(dialect, turn.clone()).await.unwrap(), whole, "{turn:?}");
        }
    }
}

#[tokio::test]
async fn text_is_streamed() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        // The number of events before the first word differs between APIs.
        server.script([Turn::says("one two three").silent_after(4)]);
        let provider = provider(dialect, server.base_url());
        let mut stream = provider.stream(&request(vec![Message::user("Count.")])).await.unwrap();
        assert_eq!(stream.next().await, Some(Ok(Delta::Text("one ".into()))));
        drop(stream);
        server.finish();
    }
}

#[tokio::test]
async fn reply_with_only_reasoning_has_no_text() {
    for dialect in Dialect::ALL {
        let reply = reply_to(dialect, Turn::reply().thinks("Hm, hm.")).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.reasoning.as_str()), ("", "Hm, hm."));
        assert_eq!((reply.tool_calls.len(), reply.stop_reason), (0, StopReason::EndTurn));
        let nothing = reply_to(dialect, Turn::reply()).await.unwrap();
        assert_eq!(nothing.text, "");
    }
}

#[tokio::test]
async fn stop_reason_is_received() {
    for dialect in Dialect::ALL {
        for (stop, expected) in [
            (Stop::End, StopReason::EndTurn),
            (Stop::Length, StopReason::MaxTokens),
            (Stop::Refusal, StopReason::Refusal),
        ] {
            let reply = reply_to(dialect, Turn::says("So far.").stops(stop)).await.unwrap();
            assert_eq!(reply.stop_reason, expected);
        }
    }
}

#[tokio::test]
async fn call_truncated_by_the_limit_is_dropped() {
    for dialect in Dialect::ALL {
        let cut = Turn::says("Writing.").calls("ask", json!({})).calls_with("look", "{\"at\": \"a");
        let reply = reply_to(dialect, cut.stops(Stop::Length)).await.unwrap();
        assert_eq!(reply.stop_reason, StopReason::MaxTokens);
        assert_eq!(reply.tool_calls.len(), 1);
    }
}

#[tokio::test]
async fn cache_writes_are_counted() {
    let tokens = Tokens { input: 10, output: 3, cache_read: 0, cache_write: 5_000 };
    let reply = reply_to(Dialect::Anthropic, Turn::says("Hm.").tokens(tokens)).await.unwrap();
    assert_eq!(reply.usage, Usage { input: 10, output: 3, cache_read: 0, cache_write: 5_000 });
}
