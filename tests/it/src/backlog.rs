//! Backlogs: what users and programs may do with items, and items that are built one after the other.

use std::time::Duration;

use model_server::{Dialect, Seen, Turn};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    agent::Agent,
    harness::{Database, Instance, Person, send, text},
    outages::{WAITS, eventually},
    project_fixture::{ProjectFixture, git},
    server_process::ServerProcess,
};

const SPEC: &str = "# Fines\n\n## Requirements\n- FR-1: Late loans cost 1 € a day\n\n\
    ## Pass Criteria\n- FR-1: four days cost 4 €\n";
/// Longer than all builds of a test take on a busy machine.
const BUILD_TIMEOUT: Duration = Duration::from_secs(240);

async fn add(by: &Person, backlog: &str, item: Value) -> Value {
    let made = by.post(backlog, item).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    made.json()
}

async fn titles(by: &Person, backlog: &str) -> Vec<String> {
    let list = by.get(backlog).await.json();
    list["items"].as_array().unwrap().iter().map(|item| text(&item["title"])).collect()
}

support::on_both! {
    async fn items_are_added_changed_moved_and_deleted(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let project = ada.project("Library").await;
        let backlog = format!("/api/projects/{project}/backlog");
        assert_eq!(ada.get(&backlog).await.json()["items"], json!([]));

        let first = add(&ada, &backlog, json!({ "title": "Loans", "scope": ["src/loans/**"] })).await;
        let needs_first = json!({ "title": "Due dates", "depends_on": [first["id"]], "scope": ["src/**"] });
        let second = add(&ada, &backlog, needs_first).await;
        let third = add(&ada, &backlog, json!({ "spec": SPEC })).await;
        assert_eq!((&third["title"], &third["has_spec"], &third["number"]), (&json!("Fines"), &json!(true), &json!(3)));
        assert_eq!((&second["state"], &second["blocked_by"]), (&json!("queued"), &json!([first["id"]])));
        assert_eq!(second["overlaps_with"], json!([first["id"]]));
        let third_path = format!("{backlog}/{}", text(&third["id"]));
        assert_eq!(ada.get(&third_path).await.json()["spec"], SPEC);

        // A cycle is rejected with its path, and so are items of other projects.
        let first_path = format!("{backlog}/{}", text(&first["id"]));
        let circular = json!({ "title": "Loans", "depends_on": [second["id"]] });
        let problem = ada.put(&first_path, circular).await.problem(422);
        let why = text(&problem["fields"]["depends_on"]);
        assert!(why.contains("1 (Loans) → 2 (Due dates) → 1 (Loans)"), "{why}");
        let elsewhere = format!("/api/projects/{}/backlog", ada.project("Other").await);
        let other = add(&ada, &elsewhere, json!({ "title": "Elsewhere" })).await;
        let foreign = json!({ "title": "Loans", "depends_on": [other["id"]] });
        ada.put(&first_path, foreign).await.problem(422);
        ada.get(&format!("{backlog}/{}", text(&other["id"]))).await.problem(404);
        ada.post(&backlog, json!({ "title": " ", "scope": ["["] })).await.problem(422);
        ada.post(&backlog, json!({ "spec": "# Nothing to do" })).await.problem(422);

        let moved = ada.post(&format!("{third_path}/move"), json!({ "before": first["id"] })).await;
        assert_eq!(moved.status, StatusCode::OK, "{}", moved.text);
        assert_eq!(titles(&ada, &backlog).await, ["Fines", "Loans", "Due dates"]);
        ada.post(&format!("{third_path}/move"), json!({ "before": null })).await;
        assert_eq!(titles(&ada, &backlog).await, ["Loans", "Due dates", "Fines"]);
        let changed = ada.put(&third_path, json!({ "title": "Fees", "description": "Per day" })).await.json();
        assert_eq!((&changed["title"], &changed["has_spec"]), (&json!("Fees"), &json!(false)));

        // The board has the items of all projects; other users see and change none of them.
        let board = ada.get("/api/backlog").await.json();
        assert_eq!(board["items"].as_array().unwrap().len(), 4, "{board}");
        assert_eq!(eve.get("/api/backlog").await.json()["items"], json!([]));
        for (method, path) in [
            (Method::GET, backlog.clone()),
            (Method::POST, format!("{backlog}/start")),
            (Method::GET, first_path.clone()),
            (Method::DELETE, first_path.clone()),
            (Method::POST, format!("{first_path}/start")),
            (Method::DELETE, format!("{first_path}/start")),
        ] {
            send(eve.request(method, &path)).await.problem(404);
        }
        eve.post(&backlog, json!({ "title": "Mine" })).await.problem(404);

        // Starts are requested once, and can be withdrawn until a build is queued.
        let started = ada.post(&format!("{first_path}/start"), json!({})).await;
        assert_eq!((started.status, &started.json()["start_requested"]), (StatusCode::ACCEPTED, &json!(true)));
        ada.post(&format!("{first_path}/start"), json!({})).await.problem(409);
        let all = ada.post(&format!("{backlog}/start"), json!({})).await.json();
        assert_eq!(all["count"], 2);
        let withdrawn = ada.delete(&format!("{first_path}/start")).await.json();
        assert_eq!(withdrawn["start_requested"], json!(false));
        assert_eq!(ada.delete(&first_path).await.status, StatusCode::NO_CONTENT);
        let list = ada.get(&backlog).await.json();
        assert_eq!(list["items"][0]["depends_on"], json!([]));
        instance.stop().await;
    }

    async fn program_adds_an_item_once(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("Library").await;
        let backlog = format!("/api/projects/{project}/backlog");
        let key = json!({ "name": "Tracker", "scopes": ["build"], "project_id": project });
        let key = ada.post("/api/forge-keys", key).await.json();
        let tracker = instance.bearer(&ada.id, &text(&key["key"]));
        let wanted = json!({ "title": "Due dates", "external_id": "TRACK-7" });
        let made = add(&tracker, &backlog, wanted.clone()).await;
        let repeated = tracker.post(&backlog, json!({ "title": "Renamed", "external_id": "TRACK-7" })).await;
        assert_eq!((repeated.status, repeated.json()), (StatusCode::OK, made.clone()));
        let all = futures::future::join_all((0..8).map(|_| {
            tracker.post(&backlog, json!({ "title": "Fines", "external_id": "TRACK-8" }))
        }));
        let all = all.await;
        let created = all.iter().filter(|it| it.status == StatusCode::CREATED).count();
        assert_eq!(created, 1, "{all:?}");
        assert_eq!(titles(&tracker, &backlog).await, ["Due dates", "Fines"]);

        let reader = json!({ "name": "Reader", "scopes": ["read"], "project_id": project });
        let reader = ada.post("/api/forge-keys", reader).await.json();
        let reader = instance.bearer(&ada.id, &text(&reader["key"]));
        reader.post(&backlog, wanted).await.problem(403);
        assert_eq!(titles(&reader, &backlog).await, ["Due dates", "Fines"]);
        instance.stop().await;
    }
}

