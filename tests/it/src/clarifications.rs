//! Clarification questions over HTTP: the list of all builds, concurrent answers, and resolutions.

use domain::{
    contract::{ContractSource, ContractType},
    event::{
        EventBody,
        agents::{AgentStarted, ContractRead, Task},
        branch::{BranchLife, BranchStatus},
        life::{Actor, Started},
        phases::PhaseStarted,
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    gate::SandboxLevel,
    ids::{BuildId, ClarificationId, RunId},
};
use forgeguard::{journal::Entry, store};
use serde_json::{Value, json};

use crate::harness::{Database, Instance, Person, text};

const QUESTION: &str = "How long may a book stay out?";

/// Appends an event to a build's journal.
pub async fn append(instance: &Instance, build: BuildId, event: impl Into<EventBody>) {
    let entry = Entry::given(build, None, vec![event.into()]);
    instance.app.journal.append(entry).await.expect("the event is legal");
}

/// A project of this user with a build whose scout has read `reads` and asks a question.
async fn asking(
    instance: &Instance,
    owner: &Person,
    project: &str,
    reads: &[ContractType],
    minutes: Option<i64>,
) -> (BuildId, ClarificationId) {
    asking_for(instance, owner, project, reads, minutes, ClarificationKind::Question).await
}

/// The same with a question of this kind.
pub async fn asking_for(
    instance: &Instance,
    owner: &Person,
    project: &str,
    reads: &[ContractType],
    minutes: Option<i64>,
    kind: ClarificationKind,
) -> (BuildId, ClarificationId) {
    let project = owner.project(project).await;
    let build = instance.queue_build(&project, &owner.id).await;
    let (branch, sha) = (format!("forge/build-{build}"), "a".repeat(40));
    let started = Started {
        node: "node-1".to_owned(),
        attempt: 1,
        baseline_sha: sha.clone(),
        branch: branch.clone(),
        sandbox: SandboxLevel::None,
    };
    append(instance, build, started).await;
    let status = BranchLife::Active;
    let (baseline_sha, head_sha) = (sha.clone(), sha);
    let branch_status = BranchStatus { branch, baseline_sha, head_sha, commit_count: 0, status };
    append(instance, build, branch_status).await;
    append(instance, build, PhaseStarted { phase: 0, title: "Only".to_owned(), explores: true })
        .await;
    let (run_id, role): (RunId, _) = (store::new_id(), Task::Scout.role());
    let model = "offline".to_owned();
    append(
        instance,
        build,
        AgentStarted {
            run_id,
            role,
            task: Task::Scout,
            phase: 0,
            model,
            weakened_tests: Vec::new(),
            continues: None,
            executor: domain::executor::Executor::Builtin,
        },
    )
    .await;
    for &contract in reads {
        let source = ContractSource::Snapshot;
        append(instance, build, ContractRead { run_id, role, contract, version: 1, source }).await;
    }
    let asked = ClarificationRequest {
        kind,
        expires_at: minutes.map(|minutes| store::now() + chrono::TimeDelta::minutes(minutes)),
        ..question(run_id, false)
    };
    let question_id = asked.question_id;
    append(instance, build, asked).await;
    (build, question_id)
}

fn question(run_id: RunId, multiple: bool) -> ClarificationRequest {
    ClarificationRequest {
        question_id: store::new_id(),
        kind: Default::default(),
        question: QUESTION.to_owned(),
        context: None,
        options: vec!["Two weeks".to_owned(), "A month".to_owned()],
        multiple,
        asked_by: Task::Scout.role(),
        run_id,
        call_id: "call-1".to_owned(),
        requirement: None,
        expires_at: None,
    }
}

async fn items(person: &Person, path: &str) -> Vec<Value> {
    person.get(path).await.json()["items"].as_array().expect("a list").clone()
}

fn names(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["project_name"].as_str().expect("a name")).collect()
}

