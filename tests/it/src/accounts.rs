//! Setup, sign-in, sessions and accounts.

use crate::harness::{ADMIN, ApiResponse, Database, Instance, PASSWORD, cookie, send, text};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

async fn post(instance: &Instance, path: &str, body: Value) -> ApiResponse {
    send(instance.client().post(format!("{}{path}", instance.url)).json(&body)).await
}

async fn try_password(instance: &Instance, email: &str, password: &str) -> ApiResponse {
    post(instance, "/api/session", json!({"email": email, "password": password})).await
}

/// A request as sent by a browser: with the cookie, from a page of this origin.
async fn from_page(
    instance: &Instance,
    method: Method,
    path: &str,
    cookies: &str,
    origin: Option<&str>,
) -> ApiResponse {
    let request = instance.client().request(method, format!("{}{path}", instance.url));
    let request = request.header(header::COOKIE, cookies);
    let request = match origin {
        Some(origin) => request.header(header::ORIGIN, origin),
        None => request,
    };
    send(request.json(&json!({}))).await
}

support::on_both! {
    async fn setup_link_works_once(database: Database) {
        let without_admin = |config| forgeguard::config::Config { first_admin: None, ..config };
        let instance = Instance::start_with(&database, without_admin).await;
        let token = instance.setup_token.clone().expect("a link is printed");
        let needed = send(instance.client().get(format!("{}/api/setup", instance.url))).await;
        assert_eq!(needed.json(), json!({"needed": true}));

        let body = |token: &str| json!({
            "token": token, "email": "ada@example.org", "name": "Ada", "password": PASSWORD,
        });
        post(&instance, "/api/setup", body("another")).await.problem(403);
        let done = post(&instance, "/api/setup", body(&token)).await;
        assert_eq!(done.status, StatusCode::CREATED, "{}", done.text);
        assert_eq!(done.json()["user"]["role"], "admin");
        post(&instance, "/api/setup", body(&token)).await.problem(403);

        let ada = instance.sign_in("ADA@example.org").await;
        let landing = text(&done.json()["landing"]);
        let project = ada.get(&format!("/api{landing}")).await;
        assert_eq!(project.json()["origin"], "demo", "{}", project.text);
        let contracts = ada.get(&format!("/api{landing}/contracts")).await.json();
        let sources: Vec<_> = contracts["items"].as_array().unwrap().iter().map(|c| &c["source"]).collect();
        assert_eq!(sources, ["project"; 9]);
        instance.stop().await;
    }

    async fn refresh_keeps_a_browser_signed_in(database: Database) {
        let instance = Instance::start(&database).await;
        let first = try_password(&instance, ADMIN, PASSWORD).await;
        let (access, refresh) = (cookie(&first, "fg_session"), cookie(&first, "fg_refresh"));
        let raw: Vec<_> = first.headers.get_all(header::SET_COOKIE).iter().collect();
        for set in &raw {
            let set = set.to_str().unwrap();
            assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict"), "{set}");
        }

        let url = instance.url.clone();
        let own = Some(url.as_str());
        let session = format!("fg_session={access}");
        let who = from_page(&instance, Method::GET, "/api/session", &session, None).await;
        assert_eq!(who.json()["user"]["email"], ADMIN);

        let old = format!("fg_refresh={refresh}");
        let path = "/api/session/refresh";
        from_page(&instance, Method::POST, path, &old, None).await.problem(403);
        let second = from_page(&instance, Method::POST, path, &old, own).await;
        assert_eq!(second.status, StatusCode::OK, "{}", second.text);
        // Another tab that refreshes a moment later keeps its session.
        from_page(&instance, Method::POST, path, &old, own).await.problem(409);
        let next = format!("fg_refresh={}", cookie(&second, "fg_refresh"));
        let third = from_page(&instance, Method::POST, path, &next, own).await;
        assert_eq!(third.status, StatusCode::OK, "{}", third.text);
        instance.stop().await;
    }

    async fn reused_refresh_token_ends_the_session(database: Database) {
        let instance = Instance::start(&database).await;
        let first = try_password(&instance, ADMIN, PASSWORD).await;
        let (access, refresh) = (cookie(&first, "fg_session"), cookie(&first, "fg_refresh"));
        let url = instance.url.clone();
        let path = "/api/session/refresh";
        let old = format!("fg_refresh={refresh}");
        let second = from_page(&instance, Method::POST, path, &old, Some(&url)).await;
        assert_eq!(second.status, StatusCode::OK);
        // As if the refresh had happened an hour ago.
        let session = refresh.split_once('.').unwrap().0.parse().unwrap();
        let past = forgeguard::store::now() - chrono::TimeDelta::hours(1);
        let mut tx = instance.app.db.write().await.unwrap();
        let row = forgeguard::store::sessions::get(&mut tx, session, past).await.unwrap().unwrap();
        let hash = row.refresh_hash.clone();
        forgeguard::store::sessions::rotate(&mut tx, &hash, &hash, past, row.expires_at).await.unwrap();
        tx.commit().await.unwrap();

        from_page(&instance, Method::POST, path, &old, Some(&url)).await.problem(401);
        let newest = format!("fg_refresh={}", cookie(&second, "fg_refresh"));
        from_page(&instance, Method::POST, path, &newest, Some(&url)).await.problem(401);
        let session = format!("fg_session={access}");
        from_page(&instance, Method::GET, "/api/session", &session, None).await.problem(401);
        instance.stop().await;
    }

    async fn sign_out_invalidates_the_access_token(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        assert_eq!(admin.delete("/api/session").await.status, StatusCode::NO_CONTENT);
        admin.get("/api/session").await.problem(401);
        instance.stop().await;
    }

    async fn password_change_ends_all_other_sessions(database: Database) {
        let instance = Instance::start(&database).await;
        let (here, there) = (instance.admin().await, instance.admin().await);
        let change = |current: &str, new: &str| json!({"current": current, "new": new});
        let path = "/api/me/password";
        here.post(path, change("wrong password", "another password")).await.problem(422);
        here.post(path, change(PASSWORD, "short")).await.problem(422);
        let changed = here.post(path, change(PASSWORD, "another password")).await;
        assert_eq!(changed.status, StatusCode::NO_CONTENT, "{}", changed.text);
        assert_eq!(here.get("/api/session").await.status, StatusCode::OK);
        there.get("/api/session").await.problem(401);
        try_password(&instance, ADMIN, PASSWORD).await.problem(401);
        instance.stop().await;
    }

    async fn only_administrators_manage_accounts(database: Database) {
        let instance = Instance::start(&database).await;
        let user = instance.user("grace@example.org").await;
        user.get("/api/users").await.problem(403);
        let body = json!({"email": "x@example.org", "name": "X", "password": PASSWORD, "role": "admin"});
        user.post("/api/users", body.clone()).await.problem(403);
        let admin = instance.admin().await;
        assert_eq!(admin.post("/api/users", body.clone()).await.status, StatusCode::CREATED);
        admin.post("/api/users", body).await.problem(409);
        let users = admin.get("/api/users?limit=2").await.json();
        assert_eq!(users["items"].as_array().unwrap().len(), 2);
        let next = format!("/api/users?limit=2&after={}", text(&users["next"]));
        let rest = admin.get(&next).await.json();
        assert_eq!((rest["items"].as_array().unwrap().len(), &rest["next"]), (1, &Value::Null));
        instance.stop().await;
    }
}

