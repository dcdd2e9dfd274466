//! Every route refuses whoever must not use it: strangers, and people who do not own the thing.

use std::collections::BTreeSet;

use crate::{
    generations::answers,
    harness::{Database, Instance, Person, send},
};
use forgeguard::api::docs;
use reqwest::Method;
use serde_json::json;

/// Routes that strangers may use, and why.
const PUBLIC: [(&str, &str, &str); 8] = [
    ("get", "/api/setup", "the first page asks whether there is an account"),
    ("post", "/api/setup", "the one-time token is its key"),
    ("post", "/api/session", "this is where people sign in"),
    ("post", "/api/session/refresh", "the refresh cookie is its key"),
    ("post", "/api/invitation", "the one-time link is its key"),
    ("get", "/api/ws", "may be signed in to by its first frame; see `socket`"),
    ("get", "/healthz", "says nothing but ok"),
    ("get", "/readyz", "says nothing but ok"),
];

/// Routes about whoever asks: nothing in the path can be somebody else's.
const OWN: [(&str, &str); 10] = [
    ("get", "/api/session"),
    ("delete", "/api/session"),
    ("get", "/api/sessions"),
    ("delete", "/api/sessions"),
    ("post", "/api/me/password"),
    ("get", "/api/forge-keys"),
    ("post", "/api/forge-keys"),
    ("get", "/api/projects"),
    ("post", "/api/projects"),
    ("get", "/api/clarifications"),
];

/// Routes that only administrators may use, also where the path names what is somebody else's.
const ADMIN: [(&str, &str); 16] = [
    ("get", "/api/audit-log"),
    ("get", "/api/reviews"),
    ("get", "/api/reviews/{build}"),
    ("get", "/api/reviews/{build}/diff"),
    ("get", "/api/reviews/{build}/picture"),
    ("get", "/api/reviews/{build}/verify"),
    ("post", "/api/reviews/{build}/decision"),
    ("get", "/api/reviews/{build}/earlier"),
    ("post", "/api/reviews/{build}/follow-up"),
    ("get", "/api/reviews/{build}/comments"),
    ("post", "/api/reviews/{build}/comments"),
    ("post", "/api/review-comments/{comment}/resolve"),
    ("get", "/api/users"),
    ("post", "/api/users"),
    ("patch", "/api/users/{user}"),
    ("post", "/api/users/{user}/invitation"),
];

/// Routes outside the document that show or fetch what belongs to somebody.
const GIT: [(&str, &str); 4] = [
    ("get", "/git/{project}.git/info/refs?service=git-upload-pack"),
    ("get", "/git/{project}.git/info/refs?service=git-receive-pack"),
    ("post", "/git/{project}.git/git-upload-pack"),
    ("post", "/git/{project}.git/git-receive-pack"),
];

/// What the paths name, all of it the owner's.
struct Things {
    project: String,
    build: String,
    generation: String,
    error: String,
    key: String,
    session: String,
}

fn documented() -> Vec<(String, String)> {
    let document = serde_json::to_value(docs::document()).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let routes = paths.iter().flat_map(|(path, item)| {
        item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))
    });
    routes.collect()
}

fn fill(path: &str, things: &Things) -> String {
    path.replace("{project}", &things.project)
        .replace("{build}", &things.build)
        .replace("{generation}", &things.generation)
        .replace("{error}", &things.error)
        .replace("{key}", &things.key)
        .replace("{session}", &things.session)
        .replace("{user}", &things.error)
        // No such comment is needed either: who asks comes first.
        .replace("{comment}", &things.error)
        .replace("{type}", "phases")
        .replace("{version}", "1")
}

fn listed(list: &[(&str, &str)], method: &str, path: &str) -> bool {
    list.contains(&(method, path))
}

fn is_public(method: &str, path: &str) -> bool {
    PUBLIC.iter().any(|(m, p, _)| (*m, *p) == (method, path))
}

async fn ask(instance: &Instance, who: Option<&Person>, method: &str, path: &str) -> u16 {
    let method: Method = method.to_uppercase().parse().unwrap();
    let has_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
    let request = match who {
        Some(person) => person.ask(method, path),
        None => instance.client().request(method, format!("{}{path}", instance.url)),
    };
    let answer = send(if has_body { request.json(&json!({})) } else { request }).await;
    if answer.status.is_client_error() {
        let media_type = answer.headers.get("content-type").map(|v| v.to_str().unwrap());
        assert_eq!(media_type, Some("application/problem+json"), "{path}: {}", answer.text);
    }
    answer.status.as_u16()
}