/// The file of an item, which its title and its scope name.
pub fn file_named(item: &str) -> String {
    format!("item-{item}.txt")
}

/// A model that writes the file that the title of an item names, after a question about `item-1.txt`.
fn asking_model(seen: &Seen) -> Turn {
    let asks = Agent::of(seen) == Agent::Coder && seen.json.to_string().contains("Add item-1");
    match seen.turn() {
        turn if !asks => model_at(seen, turn),
        0 => Turn::reply()
            .calls("forge_ask_clarification", json!({ "question": "Which greeting is meant?" })),
        turn => model_at(seen, turn - 1),
    }
}

/// A model that writes the file that the title of an item names.
pub fn model(seen: &Seen) -> Turn {
    model_at(seen, seen.turn())
}

fn model_at(seen: &Seen, turn: usize) -> Turn {
    let messages = seen.json.to_string();
    let named = messages.split("Add item-").nth(1).expect("an item");
    let file = file_named(&named.chars().take_while(char::is_ascii_digit).collect::<String>());
    let says = |text: &str| Turn::says(text);
    match turn {
        0 if seen.system().contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": file }))
        }
        _ if seen.system().contains("You are the auditor") => says(&format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — {file}:1\n\
             === END PHASE SIGN-OFF ==="
        )),
        _ if seen.system().contains("You are the scout") => says("Little is there."),
        0 if seen.is_planning() => {
            Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }))
        }
        _ if seen.is_planning() => {
            says("=== PLAN ===\n1. Write the file\nGates: validate\n=== END PLAN ===")
        }
        0 => Turn::says("I write it.")
            .calls("write_file", json!({ "path": file, "content": "Hello\n" })),
        _ => says("=== TASK DONE: 1 ===\nIt is there."),
    }
}

async fn items(server: &ServerProcess, backlog: &str) -> Vec<Value> {
    server.get(backlog).await["items"].as_array().expect("a list").clone()
}

async fn until(
    server: &ServerProcess,
    backlog: &str,
    holds: impl Fn(&[Value]) -> bool,
) -> Vec<Value> {
    let reached = eventually(async || holds(&items(server, backlog).await));
    if timeout(BUILD_TIMEOUT, reached).await.is_err() {
        panic!("{:#?}\n{}", items(server, backlog).await, server.log());
    }
    items(server, backlog).await
}

