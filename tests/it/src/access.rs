//! Open streams are closed when the access that opened them ends.

use std::time::Duration;

use domain::ids::{BuildId, Id};
use forgeguard::{
    api::StreamLimits,
    config::Config,
    store::{self, Conn, forge_keys, project_viewers, projects, sessions, users},
};
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    generations::answers,
    harness::{Database, Instance, PASSWORD, Person, text},
    socket::{Socket, closed, frame, open, subscribe},
};

const STREAM_TIMEOUT: Duration = Duration::from_secs(30);
/// Longer than any test, so that only the check after a request can close a stream.
const NEVER: Duration = Duration::from_secs(3_600);

/// A project with an unfinished build and generation, as no worker runs.
struct Scene {
    owner: Person,
    project: String,
    build: BuildId,
    generation: String,
}

/// One stream of each kind.
struct Streams {
    socket: Socket,
    responses: Vec<Response>,
}

async fn start(database: &Database, access_check_interval: Duration) -> Instance {
    let stream = StreamLimits { access_check_interval, ..StreamLimits::default() };
    Instance::start_with(database, |config| Config { stream, ..config }).await
}

impl Scene {
    async fn new(instance: &Instance, email: &str) -> Self {
        let owner = instance.user(email).await;
        let project = owner.project("P").await;
        let build = instance.queue_build(&project, &owner.id).await;
        owner.put(&format!("/api/projects/{project}/questionnaire"), answers("full")).await;
        let generate = format!("/api/projects/{project}/contracts/generate");
        let begun = owner.post(&generate, json!({})).await;
        let generation = text(&begun.json()["id"]);
        Self { owner, project, build, generation }
    }

    async fn key(&self, instance: &Instance) -> (String, Person) {
        let made = self.owner.post("/api/forge-keys", json!({"name": "k"})).await.json();
        (text(&made["id"]), instance.bearer(&self.owner.id, &text(&made["key"])))
    }

    /// Opens one stream of each kind, and reads its first message.
    async fn open(&self, instance: &Instance, person: &Person) -> Streams {
        let mut socket = open(instance, person).await;
        subscribe(&mut socket, self.build, 0).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");
        assert_eq!(frame(&mut socket).await["op"], "event");
        let (build, generation) = (self.build, &self.generation);
        let mut responses = Vec::new();
        for (path, accept) in [
            (format!("/api/builds/{build}/events"), "text/event-stream"),
            (format!("/api/builds/{build}/events"), "application/x-ndjson"),
            (format!("/api/generations/{generation}"), "text/event-stream"),
        ] {
            let request = person.request(Method::GET, &path).header("accept", accept);
            let mut response = request.send().await.expect("the stream opens");
            assert_eq!(response.status(), 200);
            assert!(response.chunk().await.expect("it can be read").is_some());
            responses.push(response);
        }
        Streams { socket, responses }
    }
}

impl Streams {
    /// Waits until all streams have ended, the socket with this code.
    async fn assert_closed(mut self, code: u16, why: &str) {
        assert_eq!(closed(&mut self.socket).await, code, "{why}");
        for mut response in self.responses {
            let path = response.url().path().to_owned();
            let end = async { while let Ok(Some(_)) = response.chunk().await {} };
            timeout(STREAM_TIMEOUT, end).await.unwrap_or_else(|_| panic!("{why}: {path}"));
        }
    }

    /// Asserts that the streams deliver an event.
    async fn assert_open(&mut self, instance: &Instance, build: BuildId) {
        instance.log(build, ["still here".to_owned()]).await;
        assert_eq!(frame(&mut self.socket).await["op"], "event");
    }
}

async fn reset_password(instance: &Instance, user: &str, body: Value) {
    let admin = instance.admin().await;
    let link = admin.post(&format!("/api/users/{user}/invitation"), body).await.json();
    let path = text(&link["path"]);
    let token = path.split_once("token=").expect("a token").1;
    let body = json!({"token": token, "password": PASSWORD});
    assert_eq!(admin.post("/api/invitation", body).await.status, 200);
}

