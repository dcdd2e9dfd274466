//! The inbox: what is listed for whom, what is read, and what has been handled.

use domain::event::{
    life::{BlockReason, Blocked},
    questions::ClarificationKind,
};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    clarifications::{append, asking_for},
    harness::{Database, Instance, Person, text},
    sealed_build::sealed_build,
};

async fn inbox(person: &Person) -> Value {
    person.get("/api/inbox").await.json()
}

fn kinds(inbox: &Value) -> Vec<(String, String)> {
    let items = inbox["items"].as_array().unwrap().iter();
    items.map(|item| (text(&item["kind"]), text(&item["project_name"]))).collect()
}

fn counts(inbox: &Value) -> (u64, u64) {
    (inbox["count"].as_u64().unwrap(), inbox["unread_count"].as_u64().unwrap())
}

fn kind(kind: &str, project: &str) -> (String, String) {
    (kind.to_owned(), project.to_owned())
}

support::on_both! {
    async fn items_are_listed_for_the_owner_only_until_they_are_handled(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let ask = async |project| {
            asking_for(&instance, &ada, project, &[], None, ClarificationKind::Question).await
        };
        let (first, question) = ask("First").await;
        let (second, other) = ask("Second").await;
        let answer = json!({"question_id": other, "answer": "A month"});
        ada.post(&format!("/api/builds/{second}/clarify"), answer).await;
        let blocked = Blocked { reason: BlockReason::Usd, last_failures: Vec::new(), report: String::new() };
        append(&instance, second, blocked).await;

        let listed = inbox(&ada).await;
        assert_eq!(kinds(&listed), [kind("blocked", "Second"), kind("question", "First")]);
        assert_eq!(counts(&listed), (2, 2));
        let (block, asked) = (&listed["items"][0], &listed["items"][1]);
        assert_eq!((&block["text"], &block["build_number"]), (&json!("It reached its cost limit."), &json!(1)));
        assert_eq!(asked["text"], "How long may a book stay out?");
        assert_eq!(asked["key"], format!("question/{question}"));
        // Not even viewers and administrators see what they cannot handle.
        let project = text(&asked["project_id"]);
        let viewer = json!({"email": "eve@example.org"});
        assert_eq!(ada.post(&format!("/api/projects/{project}/viewers"), viewer).await.status, StatusCode::CREATED);
        for person in [&eve, &root] {
            assert_eq!(counts(&inbox(person).await), (0, 0));
        }
        // Page by page.
        let page = ada.get("/api/inbox?limit=1").await.json();
        assert_eq!((kinds(&page), counts(&page)), (vec![kind("blocked", "Second")], (2, 2)));
        let next = ada.get(&format!("/api/inbox?limit=1&after={}", text(&page["next"]))).await.json();
        assert_eq!((kinds(&next), &next["next"]), (vec![kind("question", "First")], &json!(null)));
        ada.get("/api/inbox?after=nonsense").await.problem(422);

        let answer = json!({"question_id": question, "answer": "A month"});
        ada.post(&format!("/api/builds/{first}/clarify"), answer).await;
        assert_eq!(kinds(&inbox(&ada).await), [kind("blocked", "Second")]);
        ada.post(&format!("/api/builds/{second}/cancel"), json!({})).await;
        instance.stop().await;
    }

    async fn reviews_are_listed_for_administrators_and_decisions_for_the_owner(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let second = instance.appoint("second@example.org", "Second").await;
        let build = sealed_build(&instance, &ada).await;
        sealed_build(&instance, &root).await;
        // An administrator does not review their own builds.
        assert_eq!(counts(&inbox(&root).await), (1, 1));
        assert_eq!(counts(&inbox(&second).await), (2, 2));
        assert_eq!(counts(&inbox(&ada).await), (0, 0));
        let waiting = &inbox(&root).await["items"][0];
        assert_eq!((&waiting["kind"], &waiting["decision"]), (&json!("review"), &json!(null)));
        assert_eq!((&waiting["build_id"], &waiting["verdict"]), (&json!(build), &json!("CERTIFIED")));

        let decide = format!("/api/reviews/{build}/decision");
        let returned = json!({"decision": "changes_requested", "reason": "Not yet"});
        let first = root.post(&decide, returned).await.json();
        assert_eq!(counts(&inbox(&root).await), (0, 0));
        let told = inbox(&ada).await;
        assert_eq!((counts(&told), &told["items"][0]["decision"]), ((1, 1), &json!("changes_requested")));
        assert_eq!(told["items"][0]["text"], "Not yet");
        let approved = json!({"decision": "approved", "reason": "Fine", "seen": first["id"]});
        assert_eq!(root.post(&decide, approved).await.status, StatusCode::CREATED);
        let told = inbox(&ada).await;
        assert_eq!((counts(&told), &told["items"][0]["decision"]), ((1, 1), &json!("approved")));

        let demote = json!({"role": "user"});
        assert_eq!(root.patch(&format!("/api/users/{}", second.id), demote).await.status, StatusCode::OK);
        assert_eq!(counts(&inbox(&second).await), (0, 0));
        instance.stop().await;
    }

    async fn items_are_read_per_user_until_they_occur_again(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let second = instance.appoint("second@example.org", "Second").await;
        let build = sealed_build(&instance, &ada).await;
        sealed_build(&instance, &ada).await;
        let mark = async |person: &Person, body: Value| person.post("/api/inbox/read", body).await.status;
        let key = text(&inbox(&root).await["items"][1]["key"]);
        // Keys of items that the user does not have are ignored.
        let keys = json!({"items": [key, "question/0190", "nonsense"], "read": true});
        assert_eq!(mark(&root, keys).await, StatusCode::NO_CONTENT);
        let listed = inbox(&root).await;
        assert_eq!(counts(&listed), (2, 1));
        assert!(listed["items"][0]["read_at"].is_null() && listed["items"][1]["read_at"].is_string());
        assert_eq!(counts(&inbox(&second).await), (2, 2));
        assert_eq!(mark(&root, json!({"items": [key], "read": false})).await, StatusCode::NO_CONTENT);
        assert_eq!(counts(&inbox(&root).await), (2, 2));
        assert_eq!(mark(&root, json!({"read": true})).await, StatusCode::NO_CONTENT);
        assert_eq!(mark(&root, json!({"read": true})).await, StatusCode::NO_CONTENT);
        assert_eq!(counts(&inbox(&root).await), (2, 0));
        for (body, status) in [
            (json!({"read": false}), 422),
            (json!({"items": vec!["a"; 201], "read": true}), 422),
            (json!({"items": []}), 422),
        ] {
            root.post("/api/inbox/read", body).await.problem(status);
        }

        let decide = format!("/api/reviews/{build}/decision");
        let decision = |what: &str, seen: &Value| json!({"decision": what, "reason": "So", "seen": seen});
        let first = root.post(&decide, decision("changes_requested", &json!(null))).await.json();
        mark(&ada, json!({"read": true})).await;
        assert_eq!(counts(&inbox(&ada).await), (1, 0));
        second.post(&decide, decision("approved", &first["id"])).await;
        assert_eq!(counts(&inbox(&ada).await), (1, 1), "a new decision is a new item");

        // Marks need no password, but more than a key that only reads.
        let made = ada.post("/api/forge-keys", json!({"name": "key", "read_only": true})).await.json();
        let reader = instance.bearer(&ada.id, &text(&made["key"]));
        reader.post("/api/inbox/read", json!({"read": true})).await.problem(403);
        assert_eq!(reader.request(Method::GET, "/api/inbox").send().await.unwrap().status(), StatusCode::OK);
        instance.stop().await;
    }
}
