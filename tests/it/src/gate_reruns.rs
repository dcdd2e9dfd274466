//! Gates of a sealed build that run again for a reviewer.

use std::{env, fs, os::unix::fs::PermissionsExt, path::Path, time::Duration};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::{harness::text, outages::eventually, watched_build::WatchedBuild};

const NO_PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "0");
const TIMEOUT: Duration = Duration::from_secs(120);

/// Commands in the sandbox see folders of tools on the PATH, but not the rest of `/tmp`.
fn visible_folder() -> TempDir {
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    fs::write(folder.path().join("go"), "").expect("a file");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("permissions");
    folder
}

/// Passes while the file `ok` exists, after waiting while `hold` does.
fn gate(folder: &Path) -> Value {
    let folder = folder.display();
    let command =
        format!("echo begun; while [ -e {folder}/hold ]; do sleep 0.1; done; cat {folder}/ok");
    json!({
        "name": "flag", "command": command, "timeout_s": 300, "required": true, "network": false
    })
}

/// The newest run, once it has this state.
async fn newest(build: &WatchedBuild, state: &str) -> Value {
    let path = format!("/api/builds/{}/gate-reruns", build.build);
    let read = async || build.server.get(&path).await["items"][0].clone();
    let reached = eventually(async || read().await["state"] == state);
    timeout(TIMEOUT, reached).await.unwrap_or_else(|_| panic!("no run is {state}"));
    read().await
}

#[tokio::test]
async fn reviewer_runs_the_gates_of_a_sealed_build_again() {
    let folder = visible_folder();
    let [ok, hold] = ["ok", "hold"].map(|name| folder.path().join(name));
    fs::write(&ok, "it holds\n").expect("a file");
    let path = format!("{}:{}", folder.path().display(), env::var("PATH").expect("a path"));
    let settings = [NO_PACE, ("PATH", path.as_str())];
    let mut build = WatchedBuild::demo_with_gates(&settings, json!([gate(folder.path())])).await;
    let rerun = format!("/api/reviews/{}/gate-reruns", build.build);
    let early = build.server.request(Method::POST, &rerun, None).await;
    assert_eq!(early.status, StatusCode::NOT_FOUND, "only sealed builds are reviewed");
    build.run_to_the_end().await;
    let sealed = build.server.get(&format!("/api/builds/{}", build.build)).await;

    fs::write(&hold, "").expect("a file");
    let started = build.server.request(Method::POST, &rerun, None).await;
    assert_eq!(started.status, StatusCode::ACCEPTED, "{}", started.text);
    let second = build.server.request(Method::POST, &rerun, None).await;
    assert_eq!(second.status, StatusCode::CONFLICT, "{}", second.text);
    newest(&build, "running").await;
    build.kill_and_restart().await;
    fs::remove_file(&hold).expect("a file");
    let first = newest(&build, "finished").await;
    let result = &first["results"][0];
    assert_eq!(first["results"].as_array().map(Vec::len), Some(1), "{first}");
    assert_eq!((&result["gate"], &result["passed"]), (&json!("flag"), &json!(true)), "{result}");
    assert_eq!((&result["passed_at_seal"], &result["exit_code"]), (&json!(true), &json!(0)));
    assert!(text(&result["output"]).contains("it holds"), "{result}");

    fs::remove_file(&ok).expect("a file");
    let again = build.server.request(Method::POST, &rerun, None).await;
    assert_eq!(again.status, StatusCode::ACCEPTED, "{}", again.text);
    let second = newest(&build, "finished").await;
    assert_ne!(first["id"], second["id"]);
    assert_eq!(second["results"][0]["passed"], json!(false), "{second}");
    assert_eq!(second["results"][0]["passed_at_seal"], json!(true));

    // The seal stays as it was, and both runs are in the audit log.
    let after = build.server.get(&format!("/api/builds/{}", build.build)).await;
    assert_eq!(sealed["seal"], after["seal"]);
    let verified = build.server.get(&format!("/api/builds/{}/verify", build.build)).await;
    assert_eq!(verified["ok"], json!(true), "{verified}");
    let log = build.server.get("/api/audit-log?action=gate_rerun_finished").await;
    assert_eq!(log["items"].as_array().map(Vec::len), Some(2), "{log}");
    build.assert_no_process_is_left();
    build.server.stop().await;
}
