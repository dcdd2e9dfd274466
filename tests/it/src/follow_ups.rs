//! Builds that implement requested changes: from the sealed head, with the reviewer's comments as
//! their task.

use std::time::Duration;

use domain::{
    event::{EventBody, life::Queued},
    ids::BuildId,
};
use forgeguard::engine::DEMO_REQUEST;
use model_server::{Dialect, Seen, Turn};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    follower::Follower,
    harness::{Database, Instance, Person, send, text, with_model},
    project_fixture::{ProjectFixture, git},
    sealed_build::{FILE, sealed_build},
    watched_build::WatchedBuild,
};

const EVENT_TIMEOUT: Duration = Duration::from_secs(120);
const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";

async fn decide(by: &Person, build: BuildId, decision: &str, reason: &str) {
    let seen = by.get(&format!("/api/reviews/{build}")).await.json()["decisions"][0]["id"].clone();
    let body = json!({ "decision": decision, "reason": reason, "seen": seen });
    let made = by.post(&format!("/api/reviews/{build}/decision"), body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
}

async fn comment(by: &Person, build: BuildId, side: &str, line: u32, said: &str) -> Value {
    comment_on(by, build, json!({ "path": FILE, "side": side, "number": line }), said).await
}

async fn comment_on(by: &Person, build: BuildId, line: Value, said: &str) -> Value {
    let path = format!("/api/reviews/{build}/comments");
    let made = by.post(&path, json!({ "text": said, "line": line })).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    made.json()
}

async fn queued(instance: &Instance, build: BuildId) -> Queued {
    instance.app.journal.state(build).await.expect("a state").queued.clone()
}

fn refused(answer: &crate::harness::ApiResponse, status: u16, part: &str) {
    let why = text(&answer.problem(status)["detail"]);
    assert!(why.contains(part), "{why}");
}

support::on_both! {
    async fn follow_up_records_the_requested_changes_and_the_sealed_head(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let grace = instance.appoint("grace@example.org", "Grace").await;
        let build = sealed_build(&instance, &ada).await;
        let open = comment(&grace, build, "new", 2, "0 is wrong").await;
        let settled = comment(&grace, build, "old", 2, "Why is it gone?").await;
        let resolve = format!("/api/review-comments/{}/resolve", text(&settled["id"]));
        grace.post(&resolve, json!({})).await;
        let answer = json!({ "text": "It was quick", "parent_id": open["id"] });
        ada.post(&format!("/api/builds/{build}/review-comments"), answer).await;
        decide(&grace, build, "changes_requested", "Count for real.").await;

        // Repeating the request with the same key starts one build.
        let start = || async {
            let path = format!("/api/builds/{build}/follow-up");
            let request = ada.request(reqwest::Method::POST, &path).header("idempotency-key", "once");
            send(request).await
        };
        let (first, second) = (start().await, start().await);
        assert_eq!(first.status, StatusCode::CREATED, "{}", first.text);
        assert_eq!(first.json()["build_id"], second.json()["build_id"]);
        assert_eq!(first.json()["started_by"]["id"], json!(ada.id));
        let follow_up: BuildId = text(&first.json()["build_id"]).parse().expect("an id");

        let queued = queued(&instance, follow_up).await;
        let (follows, requests) = (queued.follows.expect("one"), queued.requests.expect("some"));
        let review = grace.get(&format!("/api/reviews/{build}")).await.json();
        assert_eq!(follows.build_id, build);
        assert_eq!(json!(follows.head_sha), review["seal"]["seal_commit"]);
        assert_eq!(requests.reason, "Count for real.");
        let [thread] = requests.threads.as_slice() else { panic!("{requests:?}") };
        assert_eq!((thread.path.as_str(), thread.line), (FILE, 2));
        assert_eq!(thread.line_text, "export const size = () => 0;");
        let said: Vec<_> = thread.said.iter().map(|said| said.text.as_str()).collect();
        assert_eq!(said, ["0 is wrong", "It was quick"]);
        let [phase] = queued.phases.as_slice() else { panic!("{:?}", queued.phases) };
        assert_eq!(phase.deliverables, [format!("{FILE}:2: 0 is wrong")]);

        // Both builds refer to each other.
        let own = ada.get(&format!("/api/builds/{follow_up}")).await.json();
        assert_eq!(own["follows"], json!(build));
        let before = ada.get(&format!("/api/builds/{build}/reviews")).await.json();
        assert_eq!(before["follow_up"]["build_id"], json!(follow_up));
        let list = ada.get(&format!("/api/projects/{}/builds", text(&own["project_id"]))).await.json();
        assert_eq!((&list["items"][0]["follows"], &list["items"][1]["follows"]), (&json!(build), &json!(null)));

        let log = grace.get("/api/audit-log?action=follow_up_started").await.json();
        let [entry] = log["items"].as_array().unwrap().as_slice() else { panic!("{log}") };
        assert_eq!(entry["subject"], format!("build/{build}"));
        assert_eq!((&entry["detail"]["follow_up"], &entry["actor_id"]), (&json!(follow_up), &json!(ada.id)));
        instance.stop().await;
    }

    async fn accepted_suggestions_are_frozen_when_the_follow_up_starts(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let grace = instance.appoint("grace@example.org", "Grace").await;
        let build = sealed_build(&instance, &ada).await;
        let edit = "Count:\n```suggestion\nexport const size = () => list.length;\n```";
        let suggested = comment(&grace, build, "new", 2, edit).await;
        assert_eq!(suggested["suggestion"], "export const size = () => list.length;");
        let other = comment(&grace, build, "new", 2, "```suggestion\n```").await;
        assert_eq!(other["suggestion"], "");
        let plain = comment(&grace, build, "old", 2, edit).await;
        assert_eq!(plain["suggestion"], json!(null));
        let path = |comment: &Value| {
            format!("/api/builds/{build}/review-comments/{}/suggestion", text(&comment["id"]))
        };
        let (accept, withdraw) = (json!({ "accepted": true }), json!({ "accepted": false }));
        ada.put(&path(&plain), accept.clone()).await.problem(422);
        grace.put(&path(&suggested), accept.clone()).await.problem(404);
        ada.put(&path(&other), accept.clone()).await;
        refused(&ada.put(&path(&suggested), accept.clone()).await, 409, "Another suggestion");
        ada.put(&path(&other), withdraw.clone()).await;
        let lines = json!({ "path": FILE, "side": "new", "first_number": 1, "number": 2 });
        let wider = comment_on(&grace, build, lines, edit).await;
        ada.put(&path(&wider), accept.clone()).await;
        refused(&ada.put(&path(&suggested), accept.clone()).await, 409, "Another suggestion");
        ada.put(&path(&wider), withdraw.clone()).await;
        let accepted = ada.put(&path(&suggested), accept.clone()).await.json();
        assert!(accepted["suggestion_accepted_at"].is_string(), "{accepted}");

        decide(&grace, build, "changes_requested", "See the suggestion.").await;
        let started = ada.post(&format!("/api/builds/{build}/follow-up"), json!({})).await.json();
        let follow_up: BuildId = text(&started["build_id"]).parse().expect("an id");
        let requests = queued(&instance, follow_up).await.requests.expect("some");
        let [frozen] = requests.suggestions.as_slice() else { panic!("{requests:?}") };
        assert_eq!((frozen.path.as_str(), frozen.line), (FILE, 2));
        assert_eq!(frozen.suggested_by, "Grace");
        assert_eq!(json!(frozen.accepted_by), json!(ada.id));
        refused(&ada.put(&path(&suggested), withdraw).await, 409, "has started");
        instance.stop().await;
    }

    async fn sealed_build_has_one_active_follow_up(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let grace = instance.appoint("grace@example.org", "Grace").await;
        let build = sealed_build(&instance, &ada).await;
        let own = format!("/api/builds/{build}/follow-up");
        let asked = format!("/api/reviews/{build}/follow-up");
        let none = json!({});

        refused(&ada.post(&own, none.clone()).await, 409, "does not request changes");
        refused(&grace.post(&asked, none.clone()).await, 409, "does not request changes");
        decide(&grace, build, "changes_requested", "Not yet.").await;
        decide(&grace, build, "approved", "Now it is.").await;
        refused(&ada.post(&own, none.clone()).await, 409, "does not request changes");
        decide(&grace, build, "changes_requested", "No, after all.").await;
        // Neither the owner nor the reviewer.
        refused(&root.post(&asked, none.clone()).await, 403, "Only the administrator who requested");
        grace.post(&own, none.clone()).await.problem(404);

        let project = text(&ada.get(&format!("/api/builds/{build}")).await.json()["project_id"]);
        let other = instance.queue_build(&project, &ada.id).await;
        refused(&ada.post(&own, none.clone()).await, 409, "not finished (#");
        refused(&ada.post(&format!("/api/builds/{other}/follow-up"), none.clone()).await, 409, "not sealed");
        ada.post(&format!("/api/builds/{other}/cancel"), none.clone()).await;

        // Of two concurrent requests, one is rejected with the name of the new build.
        let (one, two) = tokio::join!(ada.post(&own, none.clone()), grace.post(&asked, none.clone()));
        let (won, lost) = if one.status == StatusCode::CREATED { (one, two) } else { (two, one) };
        assert_eq!(won.status, StatusCode::CREATED, "{}", won.text);
        let follow_up = text(&won.json()["build_id"]);
        refused(&lost, 409, "build #3 Requested changes to #1");
        refused(&ada.post(&own, none.clone()).await, 409, "build #3 Requested changes to #1");

        // A cancelled follow-up does not count.
        ada.post(&format!("/api/builds/{follow_up}/cancel"), none.clone()).await;
        let again = grace.post(&asked, none).await;
        assert_eq!(again.status, StatusCode::CREATED, "{}", again.text);
        assert_eq!(again.json()["started_by"]["name"], "Grace");
        assert_ne!(text(&again.json()["build_id"]), follow_up);
        instance.stop().await;
    }
}

/// A model that writes a greeting, and improves it when requested.
fn greeter(seen: &Seen) -> Turn {
    let system = seen.system();
    let follows = seen.json["messages"].to_string().contains("# Requested changes");
    let window = || Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }));
    let criteria = match follows {
        true => {
            "criterion 1: passed — greeting.txt:1\ncriterion 2: passed — greeting.txt:1\n\
            criterion 3: passed — greeting.txt:2\n\
            criterion 4: passed — greeting.txt:1"
        }
        false => "criterion 1: passed — greeting.txt:1",
    };
    let sign_off = format!("=== PHASE SIGN-OFF: PASS ===\n{criteria}\n=== END PHASE SIGN-OFF ===");
    let content = if follows { "Dear reader,\nHow are you?\nWorld\n" } else { "Hello\nWorld\n" };
    match seen.turn() {
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
        }
        _ if system.contains("You are the auditor") => Turn::says(sign_off),
        0 if seen.is_planning() => window(),
        _ if system.contains("You are the scout") => Turn::says("There is a greeting."),
        _ if seen.is_planning() => {
            Turn::says("=== PLAN ===\n1. Write greeting.txt\nGates: validate\n=== END PLAN ===")
        }
        0 => Turn::says("I write it.")
            .calls("write_file", json!({ "path": "greeting.txt", "content": content }))
            .calls("read_file", json!({ "path": "README.md" })),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