/// The settings of a project with a gate that needs a file of an item.
fn settings(max_concurrent_builds: u32) -> Value {
    let gate = json!({
        "name": "test", "command": "cat item-*.txt && echo ok 1", "timeout_s": 60, "required": true,
        "network": false
    });
    json!({
        "gates": [gate], "clarification_timeout_s": null, "max_concurrent_builds": max_concurrent_builds
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn items_are_built_in_order_by_a_server_that_is_killed() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, WAITS).await;
    fixture.model.play(model);
    fixture.set("settings", settings(1)).await;
    let hosted = fixture.hosted();
    let ProjectFixture { mut server, model, project } = fixture;
    let backlog = format!("/api/projects/{project}/backlog");
    let first = server.post(&backlog, json!({ "title": "Add item-1" })).await;
    let second =
        server.post(&backlog, json!({ "title": "Add item-2", "depends_on": [first["id"]] })).await;
    let third =
        server.post(&backlog, json!({ "title": "Add item-3", "depends_on": [second["id"]] })).await;
    // The first in the order, but blocked.
    let third_path = format!("{backlog}/{}", text(&third["id"]));
    server.post(&format!("{third_path}/move"), json!({ "before": first["id"] })).await;
    server.post(&format!("{backlog}/start"), json!({})).await;

    // Killed during the first build, and when it is sealed.
    until(&server, &backlog, |items| items.iter().any(|it| !it["build"].is_null())).await;
    server.kill().await;
    server.restart().await;
    until(&server, &backlog, |items| items.iter().any(|it| it["state"] == "in_review")).await;
    server.kill().await;
    server.restart().await;

    let built = until(&server, &backlog, |items| {
        items.iter().all(|it| it["state"] == "in_review" || it["state"] == "needs_you")
    })
    .await;
    let of = |id: &Value| built.iter().find(|item| item["id"] == *id).expect("it is listed");
    for (number, item) in [(1, &first), (2, &second), (3, &third)] {
        let item = of(&item["id"]);
        assert_eq!(
            (&item["attempts"], &item["build"]["number"]),
            (&json!(1), &json!(number)),
            "{item:#}"
        );
        assert_eq!(item["state"], "in_review", "{item:#}\n{}", server.log());
        // Each build contains the work that it depends on.
        let head = text(&item["build"]["head_sha"]);
        let files = git(&hosted, &["ls-tree", "--name-only", &head]);
        for before in 1..=number {
            assert!(files.contains(&format!("item-{before}.txt")), "{files}");
        }
    }
    let all = server.get(&format!("/api/projects/{project}/builds")).await;
    assert_eq!(all["items"].as_array().expect("a list").len(), 3, "{all}");
    model.finish();
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_with_disjoint_scopes_are_built_at_the_same_time() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    fixture.model.play(asking_model);
    fixture.set("settings", settings(2)).await;
    let phases = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- item-4.txt\n\
        **Exit criteria:**\n- it greets — review\n";
    fixture.set("contracts/phases", json!({ "content": phases })).await;
    let ProjectFixture { server, model, project } = fixture;
    let backlog = format!("/api/projects/{project}/backlog");
    for (number, scope) in
        [(1, json!(["item-1.txt"])), (2, json!(["item-2.txt"])), (3, json!(["*"]))]
    {
        server
            .post(&backlog, json!({ "title": format!("Add item-{number}"), "scope": scope }))
            .await;
    }
    server.post(&format!("{backlog}/start"), json!({})).await;

    // The second is built while the first waits for an answer; the third may change the file of the first.
    let waiting = until(&server, &backlog, |items| {
        items[0]["build"]["open_questions"] == 1 && items[1]["state"] == "in_review"
    })
    .await;
    let third = &waiting[2];
    assert_eq!(
        (&third["build"], &third["start_requested"]),
        (&Value::Null, &json!(true)),
        "{third:#}"
    );
    // The question is counted, although the newest build is another one.
    let path = format!("/api/projects/{project}");
    assert_eq!(server.get(&path).await["open_questions"], 1);

    // A lower limit applies to the builds that are under way.
    server.put(&format!("{path}/settings"), settings(1)).await;
    let readiness = server.get(&format!("{path}/build-readiness")).await;
    assert_eq!(readiness["obstacles"][0]["kind"], "other_builds", "{readiness:#}");
    let own = server.request(Method::POST, &format!("{path}/builds"), Some(json!({}))).await;
    assert!(
        text(&own.problem(409)["detail"]).contains("not finished (#1 Add item-1)"),
        "{}",
        own.text
    );
    server.put(&format!("{path}/settings"), settings(2)).await;
    for limit in [0, 11] {
        let set =
            server.request(Method::PUT, &format!("{path}/settings"), Some(settings(limit))).await;
        assert!(set.problem(422)["fields"]["max_concurrent_builds"].is_string(), "{}", set.text);
    }

    let asking = text(&waiting[0]["build"]["id"]);
    let question = server.get(&format!("/api/builds/{asking}")).await;
    let question = &question["open_clarifications"][0]["id"];
    let answer = json!({ "question_id": question, "answer": "Hello" });
    server.post(&format!("{path}/build/clarify"), answer).await;
    let built =
        until(&server, &backlog, |items| items.iter().all(|it| it["state"] == "in_review")).await;
    let numbers: Vec<_> = built.iter().map(|it| &it["build"]["number"]).collect();
    assert_eq!(numbers[..2], [&json!(1), &json!(2)]);
    assert!(built.iter().all(|it| it["attempts"] == 1), "{built:#?}");
    model.finish();
    server.stop().await;
}
