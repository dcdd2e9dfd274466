//! `/readyz` of a node with a failing component.

use std::time::Duration;

use reqwest::Method;
use tokio::time::timeout;

use crate::harness::{ApiResponse, Database, Instance, send};

const READINESS_TIMEOUT: Duration = Duration::from_secs(30);

support::on_both! {
    async fn node_with_a_failing_loop_is_not_ready(database: Database) {
        let instance = Instance::start(&database).await;
        let before = readiness(&instance).await;
        assert_eq!(before.status, 200, "{}", before.text);
        let supervisor = instance.app.journal.supervisor();
        let failing = supervisor.spawn("loop of this test", || async { panic!("it always does") });
        let not_ready = async {
            loop {
                let answer = readiness(&instance).await;
                if answer.status == 503 {
                    return answer;
                }
            }
        };
        let answer = timeout(READINESS_TIMEOUT, not_ready).await.expect("it shows");
        let problem = answer.problem(503);
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains("loop of this test"), "{detail}");
        failing.abort();
        instance.stop().await;
    }
}

async fn readiness(instance: &Instance) -> ApiResponse {
    send(instance.client().request(Method::GET, format!("{}/readyz", instance.url))).await
}
