//! Separation of duties: contributors to a build, and administrators whom they appoint, cannot
//! approve it.

use domain::ids::BuildId;
use forgeguard::{api::ApprovalPolicy, config::Config};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    harness::{ApiResponse, Database, Instance, PASSWORD, Person, send, text},
    sealed_build::{seal_build, sealed_build},
};

async fn start(database: &Database, required: u32) -> Instance {
    let approval = ApprovalPolicy { required, ..ApprovalPolicy::default() };
    Instance::start_with(database, |config| Config { approval, ..config }).await
}

async fn review(by: &Person, build: BuildId) -> Value {
    by.get(&format!("/api/reviews/{build}")).await.json()
}

async fn decide(by: &Person, build: BuildId, decision: &str) -> ApiResponse {
    let seen = review(by, build).await["decisions"][0]["id"].clone();
    let body = json!({ "decision": decision, "reason": "I looked", "seen": seen });
    by.post(&format!("/api/reviews/{build}/decision"), body).await
}

/// Asserts that this user cannot approve, and gets the reason before and after trying.
async fn assert_cannot_approve(by: &Person, build: BuildId, why: &str) {
    let shown = review(by, build).await;
    assert_eq!(shown["may_approve"], false, "{shown}");
    let reason = text(&shown["approval_obstacle"]);
    assert!(reason.contains(why), "{reason}");
    let refused = decide(by, build, "approved").await.problem(403);
    assert_eq!(refused["detail"], reason);
    let log = by.get("/api/audit-log?action=approval_refused&limit=1").await.json();
    let entry = &log["items"][0];
    assert_eq!(
        (&entry["subject"], &entry["actor_id"]),
        (&json!(format!("build/{build}")), &json!(by.id)),
        "{log}"
    );
    assert_eq!(decide(by, build, "changes_requested").await.status, StatusCode::CREATED);
}

async fn assert_can_approve(by: &Person, build: BuildId) {
    let shown = review(by, build).await;
    assert_eq!((&shown["may_approve"], &shown["approval_obstacle"]), (&json!(true), &Value::Null));
    let approved = decide(by, build, "approved").await;
    assert_eq!(approved.status, StatusCode::CREATED, "{}", approved.text);
}

async fn make_admin(by: &Person, email: &str) -> String {
    let body = json!({"email": email, "name": email, "password": PASSWORD, "role": "admin"});
    text(&by.post("/api/users", body).await.json()["id"])
}

