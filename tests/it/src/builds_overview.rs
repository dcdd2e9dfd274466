//! The builds of all projects: who sees which, in which order, and what each waits for.

use domain::event::{
    life::{BlockReason, Blocked},
    questions::ClarificationKind,
};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    clarifications::{append, asking_for},
    harness::{Database, Instance, Person, text},
    sealed_build::sealed_build,
};

/// Project, group and what each build waits for.
fn shown(page: &Value) -> Vec<(String, String, Value)> {
    let items = page["items"].as_array().unwrap().iter();
    let row = |item: &Value| {
        (text(&item["project_name"]), text(&item["group"]), item["waits_for"].clone())
    };
    items.map(row).collect()
}

fn row(project: &str, group: &str, waits_for: Value) -> (String, String, Value) {
    (project.to_owned(), group.to_owned(), waits_for)
}

async fn builds(person: &Person, query: &str) -> Value {
    person.get(&format!("/api/builds{query}")).await.json()
}

support::on_both! {
    async fn builds_are_grouped_by_what_they_wait_for(database: Database) {
        let instance = Instance::start(&database).await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        assert_eq!(shown(&builds(&ada, "").await), []);
        let sealed = sealed_build(&instance, &ada).await;
        let question = ClarificationKind::Question;
        let (asking, asked) = asking_for(&instance, &ada, "Asking", &[], None, question).await;
        let (running, resolved) = asking_for(&instance, &ada, "Running", &[], None, question).await;
        let answer = json!({ "question_id": resolved, "answer": "A month" });
        ada.post(&format!("/api/builds/{running}/clarify"), answer).await;
        let waiting = ada.project("Waiting").await;
        instance.queue_build(&waiting, &ada.id).await;

        let page = builds(&ada, "").await;
        assert_eq!(shown(&page), [
            row("Asking", "needs_answer", json!("answer")),
            row("Running", "running", json!("model")),
            row("Waiting", "queued", json!("worker")),
            row("Lists", "in_review", json!("review")),
        ]);
        let counts = json!({ "needs_answer": 1, "running": 1, "queued": 1, "in_review": 1, "finished": 0 });
        assert_eq!((&page["counts"], &page["next"]), (&counts, &json!(null)));
        let last = &page["items"][3];
        assert_eq!((&last["id"], &last["number"], &last["verdict"]), (&json!(sealed), &json!(1), &json!("CERTIFIED")));
        assert_eq!((&last["phases_done"], &last["phase_count"]), (&json!(1), &json!(1)));
        // Four replies of 100 and 20 tokens, for 7 millionths each, as in the folded journal.
        let whole = ada.get(&format!("/api/builds/{sealed}")).await.json();
        let used = &last["used"];
        assert_eq!((&used["tokens"], &used["usd_micros"]), (&json!(480), &json!(28)));
        assert_eq!((&used["working_ms"], &used["is_working"]), (&whole["working_ms"], &json!(false)));
        assert_eq!(used["budget_tokens"], whole["budgets"]["tokens"]);

        // A page at a time, and filtered; the counts stay those of all pages.
        let first = builds(&ada, "?limit=3").await;
        assert_eq!((shown(&first).len(), &first["counts"]), (3, &counts));
        let next = text(&first["next"]);
        let rest = builds(&ada, &format!("?limit=3&after={next}")).await;
        assert_eq!(shown(&rest), [row("Lists", "in_review", json!("review"))]);
        let queued = builds(&ada, "?group=queued").await;
        assert_eq!((shown(&queued), &queued["counts"]), (vec![row("Waiting", "queued", json!("worker"))], &counts));
        for named in [waiting.as_str(), "waiting"] {
            let page = builds(&ada, &format!("?project={named}")).await;
            assert_eq!((shown(&page).len(), &page["counts"]["in_review"]), (1, &json!(0)));
        }
        for invalid in ["?after=nonsense", "?after=1.x", "?group=lost", "?limit=0"] {
            ada.get(&format!("/api/builds{invalid}")).await.problem(422);
        }

        // Others see what is shared with them, and learn of nothing else.
        assert_eq!(shown(&builds(&eve, "").await), []);
        eve.get("/api/builds?project=waiting").await.problem(404);
        let viewers = format!("/api/projects/{waiting}/viewers");
        ada.post(&viewers, json!({ "email": "eve@example.org" })).await;
        for query in ["", "?project=waiting"] {
            assert_eq!(shown(&builds(&eve, query).await), [row("Waiting", "queued", json!("worker"))]);
        }

        let answer = json!({ "question_id": asked, "answer": "A month" });
        ada.post(&format!("/api/builds/{asking}/clarify"), answer).await;
        let blocked = Blocked { reason: BlockReason::Usd, last_failures: Vec::new(), report: String::new() };
        append(&instance, asking, blocked).await;
        let page = builds(&ada, "?group=needs_answer").await;
        assert_eq!(shown(&page), [row("Asking", "needs_answer", json!("resume"))]);
        assert_eq!(page["items"][0]["blocked_reason"], "usd");
        instance.stop().await;
    }

    async fn reviewed_builds_wait_for_a_follow_up_or_are_finished(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let decide = format!("/api/reviews/{build}/decision");
        let returned = json!({ "decision": "changes_requested", "reason": "Not yet" });
        let first = root.post(&decide, returned).await.json();
        assert_eq!(shown(&builds(&ada, "").await), [row("Lists", "in_review", json!("follow_up"))]);
        // Administrators see no builds of others here; the queue of reviews lists them.
        assert_eq!(shown(&builds(&root, "").await), []);

        let project = text(&builds(&ada, "").await["items"][0]["project_id"]);
        let follow_up = instance.queue_follow_up(&project, &ada.id, Some(build)).await;
        let both = [row("Lists", "queued", json!("worker")), row("Lists", "finished", json!(null))];
        assert_eq!(shown(&builds(&ada, "").await), both);
        ada.post(&format!("/api/builds/{follow_up}/cancel"), json!({})).await;
        let approved = json!({ "decision": "approved", "reason": "Fine", "seen": first["id"] });
        assert_eq!(root.post(&decide, approved).await.status, StatusCode::CREATED);
        let page = builds(&ada, "?group=finished").await;
        assert_eq!(page["items"].as_array().unwrap().last().unwrap()["review"], "approved");
        assert_eq!(page["counts"]["in_review"], 0);
        instance.stop().await;
    }
}
