//! Every route checks permissions: requests without credentials, and users without access.

use std::collections::BTreeSet;

use crate::{
    generations::answers,
    harness::{Database, Instance, Person, send},
    sealed_build::sealed_build,
};
use forgeguard::api::docs;
use reqwest::Method;
use serde_json::{Value, json};

/// Routes without authentication, and why.
const PUBLIC: [(&str, &str, &str); 14] = [
    ("get", "/api/setup", "the first page checks whether there is an account"),
    ("post", "/api/setup", "requires the one-time setup token"),
    ("post", "/api/session", "signs in"),
    ("post", "/api/session/refresh", "requires the refresh cookie"),
    ("post", "/api/invitation", "requires the one-time link"),
    ("get", "/api/ws", "may be signed in to by its first frame; see `socket`"),
    ("post", "/api/hooks/{remote}", "requires a signature with the secret of the remote"),
    ("get", "/api/sign-in", "the sign-in page lists the providers"),
    ("post", "/api/sign-in/{provider}", "signs in"),
    ("get", "/api/sign-in/callback", "requires a state and its cookie; see `sign_in_attacks`"),
    ("post", "/api/device-sign-ins", "a device has no account before it signs in"),
    ("post", "/api/device-sign-ins/poll", "requires the code of the device"),
    ("get", "/healthz", "returns only ok"),
    ("get", "/readyz", "returns only ok"),
];

/// Routes about the requesting user: their paths name no resources of others.
const OWN: [(&str, &str); 27] = [
    ("get", "/api/session"),
    ("delete", "/api/session"),
    ("get", "/api/sessions"),
    ("delete", "/api/sessions"),
    ("post", "/api/me/password"),
    ("get", "/api/me/identities"),
    ("post", "/api/me/identities"),
    ("get", "/api/forge-keys"),
    ("post", "/api/forge-keys"),
    ("get", "/api/projects"),
    ("post", "/api/projects"),
    ("post", "/api/specs/validate"),
    ("get", "/api/builds"),
    ("get", "/api/backlog"),
    ("post", "/api/imports"),
    ("post", "/api/remote-tests"),
    ("get", "/api/credentials"),
    ("post", "/api/credentials"),
    ("get", "/api/clarifications"),
    ("get", "/api/seal-key"),
    ("get", "/api/inbox"),
    ("post", "/api/inbox/read"),
    ("get", "/api/me/email-notifications"),
    ("put", "/api/me/email-notifications"),
    ("get", "/api/device-sign-ins/{code}"),
    ("post", "/api/device-sign-ins/{code}/approve"),
    ("post", "/api/device-sign-ins/{code}/deny"),
];

