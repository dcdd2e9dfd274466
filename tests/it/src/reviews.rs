//! Reviews of sealed builds: the queue, permissions, concurrent decisions, and comment threads.

use chrono::TimeDelta;
use domain::ids::BuildId;
use forgeguard::{api::ApprovalPolicy, config::Config};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    harness::{Database, Instance, send, text},
    sealed_build::{AFTER, BEFORE, FILE, PICTURE, PIXEL, sealed_build},
};

fn decision(decision: &str, reason: &str, seen: &Value) -> Value {
    json!({ "decision": decision, "reason": reason, "seen": seen })
}

fn on_line(text: &str, side: &str, number: u32) -> Value {
    json!({ "text": text, "line": { "path": FILE, "side": side, "number": number } })
}

fn on_lines(text: &str, side: &str, first: u32, last: u32) -> Value {
    let mut comment = on_line(text, side, last);
    comment["line"]["first_number"] = json!(first);
    comment
}

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| text(&item["build_id"])).collect()
}

fn decide(build: BuildId) -> String {
    format!("/api/reviews/{build}/decision")
}

support::on_both! {
    async fn queue_lists_sealed_builds_of_all_users(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let unsealed = instance.queue_build(&ada.project("Other").await, &ada.id).await;
        let first = sealed_build(&instance, &ada).await;
        let second = sealed_build(&instance, &root).await;

        let all = root.get("/api/reviews").await.json();
        assert_eq!(ids(&all), [second.to_string(), first.to_string()]);
        assert_eq!((&all["open_count"], &all["next"]), (&json!(2), &json!(null)));
        let item = &all["items"][1];
        assert_eq!((&item["project_name"], &item["verdict"]), (&json!("Lists"), &json!("CERTIFIED")));
        assert_eq!((&item["owner"]["id"], &item["started_by"]["id"]), (&json!(ada.id), &json!(ada.id)));
        assert_eq!(item["branch"], format!("forge/build-{first}"));

        let page = root.get("/api/reviews?limit=1").await.json();
        assert_eq!(ids(&page), [second.to_string()]);
        let next = format!("/api/reviews?limit=1&after={}", text(&page["next"]));
        assert_eq!(ids(&root.get(&next).await.json()), [first.to_string()]);

        let done = root.post(&decide(first), decision("approved", "Fine", &json!(null))).await;
        assert_eq!(done.status, StatusCode::CREATED, "{}", done.text);
        let open = root.get("/api/reviews?state=open").await.json();
        assert_eq!((ids(&open), &open["open_count"]), (vec![second.to_string()], &json!(1)));
        let decided = root.get("/api/reviews?state=decided").await.json();
        assert_eq!(ids(&decided), [first.to_string()]);
        assert_eq!(decided["items"][0]["decision"], "approved");

        // Unsealed builds are visible only to their owner.
        root.get(&format!("/api/reviews/{unsealed}")).await.problem(404);
        root.post(&decide(unsealed), decision("approved", "Fine", &json!(null))).await.problem(404);
        instance.stop().await;
    }

    async fn review_progress_is_shown_in_lists_of_projects_and_builds(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let project = text(&ada.get(&format!("/api/builds/{build}")).await.json()["project_id"]);
        let shown = async || {
            let project = format!("/api/projects/{project}");
            let [list, one, builds, build] = [
                ("/api/projects".to_owned(), "/items/0/last_build/review"),
                (project.clone(), "/last_build/review"),
                (format!("{project}/builds"), "/items/0/review"),
                (format!("/api/builds/{build}"), "/review"),
            ];
            let mut shown = Vec::new();
            for (path, pointer) in [list, one, builds, build] {
                shown.push(ada.get(&path).await.json().pointer(pointer).cloned());
            }
            shown
        };
        assert_eq!(shown().await, vec![Some(json!("waiting")); 4]);
        let returned = decision("changes_requested", "Not yet", &json!(null));
        let review = root.post(&decide(build), returned).await.json();
        assert_eq!(shown().await, vec![Some(json!("changes_requested")); 4]);
        let approved = decision("approved", "Fine", &review["id"]);
        assert_eq!(root.post(&decide(build), approved).await.status, StatusCode::CREATED);
        assert_eq!(shown().await, vec![Some(json!("approved")); 4]);
        instance.stop().await;
    }

    async fn administrator_can_read_a_sealed_build(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let review = root.get(&format!("/api/reviews/{build}")).await.json();
        assert_eq!((&review["may_approve"], &review["commit_count"]), (&json!(true), &json!(2)));
        assert!(review["seal"]["evidence"].is_object(), "{review}");

        let path = format!("/api/reviews/{build}/diff");
        assert_eq!(root.get(&path).await.json()["files"][0]["path"], FILE);
        let file = root.get(&format!("{path}?path={FILE}")).await.json();
        let own = ada.get(&format!("/api/builds/{build}/diff?path={FILE}")).await.json();
        assert_eq!(file, own);
        assert!(!file["hunks"].as_array().unwrap().is_empty(), "{file}");

        let picture = format!("/api/reviews/{build}/picture?path={PICTURE}&side");
        let own = format!("/api/builds/{build}/picture?path={PICTURE}&side");
        for (who, path) in [(&root, &picture), (&ada, &own)] {
            let shown = who.request(Method::GET, &format!("{path}=new")).send().await.unwrap();
            assert_eq!(shown.headers()["content-type"], "image/png");
            assert_eq!(shown.headers()["content-security-policy"], "default-src 'none'; sandbox");
            assert_eq!(shown.bytes().await.unwrap(), PIXEL);
        }
        // The image did not exist before the change, and text is not shown as an image.
        root.get(&format!("{picture}=old")).await.problem(404);
        root.get(&format!("/api/reviews/{build}/picture?path={FILE}&side=new")).await.problem(422);
        root.get(&format!("{own}=new")).await.problem(404);

        let verified = root.get(&format!("/api/reviews/{build}/verify")).await.json();
        assert_eq!((&verified["ok"], &verified["problems"]), (&json!(true), &json!([])));
        // The owner's routes stay closed to reviewers.
        for route in ["", "/diff", "/verify", "/events", "/reviews"] {
            root.get(&format!("/api/builds/{build}{route}")).await.problem(404);
        }
        instance.stop().await;
    }

    async fn files_of_a_branch_are_shown_to_owner_and_reviewer_at_each_commit(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let review = root.get(&format!("/api/reviews/{build}")).await.json();
        let baseline = text(&review["baseline_sha"]);
        for (who, of) in [(&root, format!("/api/reviews/{build}")), (&ada, format!("/api/builds/{build}"))] {
            let tree = who.get(&format!("{of}/tree")).await.json();
            assert_eq!((&tree["commit"], &tree["truncated"]), (&review["head_sha"], &json!(false)));
            let files: Vec<_> =
                tree["files"].as_array().unwrap().iter().map(|file| text(&file["path"])).collect();
            assert!(files.contains(&FILE.to_owned()) && files.contains(&PICTURE.to_owned()), "{files:?}");
            let file = who.get(&format!("{of}/file?path={FILE}")).await.json();
            assert_eq!((&file["text"], &file["binary"]), (&json!(AFTER), &json!(false)));
            let before = who.get(&format!("{of}/file?path={FILE}&commit={baseline}")).await.json();
            assert_eq!(before["text"], BEFORE);
            let picture = who.get(&format!("{of}/file?path={PICTURE}")).await.json();
            assert_eq!((&picture["text"], &picture["binary"]), (&json!(null), &json!(true)));
            // Commits of other branches are not shown.
            let other = "0".repeat(40);
            who.get(&format!("{of}/tree?commit={other}")).await.problem(404);
            who.get(&format!("{of}/file?path=missing.js")).await.problem(404);
            who.get(&format!("{of}/file?path=../secret")).await.problem(422);
            assert!(who.get(&format!("{of}/requirements")).await.json()["items"].is_array());
        }
        instance.stop().await;
    }

    async fn viewed_files_are_kept_per_user_with_their_content(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let (own, review) = (
            format!("/api/builds/{build}/viewed-files"),
            format!("/api/reviews/{build}/viewed-files"),
        );
        let files = root.get(&format!("/api/reviews/{build}/diff")).await.json();
        let content = &files["files"][0]["content_id"];
        let view = |viewed: bool| json!({ "path": FILE, "content_id": content, "viewed": viewed });
        assert_eq!(root.put(&review, view(true)).await.status, StatusCode::NO_CONTENT);
        let seen = root.get(&review).await.json();
        assert_eq!(seen["items"], json!([{ "path": FILE, "content_id": content }]));
        assert_eq!(ada.get(&own).await.json()["items"], json!([]));
        assert_eq!(ada.put(&own, view(true)).await.status, StatusCode::NO_CONTENT);
        assert_eq!(ada.put(&own, view(false)).await.status, StatusCode::NO_CONTENT);
        assert_eq!(ada.get(&own).await.json()["items"], json!([]));
        assert_eq!(root.get(&review).await.json()["items"].as_array().unwrap().len(), 1);
        let wrong = json!({ "path": FILE, "content_id": "new", "viewed": true });
        ada.put(&own, wrong).await.problem(422);
        instance.stop().await;
    }

    async fn approval_needs_no_reason_and_a_request_for_changes_does(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let refused = root.post(&decide(build), decision("changes_requested", " ", &json!(null))).await;
        assert!(refused.problem(422)["fields"]["reason"].is_string());
        let body = json!({ "decision": "approved", "seen": null });
        let approved = root.post(&decide(build), body).await;
        assert_eq!(approved.status, StatusCode::CREATED, "{}", approved.text);
        assert_eq!(approved.json()["reason"], "");
        let stale = root.post(&decide(build), decision("changes_requested", "No", &json!(null))).await;
        let why = text(&stale.problem(409)["detail"]);
        assert!(why.contains("in the meantime. Review this decision"), "{why}");
        instance.stop().await;
    }

    async fn starter_of_a_build_cannot_approve_it_by_any_route(database: Database) {
        let approval = ApprovalPolicy { cooldown: TimeDelta::zero(), ..Default::default() };
        let instance =
            Instance::start_with(&database, |config| Config { approval, ..config }).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (own, other) =
            (sealed_build(&instance, &root).await, sealed_build(&instance, &ada).await);
        let refused = root.post(&decide(own), decision("approved", "Mine", &json!(null))).await;
        let why = text(&refused.problem(403)["detail"]);
        assert!(why.contains("You started this build"), "{why}");
        assert_eq!(root.get(&format!("/api/reviews/{own}")).await.json()["may_approve"], false);

        // Neither with a forge key nor as an owner without the administrator role.
        let made = root.post("/api/forge-keys", json!({"name": "script"})).await.json();
        let by_key = instance.client().post(format!("{}{}", instance.url, decide(own)));
        let body = decision("approved", "Mine", &json!(null));
        send(by_key.bearer_auth(text(&made["key"])).json(&body)).await.problem(403);
        ada.post(&decide(other), body.clone()).await.problem(403);

        // Nor after a decision by another administrator, nor after their own.
        let wanted = root.post(&decide(own), decision("changes_requested", "Wait", &json!(null))).await;
        assert_eq!(wanted.status, StatusCode::CREATED, "{}", wanted.text);
        let seen = wanted.json()["id"].clone();
        root.post(&decide(own), decision("approved", "Now", &seen)).await.problem(403);
        let eve = instance.appoint("eve@example.org", "Eve").await;
        let approved = eve.post(&decide(own), decision("approved", "I looked", &seen)).await;
        assert_eq!(approved.status, StatusCode::CREATED, "{}", approved.text);
        let seen = approved.json()["id"].clone();
        root.post(&decide(own), decision("approved", "Me too", &seen)).await.problem(403);

        let decisions = root.get(&format!("/api/builds/{own}/reviews")).await.json();
        let made: Vec<_> = decisions["decisions"].as_array().unwrap().iter()
            .map(|it| (text(&it["decision"]), text(&it["reviewer"]["id"]))).collect();
        let expected = [("approved", &eve.id), ("changes_requested", &root.id)];
        assert_eq!(made, expected.map(|(what, who)| (what.to_owned(), who.clone())));
        instance.stop().await;
    }

    async fn later_of_two_concurrent_decisions_gets_the_first_one(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let eve = instance.appoint("eve@example.org", "Eve").await;
        let kay = instance.appoint("kay@example.org", "Kay").await;
        let build = sealed_build(&instance, &ada).await;
        let path = decide(build);
        for round in 0..5 {
            // A reviewer cannot approve twice, so changes are requested in between.
            let seen =
                root.get(&format!("/api/reviews/{build}")).await.json()["decisions"][0]["id"].clone();
            root.post(&path, decision("changes_requested", "Not yet", &seen)).await;
            let review = eve.get(&format!("/api/reviews/{build}")).await.json();
            let seen = review["decisions"][0]["id"].clone();
            let (one, other) = tokio::join!(
                eve.post(&path, decision("approved", &format!("good {round}"), &seen)),
                kay.post(&path, decision("changes_requested", &format!("bad {round}"), &seen)),
            );
            let (won, lost, who) = match one.status {
                StatusCode::CREATED => (one, other, "Eve has approved this build"),
                _ => (other, one, "Kay has requested changes"),
            };
            assert_eq!(won.status, StatusCode::CREATED, "{}", won.text);
            let detail = text(&lost.problem(409)["detail"]);
            assert!(detail.contains(who) && detail.contains(&text(&won.json()["reason"])), "{detail}");
        }
        let all = eve.get(&format!("/api/reviews/{build}")).await.json();
        assert_eq!(all["decisions"].as_array().unwrap().len(), 10);
        // Every decision has an entry, rejected ones have none.
        let entries = eve.get("/api/audit-log?action=review_decided").await.json();
        assert_eq!(entries["items"].as_array().unwrap().len(), 10);
        instance.stop().await;
    }

    async fn comments_must_be_on_lines_of_the_diff(database: Database) {
        let instance = Instance::start(&database).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let build = sealed_build(&instance, &ada).await;
        let path = format!("/api/reviews/{build}/comments");
        let removed = root.post(&path, on_line("Why is it gone?", "old", 2)).await;
        assert_eq!(removed.status, StatusCode::CREATED, "{}", removed.text);
        let removed = removed.json();
        // The line's text is returned even if the line no longer exists.
        assert_eq!(removed["line_text"], "export const size = () => list.length;");
        let added = root.post(&path, on_line("0 is wrong", "new", 2)).await.json();
        assert_eq!(added["line_text"], "export const size = () => 0;");

        root.post(&path, on_line("where?", "new", 99)).await.problem(422);
        root.post(&path, on_line("where?", "new", 0)).await.problem(422);
        root.post(&path, on_line("  ", "new", 1)).await.problem(422);
        let elsewhere = json!({"path": "no/such.js", "side": "new", "number": 1});
        root.post(&path, json!({"text": "where?", "line": elsewhere})).await.problem(404);
        root.post(&path, json!({"text": "on nothing"})).await.problem(422);

        let both = root.post(&path, on_lines("Both?", "new", 1, 2)).await.json();
        assert_eq!((&both["first_line"], &both["line"]), (&json!(1), &json!(2)));
        assert_eq!(both["line_text"], AFTER.trim_end());
        let reply = root.post(&path, json!({"text": "Yes", "parent_id": both["id"]})).await.json();
        assert_eq!(reply["first_line"], 1);
        let resolve_both = format!("/api/review-comments/{}/resolve", text(&both["id"]));
        root.post(&resolve_both, json!({})).await;
        let single = root.post(&path, on_lines("One", "old", 2, 2)).await.json();
        assert_eq!((&single["first_line"], &single["line_text"]), (&json!(null), &removed["line_text"]));
        let resolve_single = format!("/api/review-comments/{}/resolve", text(&single["id"]));
        root.post(&resolve_single, json!({})).await;
        for (first, last) in [(0, 2), (2, 1), (1, 3), (1, 99)] {
            root.post(&path, on_lines("where?", "new", first, last)).await.problem(422);
        }

        // The owner replies, and a reply to that stays in the same thread.
        let answers = format!("/api/builds/{build}/review-comments");
        let answer = json!({"text": "To be quick", "parent_id": added["id"]});
        let answer = ada.post(&answers, answer).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.text);
        assert_eq!(answer.json()["parent_id"], added["id"]);
        let again = json!({"text": "Then be right", "parent_id": answer.json()["id"]});
        let again = root.post(&path, again).await.json();
        assert_eq!((&again["parent_id"], &again["line_text"]), (&added["id"], &added["line_text"]));
        let review = || async { root.get(&format!("/api/reviews/{build}")).await.json() };
        assert_eq!(review().await["open_comments"], 2);

        // Only the owner may reply; a resolved thread stays resolved.
        let other = sealed_build(&instance, &root).await;
        let stray = json!({"text": "here?", "parent_id": added["id"]});
        root.post(&format!("/api/reviews/{other}/comments"), stray.clone()).await.problem(404);
        root.post(&answers, stray).await.problem(404);
        let resolve = |id: &Value| format!("/api/review-comments/{}/resolve", text(id));
        ada.post(&resolve(&added["id"]), json!({})).await.problem(403);
        let settled = root.post(&resolve(&added["id"]), json!({})).await.json();
        assert!(settled["resolved_at"].is_string(), "{settled}");
        assert_eq!(root.post(&resolve(&added["id"]), json!({})).await.json(), settled);
        root.post(&resolve(&again["id"]), json!({})).await.problem(422);
        assert_eq!(review().await["open_comments"], 1);

        let seen = ada.get(&format!("/api/builds/{build}/reviews")).await.json();
        assert_eq!(seen["comments"], review().await["comments"]);
        let texts: Vec<_> = seen["comments"].as_array().unwrap().iter().map(|c| text(&c["text"])).collect();
        assert_eq!(
            texts,
            ["Why is it gone?", "0 is wrong", "Both?", "Yes", "One", "To be quick", "Then be right"]
        );
        instance.stop().await;
    }
}
