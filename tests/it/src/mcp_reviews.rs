//! The tools of MCP clients for reviews of builds.

use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, text},
    mcp_client::{Client, key},
    sealed_build::{FILE, sealed_build},
};

support::on_both! {
    async fn mcp_client_of_an_administrator_comments_on_a_build_and_decides_about_it(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await.to_string();
        let here = |mut arguments: Value| {
            arguments["build_id"] = json!(build);
            arguments
        };
        let reviews = key(&root, json!({"name": "reviewer", "scopes": ["review"]})).await.1;
        let reviewer = Client::open(&instance, &reviews).await;
        let owner = Client::open(&instance, &key(&ada, json!({"name": "editor"})).await.1).await;
        let none = owner.data("forge_get_review", here(json!({}))).await;
        assert_eq!((&none["review"], &none["threads"]), (&json!("waiting"), &json!([])));

        let on_line = json!({"text": "Why zero?", "path": FILE, "line": 2});
        let first = reviewer.data("forge_add_review_comment", here(on_line)).await;
        let reply = json!({"text": "And why here?", "reply_to": first["comment_id"]});
        reviewer.data("forge_add_review_comment", here(reply)).await;
        let second = json!({"text": "Was it used?", "path": FILE, "line": 2, "side": "old"});
        reviewer.data("forge_add_review_comment", here(second)).await;
        let both = json!({"text": "Both?", "path": FILE, "first_line": 1, "line": 2});
        reviewer.data("forge_add_review_comment", here(both)).await;
        let nowhere = json!({"text": "Where?", "path": FILE, "line": 900});
        reviewer.rejection("forge_add_review_comment", here(nowhere)).await;

        // A page has one thread, with its replies, and one file.
        let page = owner.data("forge_get_review", here(json!({"limit": 1}))).await;
        let texts = |page: &Value| -> Vec<String> {
            let threads = page["threads"].as_array().unwrap().iter();
            threads.flat_map(|it| it["comments"].as_array().unwrap()).map(|it| text(&it["text"])).collect()
        };
        assert_eq!(texts(&page), ["Why zero?", "And why here?"]);
        assert_eq!(page["files"].as_array().unwrap().len(), 1, "{page}");
        let next = json!({"threads_after": page["next_thread"], "files_after": page["next_file"]});
        let last = owner.data("forge_get_review", here(next)).await;
        assert_eq!((texts(&last), &last["next_thread"]),
            (vec!["Was it used?".to_owned(), "Both?".to_owned()], &Value::Null));
        let lines = |thread: &Value| (thread["first_line"].clone(), thread["line"].clone());
        assert_eq!(lines(&last["threads"][0]), (Value::Null, json!(2)));
        assert_eq!(lines(&last["threads"][1]), (json!(1), json!(2)));
        let paths: Vec<String> = [&page, &last].iter().flat_map(|page| page["files"].as_array().unwrap())
            .map(|file| text(&file["path"])).collect();
        let rest = ada.get(&format!("/api/builds/{build}/diff")).await.json();
        let expected: Vec<String> = rest["files"].as_array().unwrap().iter().map(|it| text(&it["path"])).collect();
        assert_eq!(paths, expected);

        reviewer.rejection("forge_review_build", here(json!({"decision": "changes_requested"}))).await;
        let changes = json!({"decision": "changes_requested", "reason": "Count again"});
        let decided = reviewer.data("forge_review_build", here(changes.clone())).await;
        let unseen = reviewer.rejection("forge_review_build", here(changes)).await;
        assert!(unseen.contains("Review this decision"), "{unseen}");
        let approval = json!({"decision": "approved", "seen": decided["decision_id"]});
        reviewer.data("forge_review_build", here(approval)).await;
        let state = owner.data("forge_get_review", here(json!({}))).await;
        assert_eq!((&state["review"], &state["approvals"]), (&json!("approved"), &json!(1)));
        assert_eq!(state["decisions"][1]["reason"], "Count again");
        let rest = root.get(&format!("/api/reviews/{build}")).await.json();
        assert_eq!(rest["decisions"].as_array().unwrap().len(), 2);
        instance.stop().await;
    }

    async fn mcp_review_tools_are_for_administrators_with_the_scope_review(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (eve, mine) = (instance.user("eve@example.org").await, sealed_build(&instance, &root).await);
        let build = sealed_build(&instance, &ada).await.to_string();
        let missing = "00000000-0000-7000-8000-000000000000";
        let decision = |build: &str| json!({"build_id": build, "decision": "approved"});

        let user = Client::open(&instance, &key(&ada, json!({"name": "all"})).await.1).await;
        let listed = user.tools().await;
        assert!(listed.contains(&"forge_get_review".to_owned()));
        assert!(!listed.contains(&"forge_review_build".to_owned()), "not of an administrator");
        for named in [build.as_str(), missing] {
            let refused = user.rejection("forge_review_build", decision(named)).await;
            assert!(refused.contains("administrators"), "{refused}");
        }
        let stranger = Client::open(&instance, &key(&eve, json!({"name": "k"})).await.1).await;
        let foreign = stranger.rejection("forge_get_review", json!({"build_id": build})).await;
        assert_eq!(foreign, stranger.rejection("forge_get_review", json!({"build_id": missing})).await);

        let builds = key(&root, json!({"name": "builds", "scopes": ["build"]})).await.1;
        let unscoped = Client::open(&instance, &builds).await;
        assert!(!unscoped.tools().await.contains(&"forge_review_build".to_owned()));
        let refused = unscoped.rejection("forge_review_build", decision(&build)).await;
        assert!(refused.contains("`review`"), "{refused}");

        // A key of one build reviews no other, and its user cannot approve their own.
        let bound = json!({"name": "bound", "scopes": ["review"], "build": mine.to_string()});
        let bound = Client::open(&instance, &key(&root, bound).await.1).await;
        let foreign = bound.rejection("forge_review_build", decision(&build)).await;
        assert_eq!(foreign, bound.rejection("forge_review_build", decision(missing)).await);
        let own = bound.rejection("forge_review_build", json!({"decision": "approved"})).await;
        assert!(own.contains("You started this build"), "{own}");
        let state = bound.data("forge_get_review", json!({})).await;
        assert_eq!(text(&state["approval_obstacle"]), own);
        instance.stop().await;
    }
}