/// Routes for administrators only, also if the path names another user's resource.
const ADMIN: [(&str, &str); 48] = [
    ("get", "/api/settings"),
    ("put", "/api/settings"),
    ("get", "/api/settings/email"),
    ("put", "/api/settings/email"),
    ("delete", "/api/settings/email"),
    ("post", "/api/settings/email/test"),
    ("get", "/api/settings/webhooks"),
    ("post", "/api/settings/webhooks"),
    ("patch", "/api/settings/webhooks/{webhook}"),
    ("delete", "/api/settings/webhooks/{webhook}"),
    ("get", "/api/settings/webhooks/{webhook}/deliveries"),
    ("post", "/api/settings/webhooks/{webhook}/deliveries/{delivery}/send"),
    ("put", "/api/settings"),
    ("get", "/api/settings/provider-keys"),
    ("put", "/api/settings/provider-keys/{provider}"),
    ("delete", "/api/settings/provider-keys/{provider}"),
    ("post", "/api/settings/provider-keys/{provider}/test"),
    ("get", "/api/settings/sign-in-providers"),
    ("post", "/api/settings/sign-in-providers"),
    ("put", "/api/settings/sign-in-providers/{provider}"),
    ("delete", "/api/settings/sign-in-providers/{provider}"),
    ("post", "/api/settings/sign-in-providers/{provider}/test"),
    ("get", "/api/audit-log"),
    ("get", "/api/audit-log/export"),
    ("get", "/api/audit-log/projects"),
    ("get", "/api/audit-log/verify"),
    ("get", "/api/reviews"),
    ("get", "/api/reviews/{build}"),
    ("get", "/api/reviews/{build}/diff"),
    ("get", "/api/reviews/{build}/file"),
    ("get", "/api/reviews/{build}/requirements"),
    ("get", "/api/reviews/{build}/tree"),
    ("get", "/api/reviews/{build}/viewed-files"),
    ("put", "/api/reviews/{build}/viewed-files"),
    ("get", "/api/reviews/{build}/picture"),
    ("get", "/api/reviews/{build}/verify"),
    ("get", "/api/reviews/{build}/gate-reruns"),
    ("post", "/api/reviews/{build}/gate-reruns"),
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

/// Routes with a secret of a project, such as the URL of a webhook: viewers are rejected.
const OWNER_ONLY: [(&str, &str); 2] = [
    ("get", "/api/projects/{project}/webhooks"),
    ("get", "/api/projects/{project}/webhooks/{webhook}/deliveries"),
];

/// Routes that require a session: forge keys are rejected. All other routes that are not public
/// accept forge keys.
const SIGN_IN_ONLY: [(&str, &str); 31] = [
    ("put", "/api/settings"),
    ("put", "/api/settings/email"),
    ("delete", "/api/settings/email"),
    ("post", "/api/settings/email/test"),
    ("post", "/api/settings/webhooks"),
    ("patch", "/api/settings/webhooks/{webhook}"),
    ("delete", "/api/settings/webhooks/{webhook}"),
    ("post", "/api/settings/webhooks/{webhook}/deliveries/{delivery}/send"),
    ("put", "/api/settings/provider-keys/{provider}"),
    ("delete", "/api/settings/provider-keys/{provider}"),
    ("post", "/api/settings/provider-keys/{provider}/test"),
    ("post", "/api/settings/sign-in-providers"),
    ("put", "/api/settings/sign-in-providers/{provider}"),
    ("delete", "/api/settings/sign-in-providers/{provider}"),
    ("post", "/api/settings/sign-in-providers/{provider}/test"),
    ("get", "/api/me/identities"),
    ("post", "/api/me/identities"),
    ("delete", "/api/me/identities/{identity}"),
    ("get", "/api/sessions"),
    ("delete", "/api/sessions"),
    ("delete", "/api/sessions/{session}"),
    ("post", "/api/me/password"),
    ("post", "/api/forge-keys"),
    ("post", "/api/credentials"),
    ("delete", "/api/credentials/{credential}"),
    ("post", "/api/users"),
    ("patch", "/api/users/{user}"),
    ("post", "/api/users/{user}/invitation"),
    ("get", "/api/device-sign-ins/{code}"),
    ("post", "/api/device-sign-ins/{code}/approve"),
    ("post", "/api/device-sign-ins/{code}/deny"),
];

/// Routes outside the OpenAPI document that return a user's data.
const GIT: [(&str, &str); 4] = [
    ("get", "/git/{project}.git/info/refs?service=git-upload-pack"),
    ("get", "/git/{project}.git/info/refs?service=git-receive-pack"),
    ("post", "/git/{project}.git/git-upload-pack"),
    ("post", "/git/{project}.git/git-receive-pack"),
];

/// The resources that paths name, all of the same owner.
struct Resources {
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

fn fill(path: &str, resources: &Resources) -> String {
    path.replace("{project}", &resources.project)
        .replace("{build}", &resources.build)
        .replace("{generation}", &resources.generation)
        .replace("{error}", &resources.error)
        .replace("{item}", &resources.error)
        .replace("{key}", &resources.key)
        .replace("{session}", &resources.session)
        .replace("{user}", &resources.error)
        .replace("{question}", &resources.error)
        // The comment does not exist; permissions are checked first.
        .replace("{comment}", &resources.error)
        .replace("{run}", &resources.error)
        .replace("{webhook}", &resources.error)
        .replace("{credential}", &resources.error)
        .replace("{delivery}", &resources.error)
        .replace("{position}", "0")
        .replace("{phase}", "0")
        .replace("{index}", "1")
        .replace("{number}", "1")
        .replace("{finding}", "F-1")
        .replace("{type}", "phases")
        .replace("sign-in-providers/{provider}", &format!("sign-in-providers/{}", resources.error))
        .replace("sign-in/{provider}", &format!("sign-in/{}", resources.error))
        .replace("{identity}", &resources.error)
        .replace("{provider}", "anthropic")
        .replace("{version}", "1")
        .replace("{code}", "WDJB-MJHT")
}

fn listed(list: &[(&str, &str)], method: &str, path: &str) -> bool {
    list.contains(&(method, path))
}

fn is_public(method: &str, path: &str) -> bool {
    PUBLIC.iter().any(|(m, p, _)| (*m, *p) == (method, path))
}

async fn status_of(instance: &Instance, who: Option<&Person>, method: &str, path: &str) -> u16 {
    let method: Method = method.to_uppercase().parse().unwrap();
    let has_body = matches!(method, Method::POST | Method::PUT | Method::PATCH);
    let request = match who {
        Some(person) => person.request(method, path),
        None => instance.client().request(method, format!("{}{path}", instance.url)),
    };
    let answer = send(if has_body { request.json(&json!({})) } else { request }).await;
    if answer.status.is_client_error() {
        let media_type = answer.headers.get("content-type").map(|v| v.to_str().unwrap());
        assert_eq!(media_type, Some("application/problem+json"), "{path}: {}", answer.text);
    }
    answer.status.as_u16()
}

async fn resources(instance: &Instance, owner: &Person) -> Resources {
    let project = owner.project("Mine").await;
    let build = instance.queue_build(&project, &owner.id).await.to_string();
    let made = owner.post("/api/forge-keys", json!({"name": "mine"})).await.json();
    let key = made["id"].as_str().unwrap().to_owned();
    // The error does not exist; permissions are checked first.
    let error = "00000000-0000-7000-8000-000000000000".to_owned();
    owner.put(&format!("/api/projects/{project}/questionnaire"), answers("full")).await;
    let generate = format!("/api/projects/{project}/contracts/generate");
    let begun = owner.post(&generate, json!({})).await.json();
    let generation = begun["id"].as_str().unwrap().to_owned();
    let places = owner.get("/api/sessions").await.json();
    let session = places["items"][0]["id"].as_str().unwrap().to_owned();
    Resources { project, build, generation, error, key, session }
}

#[test]
fn lists_contain_only_existing_routes() {
    let routes: BTreeSet<_> = documented().into_iter().collect();
    let public = PUBLIC.iter().map(|(m, p, _)| (*m, *p));
    let named = public.chain(OWN).chain(ADMIN).chain(OWNER_ONLY).chain(SIGN_IN_ONLY);
    for (method, path) in named {
        assert!(routes.contains(&(method.to_owned(), path.to_owned())), "{method} {path}");
    }
}

#[test]
fn every_route_has_an_owned_resource_or_is_listed() {
    for (method, path) in documented() {
        let known = is_public(&method, &path) || listed(&OWN, &method, &path);
        if listed(&ADMIN, &method, &path) {
            continue;
        }
        let owned = [
            "{project}",
            "{build}",
            "{generation}",
            "{key}",
            "{session}",
            "{credential}",
            "{identity}",
        ]
        .iter()
        .any(|name| path.contains(name));
        assert!(known != owned, "{method} {path}: add it to the list that says who may use it");
    }
}

support::on_both! {
    async fn requests_without_credentials_are_rejected(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let resources = resources(&instance, &owner).await;
        let routes = documented().into_iter().filter(|(m, p)| !is_public(m, p));
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        for (method, path) in routes.chain(git) {
            let status = status_of(&instance, None, &method, &fill(&path, &resources)).await;
            assert_eq!(status, 401, "{method} {path}");
        }
        instance.stop().await;
    }

    async fn resources_of_other_users_are_not_found(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let resources = resources(&instance, &owner).await;
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        // Administrators have no access to other users' projects either.
        for other in [instance.user("other@example.org").await, instance.admin().await] {
            for (method, path) in documented().into_iter().chain(git.clone()) {
                let for_all = is_public(&method, &path) || listed(&OWN, &method, &path);
                if for_all || listed(&ADMIN, &method, &path) {
                    continue;
                }
                let status = status_of(&instance, Some(&other), &method, &fill(&path, &resources)).await;
                assert_eq!(status, 404, "{method} {path}");
            }
        }
        // The owner still has access to everything.
        for path in
            ["/api/projects/{project}", "/api/builds/{build}", "/api/generations/{generation}"]
        {
            assert_eq!(owner.get(&fill(path, &resources)).await.status, 200, "{path}");
        }
        instance.stop().await;
    }

    async fn viewer_can_read_everything_and_change_nothing(database: Database) {
        let instance = Instance::start(&database).await;
        let owner = instance.user("owner@example.org").await;
        let viewer = instance.user("viewer@example.org").await;
        let resources = resources(&instance, &owner).await;
        let viewers = format!("/api/projects/{}/viewers", resources.project);
        owner.post(&viewers, json!({"email": "viewer@example.org"})).await;
        let git = GIT.iter().map(|(m, p)| ((*m).to_owned(), (*p).to_owned()));
        let mut read = 0;
        for (method, path) in documented().into_iter().chain(git) {
            let of_project =
                ["{project}", "{build}", "{generation}"].iter().any(|name| path.contains(name));
            if !of_project || listed(&ADMIN, &method, &path) {
                continue;
            }
            let filled = fill(&path, &resources);
            let status = status_of(&instance, Some(&viewer), &method, &filled).await;
            let is_read = method == "get" && !listed(&OWNER_ONLY, &method, &path);
            if is_read || path.ends_with("/git-upload-pack") {
                let owners = status_of(&instance, Some(&owner), &method, &filled).await;
                assert_eq!(status, owners, "{method} {path}");
                read += 1;
            } else {
                assert_eq!(status, 403, "{method} {path}");
            }
        }
        assert!(read > 20, "{read} routes were read");
        instance.stop().await;
    }

    async fn forge_key_is_rejected_by_routes_that_require_a_session(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let resources = resources(&instance, &admin).await;
        let made = admin.post("/api/forge-keys", json!({"name": "script"})).await.json();
        let key = instance.bearer(&admin.id, made["key"].as_str().unwrap());
        for (method, path) in documented().into_iter().filter(|(m, p)| !is_public(m, p)) {
            // Deletes the project that the other requests need; `forge_keys` tests keys that revoke
            // keys.
            if (method.as_str(), path.as_str()) == ("delete", "/api/projects/{project}") {
                continue;
            }
            let has_body = matches!(method.as_str(), "post" | "put" | "patch");
            let wanted = method.to_uppercase().parse().unwrap();
            let request = key.request(wanted, &fill(&path, &resources));
            let answer = send(if has_body { request.json(&json!({})) } else { request }).await;
            let refused = answer.status == 403
                && answer.json()["detail"] == "Sign in with your password to do this.";
            let other_key = (method.as_str(), path.as_str()) == ("delete", "/api/forge-keys/{key}");
            let expected = other_key || listed(&SIGN_IN_ONLY, &method, &path);
            assert_eq!(refused, expected, "{method} {path}: {} {}", answer.status, answer.text);
        }
        instance.stop().await;
    }

    async fn users_without_the_role_cannot_manage_or_review(database: Database) {
        let instance = Instance::start(&database).await;
        let user = instance.user("user@example.org").await;
        // Not even their own resources.
        let resources = resources(&instance, &user).await;
        for (method, path) in ADMIN {
            let status = status_of(&instance, Some(&user), method, &fill(path, &resources)).await;
            assert_eq!(status, 403, "{method} {path}");
        }
        instance.stop().await;
    }
}

#[tokio::test]
async fn every_route_rejects_an_array_as_its_body_and_documents_its_statuses() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let admin = instance.admin().await;
    let resources = resources(&instance, &admin).await;
    let document = serde_json::to_value(docs::document()).unwrap();
    let (mut refused, mut undocumented) = (0, Vec::new());
    // Deleted resources could not be requested afterwards, and archived ones not be changed.
    // The client would follow the redirect to a page.
    let routes = documented()
        .into_iter()
        .filter(|(method, path)| method != "delete" && path != "/api/sign-in/callback");
    let (archive, others): (Vec<_>, _) = routes.partition(|(_, path)| path.ends_with("/archive"));
    for (method, path) in others.into_iter().chain(archive) {
        let operation = &document["paths"][&path][&method];
        let has_body = operation["requestBody"].is_object();
        for body in [json!([]), json!({})] {
            let request =
                admin.request(method.to_uppercase().parse().unwrap(), &fill(&path, &resources));
            let request = if has_body { request.json(&body) } else { request };
            let answer = send(request).await;
            let status = answer.status.as_str();
            if operation["responses"][status].is_null() {
                undocumented.push(format!("{method} {path}: {status} {}", answer.text));
            }
            if has_body && body.is_array() && status != "404" {
                assert_eq!(status, "422", "{method} {path}: {}", answer.text);
                refused += 1;
            }
        }
    }
    assert_eq!(undocumented, [""; 0]);
    assert!(refused > 20, "{refused} routes take a body");
    instance.stop().await;
}

#[tokio::test]
async fn array_in_place_of_a_nested_object_is_rejected_by_every_route() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let admin = instance.admin().await;
    let resources = resources(&instance, &admin).await;
    let sealed = sealed_build(&instance, &admin).await.to_string();
    let document = serde_json::to_value(docs::document()).unwrap();
    let mut tested = 0;
    for (method, path) in documented() {
        let body = &document["paths"][&path][&method]["requestBody"];
        let schema = &body["content"]["application/json"]["schema"];
        for (body, field) in bodies_with_nested_arrays(&document, schema) {
            let url = match path.strip_prefix("/api/reviews/{build}") {
                Some(rest) => format!("/api/reviews/{sealed}{rest}"),
                None => fill(&path, &resources),
            };
            let request = admin.request(method.to_uppercase().parse().unwrap(), &url);
            let problem = send(request.json(&body)).await.problem(422);
            let why = problem["fields"][&field].as_str().unwrap_or_default();
            assert!(
                why.starts_with("invalid type: sequence"),
                "{method} {path} {body}: {field} is missing in {problem}"
            );
            tested += 1;
        }
    }
    assert!(tested >= 8, "only {tested} routes have a body with nested objects");
    instance.stop().await;
}

