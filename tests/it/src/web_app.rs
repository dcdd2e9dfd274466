//! The web app's files, its index page, and the security headers of all responses.

use crate::harness::{Database, Instance, send};

#[tokio::test]
async fn every_response_has_security_headers() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    for path in ["/", "/projects/x", "/api/session", "/api/docs/", "/healthz", "/missing.js"] {
        let answer = send(instance.client().get(format!("{}{path}", instance.url))).await;
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'self';"), "{path}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert!(policy.contains("connect-src 'self';"), "{path}: {policy}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(answer.headers["referrer-policy"], "same-origin", "{path}");
    }
    instance.stop().await;
}

#[tokio::test]
async fn paths_of_the_app_return_its_page_and_missing_files_a_404() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let get = |path: &str| send(instance.client().get(format!("{}{path}", instance.url)));
    let (root, deep) = (get("/").await, get("/projects/x/builds/y").await);
    assert_eq!((root.status.as_u16(), &root.text), (200, &deep.text));
    assert!(root.text.starts_with("<!doctype html>"), "{}", root.text);
    get("/assets/nothing.js").await.problem(404);
    get("/..%2f..%2fCargo.toml").await.problem(404);
    instance.stop().await;
}

#[tokio::test]
async fn files_of_the_app_are_sent_as_the_build_compressed_them() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let get = |encoding: &str| {
        let request = instance.client().get(format!("{}/favicon.svg", instance.url));
        send(request.header("accept-encoding", encoding))
    };
    for (accepted, sent) in
        [("gzip, br", Some("br")), ("br;q=0, identity", None), ("identity", None)]
    {
        let answer = get(accepted).await;
        let encoding = answer.headers.get("content-encoding");
        assert_eq!(encoding.map(|value| value.to_str().unwrap()), sent, "{accepted}");
        assert_eq!(answer.headers["content-type"], "image/svg+xml", "{accepted}");
        assert_eq!(answer.headers["vary"], "accept-encoding", "{accepted}");
        assert_eq!(answer.text.starts_with("<svg"), sent.is_none(), "{accepted}");
    }
    instance.stop().await;
}

#[tokio::test]
async fn api_docs_load_no_external_resources() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    let get = |path: &str| send(instance.client().get(format!("{}{path}", instance.url)));
    let document = get("/api/openapi.json").await.json();
    assert_eq!(document["openapi"], "3.1.0");
    let page = get("/api/docs/").await;
    assert_eq!(page.status, 200);
    assert!(!page.text.contains("https://") && !page.text.contains("\"//"), "{}", page.text);
    let start = get("/api/docs/swagger-initializer.js").await;
    assert!(start.text.contains("/api/openapi.json"), "{}", start.text);
    instance.stop().await;
}
