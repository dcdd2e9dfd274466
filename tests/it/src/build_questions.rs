//! Questions about builds: answered from the record, without any effect on the build.

use chrono::TimeDelta;
use domain::{
    event::EventBody,
    generation::{GenerationKind, GenerationStatus},
    ids::BuildId,
};
use forgeguard::store::{
    self, build_questions,
    generations::{self, BuildQuestionQueue},
    interview_runs, leases,
};
use model_server::{Dialect, ModelServer, Turn};
use serde_json::{Value, json};

use crate::{
    generations::GenerationStream,
    harness::{ApiResponse, Database, Instance, Person, send, text, with_model},
    project_fixture::ProjectFixture,
    watched_build::WatchedBuild,
};

const NO_PACE: (&str, &str) = ("FORGEGUARD_DEMO_PACE", "0");
const TOOLS: [&str; 8] = [
    "read_report",
    "search_events",
    "read_event",
    "read_changes",
    "read_file",
    "search_files",
    "read_contract",
    "submit_answer",
];

/// The demo's build, and the model that answers questions about it.
async fn demo() -> (WatchedBuild, ModelServer) {
    let fixture = ProjectFixture::with(Dialect::Anthropic, "", &[NO_PACE], None).await;
    let ProjectFixture { server, model, .. } = fixture;
    (WatchedBuild::demo_on(server, json!([])).await, model)
}

fn path(watched: &WatchedBuild, what: &str) -> String {
    format!("/api/builds/{}{what}", watched.build)
}

async fn ask(watched: &WatchedBuild, question: &str) -> Value {
    watched.server.post(&path(watched, "/questions"), json!({ "text": question })).await
}

/// The question, once its run has ended.
async fn ended(watched: &WatchedBuild, asked: &Value) -> Value {
    GenerationStream::open(&watched.server, &asked["generation"]).await.end().await;
    let id = text(&asked["generation"]["id"]);
    watched.server.get(&path(watched, &format!("/questions/{id}"))).await
}

fn submit(answer: &str, references: Value) -> Turn {
    Turn::reply().calls("submit_answer", json!({ "text": answer, "references": references }))
}

