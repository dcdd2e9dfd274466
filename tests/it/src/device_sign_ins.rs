//! Devices without a browser get a forge key that their user approves: over HTTP, and with
//! `forgeguard login`.

use std::{os::unix::fs::PermissionsExt, path::Path, process::Stdio};

use chrono::TimeDelta;
use forgeguard::store::{self, device_sign_ins};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::{Child, Command},
};

use crate::harness::{ApiResponse, Database, Instance, Person, binary, send, text};

const DEVICES: &str = "/api/device-sign-ins";

async fn post(instance: &Instance, path: &str, body: Value) -> ApiResponse {
    send(instance.client().post(format!("{}{DEVICES}{path}", instance.url)).json(&body)).await
}

async fn started(instance: &Instance, scopes: Value) -> Value {
    let response = post(instance, "", json!({ "device_name": "laptop", "scopes": scopes })).await;
    assert_eq!(response.status, 201, "{}", response.text);
    assert_eq!(response.headers["cache-control"], "no-store");
    response.json()
}

async fn polled(instance: &Instance, started: &Value) -> ApiResponse {
    post(instance, "/poll", json!({ "device_code": started["device_code"] })).await
}

fn of_code(started: &Value, action: &str) -> String {
    format!("{DEVICES}/{}{action}", text(&started["user_code"]))
}

