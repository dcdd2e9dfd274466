//! Replies that begin well and do not end so.

use std::time::Duration;

use llm::{Message, ModelError, collect};
use model_server::{Dialect, ModelServer, Turn};
use serde_json::json;
use tokio::time::{Instant, pause};

use crate::asking::{ask, hear, provider_with, request};

fn reply() -> Turn {
    Turn::says("one two three four").calls("look", json!({"at": "a/b/c"}))
}

/// How many events `reply` has at least in either dialect.
const EVENTS: usize = 9;

#[tokio::test]
async fn a_stream_that_ends_anywhere_before_its_end_was_cut() {
    for dialect in Dialect::ALL {
        for events in 0..EVENTS {
            for turn in [reply().cut_after(events), reply().reset_after(events)] {
                let error = hear(dialect, turn.clone()).await.unwrap_err();
                assert_eq!(error, ModelError::Cut, "{turn:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_is_not_passed_over() {
    for dialect in Dialect::ALL {
        let error = hear(dialect, reply().garbled_after(3)).await.unwrap_err();
        assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn an_input_that_is_no_object_is_not_passed_on() {
    for dialect in Dialect::ALL {
        for json in ["{\"at\": ", "[1]", "look!"] {
            let error = hear(dialect, Turn::reply().calls_with("look", json)).await.unwrap_err();
            assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn an_error_in_the_stream_has_its_case() {
    for dialect in Dialect::ALL {
        for (kind, expected) in [
            ("overloaded_error", ModelError::Overloaded { retry_after: None }),
            ("rate_limit_error", ModelError::RateLimited { retry_after: None }),
            ("api_error", ModelError::Unreachable { reason: "what happened".into() }),
            ("invalid_request_error", ModelError::Refused { reason: "what happened".into() }),
        ] {
            for events in [0, 4] {
                let turn = reply().error_after(events, kind, "what happened");
                assert_eq!(hear(dialect, turn).await.unwrap_err(), expected);
            }
        }
    }
}

#[tokio::test]
async fn silence_in_the_middle_is_given_up() {
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
async fn a_slow_model_that_gives_signs_of_life_is_waited_for() {
    let idle = Duration::from_secs(120);
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        server.script([reply().with_pings().slowly(idle / 4)]);
        let provider = provider_with(dialect, server.base_url(), idle);
        let stream = provider.stream(&request(vec![Message::user("Begin.")])).await.unwrap();
        // From here on only the model's pace takes time, and that time is not waited for.
        pause();
        let begun = Instant::now();
        let heard = collect(stream, |_| {}).await.unwrap();
        assert_eq!(heard.text, "one two three four");
        assert!(begun.elapsed() > idle * 3, "{:?}", begun.elapsed());
        server.finish();
        tokio::time::resume();
    }
}
