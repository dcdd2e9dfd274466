//! Invalid input is rejected with the name of the field, and the server keeps working.

use crate::harness::{Database, Instance, Person, send};
use forgeguard::api::docs;
use futures::stream;
use reqwest::{Method, header};
use serde_json::{Value, json};

async fn sqlite() -> (support::Sqlite, Instance) {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    (file, instance)
}

async fn raw(
    person: &Person,
    method: Method,
    path: &str,
    body: Vec<u8>,
) -> crate::harness::ApiResponse {
    let request = person.request(method, path).header(header::CONTENT_TYPE, "application/json");
    send(request.body(body)).await
}

/// Values that every text field must reject.
fn bad_texts(longest: usize) -> Vec<Value> {
    vec![
        json!(""),
        json!("   "),
        json!("x".repeat(longest + 1)),
        json!("a\u{0}b"),
        json!("a\u{1b}[31mb"),
        json!(7),
        json!(null),
        json!(["x"]),
        json!({"x": 1}),
    ]
}

/// The maximum length of a field of a route's body, according to the OpenAPI document.
fn documented_max_length(path: &str, method: &Method, field: &str) -> u64 {
    let document = serde_json::to_value(docs::document()).unwrap();
    let body = &document["paths"][path][method.as_str().to_lowercase()]["requestBody"];
    let schema = body["content"]["application/json"]["schema"]["$ref"].as_str().unwrap();
    let schema = document.pointer(schema.trim_start_matches('#')).unwrap();
    schema["properties"][field]["maxLength"].as_u64().unwrap_or_default()
}

#[tokio::test]
async fn invalid_text_is_rejected_with_the_name_of_the_field() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    let project = admin.project("Mine").await;
    let build = instance.queue_build(&project, &admin.id).await;
    let user =
        json!({"email": "a@example.org", "name": "A", "password": "correct horse", "role": "user"});
    let gate = json!({"name": "test", "command": "true", "timeout_s": 5, "required": true, "network": false});
    for (method, path, good, pointer, field, longest) in [
        (Method::POST, "/api/projects".to_owned(), json!({"name": "P"}), "/name", "name", 120),
        (
            Method::PATCH,
            format!("/api/projects/{project}"),
            json!({"name": "P"}),
            "/name",
            "name",
            120,
        ),
        (Method::POST, "/api/forge-keys".to_owned(), json!({"name": "K"}), "/name", "name", 80),
        (Method::POST, "/api/users".to_owned(), user.clone(), "/name", "name", 80),
        (Method::POST, "/api/users".to_owned(), user.clone(), "/email", "email", 254),
        (Method::POST, "/api/users".to_owned(), user, "/password", "password", 200),
        (
            Method::POST,
            format!("/api/builds/{build}/interject"),
            json!({"text": "hi"}),
            "/text",
            "text",
            4_000,
        ),
        (
            Method::PUT,
            format!("/api/projects/{project}/settings"),
            json!({"gates": [gate], "clarification_timeout_s": 60}),
            "/gates/0/name",
            "gates[0].name",
            40,
        ),
        (
            Method::PUT,
            format!("/api/projects/{project}/settings"),
            json!({"permissions": [{"permission": "bash", "pattern": "*", "action": "ask"}]}),
            "/permissions/0/pattern",
            "permissions[0].pattern",
            500,
        ),
        (
            Method::POST,
            format!("/api/projects/{project}/permissions/try"),
            json!({"permission": "bash", "subject": "ls"}),
            "/subject",
            "subject",
            8_192,
        ),
        (
            Method::PUT,
            format!("/api/projects/{project}/contracts/stack"),
            json!({"content": "# Stack"}),
            "/content",
            "content",
            200_000,
        ),
    ] {
        if let Some(field) = pointer.strip_prefix('/').filter(|field| !field.contains('/')) {
            let ids = [(project.as_str(), "{project}"), (&build.to_string(), "{build}")];
            let template = ids.iter().fold(path.clone(), |path, (id, name)| path.replace(id, name));
            let template = template.replace("contracts/stack", "contracts/{type}");
            let limit = documented_max_length(&template, &method, field);
            assert_eq!(limit, longest as u64, "{method} {path} {field}");
        }
        for bad in bad_texts(longest) {
            // A missing name changes nothing, a missing password creates an invitation, and
            // passwords may contain any characters.
            let password = field == "password"
                && (bad.is_null() || bad.as_str().is_some_and(|s| s.contains('\u{1b}')));
            let fine = password || (method == Method::PATCH && bad.is_null());
            if fine {
                continue;
            }
            let mut body = good.clone();
            *body.pointer_mut(pointer).unwrap() = bad.clone();
            let answer = send(admin.request(method.clone(), &path).json(&body)).await;
            let problem = answer.problem(422);
            assert!(problem["fields"][field].is_string(), "{method} {path} {bad}: {problem}");
        }
    }
    instance.stop().await;
}