support::on_both! {
    async fn approved_device_gets_one_key_with_its_scopes(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let device = started(&instance, json!(["build"])).await;
        let code = text(&device["user_code"]);
        assert_eq!(text(&device["url"]), format!("{}/device", instance.url));
        assert_eq!(text(&device["url_with_code"]), format!("{}/device?code={code}", instance.url));
        assert_eq!(polled(&instance, &device).await.json(), json!({ "status": "waiting", "key": null }));
        let early = polled(&instance, &device).await;
        early.problem(429);
        assert!(early.headers.contains_key("retry-after"));

        // As a user types it.
        let typed = code.to_lowercase().replace('-', "");
        let shown = ada.get(&format!("{DEVICES}/{typed}")).await.json();
        assert_eq!((&shown["device_name"], &shown["user_code"]), (&json!("laptop"), &json!(code)));
        assert_eq!((&shown["address"], &shown["scopes"]), (&json!("127.0.0.1"), &json!(["read", "build"])));
        let too_long = ada.post(&of_code(&device, "/approve"), json!({ "expires_in_days": 4000 })).await;
        assert!(too_long.problem(422)["fields"]["expires_in_days"].is_string());
        let approved = ada.post(&of_code(&device, "/approve"), json!({ "expires_in_days": 30 })).await;
        assert_eq!(approved.status, 204, "{}", approved.text);
        for action in ["/approve", "/deny"] {
            ada.post(&of_code(&device, action), json!({})).await.problem(404);
        }

        let outcome = polled(&instance, &device).await;
        assert_eq!(outcome.headers["cache-control"], "no-store");
        let outcome = outcome.json();
        assert_eq!(outcome["status"], "approved");
        let key = &outcome["key"];
        assert_eq!((&key["name"], &key["scopes"]), (&json!("laptop"), &json!(["read", "build"])));
        assert!(key["expires_at"].is_string(), "{key}");
        polled(&instance, &device).await.problem(404);

        let person = instance.bearer(&ada.id, &text(&key["key"]));
        assert_eq!(person.get("/api/session").await.json()["user"]["email"], "ada@example.org");
        person.patch("/api/projects/none", json!({ "name": "a" })).await.problem(403);
        let listed = ada.get("/api/forge-keys").await.json();
        assert_eq!((&listed["items"][0]["id"], &listed["next"]), (&key["id"], &Value::Null));
        let log = instance.admin().await.get("/api/audit-log?action=forge_key_created").await.json();
        assert_eq!(log["items"][0]["detail"]["of"], "ada@example.org", "{log}");
        instance.stop().await;
    }

    async fn denied_or_expired_device_gets_no_key(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let denied = started(&instance, Value::Null).await;
        assert_eq!(ada.get(&of_code(&denied, "")).await.json()["scopes"], Value::Null);
        assert_eq!(ada.post(&of_code(&denied, "/deny"), json!({})).await.status, 204);
        assert_eq!(polled(&instance, &denied).await.json(), json!({ "status": "denied", "key": null }));
        polled(&instance, &denied).await.problem(404);

        let expired = started(&instance, Value::Null).await;
        let letters = text(&expired["user_code"]).replace('-', "");
        let hash = ring::digest::digest(&ring::digest::SHA256, text(&expired["device_code"]).as_bytes());
        let (hash, later) = (hex::encode(hash), store::now() + TimeDelta::minutes(10));
        let db = &instance.app.db;
        let mut tx = db.write().await.unwrap();
        let id = ada.id.parse().unwrap();
        assert!(device_sign_ins::get(&mut tx, &hash, store::now()).await.unwrap().is_some());
        assert!(device_sign_ins::get(&mut tx, &hash, later).await.unwrap().is_none());
        assert!(device_sign_ins::waiting(&mut tx, &letters, later).await.unwrap().is_none());
        assert!(!device_sign_ins::approve(&mut tx, &letters, id, None, later).await.unwrap());
        assert!(!device_sign_ins::deny(&mut tx, &letters, later).await.unwrap());
        device_sign_ins::remove_expired(&mut tx, later).await.unwrap();
        tx.commit().await.unwrap();
        polled(&instance, &expired).await.problem(404);
        ada.post(&of_code(&expired, "/approve"), json!({})).await.problem(404);
        assert_eq!(ada.get("/api/forge-keys").await.json()["items"], json!([]));
        instance.stop().await;
    }

    async fn account_that_was_disabled_after_it_approved_gives_no_key(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let device = started(&instance, Value::Null).await;
        assert_eq!(ada.post(&of_code(&device, "/approve"), json!({})).await.status, 204);
        let admin = instance.admin().await;
        let disabled = admin.patch(&format!("/api/users/{}", ada.id), json!({ "disabled": true })).await;
        assert_eq!(disabled.status, 200, "{}", disabled.text);
        assert_eq!(polled(&instance, &device).await.json(), json!({ "status": "denied", "key": null }));
        instance.stop().await;
    }

    async fn wrong_codes_are_limited(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        for _ in 0..5 {
            ada.get(&format!("{DEVICES}/BBBB-BBBB")).await.problem(404);
        }
        // Even for the right one.
        let device = started(&instance, Value::Null).await;
        ada.get(&of_code(&device, "")).await.problem(429);
        let grace = instance.user("grace@example.org").await;
        assert_eq!(grace.get(&of_code(&device, "")).await.status, 200);
        // A code that cannot exist is no attempt.
        grace.get(&format!("{DEVICES}/hello")).await.problem(404);
        instance.stop().await;
    }

    async fn login_stores_a_key_that_commands_use_until_logout(database: Database) {
        let instance = Instance::start(&database).await;
        let ada = instance.user("ada@example.org").await;
        let home = TempDir::new().unwrap();
        let list = ["list", "--json", "--server", &instance.url];
        let before = command(home.path(), &list).output().await.unwrap();
        let words = String::from_utf8(before.stderr).unwrap();
        assert!(words.contains("forgeguard login --server"), "{words}");

        let first = sign_in(&instance, &ada, home.path()).await;
        let file = home.path().join("settings/forgeguard/keys.toml");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(command(home.path(), &list).output().await.unwrap().status.success());
        // Another sign-in revokes the key that it replaces.
        let second = sign_in(&instance, &ada, home.path()).await;
        let keys = ada.get("/api/forge-keys").await.json();
        let is_revoked = |id: &str| {
            let mut items = keys["items"].as_array().unwrap().iter();
            !items.find(|key| key["id"] == id).expect("it is listed")["revoked_at"].is_null()
        };
        assert_eq!((is_revoked(&first), is_revoked(&second)), (true, false), "{keys}");
        assert!(command(home.path(), &list).output().await.unwrap().status.success());

        let logout = ["logout", "--server", &instance.url];
        assert!(command(home.path(), &logout).output().await.unwrap().status.success());
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(!left.contains("fgk_"), "{left}");
        let keys = ada.get("/api/forge-keys").await.json();
        assert!(keys["items"].as_array().unwrap().iter().all(|key| !key["revoked_at"].is_null()), "{keys}");
        assert!(!command(home.path(), &list).output().await.unwrap().status.success());
        instance.stop().await;
    }
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(home).env("HOME", home);
    command.env("XDG_CONFIG_HOME", home.join("settings")).env_remove("FORGEGUARD_KEY");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Runs `forgeguard login` and approves it. Returns the id of the key.
async fn sign_in(instance: &Instance, user: &Person, home: &Path) -> String {
    let mut child: Child =
        command(home, &["login", "--server", &instance.url]).spawn().expect("it starts");
    let mut words = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut asked = String::new();
    words.read_line(&mut asked).await.expect("it asks");
    let (_, code) = asked.split_once("enter the code ").expect(&asked);
    let code = code.split(',').next().expect(&asked);
    let approved = user.post(&format!("{DEVICES}/{code}/approve"), json!({})).await;
    assert_eq!(approved.status, 204, "{asked} {}", approved.text);
    let mut rest = String::new();
    words.read_to_string(&mut rest).await.expect("it ends");
    assert!(child.wait().await.expect("it ends").success(), "{rest}");
    assert!(rest.contains("signed in to"), "{rest}");
    let keys = user.get("/api/forge-keys").await.json();
    let newest = keys["items"].as_array().and_then(|items| items.last()).expect("a key");
    text(&newest["id"])
}
