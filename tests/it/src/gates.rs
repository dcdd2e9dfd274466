//! Gates of a project: detection in its repository, and how they are run.

use std::collections::BTreeSet;

use domain::event::{Event, EventBody, gates::GateFinished};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{
    harness::{Database, Instance, Person, text},
    watched_build::WatchedBuild,
};

async fn queued_gates(owner: &Person, project: &str) -> (Value, Value) {
    let build = owner
        .post(
            &format!("/api/projects/{project}/builds"),
            json!({ "budgets": { "usd_micros": "unlimited" } }),
        )
        .await
        .json();
    let path = format!("/api/builds/{}", text(&build["id"]));
    let events = owner.get(&format!("{path}/events")).await.json();
    let queued = events["items"][0]["payload"].clone();
    owner.post(&format!("{path}/cancel"), json!({})).await;
    (build, queued)
}

support::on_both! {
    async fn gates_are_detected_and_not_saved(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let path = format!("/api/projects/{demo}");
        let settings = admin.get(&format!("{path}/settings")).await.json();
        let found = admin.get(&format!("{path}/gates/detected")).await.json();
        assert_eq!((&found["branch"], text(&found["sha"]).len()), (&json!("main"), 40));
        let suggested = json!([{
            "name": "test", "command": "npm test", "timeout_s": 1800, "required": true,
            "network": false, "reason": "package.json has a script test", "runs_tests": true,
        }]);
        assert_eq!(found["items"], suggested);
        assert_eq!(admin.get(&format!("{path}/settings")).await.json(), settings);

        let empty = format!("/api/projects/{}/gates/detected", admin.project("Empty").await);
        assert_eq!(admin.get(&empty).await.json()["items"], json!([]));
        instance.stop().await;
    }

    async fn build_uses_configured_or_detected_gates(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let path = format!("/api/projects/{demo}/settings");
        let save = async |settings: Value| admin.put(&path, settings).await.status;
        let (build, queued) = queued_gates(&admin, &demo).await;
        assert_eq!((&build["gates"][0]["command"], &build["gates_detected"]), (&json!("node --test"), &json!(false)));
        assert_eq!(queued["gates_detected"], Value::Null);

        assert_eq!(save(json!({"gates": []})).await, 200);
        let (build, queued) = queued_gates(&admin, &demo).await;
        assert_eq!((&build["gates"][0]["command"], &build["gates_detected"]), (&json!("npm test"), &json!(true)));
        assert_eq!((&queued["gates"], &queued["gates_detected"]), (&build["gates"], &json!(true)));

        assert_eq!(save(json!({"gates": [], "detect_gates": false})).await, 200);
        let (build, _) = queued_gates(&admin, &demo).await;
        assert_eq!((&build["gates"], &build["gates_detected"]), (&json!([]), &json!(false)));
        instance.stop().await;
    }
}

/// The rounds of gates in the journal: those that were started, in order, and their results.
fn rounds(events: &[Event], phase: Option<u32>) -> Vec<(Vec<&str>, Vec<&GateFinished>)> {
    let mut rounds: Vec<(Vec<&str>, Vec<&GateFinished>)> = Vec::new();
    for event in events {
        match &event.body {
            EventBody::BuildGateStarted(it) if it.phase == phase => match rounds.last_mut() {
                // A start before the first result belongs to the same round.
                Some((started, ended)) if ended.is_empty() => started.push(&it.gate),
                _ => rounds.push((vec![&it.gate], Vec::new())),
            },
            EventBody::BuildGateFinished(it) if it.phase == phase => {
                rounds.last_mut().expect("it was started").1.push(it);
            }
            _ => {}
        }
    }
    rounds
}

#[tokio::test]
async fn gates_run_concurrently_and_failed_ones_first_after_a_fix() {
    let mut demo = WatchedBuild::demo_with_gates(&[("FORGEGUARD_DEMO_PACE", "0")], json!([])).await;
    demo.run_to_the_end().await;
    demo.assert_certified().await;

    let names = |round: &(Vec<&str>, Vec<&GateFinished>)| -> Vec<String> {
        assert_eq!(round.0.len(), round.1.len(), "all had begun before one had ended: {round:?}");
        let started: BTreeSet<_> = round.0.iter().map(|name| (*name).to_owned()).collect();
        started.into_iter().collect()
    };
    // The second phase has a missing edge case: its first round fails, and its fix is checked
    // first.
    let second: Vec<_> = rounds(&demo.events, Some(1)).iter().map(names).collect();
    assert_eq!(
        second,
        [vec!["scope", "test", "validate"], vec!["test"], vec!["scope", "validate"]]
    );
    let last: Vec<_> = rounds(&demo.events, None).iter().map(names).collect();
    assert_eq!(last, [["test", "validate"]], "everything once more on the sealed head");

    let ended = demo.events.iter().filter_map(|event| match &event.body {
        EventBody::BuildGateFinished(it) => Some(it),
        _ => None,
    });
    let commands: Vec<_> = ended.filter(|gate| !gate.command.is_empty()).collect();
    assert!(commands.iter().all(|gate| gate.command == "npm test"), "{commands:?}");
    assert!(commands.iter().any(|gate| !gate.passed));
    for gate in commands {
        assert!(gate.output.contains("pass "), "{}", gate.output);
        assert_eq!(hex::encode(Sha256::digest(&gate.output)), gate.output_sha256);
    }
    demo.server.stop().await;
}
