//! Two builds of a project compared: changes, usage, errors and requirements.

use domain::{
    errors::{ErrorRecord, Severity},
    event::{
        branch::{BranchLife, BranchStatus},
        gates::ErrorTracked,
        life::Started,
    },
    gate::SandboxLevel,
    ids::{BuildId, ProjectId},
};
use forgeguard::store;
use futures::future::{FutureExt, ready};
use serde_json::{Value, json};

use crate::{
    clarifications::append,
    harness::{Database, Instance, Person, text},
    sealed_build::{FILE, PICTURE, sealed_build, sealed_build_of},
};

async fn second_build(instance: &Instance, owner: &Person, first: BuildId) -> (String, BuildId) {
    let project = text(&owner.get(&format!("/api/builds/{first}")).await.json()["project_id"]);
    let id: ProjectId = project.parse().unwrap();
    let second = sealed_build_of(instance, owner, id, &|_, _| ready(()).boxed()).await;
    (project, second)
}

/// An occurrence of the error with this fingerprint.
fn tracked(build_id: BuildId, fingerprint: &str) -> ErrorTracked {
    let at = store::now();
    let record = ErrorRecord {
        id: store::new_id(),
        build_id,
        fingerprint: fingerprint.to_owned(),
        first_seen: at,
        last_seen: at,
        occurrence_count: 1,
        phase: None,
        file_path: None,
        source: "gate:test".to_owned(),
        severity: Severity::Error,
        message: format!("{fingerprint} failed"),
        resolved: false,
        resolved_at: None,
        resolution_method: None,
        resolution_summary: None,
        regression: false,
    };
    ErrorTracked { record }
}

/// Starts a queued build from this commit.
async fn start(instance: &Instance, build: BuildId, baseline: &str) {
    let branch = format!("forge/build-{build}");
    let started = Started {
        node: "node-1".to_owned(),
        attempt: 1,
        baseline_sha: baseline.to_owned(),
        branch: branch.clone(),
        sandbox: SandboxLevel::None,
    };
    append(instance, build, started).await;
    let status = BranchStatus {
        branch,
        baseline_sha: baseline.to_owned(),
        head_sha: baseline.to_owned(),
        commit_count: 0,
        status: BranchLife::Active,
    };
    append(instance, build, status).await;
}

fn fingerprints(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|error| text(&error["fingerprint"])).collect()
}

support::on_both! {
    async fn two_sealed_builds_are_compared(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let first = sealed_build(&instance, &ada).await;
        let (project, second) = second_build(&instance, &ada, first).await;
        let path = format!("/api/projects/{project}/compare");
        let both = ada.get(&format!("{path}?from=1&to=2")).await.json();
        let (from, to) = (&both["from"], &both["to"]);
        assert_eq!((&from["id"], &to["id"]), (&json!(first), &json!(second)));
        assert_eq!((&from["number"], &to["number"]), (&json!(1), &json!(2)));
        for build in [from, to] {
            assert_eq!((&build["verdict"], &build["replies"]), (&json!("CERTIFIED"), &json!(4)));
            assert_eq!((&build["spent"]["tokens_in"], &build["spent"]["usd_micros"]), (&json!(400), &json!(28)));
            assert!(build["score"].as_u64().is_some() && build["head_sha"].is_string(), "{build}");
        }

        // The branches of both builds differ in nothing: no file, and none by name.
        let diff = format!("{path}/diff?from=1&to=2");
        assert_eq!(ada.get(&diff).await.json()["files"], json!([]));
        ada.get(&format!("{diff}&path=missing.js")).await.problem(404);
        ada.get(&format!("{diff}&path=../x")).await.problem(422);

        // Builds are named by their numbers in this project, and only by those who may read it.
        for (query, status) in [("from=1&to=1", 422), ("from=1&to=9", 404), ("from=1", 422), ("from=x&to=2", 422)] {
            ada.get(&format!("{path}?{query}")).await.problem(status);
            ada.get(&format!("{path}/diff?{query}")).await.problem(status);
        }
        eve.get(&format!("{path}?from=1&to=2")).await.problem(404);
        eve.get(&diff).await.problem(404);
        instance.stop().await;
    }

    async fn unfinished_build_is_compared_as_it_is(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Lists").await;
        let found = |build, _| {
            let instance = &instance;
            async move {
                for fingerprint in ["old", "both"] {
                    append(instance, build, tracked(build, fingerprint)).await;
                }
            }
            .boxed()
        };
        let first = sealed_build_of(&instance, &ada, project.parse().unwrap(), &found).await;
        let second = instance.queue_build(&project, &ada.id).await;
        let path = format!("/api/projects/{project}/compare");
        let both = ada.get(&format!("{path}?from=1&to=2")).await.json();
        let to = &both["to"];
        assert_eq!((&to["status"], &to["head_sha"], &to["score"]), (&json!("queued"), &json!(null), &json!(null)));
        assert_eq!(fingerprints(&both["errors"]["gone"]), ["old", "both"]);
        // Without a branch there is nothing to compare, in either direction.
        for query in ["from=1&to=2", "from=2&to=1"] {
            assert_eq!(ada.get(&format!("{path}/diff?{query}")).await.json()["files"], json!([]), "{query}");
            ada.get(&format!("{path}/diff?{query}&path={FILE}")).await.problem(404);
        }

        let baseline = text(&ada.get(&format!("/api/builds/{first}")).await.json()["baseline_sha"]);
        start(&instance, second, &baseline).await;
        for fingerprint in ["both", "new"] {
            append(&instance, second, tracked(second, fingerprint)).await;
        }
        let errors = &ada.get(&format!("{path}?from=1&to=2")).await.json()["errors"];
        for (kind, expected) in [("new", "new"), ("gone", "old"), ("same", "both")] {
            assert_eq!(fingerprints(&errors[kind]), [expected]);
            assert_eq!(errors[format!("{kind}_count")], 1);
        }
        // The newest commits are compared: here one without the sealed change.
        let changed = |diff: &Value| -> Vec<(String, String)> {
            let files = diff["files"].as_array().unwrap().iter();
            files.map(|file| (text(&file["path"]), text(&file["status"]))).collect()
        };
        let of = |path: &str, status: &str| (path.to_owned(), status.to_owned());
        let diff = ada.get(&format!("{path}/diff?from=2&to=1")).await.json();
        assert_eq!(changed(&diff), [of(FILE, "modified"), of(PICTURE, "added")]);
        let diff = ada.get(&format!("{path}/diff?from=1&to=2")).await.json();
        assert_eq!(changed(&diff), [of(FILE, "modified"), of(PICTURE, "deleted")]);
        let file = ada.get(&format!("{path}/diff?from=2&to=1&path={FILE}")).await.json();
        let lines: Vec<_> = file["hunks"][0]["lines"].as_array().unwrap().iter().map(|line| text(&line["kind"])).collect();
        assert_eq!(lines, ["context", "delete", "insert"], "{file}");
        instance.stop().await;
    }
}
