//! A project with failing tests: each failing test is a separate error with its file, its count and
//! its resolution.

use std::time::Duration;

use domain::{
    errors::Severity,
    event::{Event, EventBody},
    tracking,
};
use forgeguard::{journal::Entry, store};
use model_server::{Dialect, Seen, Turn};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    follower::Follower,
    harness::{Database, Instance, text},
    project_fixture::ProjectFixture,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Shelf\n**Deliverables:**\n- shelf.js\n\
    **Exit criteria:**\n- it adds\n";
const SHELF: &str =
    "export const add = (a, b) => a - b;\nexport const subtract = (a, b) => a + b;\n";
const TESTS: &str = "import assert from 'node:assert/strict';\n\
    import { test } from 'node:test';\n\
    import { add, subtract } from './shelf.js';\n\n\
    test('adds', () => assert.equal(add(2, 1), 3));\n\
    test('subtracts', () => assert.equal(subtract(2, 1), 1));\n";
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// Writes code with two errors, and fixes one with each fix.
fn two_errors() -> impl FnMut(&Seen) -> Turn + Send {
    let mut fixes = 0;
    let write =
        |path: &str, content: &str| ("write_file", json!({ "path": path, "content": content }));
    let edit = |name: &str, is: &str, shall: &str| {
        let (old, new) =
            (format!("{name} = (a, b) => {is}"), format!("{name} = (a, b) => {shall}"));
        ("edit_file", json!({ "path": "shelf.js", "old_text": old, "new_text": new }))
    };
    let calls = |calls: Vec<(&str, Value)>| {
        calls.into_iter().fold(Turn::reply(), |turn, (tool, input)| turn.calls(tool, input))
    };
    move |seen| {
        let system = seen.system();
        let is = |role: &str| match role {
            "fixer" => seen.is_fixing(),
            role => !seen.is_fixing() && system.contains(&format!("You are the {role}")),
        };
        let plans = is("coder") && seen.is_planning();
        match seen.turn() {
            0 if is("scout") || plans => {
                Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
            }
            _ if is("scout") => Turn::says("An empty project."),
            _ if plans => Turn::says("=== PLAN ===\n1. Write it\nGates: test\n=== END PLAN ==="),
            0 if is("coder") => calls(vec![
                write("package.json", "{ \"type\": \"module\" }\n"),
                write("shelf.js", SHELF),
                write("shelf.test.js", TESTS),
            ]),
            _ if is("coder") => Turn::says("=== TASK DONE: 1 ===\nwritten."),
            0 if is("fixer") => {
                fixes += 1;
                calls(vec![match fixes % 2 {
                    1 => edit("add", "a - b", "a + b"),
                    _ => edit("subtract", "a + b", "a - b"),
                }])
            }
            _ if is("fixer") && fixes % 2 == 1 => Turn::says("Let add() add."),
            _ if is("fixer") => Turn::says("Let subtract() subtract."),
            0 => calls(vec![("read_file", json!({ "path": "shelf.js" }))]),
            _ => Turn::says(
                "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — shelf.js:1\n\
                 === END PHASE SIGN-OFF ===",
            ),
        }
    }
}

/// Builds the project; returns the build's id and its events.
async fn build(fixture: &ProjectFixture) -> (String, Vec<Event>) {
    let path = format!("/api/projects/{}/builds", fixture.project);
    let build = text(&fixture.server.post(&path, json!({})).await["id"]);
    let server = &fixture.server;
    let mut follower =
        Follower::new(server.address(), server.token(), build.parse().expect("an id"));
    let mut events: Vec<Event> = Vec::new();
    loop {
        let event = timeout(EVENT_TIMEOUT, follower.event()).await;
        let event =
            event.unwrap_or_else(|_| panic!("nothing after {:?}\n{}", events.last(), server.log()));
        events.push(event);
        match &events[events.len() - 1].body {
            EventBody::BuildSealed(_) => return (build, events),
            EventBody::BuildBlocked(blocked) => panic!("{}", blocked.report),
            _ => {}
        }
    }
}

