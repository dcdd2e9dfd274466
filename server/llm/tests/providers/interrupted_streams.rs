//! Replies that are interrupted or invalid.

use std::time::Duration;

use llm::{Message, ModelError, collect};
use model_server::{Dialect, ModelServer, Turn};
use serde_json::json;
use tokio::time::{Instant, pause};

use crate::fixture::{ask, provider, provider_with, reply_to, request, results};

fn reply() -> Turn {
    Turn::says("one two three four").calls("look", json!({"at": "a/b/c"}))
}

/// Minimum number of events of `reply` in any API.
const MIN_EVENTS: usize = 9;

#[tokio::test]
async fn stream_that_ends_early_is_truncated() {
    for dialect in Dialect::ALL {
        for events in 0..MIN_EVENTS {
            for turn in [reply().cut_after(events), reply().reset_after(events)] {
                let error = reply_to(dialect, turn.clone()).await.unwrap_err();
                assert_eq!(error, ModelError::Truncated, "{turn:?}");
            }
        }
    }
}

#[tokio::test]
async fn event_that_is_not_json_is_malformed() {
    for dialect in Dialect::ALL {
        let error = reply_to(dialect, reply().garbled_after(3)).await.unwrap_err();
        assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn invalid_arguments_are_text_and_can_be_answered() {
    for dialect in Dialect::ALL {
        for json in ["{\"at\": ", "[1]", "look!"] {
            let server = ModelServer::start(dialect).await;
            server.script([Turn::reply().calls_with("look", json), Turn::says("Again.")]);
            let provider = provider(dialect, server.base_url());
            let mut messages = vec![Message::user("Begin.")];
            let reply = ask(&*provider, messages.clone()).await.unwrap();
            assert_eq!(reply.tool_calls[0].input, json, "{dialect:?}");
            let results = results(&reply);
            messages.extend([reply.into_message(), Message::User { content: results }]);
            let reply = ask(&*provider, messages).await.unwrap();
            assert_eq!(reply.text, "Again.");
            server.finish();
        }
    }
}

#[tokio::test]
async fn error_in_the_stream_is_classified() {
    for dialect in Dialect::ALL {
        for (kind, expected) in [
            ("overloaded_error", ModelError::Overloaded { retry_after: None }),
            ("rate_limit_error", ModelError::RateLimited { retry_after: None }),
            ("api_error", ModelError::Unreachable { reason: "what happened".into() }),
            ("invalid_request_error", ModelError::Refused { reason: "what happened".into() }),
        ] {
            for events in [0, 4] {
                let turn = reply().error_after(events, kind, "what happened");
                assert_eq!(reply_to(dialect, turn).await.unwrap_err(), expected);
            }
        }
    }
}

#[tokio::test]
async fn stream_that_stalls_times_out() {
    let idle = Duration::from_millis(50);
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([reply().silent_after(4), reply().with_pings().silent_after(2)]);
        let provider = provider_with(dialect, server.base_url(), idle);
        for _ in 0..2 {
            let error = ask(&*provider, vec![Message::user("Begin.")]).await.unwrap_err();
            assert_eq!(error, ModelError::Timeout { after: idle });
        }
        server.finish();
    }
}

#[tokio::test]
async fn slow_model_that_sends_pings_does_not_time_out() {
    let idle = Duration::from_secs(120);
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([reply().with_pings().slowly(idle / 4)]);
        let provider = provider_with(dialect, server.base_url(), idle);
        let stream = provider.stream(&request(vec![Message::user("Begin.")])).await.unwrap();
        // Only the model's delays elapse from here on, on the paused clock.
        pause();
        let started_at = Instant::now();
        let reply = collect(stream, |_| {}).await.unwrap();
        assert_eq!(reply.text, "one two three four");
        assert!(started_at.elapsed() > idle * 3, "{:?}", started_at.elapsed());
        server.finish();
        tokio::time::resume();
    }
}