async fn sqlite() -> (support::Sqlite, Instance) {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start(&database).await;
    (file, instance)
}

#[tokio::test]
async fn sixth_wrong_password_is_rate_limited() {
    let (_file, instance) = sqlite().await;
    for _ in 0..5 {
        try_password(&instance, ADMIN, "wrong password").await.problem(401);
    }
    let refused = try_password(&instance, ADMIN, PASSWORD).await;
    refused.problem(429);
    let wait: u64 = refused.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    instance.stop().await;
}

#[tokio::test]
async fn unknown_email_gets_the_same_error_as_a_wrong_password() {
    let (_file, instance) = sqlite().await;
    let known = try_password(&instance, ADMIN, "wrong password").await;
    let unknown = try_password(&instance, "unknown@example.org", "wrong password").await;
    assert_eq!(known.problem(401), unknown.problem(401));
    instance.stop().await;
}

#[tokio::test]
async fn cookie_is_accepted_only_from_the_own_origin() {
    let (_file, instance) = sqlite().await;
    let signed_in = try_password(&instance, ADMIN, PASSWORD).await;
    let cookies = format!("fg_session={}", cookie(&signed_in, "fg_session"));
    let own = instance.url.clone();
    for (origin, expected) in [
        (None, 403),
        (Some("http://evil.example"), 403),
        (Some("null"), 403),
        (Some(own.as_str()), 422),
    ] {
        let answer = from_page(&instance, Method::POST, "/api/projects", &cookies, origin).await;
        answer.problem(expected);
    }
    instance.stop().await;
}

#[tokio::test]
async fn cookies_are_secure_if_the_public_url_is_https() {
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    let instance = Instance::start_with(&database, |config| forgeguard::config::Config {
        public_url: Some("https://forge.example.org".to_owned()),
        ..config
    });
    let mut instance = instance.await;
    assert_eq!(instance.url, "https://forge.example.org");
    instance.url = instance.direct_url.clone();
    let signed_in = try_password(&instance, ADMIN, PASSWORD).await;
    for set in signed_in.headers.get_all(header::SET_COOKIE) {
        assert!(set.to_str().unwrap().ends_with("; Secure"), "{set:?}");
    }
    instance.stop().await;
}