async fn things(instance: &Instance, owner: &Person) -> Things {
    let project = owner.project("Mine").await;
    let build = instance.queue_build(&project, &owner.id).await.to_string();
    let made = owner.post("/api/forge-keys", json!({"name": "mine"})).await.json();
    let key = made["id"].as_str().unwrap().to_owned();
    // No such error is needed: whose build it is comes first.
    let error = "00000000-0000-7000-8000-000000000000".to_owned();
    owner.put(&format!("/api/projects/{project}/questionnaire"), answers("full")).await;
    let generate = format!("/api/projects/{project}/contracts/generate");
    let begun = owner.post(&generate, json!({})).await.json();
    let generation = begun["id"].as_str().unwrap().to_owned();
    let places = owner.get("/api/sessions").await.json();
    let session = places["items"][0]["id"].as_str().unwrap().to_owned();
    Things { project, build, generation, error, key, session }
}

#[test]
fn the_lists_name_only_routes_that_exist() {
    let routes: BTreeSet<_> = documented().into_iter().collect();
    let named = PUBLIC.iter().map(|(m, p, _)| (*m, *p)).chain(OWN).chain(ADMIN);
    for (method, path) in named {
        assert!(routes.contains(&(method.to_owned(), path.to_owned())), "{method} {path}");
    }
}

#[test]
fn every_route_has_a_thing_or_a_reason() {
    for (method, path) in documented() {
        let known = is_public(&method, &path) || listed(&OWN, &method, &path);
        if listed(&ADMIN, &method, &path) {
            continue;
        }
        let owned = ["{project}", "{build}", "{generation}", "{key}", "{session}"]
            .iter()
            .any(|name| path.contains(name));
        assert!(known != owned, "{method} {path}: add it to the list that says who may use it");
    }
}

support::on_both! {
    async fn strangers_get_nothing(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let things = things(&instance, &owner).await;
        let routes = documented().into_iter().filter(|(m, p)| !is_public(m, p));
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        for (method, path) in routes.chain(git) {
            let status = ask(&instance, None, &method, &fill(&path, &things)).await;
            assert_eq!(status, 401, "{method} {path}");
        }
        instance.stop().await;
    }

    async fn what_is_not_yours_does_not_exist(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let things = things(&instance, &owner).await;
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        // An administrator manages accounts, and owns no more than anybody else.
        for other in [instance.user("other@example.org").await, instance.admin().await] {
            for (method, path) in documented().into_iter().chain(git.clone()) {
                let for_all = is_public(&method, &path) || listed(&OWN, &method, &path);
                if for_all || listed(&ADMIN, &method, &path) {
                    continue;
                }
                let status = ask(&instance, Some(&other), &method, &fill(&path, &things)).await;
                assert_eq!(status, 404, "{method} {path}");
            }
        }
        // All of it is still there, and its owner sees it.
        for path in
            ["/api/projects/{project}", "/api/builds/{build}", "/api/generations/{generation}"]
        {
            assert_eq!(owner.get(&fill(path, &things)).await.status, 200, "{path}");
        }
        instance.stop().await;
    }

    async fn who_may_look_reads_everything_and_changes_nothing(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let viewer = instance.user("viewer@example.org").await;
        let things = things(&instance, &owner).await;
        let viewers = format!("/api/projects/{}/viewers", things.project);
        owner.post(&viewers, json!({"email": "viewer@example.org"})).await;
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        let mut read = 0;
        for (method, path) in documented().into_iter().chain(git) {
            let of_project =
                ["{project}", "{build}", "{generation}"].iter().any(|name| path.contains(name));
            if !of_project || listed(&ADMIN, &method, &path) {
                continue;
            }
            let filled = fill(&path, &things);
            let status = ask(&instance, Some(&viewer), &method, &filled).await;
            if method == "get" || path.ends_with("/git-upload-pack") {
                let owners = ask(&instance, Some(&owner), &method, &filled).await;
                assert_eq!(status, owners, "{method} {path}");
                read += 1;
            } else {
                assert_eq!(status, 403, "{method} {path}");
            }
        }
        assert!(read > 20, "{read} routes were read");
        instance.stop().await;
    }

    async fn people_without_rights_manage_and_review_nothing(database: Database) {
        let instance = Instance::start(&database).await;
        let user = instance.user("user@example.org").await;
        // Not even what is theirs.
        let things = things(&instance, &user).await;
        for (method, path) in ADMIN {
            let status = ask(&instance, Some(&user), method, &fill(path, &things)).await;
            assert_eq!(status, 403, "{method} {path}");
        }
        instance.stop().await;
    }
}