support::on_both! {
    async fn open_questions_of_all_builds_are_listed_for_their_owner_only(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) =
            (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        for (name, minutes) in [("Never", None), ("Later", Some(20)), ("Sooner", Some(5))] {
            asking(&instance, &ada, name, &[], minutes).await;
        }
        asking(&instance, &eve, "Hers", &[], Some(1)).await;

        let open = items(&ada, "/api/clarifications?state=open").await;
        assert_eq!(names(&open), ["Sooner", "Later", "Never"], "the nearest deadline first");
        assert_eq!(open[0]["clarification"]["question"], QUESTION);
        assert_eq!(open[0]["build_status"], "awaiting_input");
        let (mut paged, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/api/clarifications?state=open&limit=1{after}");
            let page = ada.get(&path).await.json();
            paged.extend(page["items"].as_array().unwrap().clone());
            let Some(next) = page["next"].as_str() else { break };
            after = format!("&after={next}");
        }
        assert_eq!(paged, open);
        assert_eq!(names(&items(&eve, "/api/clarifications").await), ["Hers"]);
        assert_eq!(items(&instance.admin().await, "/api/clarifications").await, [] as [Value; 0]);
        ada.get("/api/clarifications?after=nonsense").await.problem(422);

        ada.delete(&format!("/api/projects/{}", text(&open[0]["project_id"]))).await.problem(409);
        assert_eq!(items(&ada, "/api/clarifications?state=answered").await, [] as [Value; 0]);
        instance.stop().await;
    }

    async fn later_of_two_concurrent_answers_gets_the_first_one(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (build, question) = asking(&instance, &ada, "Shelf", &[], Some(5)).await;
        let clarify = format!("/api/builds/{build}/clarify");
        let answer = |words: &'static str| {
            ada.post(&clarify, json!({"question_id": question, "answer": words}))
        };
        let (weeks, month) = tokio::join!(answer("Two weeks"), answer("A month"));
        let (won, lost, words) = match (weeks.status.as_u16(), month.status.as_u16()) {
            (200, 409) => (weeks, month, "Two weeks"),
            (409, 200) => (month, weeks, "A month"),
            both => panic!("{both:?}"),
        };
        let lost = lost.problem(409);
        assert_eq!(lost["detail"], format!("User answered first: “{words}”."));

        let won = won.json();
        assert_eq!((&won["answer"], &won["answered_by_name"]), (&json!(words), &json!("User")));
        let events = items(&ada, &format!("/api/builds/{build}/events")).await;
        let seq = |kind: &str| &events.iter().find(|event| event["type"] == kind).unwrap()["seq"];
        assert_eq!(&won["asked_seq"], seq("build_clarification_request"));
        assert_eq!(&won["resolved_seq"], seq("build_clarification_resolved"));
        let history = items(&ada, &format!("/api/builds/{build}/clarifications")).await;
        assert_eq!(history, [won]);
        assert_eq!(items(&ada, "/api/clarifications?state=open").await, [] as [Value; 0]);
        instance.stop().await;
    }

    async fn answer_after_the_timeout_gets_instructions(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (build, question_id) = asking(&instance, &ada, "Shelf", &[], Some(5)).await;
        let (how, by) = (ResolvedHow::TimedOut, Actor::Forge);
        let late = ClarificationResolved { question_id, answer: None, how, by };
        append(&instance, build, late).await;
        let answer = json!({"question_id": question_id, "answer": "Two weeks"});
        let problem = ada.post(&format!("/api/builds/{build}/clarify"), answer).await.problem(409);
        assert!(text(&problem["detail"]).contains("Send it as a hint"), "{problem}");
        let interject = format!("/api/builds/{build}/interject");
        assert_eq!(ada.post(&interject, json!({"text": "Two weeks"})).await.status, 202);
        instance.stop().await;
    }

    async fn answers_name_the_contract_that_was_read_last(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let read = [ContractType::Physics, ContractType::Blueprint];
        for (name, reads, contract) in
            [("Reader", &read[..], json!("blueprint")), ("Guesser", &[], Value::Null)]
        {
            let (build, question) = asking(&instance, &ada, name, reads, None).await;
            let open = items(&ada, "/api/clarifications?state=open").await;
            let answers = format!("/api/projects/{}/answers", text(&open[0]["project_id"]));
            assert_eq!(items(&ada, &answers).await, [] as [Value; 0], "nothing is answered yet");
            let clarify = format!("/api/builds/{build}/clarify");
            ada.post(&clarify, json!({"question_id": question, "answer": "A month"})).await.json();
            let found = items(&ada, &answers).await;
            let [answer] = found.as_slice() else { panic!("{found:?}") };
            assert_eq!(answer["clarification"]["contract"], contract, "{name}");
            assert_eq!(answer["clarification"]["answer"], "A month");
            assert_eq!(answer["build_id"], json!(build));
        }
        let (build, question) = asking(&instance, &ada, "Skipper", &read, None).await;
        let open = items(&ada, "/api/clarifications?state=open").await;
        let skip = json!({"question_id": question, "skip": true});
        ada.post(&format!("/api/builds/{build}/clarify"), skip).await.json();
        let answers = format!("/api/projects/{}/answers", text(&open[0]["project_id"]));
        assert_eq!(items(&ada, &answers).await, [] as [Value; 0], "a builder's choice is no answer");
        instance.stop().await;
    }

    async fn questions_of_one_reply_are_open_together_and_several_options_can_be_chosen(
        database: Database
    ) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let (build, single) = asking(&instance, &ada, "Shelf", &[], Some(5)).await;
        let run_id = instance.app.journal.state(build).await.unwrap().questions[0].request.run_id;
        let (chosen, typed) = (question(run_id, true), question(run_id, true));
        let ids = [single, chosen.question_id, typed.question_id];
        let entry = Entry::given(build, None, vec![chosen.into(), typed.into()]);
        instance.app.journal.append(entry).await.unwrap();
        let shown = ada.get(&format!("/api/builds/{build}")).await.json();
        assert_eq!((&shown["open_questions"], &shown["status"]), (&json!(3), &json!("awaiting_input")));
        let open = shown["open_clarifications"].as_array().unwrap();
        assert_eq!(open.iter().map(|it| it["id"].clone()).collect::<Vec<_>>(), ids.map(|id| json!(id)));
        assert_eq!(items(&ada, "/api/clarifications?state=open").await.len(), 3);

        let clarify = format!("/api/builds/{build}/clarify");
        let send = |mut body: Value, id: ClarificationId| {
            body["question_id"] = json!(id);
            ada.post(&clarify, body)
        };
        for (body, id) in [
            (json!({"answers": ["Two weeks", "A month"]}), single),
            (json!({"answers": []}), ids[1]),
            (json!({"answers": ["A year", "A decade"]}), ids[1]),
            (json!({"answers": ["x".repeat(1_001)]}), ids[1]),
            (json!({"answers": ["A month"], "answer": "A month"}), ids[1]),
            (json!({"answers": ["A month"], "skip": true}), ids[1]),
        ] {
            send(body, id).await.problem(422);
        }
        let body = json!({"answers": ["A month", "unless\n reserved", "A month"]});
        let answered = send(body.clone(), ids[1]).await.json();
        assert_eq!(answered["answer"], "A month\nunless reserved");
        let late = send(body, ids[1]).await.problem(409);
        assert_eq!(late["detail"], "User answered first: “A month”, “unless reserved”.");
        send(json!({"answer": " A \n year"}), ids[2]).await.json();
        let shown = ada.get(&format!("/api/builds/{build}")).await.json();
        assert_eq!((&shown["open_questions"], &shown["status"]), (&json!(1), &json!("awaiting_input")));
        send(json!({"skip": true}), single).await.json();
        let shown = ada.get(&format!("/api/builds/{build}")).await.json();
        assert_eq!((&shown["open_questions"], &shown["status"]), (&json!(0), &json!("running")));
        let answers = items(&ada, &format!("/api/builds/{build}/clarifications")).await;
        let answers: Vec<&Value> = answers.iter().map(|it| &it["answer"]).collect();
        assert_eq!(answers, [&Value::Null, &json!("A month\nunless reserved"), &json!("A year")]);
        instance.stop().await;
    }
}