support::on_both! {
    async fn contributor_cannot_approve(database: Database) {
        let instance = start(&database, 1).await;
        let ada = instance.user("ada@example.org").await;
        let (root, eve) = (instance.admin().await, instance.appoint("eve@example.org", "Eve").await);
        let kay = instance.appoint("kay@example.org", "Kay").await;

        // The owner of the project, regardless of who started the build.
        let project = root.project("Owned").await;
        let build = instance.queue_build(&project, &ada.id).await;
        seal_build(&instance, &project, build, "Bot <bot@example.org>").await;
        assert_cannot_approve(&root, build, "You own this project").await;

        // Who started it, and the author of a commit, regardless of the case of the address.
        let project = ada.project("Shared").await;
        let build = instance.queue_build(&project, &root.id).await;
        seal_build(&instance, &project, build, "Eve <EVE@Example.org>").await;
        assert_cannot_approve(&root, build, "You started this build").await;
        assert_cannot_approve(&eve, build, "commits of yours").await;

        // A follow-up contains the commits of all builds before it.
        let next = instance.queue_follow_up(&project, &kay.id, Some(build)).await;
        seal_build(&instance, &project, next, "Bot <bot@example.org>").await;
        assert_cannot_approve(&root, next, "that this one follows").await;
        assert_cannot_approve(&eve, next, "commits of yours").await;
        assert_cannot_approve(&kay, next, "You started this build").await;
        instance.stop().await;
    }

    async fn administrator_appointed_by_a_contributor_cannot_approve_until_later(
        database: Database
    ) {
        let instance = start(&database, 1).await;
        let root = instance.admin().await;
        let build = sealed_build(&instance, &root).await;
        let appointed = instance.appoint("new@example.org", "New").await;
        assert_cannot_approve(&appointed, build, "gave you access recently").await;

        // Not through another account either,
        make_admin(&appointed, "puppet@example.org").await;
        let puppet = instance.sign_in("puppet@example.org").await;
        assert_cannot_approve(&puppet, build, "gave you access recently").await;
        // nor by making a user an administrator,
        let user = instance.user("user@example.org").await;
        root.patch(&format!("/api/users/{}", user.id), json!({"role": "admin"})).await;
        assert_cannot_approve(&user, build, "gave you access recently").await;
        // but others may approve it.
        let ada = instance.user("ada@example.org").await;
        assert_can_approve(&appointed, sealed_build(&instance, &ada).await).await;
        instance.stop().await;
    }

    async fn administrator_whose_password_a_contributor_reset_cannot_approve(database: Database) {
        let instance = start(&database, 1).await;
        let root = instance.admin().await;
        let eve = make_admin(&root, "eve@example.org").await;
        // As if that had happened a week ago.
        let mut tx = instance.app.db.write().await.unwrap();
        let (id, week) = (eve.parse().unwrap(), chrono::TimeDelta::weeks(1));
        let past = forgeguard::store::now() - week;
        let by = Some(root.id.parse().unwrap());
        forgeguard::store::users::set_grant(&mut tx, id, by, past).await.unwrap();
        tx.commit().await.unwrap();

        let first = sealed_build(&instance, &root).await;
        assert_can_approve(&instance.sign_in("eve@example.org").await, first).await;
        let second = sealed_build(&instance, &root).await;
        let link = root.post(&format!("/api/users/{eve}/invitation"), json!({})).await.json();
        let path = text(&link["path"]);
        let token = path.split_once("token=").unwrap().1;
        let accept = instance.client().post(format!("{}/api/invitation", instance.url));
        let accept = accept.json(&json!({"token": token, "password": PASSWORD}));
        assert_eq!(send(accept).await.status, 200);
        let eve = instance.sign_in("eve@example.org").await;
        assert_cannot_approve(&eve, second, "gave you access recently").await;
        instance.stop().await;
    }

    async fn build_is_approved_once_two_administrators_agree(database: Database) {
        let instance = start(&database, 2).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (eve, build) =
            (instance.appoint("eve@example.org", "Eve").await, sealed_build(&instance, &ada).await);
        let counts = |shown: &Value| {
            (shown["approvals"].clone(), shown["required_approvals"].clone(), shown["decision"].clone())
        };
        assert_can_approve(&root, build).await;
        assert_eq!(counts(&review(&root, build).await), (json!(1), json!(2), Value::Null));
        let again = decide(&root, build, "approved").await.problem(409);
        assert!(text(&again["detail"]).contains("approved this build already"), "{again}");
        let open = root.get("/api/reviews?state=open").await.json();
        assert_eq!((&open["open_count"], &open["items"][0]["approvals"]), (&json!(1), &json!(1)));
        let own = ada.get(&format!("/api/builds/{build}/reviews")).await.json();
        assert_eq!((&own["approvals"], &own["required_approvals"]), (&json!(1), &json!(2)));

        // A request for changes invalidates the approvals before it.
        assert_eq!(decide(&eve, build, "changes_requested").await.status, StatusCode::CREATED);
        assert_eq!(review(&root, build).await["decision"], "changes_requested");
        assert_can_approve(&eve, build).await;
        assert_eq!(counts(&review(&root, build).await), (json!(1), json!(2), Value::Null));
        assert_can_approve(&root, build).await;
        assert_eq!(counts(&review(&root, build).await), (json!(2), json!(2), json!("approved")));
        let decided = root.get("/api/reviews?state=decided").await.json();
        assert_eq!((&decided["open_count"], &decided["items"][0]["decision"]), (&json!(0), &json!("approved")));

        let log = root.get("/api/audit-log?action=review_decided&limit=1").await.json();
        let detail = &log["items"][0]["detail"];
        assert_eq!((&detail["approvals"], &detail["required_approvals"]), (&json!(2), &json!(2)), "{log}");
        instance.stop().await;
    }
}