#[tokio::test(flavor = "multi_thread")]
async fn question_about_a_sealed_build_is_answered_with_checked_references() {
    let (mut watched, model) = demo().await;
    watched.run_to_the_end().await;
    let build = watched.server.get(&path(&watched, "")).await;
    let usage = watched.server.get(&path(&watched, "/usage")).await;
    assert_eq!(usage["questions"], Value::Null);
    let files = watched.server.get(&path(&watched, "/diff")).await;
    let mut changed = files["files"].as_array().expect("files").iter();
    let file = changed.find(|file| file["status"] == "added" && file["binary"] == false);
    let file = text(&file.expect("a new file")["path"]);

    let (read, wrong, right) = (file.clone(), file.clone(), file.clone());
    model.script([
        Turn::reply()
            .calls("read_report", json!({}))
            .calls("search_events", json!({ "type": "sealed" }))
            .calls("read_event", json!({ "seq": 1 }))
            .calls("read_changes", json!({}))
            .calls("read_file", json!({ "path": read }))
            .calls("read_contract", json!({ "name": "phases" })),
        submit(
            "It was sealed.",
            json!([
                { "event": 1 },
                { "event": 999_999 },
                { "path": wrong, "first_line": 1, "last_line": 99_999 },
                { "path": "../etc/passwd", "first_line": 1 },
                { "path": "no/such.file", "first_line": 1 },
            ]),
        ),
        submit(
            "It was **sealed**.",
            json!([{ "event": 1 }, { "path": right, "first_line": 1, "last_line": 1 }]),
        ),
    ]);
    let asked = ask(&watched, "  Was it sealed?\n").await;
    assert_eq!((&asked["question"], &asked["answer"]), (&json!("Was it sealed?"), &Value::Null));
    let answered = ended(&watched, &asked).await;
    let run = &answered["generation"];
    assert_eq!((&run["status"], &run["failure"]), (&json!("done"), &Value::Null), "{answered}");
    assert_eq!(answered["answer"], "It was **sealed**.");
    let lines = json!({
        "type": "lines", "path": file, "first_line": 1, "last_line": 1,
        "commit": build["head_sha"], "changed": true,
    });
    assert_eq!(answered["references"], json!([{ "type": "event", "seq": 1 }, lines]));
    // Three replies of 100 input and 20 output tokens at 1 and 2 USD per million.
    let spent =
        ["turn", "turn_limit", "tokens_in", "cost_usd_micros"].map(|it| &run["answers"][it]);
    assert_eq!(spent, [&json!(3), &json!(12), &json!(300), &json!(420)]);
    assert_eq!(run["model"], "m-1");

    let requests = model.requests();
    assert_eq!(requests[0].tools(), TOOLS);
    let results = requests[1].news();
    let report = results.iter().find(|text| text.contains("CERTIFIED"));
    assert!(
        report.is_some() && results.iter().any(|text| text.contains(" sealed ")),
        "{results:?}"
    );
    assert!(results.iter().any(|text| text.contains(&format!("added {file}"))), "{results:?}");
    assert!(results.iter().any(|text| text.starts_with("1: ")), "{results:?}");
    let rejected = requests[2].news().join("\n");
    for place in ["Reference 2", "Reference 3", "Reference 4", "Reference 5"] {
        assert!(rejected.contains(place), "{rejected}");
    }
    assert!(!rejected.contains("Reference 1"), "{rejected}");

    assert_eq!(watched.server.get(&path(&watched, "")).await, build, "nothing has changed");
    watched.assert_certified().await;
    let now = watched.server.get(&path(&watched, "/usage")).await;
    assert_eq!(now["total"], usage["total"]);
    assert_eq!(now["questions"]["cost_usd_micros"], 420);
    assert_eq!(now["questions"]["question_count"], 1);
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_build_is_not_affected_and_secrets_are_redacted() {
    let (mut watched, model) = demo().await;
    let asks = |event: &EventBody| matches!(event, EventBody::BuildClarificationRequest(_));
    watched.run_until(|_, event| asks(&event.body)).await.expect("the build asks");
    let token = format!("ghp_{}", "a1".repeat(20));
    let message = json!({ "text": format!("Use {token} for it.") });
    watched.server.post(&path(&watched, "/interject"), message).await;
    let before = watched.server.get(&path(&watched, "")).await;
    model.script([
        Turn::reply()
            .calls("search_events", json!({ "text": "use ", "type": "interjected" }))
            .calls("search_files", json!({ "text": "a" }))
            .calls("run_command", json!({ "command": "ls" })),
        Turn::says("It waits for an answer."),
    ]);
    let answered = ended(&watched, &ask(&watched, "What is it doing?").await).await;
    assert_eq!(answered["answer"], "It waits for an answer.", "{answered}");
    assert_eq!(answered["references"], json!([]));
    let requests = model.requests();
    let asked = requests.iter().find(|seen| seen.tools() == TOOLS).expect("the question");
    assert!(asked.news()[0].contains("status: awaiting_input"), "{:?}", asked.news());
    let results = requests.last().expect("a request").news();
    assert!(results.iter().all(|text| !text.contains(&token)), "{results:?}");
    assert!(results.iter().any(|text| text.contains("[redacted]")), "{results:?}");
    assert!(results.iter().any(|text| text.contains("no tool `run_command`")), "{results:?}");
    let now = watched.server.get(&path(&watched, "")).await;
    for what in ["head_seq", "head_hash", "status", "spent", "open_question"] {
        assert_eq!(now[what], before[what], "{what}");
    }
    model.finish();
    watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_service_continues_an_answer_and_a_failed_one_is_resumed() {
    let (mut watched, model) = demo().await;
    let asks = |event: &EventBody| matches!(event, EventBody::BuildClarificationRequest(_));
    watched.run_until(|_, event| asks(&event.body)).await.expect("the build asks");
    model.play(|seen| match seen.turn() {
        0 => Turn::reply().calls("read_event", json!({ "seq": 1 })),
        _ => Turn::says("It …").silent_after(1),
    });
    let asked = ask(&watched, "Why?").await;
    let mut stream = GenerationStream::open(&watched.server, &asked["generation"]).await;
    stream.until(|state| state["answers"]["turn"] == 1).await;
    watched.server.kill().await;
    model.play(|_| submit("Because.", json!([{ "event": 1 }])));
    watched.server.restart().await;
    let answered = ended(&watched, &asked).await;
    assert_eq!(answered["answer"], "Because.", "{answered}");
    let turns = &answered["generation"]["answers"]["turn"];
    assert_eq!(turns, &json!(2), "the first reply was not asked for again");

    // On the last turn only an answer is possible; without one the question fails.
    model.play(|_| Turn::reply().calls("read_event", json!({ "seq": 1 })));
    let failed = ended(&watched, &ask(&watched, "And then?").await).await;
    let run = &failed["generation"];
    assert_eq!((&run["status"], &run["answers"]["turn"]), (&json!("failed"), &json!(12)));
    assert!(text(&run["failure"]).contains("within 12 replies"), "{failed}");
    let last = model.requests().pop().expect("a request");
    assert_eq!(last.tools(), ["submit_answer"]);
    model.play(|_| submit("Nothing.", json!([])));
    let again = format!("/api/generations/{}/resume", text(&run["id"]));
    watched.server.post(&again, json!({})).await;
    assert_eq!(ended(&watched, &failed).await["answer"], "Nothing.");
    let list = watched.server.get(&path(&watched, "/questions?limit=1")).await;
    assert_eq!(list["items"][0]["question"], "And then?", "newest first");
    assert_eq!(list["next"], run["id"]);
    model.finish();
    watched.server.stop().await;
}

async fn post(person: &Person, path: &str, text: &str) -> ApiResponse {
    person.post(path, json!({ "text": text })).await
}

support::on_both! {
    async fn question_without_a_model_is_rejected_with_what_to_set(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let questions = format!("/api/builds/{build}/questions");
        let refused = post(&ada, &questions, "Why?").await.problem(409);
        let listed = ada.get(&questions).await.json();
        let fix = "an administrator can set a provider's key in the installation settings";
        assert!(text(&refused["detail"]).contains(fix), "{refused}");
        assert!(text(&listed["unavailable_reason"]).contains(fix), "{listed}");
        assert_eq!(listed["items"], json!([]));
        instance.stop().await;
    }

    // No worker runs, so the questions stay queued.
    async fn only_the_owner_can_ask_and_a_repeated_request_asks_once(database: Database) {
        let instance = Instance::start_with(&database, with_model).await;
        let ada = instance.user("ada@example.org").await;
        let project = ada.project("P").await;
        let build = instance.queue_build(&project, &ada.id).await;
        let questions = format!("/api/builds/{build}/questions");
        let other = instance.user("other@example.org").await;
        post(&other, &questions, "Why?").await.problem(404);
        assert_eq!(other.get(&questions).await.status, 404);
        let viewers = format!("/api/projects/{project}/viewers");
        ada.post(&viewers, json!({ "email": "other@example.org" })).await;
        post(&other, &questions, "Why?").await.problem(403);
        for (said, why) in [
            (" \n".to_owned(), "must not be empty"),
            ("x".repeat(1_001), "at most 1000"),
        ] {
            let problem = post(&ada, &questions, &said).await.problem(422);
            assert!(text(&problem["fields"]["text"]).contains(why), "{problem}");
        }

        let before = ada.get(&format!("/api/builds/{build}")).await.json();
        let again = || {
            let request = ada.request(reqwest::Method::POST, &questions);
            send(request.header("idempotency-key", "k1").json(&json!({ "text": "Why?" })))
        };
        let (first, second) = (again().await.json(), again().await.json());
        assert_eq!(first, second);
        assert_eq!(first["generation"]["status"], "queued");
        assert_eq!(post(&ada, &questions, "And?").await.status, 201, "several can be queued");
        let listed = other.get(&questions).await.json();
        let texts = listed["items"].as_array().expect("items").iter().map(|it| text(&it["question"]));
        assert_eq!(texts.collect::<Vec<_>>(), ["And?", "Why?"]);
        assert_eq!(listed["unavailable_reason"], Value::Null);
        let run = format!("/api/generations/{}", text(&first["generation"]["id"]));
        let cancelled = ada.post(&format!("{run}/cancel"), json!({})).await.json();
        assert_eq!(cancelled["status"], "cancelled");
        let now = ada.get(&format!("/api/builds/{build}")).await.json();
        assert_eq!(now["head_seq"], before["head_seq"]);

        let another = instance.queue_build(&ada.project("Q").await, &ada.id).await;
        let id = text(&first["generation"]["id"]);
        let elsewhere = format!("/api/builds/{another}/questions/{id}");
        assert_eq!(ada.get(&elsewhere).await.status, 404);
        instance.stop().await;
    }
}

/// So many that some are answered while the list is read.
const QUESTION_COUNT: usize = 50;

/// Adds questions about a build of the person's project.
async fn add_questions(instance: &Instance, project: &str, build: BuildId, person: &Person) {
    let (project, by) = (project.parse().expect("an id"), person.id.parse().expect("an id"));
    let (kind, now) = (GenerationKind::BuildQuestion, store::now());
    let mut tx = instance.app.db.write().await.expect("the database is up");
    for _ in 0..QUESTION_COUNT {
        let id = store::new_id();
        generations::insert(&mut tx, id, project, kind, by, now).await.expect("a generation");
        interview_runs::insert(&mut tx, id).await.expect("a run");
        build_questions::insert(&mut tx, id, build, "Why?").await.expect("a question");
    }
    tx.commit().await.expect("the database is up");
}

/// Answers the next question as a worker does, in one transaction.
async fn answer_next(instance: &Instance) {
    let (now, until) = (store::now(), store::now() + TimeDelta::minutes(1));
    let mut tx = instance.app.db.write().await.expect("the database is up");
    let lease = leases::claim::<BuildQuestionQueue>(&mut tx, "node", now, until).await;
    let lease = lease.expect("the database is up").expect("a question is queued");
    let answered = build_questions::set_answer(&mut tx, lease.id, "Because.", "[]").await;
    answered.expect("the database is up");
    let finished = generations::finish(&mut tx, &lease, GenerationStatus::Done, None, now).await;
    assert!(finished.expect("the database is up"));
    tx.commit().await.expect("the database is up");
}

support::on_both! {
    // A browser polls until the run has ended, and would never show the answer.
    async fn question_whose_run_is_done_is_listed_with_its_answer(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let project = admin.project("Asked").await;
        let build = instance.queue_build(&project, &admin.id).await;
        add_questions(&instance, &project, build, &admin).await;
        let answering = async {
            for _ in 0..QUESTION_COUNT {
                answer_next(&instance).await;
            }
        };
        let reading = async {
            loop {
                let path = format!("/api/builds/{build}/questions?limit={QUESTION_COUNT}");
                let list = admin.get(&path).await.json();
                let items = list["items"].as_array().expect("questions").clone();
                assert_eq!(items.len(), QUESTION_COUNT);
                let is_done = |item: &Value| item["generation"]["status"] == "done";
                for item in items.iter().filter(|item| is_done(item)) {
                    assert_eq!(item["answer"], "Because.");
                }
                if items.iter().all(is_done) {
                    break;
                }
            }
        };
        tokio::join!(answering, reading);
        instance.stop().await;
    }
}