#[tokio::test]
async fn invalid_utf8_is_rejected() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    let body = b"{\"name\":\"\xff\xfe\"}".to_vec();
    let problem = raw(&admin, Method::POST, "/api/projects", body).await.problem(422);
    assert!(problem["fields"]["name"].is_string(), "{problem}");
    for body in [&b""[..], b"{", b"nonsense", b"{\"name\":\"a\"} and more"] {
        raw(&admin, Method::POST, "/api/projects", body.to_vec()).await.problem(400);
    }
    let request = admin.request(Method::POST, "/api/projects").header("content-type", "text/plain");
    send(request.body("{\"name\":\"a\"}")).await.problem(415);
    instance.stop().await;
}

#[tokio::test]
async fn hundred_megabytes_are_rejected_without_buffering() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    let announced = vec![b' '; 100 * 1024 * 1024];
    raw(&admin, Method::POST, "/api/projects", announced).await.problem(413);
    // The same without a Content-Length.
    let piece = bytes::Bytes::from(vec![b' '; 1024 * 1024]);
    let pieces = stream::iter((0..100).map(move |_| Ok::<_, std::io::Error>(piece.clone())));
    let request = admin.request(Method::POST, "/api/projects");
    let request = request.header(header::CONTENT_TYPE, "application/json");
    send(request.body(reqwest::Body::wrap_stream(pieces))).await.problem(413);
    assert_eq!(admin.get("/api/session").await.status, 200);
    instance.stop().await;
}

#[tokio::test]
async fn invalid_path_parameters_are_not_found() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    let project = admin.project("Mine").await;
    let build = instance.queue_build(&project, &admin.id).await;
    let absent = "00000000-0000-7000-8000-000000000000";
    for path in [
        "/api/nowhere".to_owned(),
        "/api/projects/not-an-id".to_owned(),
        "/api/projects/%ff%fe".to_owned(),
        "/api/projects/..%2f..%2fetc%2fpasswd".to_owned(),
        format!("/api/projects/{absent}"),
        format!("/api/builds/{absent}"),
        format!("/api/builds/{project}"),
        format!("/api/projects/{project}/contracts/novel"),
        format!("/api/projects/{project}/contracts/..%2f..%2fsecret.key"),
        format!("/api/builds/{build}/errors/{absent}/nowhere"),
        "/git/..%2fsecret.key/info/refs?service=git-upload-pack".to_owned(),
        format!("/git/{absent}.git/info/refs?service=git-upload-pack"),
        format!("/git/{project}.git/objects/info/packs"),
        "/api/docs/..%2f..%2fCargo.toml".to_owned(),
    ] {
        admin.get(&path).await.problem(404);
    }
    admin
        .post(&format!("/api/builds/{build}/errors/{absent}/dismiss"), json!({ "reason": "no" }))
        .await
        .problem(404);
    admin.delete(&format!("/api/forge-keys/{absent}")).await.problem(404);
    let clarify = json!({"question_id": absent, "answer": "yes"});
    admin.post(&format!("/api/builds/{build}/clarify"), clarify).await.problem(404);
    instance.stop().await;
}

#[tokio::test]
async fn invalid_query_is_rejected_with_the_name_of_the_field() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    let project = admin.project("Mine").await;
    let build = instance.queue_build(&project, &admin.id).await;
    let events = format!("/api/builds/{build}/events");
    let diff = format!("/api/builds/{build}/diff");
    let errors = format!("/api/projects/{project}/errors");
    for (path, field) in [
        ("/api/projects?limit=0".to_owned(), "limit"),
        ("/api/projects?limit=many".to_owned(), "limit"),
        ("/api/projects?after=yesterday".to_owned(), "after"),
        (format!("{events}?limit=1001"), "limit"),
        (format!("{events}?after=-1"), "after"),
        (format!("{events}?after=1&before=9"), "after"),
        (format!("/api/builds/{build}/errors?after=x"), "after"),
        (format!("{errors}?after=1.zz"), "after"),
        (format!("{errors}?q=a%00b"), "q"),
        (format!("{errors}?q={}", "a".repeat(201)), "q"),
        (format!("{errors}?severity=odd"), "severity"),
        (format!("{diff}?path=../../etc/passwd"), "path"),
        (format!("{diff}?path=/etc/passwd"), "path"),
        (format!("{diff}?path=a%00b"), "path"),
        (format!("{diff}?path=.git/config"), "path"),
        (format!("{diff}?commit=HEAD~1"), "commit"),
        (format!("{diff}?commit=--output=x"), "commit"),
    ] {
        let problem = admin.get(&path).await.problem(422);
        assert!(problem["fields"][field].is_string(), "{path}: {problem}");
    }
    instance.stop().await;
}

#[tokio::test]
async fn other_methods_are_rejected() {
    let (_file, instance) = sqlite().await;
    let admin = instance.admin().await;
    admin.put("/api/users", json!({})).await.problem(405);
    admin.delete("/api/projects").await.problem(405);
    send(instance.client().post(&instance.url)).await.problem(405);
    instance.stop().await;
}