async fn project_fixture() -> ProjectFixture {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let gate = json!({
        "name": "test", "command": "node --test", "timeout_s": 60, "required": true, "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    fixture.model.play(two_errors());
    fixture
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_test_is_an_error_with_file_count_and_resolution() {
    let fixture = project_fixture().await;
    let (build, events) = build(&fixture).await;

    let tracked = events.iter().filter_map(|event| match &event.body {
        EventBody::BuildErrorTracked(error) => Some(error.record.message.lines().next().unwrap()),
        _ => None,
    });
    let adds = "adds: Expected values to be strictly equal: 1 !== 3";
    let subtracts = "subtracts: Expected values to be strictly equal: 3 !== 1";
    assert_eq!(tracked.collect::<Vec<_>>(), [adds, subtracts, subtracts]);

    let errors = fixture.server.get(&format!("/api/builds/{build}/errors")).await;
    let errors = errors["items"].as_array().unwrap();
    assert_eq!(errors.len(), 2, "{errors:?}");
    for (error, (message, count, note)) in errors.iter().zip([
        (adds, 1, "Let add() add.\nThen: Let subtract() subtract."),
        (subtracts, 2, "Let subtract() subtract."),
    ]) {
        assert_eq!(text(&error["message"]).lines().next(), Some(message));
        assert_eq!(error["file_path"], "shelf.test.js");
        assert_eq!(error["source"], "gate:test");
        assert_eq!(error["phase"], "Phase 0: Shelf");
        assert_eq!((&error["severity"], &error["regression"]), (&json!("error"), &json!(false)));
        assert_eq!(error["occurrence_count"], count, "{message}");
        assert_eq!(error["resolution_method"], "auto-fix");
        assert_eq!(error["resolution_summary"], note, "{message}");
    }
    let EventBody::BuildSealed(sealed) = &events[events.len() - 1].body else { panic!() };
    assert_eq!(sealed.verdict.name(), "CERTIFIED", "no error is open: {:?}", sealed.evidence);
    fixture.model.finish();
    fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_a_build_show_resolutions_of_earlier_builds() {
    let fixture = project_fixture().await;
    let (first, _) = build(&fixture).await;
    let asked = fixture.model.requests().len();
    let (second, _) = build(&fixture).await;

    let requests = fixture.model.requests();
    let prompts = requests[asked..].iter().filter(|seen| seen.is_fixing());
    let prompts: Vec<String> =
        prompts.filter(|seen| seen.turn() == 0).map(|s| s.news().concat()).collect();
    assert_eq!(prompts.len(), 2);
    let seen_before = "# Errors that an earlier build had too";
    let adds = "- adds: Expected values to be strictly equal: 1 !== 3; resolved by: Let add() add.";
    let subtracts = "- subtracts: Expected values to be strictly equal: 3 !== 1; resolved by: \
        Let subtract() subtract.";
    assert!(prompts[0].contains(seen_before) && prompts[0].contains(adds), "{}", prompts[0]);
    assert!(prompts[0].contains(subtracts), "{}", prompts[0]);
    // By then the first error is fixed.
    assert!(prompts[1].contains(subtracts) && !prompts[1].contains(adds), "{}", prompts[1]);
    let before = requests[..asked].iter().flat_map(Seen::news);
    assert!(before.into_iter().all(|text| !text.contains(seen_before)));

    let path = format!("/api/projects/{}/errors", fixture.project);
    let all = fixture.server.get(&path).await;
    assert_eq!((all["items"].as_array().unwrap().len(), &all["next"]), (2, &Value::Null));
    let error = &all["items"][0];
    let message = text(&error["message"]);
    assert!(message.starts_with("subtracts: "), "what was seen last comes first: {message}");
    assert_eq!(error["file_path"], "shelf.test.js");
    assert_eq!((&error["build_count"], &error["occurrence_count"]), (&json!(2), &json!(4)));
    assert_eq!((&error["build_id"], &error["resolved"]), (&json!(second), &json!(true)));
    assert_eq!(error["resolution"]["build_id"], json!(second));
    assert_eq!(error["resolution"]["method"], "auto-fix");
    assert_eq!(error["resolution"]["summary"], "Let subtract() subtract.");
    assert!(text(&error["first_seen"]) < text(&error["last_seen"]) && first != second);

    let page = fixture.server.get(&format!("{path}?limit=1")).await;
    let rest = fixture.server.get(&format!("{path}?limit=1&after={}", text(&page["next"]))).await;
    assert_eq!((&page["items"][0], &rest["items"][0]), (error, &all["items"][1]));
    for (filter, count) in [
        ("q=ADDS", 1),
        ("q=shelf.test.js&resolved=true&severity=error", 2),
        ("resolved=false", 0),
        ("severity=warning", 0),
    ] {
        let found = fixture.server.get(&format!("{path}?{filter}")).await;
        assert_eq!(found["items"].as_array().unwrap().len(), count, "{filter}");
    }
    fixture.model.finish();
    fixture.server.stop().await;
}

support::on_both! {
    async fn dismissed_error_can_be_reopened(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let build = instance.queue_build(&ada.project("Shelf").await, &ada.id).await;
        let track = |severity, message: &'static str| {
            Entry::derived(build, None, move |state, now| {
                let seen = tracking::ObservedFailure::new("gate:test".to_owned(), severity, message.to_owned());
                Ok(vec![tracking::track(state, build, store::new_id(), now, seen)])
            })
        };
        for (severity, message) in [(Severity::Error, "adds wrongly"), (Severity::Fatal, "the end")] {
            instance.app.journal.append(track(severity, message)).await.expect("it is tracked");
        }
        let list = ada.get(&format!("/api/builds/{build}/errors")).await.json();
        let id = |message: &str| {
            let found = list["items"].as_array().unwrap().iter().find(|e| e["message"] == message);
            text(&found.unwrap()["id"])
        };
        let settle = async |message: &str, how: &str| {
            let path = format!("/api/builds/{build}/errors/{}/{how}", id(message));
            ada.post(&path, json!({ "reason": "it is known" })).await
        };
        let open = async || ada.get(&format!("/api/builds/{build}")).await.json()["open_errors"].clone();

        // It has not been dismissed yet.
        settle("adds wrongly", "reopen").await.problem(409);
        let path = format!("/api/builds/{build}/errors/{}/dismiss", id("adds wrongly"));
        ada.post(&path, json!({ "reason": " " })).await.problem(422);
        let dismissed = settle("adds wrongly", "dismiss").await.json();
        assert_eq!(dismissed["resolution_summary"], "it is known");
        assert_eq!((&dismissed["resolved"], &dismissed["resolution_method"]), (&json!(true), &json!("dismissed")));
        assert_eq!(open().await, 1);
        let again = settle("adds wrongly", "reopen").await;
        assert_eq!(again.status, StatusCode::OK, "{}", again.text);
        let again = again.json();
        assert_eq!((&again["resolved"], &again["resolution_method"]), (&json!(false), &Value::Null));
        assert_eq!((&again["regression"], &again["occurrence_count"]), (&json!(false), &json!(1)));
        assert_eq!(open().await, 2);
        settle("the end", "dismiss").await.problem(409);
        instance.stop().await;
    }
}