support::on_both! {
    async fn streams_close_when_the_session_ends(database: Database) {
        let instance = start(&database, NEVER).await;
        for way in
            ["sign out", "revoke", "revoke others", "change password", "deactivate", "reset"]
        {
            let email = format!("{}@example.org", way.replace(' ', "-"));
            let scene = Scene::new(&instance, &email).await;
            let (owner, other) = (&scene.owner, instance.sign_in(&email).await);
            let mut kept = scene.open(&instance, owner).await;
            let streams = scene.open(&instance, &other).await;
            let own = other.get("/api/sessions").await.json();
            let own = own["items"].as_array().unwrap().iter().find(|it| it["current"] == true);
            let own = format!("/api/sessions/{}", text(&own.unwrap()["id"]));
            let account = format!("/api/users/{}", owner.id);
            let change = json!({"current": PASSWORD, "new": "another password"});
            let done = match way {
                "sign out" => other.delete("/api/session").await.status,
                "revoke" => owner.delete(&own).await.status,
                "revoke others" => owner.delete("/api/sessions").await.status,
                "change password" => owner.post("/api/me/password", change).await.status,
                "deactivate" => {
                    instance.admin().await.patch(&account, json!({"disabled": true})).await.status
                }
                _ => {
                    reset_password(&instance, &owner.id, json!({})).await;
                    reqwest::StatusCode::OK
                }
            };
            assert!(done.is_success(), "{way}: {done}");
            streams.assert_closed(4001, way).await;
            // Streams of other credentials stay open.
            if matches!(way, "deactivate" | "reset") {
                kept.assert_closed(4001, way).await;
            } else {
                kept.assert_open(&instance, scene.build).await;
            }
        }
        instance.stop().await;
    }

    async fn streams_of_a_key_close_when_it_is_revoked(database: Database) {
        let instance = start(&database, NEVER).await;
        let scene = Scene::new(&instance, "ada@example.org").await;
        let (id, key) = scene.key(&instance).await;
        let streams = scene.open(&instance, &key).await;
        assert_eq!(scene.owner.delete(&format!("/api/forge-keys/{id}")).await.status, 204);
        streams.assert_closed(4001, "revoked").await;

        let (_, key) = scene.key(&instance).await;
        let mut streams = scene.open(&instance, &key).await;
        reset_password(&instance, &scene.owner.id, json!({"revoke_keys": false})).await;
        streams.assert_open(&instance, scene.build).await;
        reset_password(&instance, &scene.owner.id, json!({})).await;
        streams.assert_closed(4001, "reset").await;
        instance.stop().await;
    }

    async fn streams_close_when_access_to_the_project_ends(database: Database) {
        let instance = start(&database, NEVER).await;
        let scene = Scene::new(&instance, "ada@example.org").await;
        let viewer = instance.user("viewer@example.org").await;
        let viewers = format!("/api/projects/{}/viewers", scene.project);
        scene.owner.post(&viewers, json!({"email": "viewer@example.org"})).await;
        let mut kept = scene.open(&instance, &scene.owner).await;
        let streams = scene.open(&instance, &viewer).await;
        let removed = scene.owner.delete(&format!("{viewers}/{}", viewer.id)).await;
        assert_eq!(removed.status, 204);
        streams.assert_closed(4003, "viewer removed").await;
        kept.assert_open(&instance, scene.build).await;
        instance.stop().await;
    }

    async fn streams_close_after_changes_on_another_node(database: Database) {
        let instance = start(&database, Duration::from_millis(50)).await;
        for (way, code) in [
            ("session", 4001), ("account", 4001), ("key", 4001), ("expiry", 4001),
            ("viewer", 4003), ("project", 4004),
        ] {
            let scene = Scene::new(&instance, &format!("{way}@example.org")).await;
            let viewer = instance.user(&format!("viewer-of-{way}@example.org")).await;
            let viewers = format!("/api/projects/{}/viewers", scene.project);
            let email = format!("viewer-of-{way}@example.org");
            scene.owner.post(&viewers, json!({"email": email})).await;
            let (key_id, key) = scene.key(&instance).await;
            let streams = match way {
                "key" => scene.open(&instance, &key).await,
                "viewer" => scene.open(&instance, &viewer).await,
                "expiry" => {
                    let key = expiring_key(&instance, &scene.owner).await;
                    scene.open(&instance, &key).await
                }
                _ => scene.open(&instance, &scene.owner).await,
            };
            // Directly in the database, as another node does it.
            let mut tx = instance.app.db.write().await.unwrap();
            let conn: &mut Conn = &mut tx;
            let (owner, now) = (scene.owner.id.parse().unwrap(), store::now());
            let project = scene.project.parse().unwrap();
            match way {
                "session" => assert!(sessions::remove_all(conn, owner).await.unwrap() > 0),
                "account" => assert!(users::set_disabled(conn, owner, Some(now)).await.unwrap()),
                "key" => {
                    let key = key_id.parse().unwrap();
                    assert!(forge_keys::revoke(conn, owner, key, now).await.unwrap());
                }
                "viewer" => {
                    let viewer = viewer.id.parse().unwrap();
                    assert!(project_viewers::remove(conn, project, viewer).await.unwrap());
                }
                "project" => assert!(projects::remove(conn, project, now).await.unwrap()),
                _ => {}
            }
            tx.commit().await.unwrap();
            streams.assert_closed(code, way).await;
        }
        instance.stop().await;
    }

    async fn socket_that_signs_in_as_another_user_loses_inaccessible_builds(database: Database) {
        let instance = start(&database, NEVER).await;
        let scene = Scene::new(&instance, "ada@example.org").await;
        let other = instance.user("other@example.org").await;
        let mut socket = open(&instance, &scene.owner).await;
        subscribe(&mut socket, scene.build, 0).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");
        assert_eq!(frame(&mut socket).await["op"], "event");
        crate::socket::send_message(&mut socket, json!({"op": "auth", "token": other.token})).await;
        assert_eq!(closed(&mut socket).await, 4003);
        instance.stop().await;
    }
}

/// A key that expires soon after a stream can be opened with it.
async fn expiring_key(instance: &Instance, owner: &Person) -> Person {
    let secret = format!("fgk_{}", store::new_id::<domain::ids::RunId>().uuid());
    let now = store::now();
    let key = forge_keys::ForgeKey {
        id: store::new_id(),
        user_id: owner.id.parse().unwrap(),
        name: "short".to_owned(),
        prefix: "fgk_".to_owned(),
        key_hash: forgeguard::api::auth::token::digest(&secret),
        created_at: now,
        last_used_at: None,
        expires_at: Some(now + chrono::TimeDelta::seconds(3)),
        revoked_at: None,
        scopes: Some("read".to_owned()),
        project_id: None,
        build_id: None,
        last_call: None,
        last_call_at: None,
    };
    let mut tx = instance.app.db.write().await.unwrap();
    forge_keys::insert(&mut tx, &key).await.unwrap();
    tx.commit().await.unwrap();
    instance.bearer(&owner.id, &secret)
}

#[test]
fn access_check_interval_closes_streams_within_five_seconds() {
    assert!(StreamLimits::default().access_check_interval * 2 < Duration::from_secs(5));
}
