//! Error responses, by case.

use std::time::Duration;

use llm::ModelError;
use model_server::{Dialect, KEY, ModelServer, Turn};

use crate::fixture::{ask, provider, provider_with, reply_to};

async fn error(dialect: Dialect, turn: Turn) -> ModelError {
    reply_to(dialect, turn).await.expect_err("no reply")
}

#[tokio::test]
async fn overload_and_rate_limit_errors_contain_the_retry_delay() {
    for dialect in Dialect::ALL {
        let wait = |seconds| Some(Duration::from_secs_f64(seconds));
        for (turn, expected) in [
            (
                Turn::error(429, "rate_limit_error", "slow down").header("retry-after", "7"),
                ModelError::RateLimited { retry_after: wait(7.0) },
            ),
            (
                Turn::status(429).header("retry-after-ms", "1500").header("retry-after", "2"),
                ModelError::RateLimited { retry_after: wait(1.5) },
            ),
            (
                Turn::status(429).header("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),
                ModelError::RateLimited { retry_after: wait(0.0) },
            ),
            (
                Turn::error(529, "overloaded_error", "Overloaded").header("retry-after", "30"),
                ModelError::Overloaded { retry_after: wait(30.0) },
            ),
            (Turn::status(503), ModelError::Overloaded { retry_after: None }),
        ] {
            assert_eq!(error(dialect, turn).await, expected);
        }
    }
}

#[tokio::test]
async fn config_errors_name_the_setting() {
    for (dialect, name, variable) in [
        (Dialect::Anthropic, "anthropic", "ANTHROPIC_API_KEY"),
        (Dialect::OpenAi, "openai", "OPENAI_API_KEY"),
    ] {
        for (turn, words) in [
            (Turn::error(401, "authentication_error", KEY), variable),
            (Turn::error(403, "permission_error", "no"), variable),
            (Turn::error(404, "not_found_error", "no such model"), "some-model"),
            (Turn::error(402, "billing_error", "pay"), "quota"),
            (Turn::error(429, "insufficient_quota", "no more"), "quota"),
            (Turn::error(400, "invalid_request_error", "Your credit balance is too low"), "quota"),
        ] {
            let error = error(dialect, turn).await;
            let text = error.to_string();
            assert_eq!(error.class(), llm::ErrorClass::Config, "{text}");
            assert!(text.contains(name) && text.contains(words), "{text}");
            assert!(!text.contains(KEY), "{text}");
        }
    }
}

#[tokio::test]
async fn server_errors_are_unreachable() {
    for dialect in Dialect::ALL {
        for turn in [
            Turn::error(500, "api_error", "oops"),
            Turn::status(502).body("<html>bad gateway</html>"),
            Turn::status(504),
        ] {
            let error = error(dialect, turn).await;
            assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn too_long_and_invalid_requests_are_distinguished() {
    for dialect in Dialect::ALL {
        let long = Turn::error(400, "invalid_request_error", "prompt is too long: 210000 tokens");
        assert_eq!(error(dialect, long).await, ModelError::TooLong);
        assert_eq!(error(dialect, Turn::status(413)).await, ModelError::TooLong);

        let message = format!("tools.0 is wrong, said {KEY}");
        let wrong = error(dialect, Turn::error(400, "invalid_request_error", &message)).await;
        let text = wrong.to_string();
        assert!(matches!(wrong, ModelError::Refused { .. }), "{wrong}");
        assert!(text.contains("tools.0 is wrong") && !text.contains(KEY), "{text}");
    }
}

#[tokio::test]
async fn large_error_body_is_truncated() {
    for dialect in Dialect::ALL {
        let huge = error(dialect, Turn::status(400).body("ä".repeat(20 << 20))).await;
        assert!(huge.to_string().len() < 2_000);
    }
}

#[tokio::test]
async fn html_response_is_malformed() {
    for dialect in Dialect::ALL {
        let page = Turn::status(200).header("content-type", "text/html").body("<p>Sign in</p>");
        let error = error(dialect, page).await;
        assert!(matches!(error, ModelError::Malformed { .. }), "{error}");
    }
}

#[tokio::test]
async fn redirect_is_not_followed() {
    for dialect in Dialect::ALL {
        let elsewhere = ModelServer::start(dialect).await;
        let redirect = Turn::status(307).header("location", &elsewhere.base_url());
        let error = error(dialect, redirect).await;
        assert!(error.to_string().contains("base URL"), "{error}");
        assert_eq!(elsewhere.requests().len(), 0);
        elsewhere.finish();
    }
}

#[tokio::test]
async fn refused_connection_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for dialect in Dialect::ALL {
        let error = ask(&*provider(dialect, base_url.clone()), vec![]).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
        assert!(error.to_string().contains("refused"), "{error}");
    }
}

#[tokio::test]
async fn silent_server_times_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let idle = Duration::from_millis(50);
    for dialect in Dialect::ALL {
        let provider = provider_with(dialect, base_url.clone(), idle);
        let error = ask(&*provider, vec![]).await.unwrap_err();
        assert_eq!(error, ModelError::Timeout { after: idle });
    }
}