async fn sealed(fixture: &ProjectFixture, build: BuildId) -> Vec<EventBody> {
    let mut follower = Follower::new(fixture.server.address(), fixture.server.token(), build);
    let mut events = Vec::new();
    loop {
        let event = timeout(EVENT_TIMEOUT, follower.event()).await;
        let event =
            event.unwrap_or_else(|_| panic!("{:?}\n{}", events.last(), fixture.server.log()));
        events.push(event.body);
        match events.last() {
            Some(EventBody::BuildSealed(_)) => return events,
            Some(EventBody::BuildBlocked(blocked)) => panic!("{blocked:?}"),
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn follow_up_starts_at_the_sealed_head_and_is_sealed() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    let server = &fixture.server;
    fixture.model.play(greeter);
    fixture.set("contracts/phases", json!({ "content": PHASES })).await;
    let made = server.post(&format!("/api/projects/{}/builds", fixture.project), json!({})).await;
    let first: BuildId = text(&made["id"]).parse().expect("an id");
    sealed(&fixture, first).await;
    let main = git(&fixture.hosted(), &["for-each-ref", "refs/heads/main"]);

    let review = format!("/api/reviews/{first}");
    for (number, said) in [(1, "SAY DEAR READER"), (2, "One line is enough")] {
        let line = json!({ "path": "greeting.txt", "side": "new", "number": number });
        server.post(&format!("{review}/comments"), json!({ "text": said, "line": line })).await;
    }
    let lines = json!({ "path": "greeting.txt", "side": "new", "first_number": 1, "number": 2 });
    let body = json!({ "text": "```suggestion\nGood morning\n```", "line": lines });
    let suggested = server.post(&format!("{review}/comments"), body).await;
    let comment = format!("/api/builds/{first}/review-comments/{}", text(&suggested["id"]));
    server.put(&format!("{comment}/suggestion"), json!({ "accepted": true })).await;
    let decision = json!({ "decision": "changes_requested", "reason": "BE POLITE", "seen": null });
    server.post(&format!("{review}/decision"), decision).await;
    let before = server.get(&review).await;
    let asked_before = fixture.model.requests().len();

    let made = server.post(&format!("/api/builds/{first}/follow-up"), json!({})).await;
    let second: BuildId = text(&made["build_id"]).parse().expect("an id");
    let events = sealed(&fixture, second).await;
    let started = events.iter().find_map(|event| match event {
        EventBody::BuildStarted(started) => Some(started),
        _ => None,
    });
    let started = started.expect("it started");
    assert_eq!(json!(started.baseline_sha), before["head_sha"]);
    assert_eq!(started.branch, "forge/build-2-requested-changes-to-1");

    // Every role received the reviewer's comments, and the brief contained them in full.
    let asked = &fixture.model.requests()[asked_before..];
    assert!(!asked.is_empty());
    for seen in asked {
        let prompt = seen.json["messages"].to_string();
        assert!(prompt.contains("BE POLITE") && prompt.contains("SAY DEAR READER"), "{prompt}");
    }
    let briefs = events.iter().filter(|event| match event {
        EventBody::BuildToolCallFinished(call) => {
            call.output.contains("## Phase 0 — Requested changes")
        }
        _ => false,
    });
    assert_eq!(briefs.count(), 1, "the coder reads it once for all of its work");

    // The difference is the follow-up's work, and no other branch was moved.
    let diff = server.get(&format!("/api/builds/{second}/diff?path=greeting.txt")).await;
    let removed = json!(diff["hunks"]).to_string();
    assert!(removed.contains("delete") && diff["status"] == "modified", "{diff}");
    let head = git(&fixture.hosted(), &["rev-parse", "forge/build-1"]);
    assert_eq!(json!(head), before["head_sha"]);
    assert_eq!(git(&fixture.hosted(), &["for-each-ref", "refs/heads/main"]), main);

    // The accepted suggestion is the first commit, made by the owner.
    let commits = server.get(&format!("/api/builds/{second}/commits")).await;
    let oldest = commits["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(oldest["title"], "Apply a suggestion from the review");
    assert_eq!(oldest["author_kind"], "human");
    let file =
        format!("/api/builds/{second}/file?path=greeting.txt&commit={}", text(&oldest["sha"]));
    assert_eq!(server.get(&file).await["text"], "Good morning\n");

    // Its starter cannot approve it.
    let after = server.get(&format!("/api/reviews/{second}")).await;
    assert_eq!((&after["may_approve"], &after["follows"]), (&json!(false), &json!(first)));
    let verified = server.get(&format!("/api/reviews/{second}/verify")).await;
    assert_eq!(verified["ok"], true, "{verified}");

    // One line was changed and one moved.
    let earlier = server.get(&format!("/api/reviews/{second}/earlier")).await;
    assert_eq!(
        (&earlier["build_id"], &earlier["decisions"][0]["reason"]),
        (&json!(first), &json!("BE POLITE"))
    );
    let kept: Vec<_> = earlier["comments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (text(&it["line_text"]), it["line_now"].clone()))
        .collect();
    let expected = [("Hello", json!(null)), ("World", json!(3)), ("Hello\nWorld", json!(3))];
    assert_eq!(kept, expected.map(|(text, line_now)| (text.to_owned(), line_now)));
    fixture.model.finish();
    fixture.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_has_a_recorded_follow_up() {
    let mut demo = WatchedBuild::demo_without_mutants(&[]).await;
    demo.run_to_the_end().await;
    let path = format!("/api/builds/{}", demo.build);
    let said = demo.server.get(&format!("{path}/reviews")).await;
    let (request, may) = (&said["recorded_request"], &said["may_follow_up"]);
    assert_eq!((request, may), (&json!(DEMO_REQUEST), &json!(true)));

    let made = demo.server.post(&format!("{path}/follow-up"), json!({})).await;
    let second: BuildId = text(&made["build_id"]).parse().expect("an id");
    let mut follower = Follower::new(demo.server.address(), demo.server.token(), second);
    loop {
        let event = timeout(EVENT_TIMEOUT, follower.event()).await.expect("the demo continues");
        match event.body {
            EventBody::BuildSealed(_) => break,
            EventBody::BuildBlocked(blocked) => panic!("{blocked:?}"),
            _ => {}
        }
    }
    let path = format!("/api/builds/{second}");
    let shown = demo.server.get(&path).await;
    assert_eq!((&shown["verdict"], &shown["number"]), (&json!("CERTIFIED"), &json!(2)), "{shown}");
    let help = demo.server.get(&format!("{path}/file?path=src/cli.js")).await;
    assert!(text(&help["text"]).contains("list --out"), "{help}");
    let commits = demo.server.get(&format!("{path}/commits")).await;
    let subject = "[forge] #2 Requested changes to #1: sealed — verdict: CERTIFIED";
    assert_eq!(commits["items"][0]["title"], subject);
    let said = demo.server.get(&format!("{path}/reviews")).await;
    assert_eq!((&said["recorded_request"], &said["may_follow_up"]), (&Value::Null, &json!(false)));
    demo.server.stop().await;
}
