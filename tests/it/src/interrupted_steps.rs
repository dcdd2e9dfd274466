//! A worker process that ends twice during the same step: the build is blocked with the reason, and
//! the service keeps serving.

use domain::event::{Event, EventBody, life::BlockReason};
use model_server::Dialect;
use serde_json::json;

use crate::{greeting_project, project_fixture::ProjectFixture, watched_build::WatchedBuild};

#[tokio::test(flavor = "multi_thread")]
async fn build_is_blocked_when_the_worker_ends_twice_during_the_same_gate() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    greeting_project::prepare(&fixture).await;
    let gate = json!({
        "name": "test", "command": "while test -e greeting-0.txt; do echo begun; sleep 1; done", "timeout_s": 900, "required": true,
        "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    let ProjectFixture { server, model, project } = fixture;
    let mut watched = WatchedBuild::begin(server, project).await;
    watched.resumes_parked = false;
    let validated = |_, event: &Event| matches!(&event.body, EventBody::BuildGateFinished(it) if it.gate == "validate");
    watched.run_until(validated).await.expect("the other gate has run");
    for _ in 0..2 {
        watched.wait_for("output", "begun").await;
        watched.kill_and_restart().await;
    }
    let blocked = |_, event: &Event| matches!(event.body, EventBody::BuildBlocked(_));
    let event = watched.run_until(blocked).await.expect("it is parked");
    let EventBody::BuildBlocked(blocked) = &event.body else { unreachable!("it is one") };
    assert_eq!(blocked.reason, BlockReason::WorkerEnded);
    let reason = "ended twice while it ran the gates of phase 0 (test)";
    assert!(blocked.report.contains(reason), "{}", blocked.report);

    // The service keeps serving, and a user decides how to continue.
    let path = format!("/api/builds/{}", watched.build);
    let build = watched.server.get(&path).await;
    assert_eq!(build["status"], "blocked", "{build}");
    assert_eq!(build["blocked_reason"], "worker_ended", "{build}");
    watched.server.post(&format!("{path}/resume"), json!({})).await;
    watched.wait_for("output", "begun").await;
    watched.server.post(&format!("{path}/cancel"), json!({})).await;
    watched.run_to_the_end().await;
    assert_eq!(watched.server.get(&path).await["status"], "abandoned");
    model.finish();
    watched.server.stop().await;
}
