//! What a person does in a build: answers about an assumption before the work, and confirms, accepts
//! and dismisses what is open before the seal.

use domain::{
    event::{life::Sealed, questions::ClarificationKind},
    verdict::ClauseKind,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    harness::text,
    mcp_client::Client,
    open_items_fixture::{begin, sealed, until_asked},
};

/// What the seal says about a clause.
fn clause(sealed: &Sealed, kind: ClauseKind) -> String {
    let mut clauses = sealed.evidence.clauses.iter();
    let clause = clauses.find(|clause| clause.clause == kind).expect("the clause");
    clause.proofs.iter().map(|proof| proof.what.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn person_answers_confirms_accepts_and_dismisses_until_the_build_is_certified() {
    let (mut build, model) = begin().await;
    let here = format!("/api/builds/{}", build.build);
    let question = until_asked(&mut build, ClarificationKind::Assumption).await;
    build.answer = Some(json!({ "question_id": question, "answer": "It greets everyone." }));

    let question = until_asked(&mut build, ClarificationKind::Confirmation).await;
    let blueprint =
        build.server.get(&format!("/api/projects/{}/contracts/blueprint", build.project)).await;
    let content = text(&blueprint["content"]);
    assert!(content.contains("- **R-1** (must, stated) It greets everyone.\n"), "{content}");
    let prompts: Vec<String> = model
        .requests()
        .iter()
        .filter(|seen| seen.turn() == 0)
        .map(|it| it.json["messages"].to_string())
        .collect();
    let is_told = |prompt: &String| prompt.contains("- R-1 now reads: It greets everyone.");
    assert!(!prompts.is_empty() && prompts.iter().all(is_told), "{prompts:?}");

    let shown = build.server.get(&here).await;
    assert_eq!(shown["status"], "awaiting_input");
    assert_eq!(shown["open_clarifications"][0]["kind"], "confirmation");
    let open = build.server.get(&format!("{here}/open-items")).await;
    let head_sha = text(&open["head_sha"]);
    assert_eq!(
        (&open["is_waiting"], &open["criteria"][0]["text"]),
        (&json!(true), &json!("R-1 — person"))
    );
    assert_eq!(open["criteria"][0]["requirement"], "It greets everyone.");
    let post = async |path: &str, body: Value| {
        build.server.request(Method::POST, &format!("{here}/{path}"), Some(body)).await
    };
    let confirm = "criteria/0/1/confirm";
    let rejection = json!({ "result": "rejected", "head_sha": head_sha });
    post(confirm, rejection).await.problem(422);
    let old = json!({ "result": "confirmed", "head_sha": "0".repeat(40) });
    post(confirm, old).await.problem(409);
    let by_test = json!({ "result": "confirmed", "head_sha": head_sha });
    post("criteria/0/2/confirm", by_test).await.problem(409);
    post("findings/F-9/dismiss", json!({ "reason": "no" })).await.problem(404);
    post("findings/F-1/dismiss", json!({ "reason": "" })).await.problem(422);

    let confirmation = json!({ "result": "confirmed", "note": "tried it", "head_sha": head_sha });
    let open = post(confirm, confirmation).await.json();
    assert_eq!(open["criteria"][0]["confirmation"]["result"], "confirmed");
    for place in open["weakened_tests"].as_array().expect("places") {
        let path = format!("weakened-tests/{}/clear", place["number"]);
        post(&path, json!({ "reason": "waving comes later", "head_sha": head_sha })).await.json();
    }
    let open = post("findings/F-1/dismiss", json!({ "reason": "it is short" })).await.json();
    assert_eq!((&open["weakened_tests"], &open["findings"]), (&json!([]), &json!([])));
    build.answer = Some(json!({ "question_id": question, "answer": "Seal the build" }));
    build.run_to_the_end().await;

    let seal = sealed(&build);
    assert_eq!(seal.verdict.name(), "CERTIFIED", "{:?}", seal.evidence);
    let criteria = clause(seal, ClauseKind::Criteria);
    assert!(criteria.contains("confirmed by ") && criteria.contains(": tried it"), "{criteria}");
    let tests = clause(seal, ClauseKind::Tests);
    assert!(tests.contains(": waving comes later"), "{tests}");
    let findings = clause(seal, ClauseKind::Findings);
    assert!(findings.contains("It has no comment. — dismissed by "), "{findings}");
    let summary = build.server.get(&here).await;
    build.assert_journal_is_whole(&summary).await;
    build.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn build_without_answers_is_conditional() {
    let (mut build, _model) = begin().await;
    build.run_to_the_end().await;
    let seal = sealed(&build);
    assert_eq!(seal.verdict.name(), "CONDITIONAL", "{:?}", seal.evidence);
    let requirements = clause(seal, ClauseKind::Requirements);
    assert!(requirements.contains("R-1: It greets friends"), "{requirements}");
    let summary = build.server.get(&format!("/api/builds/{}", build.build)).await;
    build.assert_journal_is_whole(&summary).await;
    build.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_client_lets_a_build_be_sealed_with_open_items_and_changes_no_verdict() {
    let (mut build, _model) = begin().await;
    let key = build.server.post("/api/forge-keys", json!({ "name": "editor" })).await;
    let origin = format!("http://{}", build.server.address());
    let http = support::http_client().build().expect("a client");
    let client = Client::open_at(&origin, http, &text(&key["key"])).await;
    let here = json!({ "build_id": build.build.to_string() });
    let accepts = json!({ "build_id": build.build.to_string(), "accept_open_items": true });
    let kinds = |state: &Value| {
        let missing = state["before_seal"].as_array().expect("a list").iter();
        missing.map(|one| text(&one["kind"])).collect::<Vec<_>>()
    };

    let assumption = until_asked(&mut build, ClarificationKind::Assumption).await;
    let state = client.data("forge_seal_branch", accepts.clone()).await;
    assert_eq!(kinds(&state)[..2], ["assumption", "phase"]);
    assert_eq!(state["accepted_open_items"], false, "another question is not answered");
    build.answer = Some(json!({ "question_id": assumption, "skip": true }));

    until_asked(&mut build, ClarificationKind::Confirmation).await;
    let state = client.data("forge_seal_branch", here.clone()).await;
    assert_eq!(kinds(&state), ["open_items"]);
    assert_eq!(
        (&state["before_seal"][0]["waits_for_user"], &state["seal"]),
        (&json!(true), &Value::Null)
    );
    let state = client.data("forge_seal_branch", accepts.clone()).await;
    assert_eq!(state["accepted_open_items"], true);
    build.run_to_the_end().await;

    let state = client.data("forge_seal_branch", accepts).await;
    assert_eq!((&state["accepted_open_items"], kinds(&state)), (&json!(false), vec![]));
    let seal = sealed(&build);
    assert_eq!(seal.verdict.name(), "CONDITIONAL", "{:?}", seal.evidence);
    assert_eq!(state["seal"]["verdict"], seal.verdict.name());
    assert_eq!(state["seal"]["seal_commit"], seal.seal_commit);
    let report = json!({ "uri": state["seal"]["report"] });
    let report = client.request("resources/read", report).await;
    assert!(text(&report["result"]["contents"][0]["text"]).contains("CONDITIONAL"));
    let refused = client.rejection(
        "forge_abandon_branch",
        json!({ "reason": "late", "build_id": here["build_id"] }),
    );
    refused.await;
    build.server.stop().await;
}