/// Bodies of one property, in which one nested object is replaced by an array of its length, with
/// the path of that property.
fn bodies_with_nested_arrays(document: &Value, schema: &Value) -> Vec<(Value, String)> {
    let mut bodies = Vec::new();
    for schema in alternatives(document, schema) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            for (value, path) in values_with_arrays(document, property) {
                bodies.push((json!({ name: value }), format!("{name}{path}")));
            }
        }
    }
    bodies
}

fn values_with_arrays(document: &Value, schema: &Value) -> Vec<(Value, String)> {
    let mut values = Vec::new();
    for schema in alternatives(document, schema) {
        if let Some(properties) = schema["properties"].as_object() {
            values.push((json!(vec![Value::Null; properties.len()]), String::new()));
            let nested = bodies_with_nested_arrays(document, schema);
            values.extend(nested.into_iter().map(|(body, path)| (body, format!(".{path}"))));
        } else if schema["type"] == "object" {
            values.push((json!([]), String::new()));
        }
        if schema["items"].is_object() {
            for (item, path) in values_with_arrays(document, &schema["items"]) {
                values.push((json!([item]), format!("[0]{path}")));
            }
        }
    }
    values
}

/// The schemas that a value may have, with references resolved.
fn alternatives<'a>(document: &'a Value, schema: &'a Value) -> Vec<&'a Value> {
    let pointer = schema["$ref"].as_str().map(|reference| reference.trim_start_matches('#'));
    let schema = pointer.map_or(schema, |pointer| document.pointer(pointer).unwrap());
    match schema["oneOf"].as_array() {
        Some(schemas) => schemas.iter().flat_map(|one| alternatives(document, one)).collect(),
        None => vec![schema],
    }
}

#[test]
fn routes_without_security_are_the_public_ones() {
    let document = serde_json::to_value(docs::document()).unwrap();
    for (method, path) in documented() {
        let security = &document["paths"][&path][&method]["security"];
        let is_public = security.as_array().is_some_and(|all| all.contains(&json!({})));
        assert_eq!(is_public, self::is_public(&method, &path), "{method} {path}");
    }
}
