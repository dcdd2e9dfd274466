//! The transcripts of a build's agents, as a user reads them.

use domain::event::EventBody;
use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};

use crate::{
    agent::Agent, harness::text, project_fixture::ProjectFixture, watched_build::WatchedBuild,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
const SECRET: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
/// Longer than what a page shows of a text.
const GREETINGS: usize = 2_000;

fn turn(seen: &Seen) -> Turn {
    match (Agent::of(seen), seen.turn()) {
        (Agent::Planner, 0) => Turn::reply()
            .thinks(format!("Is {SECRET} needed?"))
            .calls("forge_get_phase_brief", json!({ "phase_number": 0 })),
        (Agent::Planner, _) => Turn::says(format!("No need of GITHUB_TOKEN={SECRET}."))
            .calls("submit_plan", json!({ "steps": ["Greet"] })),
        (Agent::Coder, 0) => {
            let content = "Hello\n".repeat(GREETINGS);
            Turn::reply()
                .calls("write_file", json!({ "path": "greeting.txt", "content": content }))
                .calls("run_command", json!({ "command": format!("echo '{SECRET}'") }))
        }
        (Agent::Coder, _) => Turn::reply()
            .calls("finish_step", json!({ "step": 1 }))
            .calls("finish_phase", json!({ "summary": "It greets." })),
        (Agent::Auditor, 0) => Turn::reply().calls("read_file", json!({ "path": "greeting.txt" })),
        _ => Turn::says(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
             === END PHASE SIGN-OFF ===",
        ),
    }
}

fn texts<'a>(item: &'a Value, list: &str, name: &str) -> Vec<&'a str> {
    let list = item[list].as_array().expect("a list");
    list.iter().map(|entry| entry[name]["text"].as_str().expect("a text")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn transcript_shows_a_conversation_page_by_page_without_secrets() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(turn);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    fixture.set("settings", json!({ "gates": [], "clarification_timeout_s": null })).await;
    let mut build = WatchedBuild::begin(fixture.server, fixture.project).await;
    build.run_to_the_end().await;
    let (server, build_id) = (&build.server, build.build);

    let runs = server.get(&format!("/api/builds/{build_id}/runs")).await;
    let runs = runs["items"].as_array().expect("runs").clone();
    let tasks: Vec<&str> = runs.iter().map(|run| run["task"].as_str().expect("a task")).collect();
    assert_eq!(tasks, ["plan", "execute", "audit"]);
    assert_eq!(runs[0]["conversation"], runs[1]["conversation"]);
    assert_eq!(runs[2]["conversation"], runs[2]["run_id"]);
    let turns = build.events.iter().filter(|it| matches!(it.body, EventBody::BuildAgentTurn(_)));
    let counted: u64 = runs.iter().map(|run| run["turns"].as_u64().expect("a count")).sum();
    assert_eq!(counted, turns.count() as u64);
    for run in &runs {
        assert_eq!(run["outcome"]["result"], "completed", "{run}");
        assert!(run["finished_at"].is_string() && run["cost_usd_micros"].as_u64() > Some(0));
    }

    // Any run of the conversation leads to all of it.
    let base = format!("/api/builds/{build_id}/runs/{}/transcript", text(&runs[1]["run_id"]));
    let whole = server.get(&format!("{base}?limit=200")).await;
    assert!(text(&whole["system"]).contains("You are the coder"), "{whole}");
    assert!(whole["tools"].as_array().expect("tools").contains(&json!("submit_plan")));
    assert_eq!((&whole["role"], &whole["next"]), (&json!("coder"), &Value::Null));
    let (mut items, mut after) = (Vec::new(), String::new());
    loop {
        let page = server.get(&format!("{base}?limit=2{after}")).await;
        items.extend(page["items"].as_array().expect("items").clone());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(Value::from(items.clone()), whole["items"]);

    assert_eq!(items[0]["author"], "user");
    assert_eq!(items[1]["reasoning"]["text"], "Is [redacted] needed?");
    let replies: Vec<&Value> = items.iter().filter(|it| it["author"] == "assistant").collect();
    let said = replies[1]["texts"][0]["text"].as_str();
    assert_eq!(said, Some("No need of GITHUB_TOKEN=[redacted]."));
    assert!(texts(replies[2], "tool_calls", "input")[1].contains("echo '[redacted]'"));
    assert!(!whole.to_string().contains(SECRET) && !whole.to_string().contains("ghp_"));
    let results = items.iter().flat_map(|item| texts(item, "tool_results", "output"));
    assert!(results.into_iter().any(|output| output.contains("exit code 0\n[redacted]")));

    // What is shortened can be read in full.
    let input = &replies[2]["tool_calls"][0]["input"];
    assert_eq!(input["is_cut"], true);
    let position = &replies[2]["position"];
    let full = server.get(&format!("{base}/{position}")).await;
    let full = full["tool_calls"][0]["input"]["text"].as_str().expect("the input");
    assert_eq!(Some(full.len() as u64), input["bytes"].as_u64());
    assert_eq!(full.matches("Hello").count(), GREETINGS);

    for wrong in [
        format!("{base}/9999"),
        format!("/api/builds/{build_id}/runs/{build_id}/transcript"),
        format!("/api/builds/{build_id}/runs/nothing/transcript"),
    ] {
        let answer = server.request(reqwest::Method::GET, &wrong, None).await;
        assert_eq!(answer.status, 404, "{wrong}");
    }
    let answer = server.request(reqwest::Method::GET, &format!("{base}?after=1"), None).await;
    assert_eq!(answer.status, 422);
    fixture.model.finish();
    build.server.stop().await;
}
