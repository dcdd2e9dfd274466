//! Gates with network access: what they can reach, and when they are not run.

use domain::event::{EventBody, gates::GateFinished, life::BlockReason};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{server_process::ServerProcess, watched_build::WatchedBuild};

const PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "0");

fn gate_with_network(command: &str) -> Value {
    json!([{
        "name": "fetch", "command": command, "timeout_s": 60, "required": true, "network": true,
    }])
}

/// A server with this network section in its configuration.
async fn server(level: &str, network: &str) -> ServerProcess {
    let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
    let file = folder.path().join("forgeguard.toml");
    std::fs::write(file, format!("[network]\n{network}\n")).expect("a file");
    ServerProcess::start_in(folder, &[PACE, ("FORGEGUARD_SANDBOX", level)]).await
}

async fn outcome_of_gate(build: &mut WatchedBuild) -> GateFinished {
    let is_gate = |event: &EventBody| matches!(event, EventBody::BuildGateFinished(gate) if gate.gate == "fetch");
    let event = build.run_until(|_, event| is_gate(&event.body)).await.expect("the gate runs");
    match event.body {
        EventBody::BuildGateFinished(gate) => gate,
        other => panic!("not the end of a gate: {other:?}"),
    }
}

#[tokio::test]
async fn gate_with_network_cannot_reach_the_service_or_a_database_of_its_host() {
    let server = server("strict", "").await;
    let address = server.address().trim_start_matches("http://").to_owned();
    let command = format!(
        "for at in {address} 127.0.0.1:5432; do \
         curl -sS --max-time 10 http://$at/readyz; \
         curl -sS --max-time 10 --noproxy '' http://$at/readyz; done"
    );
    let mut build = WatchedBuild::demo_on(server, gate_with_network(&command)).await;
    let gate = outcome_of_gate(&mut build).await;
    for destination in [address.as_str(), "127.0.0.1:5432"] {
        let refusal =
            format!("connection to {destination} refused: loopback addresses are not allowed");
        let direct = format!("port {}", destination.rsplit(':').next().expect("a port"));
        for expected in [format!("\n{refusal}\n"), format!("\nnetwork: {refusal}"), direct] {
            assert!(
                format!("\n{}", gate.output).contains(&expected),
                "{expected}: {}",
                gate.output
            );
        }
    }
    assert!(!gate.output.contains("ready"), "{}", gate.output);
    build.server.stop().await;
}

#[tokio::test]
async fn gate_with_network_reaches_an_allowed_service_of_its_host() {
    let server = server("strict", "allow = ['127.0.0.0/8']").await;
    let command = format!("curl -sS --fail --noproxy '' {}/readyz", server.address());
    let mut build = WatchedBuild::demo_on(server, gate_with_network(&command)).await;
    let gate = outcome_of_gate(&mut build).await;
    assert!(gate.passed, "{}", gate.output);
    build.server.stop().await;
}

#[tokio::test]
async fn gate_with_network_blocks_its_build_if_network_is_unavailable() {
    for (level, network, reason) in [
        ("landlock", "", "only the strict sandbox can restrict to allowed destinations"),
        ("strict", "enabled = false", "disabled on this installation"),
    ] {
        let server = server(level, network).await;
        let mut build = WatchedBuild::demo_on(server, gate_with_network("true")).await;
        let blocked = build.run_until_blocked().await;
        assert_eq!(blocked.reason, BlockReason::Config);
        assert!(blocked.report.contains(reason), "{}", blocked.report);
        build.server.stop().await;
    }
}
