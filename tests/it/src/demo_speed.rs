//! The speed of demo builds.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance},
    watched_build::WatchedBuild,
};

#[tokio::test]
async fn demo_build_skips_delays_when_told_to() {
    // At any other speed, the first word would take minutes.
    let mut demo = WatchedBuild::demo_without_mutants(&[("FORGEGUARD_DEMO_PACE", "1000000")]).await;
    let path = format!("/api/builds/{}/demo-speed", demo.build);
    assert_eq!(demo.server.get(&path).await, json!({ "speed": "normal" }));
    let body = json!({ "speed": "instant" });
    let changed = demo.server.request(Method::PUT, &path, Some(body.clone())).await;
    assert_eq!(changed.status, 204);
    assert_eq!(demo.server.get(&path).await, body);
    demo.run_to_the_end().await;
    demo.assert_certified().await;
}

support::on_both! {
    async fn other_builds_have_no_speed(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let path = format!("/api/builds/{build}/demo-speed");
        let changed = ada.put(&path, json!({ "speed": "fast" })).await;
        assert_eq!(changed.status, 409);
        assert_eq!(ada.get(&path).await.json(), json!({ "speed": "normal" }));
        let unknown: Value = ada.put(&path, json!({ "speed": "warp" })).await.json();
        assert_eq!(unknown["status"], 422, "{unknown}");
        instance.stop().await;
    }
}