support::on_both! {
    async fn invited_user_sets_a_password(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let body = json!({"email": "eve@example.org", "name": "Eve", "role": "user"});
        let made = admin.post("/api/users", body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        let (eve, made) = (text(&made.json()["id"]), made.json());
        let token = |invitation: &Value| {
            let path = text(&invitation["path"]);
            path.strip_prefix("/welcome?token=").expect("a link").to_owned()
        };
        let first = token(&made["invitation"]);
        let again = admin.post(&format!("/api/users/{eve}/invitation"), json!({})).await;
        let second = token(&again.json());
        let accept = async |token: &str, password: &str| {
            let body = json!({"token": token, "password": password});
            post(&instance, "/api/invitation", body).await
        };
        accept(&first, PASSWORD).await.problem(403);
        accept(&second, "short").await.problem(422);
        let signed_in = accept(&second, PASSWORD).await;
        assert_eq!(signed_in.json()["user"]["email"], "eve@example.org", "{}", signed_in.text);
        accept(&second, "another password").await.problem(403);
        assert_eq!(try_password(&instance, "eve@example.org", PASSWORD).await.status, 200);
        admin
            .post("/api/users/00000000-0000-7000-8000-000000000000/invitation", json!({}))
            .await
            .problem(404);
        instance.stop().await;
    }

    async fn deactivated_account_has_no_access(database: Database) {
        let instance = Instance::start(&database).await;
        let admin = instance.admin().await;
        let eve = instance.user("eve@example.org").await;
        let key = eve.post("/api/forge-keys", json!({"name": "k"})).await.json();
        let with_key = || {
            let request = instance.client().get(format!("{}/api/projects", instance.url));
            send(request.bearer_auth(text(&key["key"])))
        };
        assert_eq!(with_key().await.status, 200);
        let account = format!("/api/users/{}", eve.id);
        let shut = admin.patch(&account, json!({"disabled": true})).await.json();
        assert!(shut["disabled_at"].is_string(), "{shut}");
        eve.get("/api/projects").await.problem(401);
        with_key().await.problem(401);
        try_password(&instance, "eve@example.org", PASSWORD).await.problem(401);

        let opened =
            admin.patch(&account, json!({"disabled": false, "role": "admin"})).await.json();
        assert_eq!((&opened["disabled_at"], &opened["role"]), (&Value::Null, &json!("admin")));
        let eve = instance.sign_in("eve@example.org").await;
        assert_eq!(eve.get("/api/users").await.status, 200);
        let own = eve.patch(&account, json!({"disabled": true})).await.problem(403);
        assert!(own["detail"].as_str().unwrap().contains("another administrator"), "{own}");
        eve.patch(&format!("/api/users/{}", admin.id), json!({"role": "user"})).await.json();
        admin.get("/api/users").await.problem(403);
        instance.stop().await;
    }

    async fn user_lists_and_ends_active_sessions(database: Database) {
        let instance = Instance::start(&database).await;
        let here = instance.user("eve@example.org").await;
        let there = instance.sign_in("eve@example.org").await;
        let third = instance.sign_in("eve@example.org").await;
        let places = here.get("/api/sessions").await.json();
        let current: Vec<bool> =
            places["items"].as_array().unwrap().iter().map(|p| p["current"] == true).collect();
        assert_eq!(current.iter().filter(|current| **current).count(), 1, "{places}");
        assert_eq!(current.len(), 3);
        let own = there.get("/api/sessions").await.json();
        let own = own["items"].as_array().unwrap().iter().find(|p| p["current"] == true).unwrap();
        let session = format!("/api/sessions/{}", text(&own["id"]));
        instance.admin().await.delete(&session).await.problem(404);
        assert_eq!(here.delete(&session).await.status, 204);
        there.get("/api/projects").await.problem(401);
        assert_eq!(here.delete("/api/sessions").await.status, 204);
        third.get("/api/projects").await.problem(401);
        assert_eq!(here.get("/api/projects").await.status, 200);
        instance.stop().await;
    }

    async fn forge_keys_can_expire_and_be_read_only(database: Database) {
        let instance = Instance::start(&database).await;
        let eve = instance.user("eve@example.org").await;
        let make = |body: Value| eve.post("/api/forge-keys", body);
        make(json!({"name": "k", "expires_in_days": 0})).await.problem(422);
        let made =
            make(json!({"name": "k", "expires_in_days": 30, "read_only": true})).await.json();
        assert!(made["expires_at"].is_string() && made["scopes"] == json!(["read"]), "{made}");
        let ask = |method: Method| {
            let request =
                instance.client().request(method, format!("{}/api/projects", instance.url));
            send(
                request
                    .bearer_auth(text(&made["key"]))
                    .json(&json!({"name": "P", "description": ""})),
            )
        };
        assert_eq!(ask(Method::GET).await.status, 200);
        let refused = ask(Method::POST).await.problem(403);
        assert!(refused["detail"].as_str().unwrap().contains("full access"), "{refused}");
        instance.stop().await;
    }
}
