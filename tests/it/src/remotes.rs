//! Projects that follow a repository on another server. The other server is a second ForgeGuard, a
//! real git server.

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use chrono::TimeDelta;
use domain::remote::FetchStatus;
use forgeguard::{
    config::{Config, NodeRole},
    store::{
        self,
        fetches::{self, FetchQueue},
        leases,
    },
};
use ring::hmac;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{interval, timeout},
};

use crate::{
    harness::{ApiResponse, Database, Instance, Person, send, text},
    server_process::ServerProcess,
};

const WAIT: Duration = Duration::from_secs(60);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The other server, a repository there, and a token for it.
struct Source {
    instance: Instance,
    project: String,
    token: String,
    work: TempDir,
}

impl Source {
    async fn start(database: &Database) -> Self {
        let instance = Instance::start(database).await;
        let admin = instance.admin().await;
        let project = admin.project("Source").await;
        let token =
            text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        let source = Self { instance, project, token, work: TempDir::new().unwrap() };
        git(source.work.path(), &["init", "-q", "-b", "main"]);
        source.commit("README.md", "# Garden\n");
        source.commit("Cargo.toml", "[package]\nname = \"garden\"\nversion = \"0.1.0\"\n");
        source.push("HEAD:main").await;
        source
    }

    fn url(&self) -> String {
        format!("{}/git/{}.git", self.instance.url, self.project)
    }

    fn commit(&self, name: &str, content: &str) {
        fs::write(self.work.path().join(name), content).unwrap();
        git(self.work.path(), &["add", "-A"]);
        let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        git(self.work.path(), &[&author[..], &["commit", "-q", "-m", name]].concat());
    }

    async fn push(&self, refspec: &str) {
        let address = self.url().replace("http://", &format!("http://git:{}@", self.token));
        let (folder, refspec) = (self.work.path().to_owned(), refspec.to_owned());
        let push = move || git(&folder, &["push", "-q", &address, &refspec]);
        tokio::task::spawn_blocking(push).await.unwrap();
    }

    fn head(&self) -> String {
        git(self.work.path(), &["rev-parse", "HEAD"])
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments).env("HOME", folder);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.env("GIT_TERMINAL_PROMPT", "0").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// With workers, and access to this machine's addresses.
fn following(config: Config) -> Config {
    let allow = vec!["127.0.0.0/8".parse().unwrap()];
    let network = Some(sandbox::EgressRules { allow });
    Config { role: NodeRole::All, network, ..config }
}

/// The database of the other server.
async fn other_database() -> (TempDir, Database) {
    let folder = TempDir::new().unwrap();
    let url = format!("sqlite://{}?mode=rwc", folder.path().join("other.db").display());
    (folder, Database::connect(&url, 1).await.unwrap())
}

async fn credential(person: &Person, host: &str, token: &str) -> String {
    let body = json!({
        "scope": "user", "name": "token", "host": host, "kind": "token", "token": token,
    });
    let added = person.post("/api/credentials", body).await;
    assert_eq!(added.status, 201, "{}", added.text);
    assert!(!added.text.contains(token), "{}", added.text);
    text(&added.json()["id"])
}

async fn import(person: &Person, url: &str, credential: Option<&str>) -> String {
    let body = json!({ "url": url, "credential": credential });
    let made = person.post("/api/imports", body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    format!("/api/projects/{}", text(&made.json()["id"]))
}

/// The remote once its fetch has ended.
async fn fetched(person: &Person, project: &str) -> Value {
    let mut ticks = interval(POLL_INTERVAL);
    let ended = async {
        loop {
            ticks.tick().await;
            let remote = person.get(&format!("{project}/remote")).await.json()["remote"].clone();
            let status = text(&remote["fetch"]["status"]);
            if !["queued", "running"].contains(&status.as_str()) {
                return remote;
            }
        }
    };
    timeout(WAIT, ended).await.expect("the fetch ends in time")
}

/// The commit of the default branch as users of the project see it.
async fn default_head(person: &Person, project: &str) -> String {
    let branches = person.get(&format!("{project}/branches")).await.json();
    let found = branches["items"].as_array().unwrap().iter().find(|one| one["is_default"] == true);
    found.map_or_else(String::new, |branch| text(&branch["sha"]))
}

fn host(instance: &Instance) -> &str {
    instance.url.strip_prefix("http://").unwrap()
}

support::on_both! {
    async fn repository_is_imported_by_token_and_follows_the_remote(database: Database) {
        let (_folder, other) = other_database().await;
        let source = Source::start(&other).await;
        let instance = Instance::start_with(&database, following).await;
        let ada = instance.user("ada@example.org").await;
        let token = credential(&ada, host(&source.instance), &source.token).await;

        let tested = ada.post("/api/remote-tests", json!({ "url": source.url(), "credential": token }));
        let tested = tested.await.json();
        assert_eq!(tested["problem"], json!(null), "{tested}");
        assert_eq!((&tested["default_branch"], &tested["branches"]), (&json!("main"), &json!(1)));

        let project = import(&ada, &source.url(), Some(&token)).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!(remote["fetch"]["status"], "done", "{remote}");
        assert_eq!((&remote["default_branch"], &remote["fetch_error"]), (&json!("main"), &json!(null)));
        assert_eq!(default_head(&ada, &project).await, source.head());
        let gates = ada.get(&format!("{project}/gates/detected")).await.text;
        assert!(gates.contains("cargo test"), "{gates}");

        // A new commit follows on demand; a push to the default branch here is rejected.
        source.commit("notes.md", "Water the tomatoes.\n");
        source.push("HEAD:main").await;
        let begun = ada.post(&format!("{project}/remote/fetch"), json!({})).await;
        assert_eq!(begun.status, 202, "{}", begun.text);
        assert_eq!(fetched(&ada, &project).await["fetch"]["status"], "done");
        assert_eq!(default_head(&ada, &project).await, source.head());

        // A rewritten branch is reported, and ours does not move.
        let hosted = source.instance.app.engine.paths().hosted(source.project.parse().unwrap());
        let (before, first) = (source.head(), git(source.work.path(), &["rev-parse", "HEAD~2"]));
        git(&hosted, &["update-ref", "refs/heads/main", &first]);
        ada.post(&format!("{project}/remote/fetch"), json!({})).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!(remote["fetch"]["problem"], "diverged", "{remote}");
        assert_eq!(default_head(&ada, &project).await, before);

        // The token is in no answer, log entry or file but encrypted.
        let log = instance.admin().await.get("/api/audit-log").await.text;
        let list = ada.get("/api/credentials").await.text;
        for shown in [log, list, remote.to_string()] {
            assert!(!shown.contains(&source.token), "{shown}");
        }
        let data = instance.app.engine.paths().root().display().to_string();
        let found = Command::new("grep").args(["-rlF", &source.token, &data]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
        instance.stop().await;
        source.instance.stop().await;
    }

    async fn existing_project_is_connected_to_a_remote(database: Database) {
        let (_folder, other) = other_database().await;
        let source = Source::start(&other).await;
        let instance = Instance::start_with(&database, following).await;
        let ada = instance.user("ada@example.org").await;
        let token = credential(&ada, host(&source.instance), &source.token).await;
        let body = json!({ "url": source.url(), "credential": token });

        // The first commit of a project without work gives way.
        let new = format!("/api/projects/{}", ada.project("New").await);
        let connected = ada.post(&format!("{new}/remote"), body.clone()).await;
        assert_eq!(connected.status, 201, "{}", connected.text);
        let remote = fetched(&ada, &new).await;
        assert_eq!(remote["fetch"]["status"], "done", "{remote}");
        assert_eq!(default_head(&ada, &new).await, source.head());
        let second = ada.post(&format!("{new}/remote"), body.clone()).await;
        assert!(text(&second.problem(409)["detail"]).contains("disconnect it first"), "{}", second.text);

        // Other commits stay, and the import says what to do.
        let id = ada.project("Own").await;
        let own = format!("/api/projects/{id}");
        let hosted = instance.app.engine.paths().hosted(id.parse().unwrap());
        let tree = git(&hosted, &["rev-parse", "HEAD^{tree}"]);
        let (name, email) = ("user.name=Ada", "user.email=ada@example.org");
        let commit = git(&hosted, &["-c", name, "-c", email, "commit-tree", "-p", "HEAD", "-m", "Work", &tree]);
        git(&hosted, &["update-ref", "HEAD", &commit]);
        ada.post(&format!("{own}/remote"), body.clone()).await;
        let remote = fetched(&ada, &own).await;
        assert_eq!(remote["fetch"]["problem"], "diverged", "{remote}");
        assert!(text(&remote["fetch"]["failure"]).contains("Push those commits"), "{remote}");
        assert_eq!(default_head(&ada, &own).await, commit);

        // A build must not lose the branch that it started from.
        let building = ada.project("Building").await;
        instance.queue_build(&building, &ada.id).await;
        let refused = ada.post(&format!("/api/projects/{building}/remote"), body.clone()).await;
        assert!(text(&refused.problem(409)["detail"]).contains("is not finished"), "{}", refused.text);
        // Other users' projects do not exist.
        let grace = instance.user("grace@example.org").await;
        grace.post(&format!("{own}/remote"), body).await.problem(404);
        instance.stop().await;
        source.instance.stop().await;
    }

    async fn failed_imports_say_why_and_can_be_repeated(database: Database) {
        let (_folder, other) = other_database().await;
        let source = Source::start(&other).await;
        let instance = Instance::start_with(&database, following).await;
        let ada = instance.user("ada@example.org").await;
        let project = import(&ada, &source.url(), None).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!(remote["fetch"]["problem"], "login", "{remote}");
        assert!(text(&remote["fetch"]["failure"]).contains("credential"), "{remote}");

        let token = credential(&ada, host(&source.instance), &source.token).await;
        let update = json!({ "forge": "gitea", "credential": token });
        assert_eq!(ada.put(&format!("{project}/remote"), update).await.status, 200);
        ada.post(&format!("{project}/remote/fetch"), json!({})).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!((&remote["fetch"]["status"], &remote["forge"]), (&json!("done"), &json!("gitea")));

        // Revoked at the server: a start says so, and continues only if the user says so.
        let admin = source.instance.admin().await;
        let keys = admin.get("/api/forge-keys").await.json();
        admin.delete(&format!("/api/forge-keys/{}", text(&keys["items"][0]["id"]))).await;
        ada.post(&format!("{project}/remote/fetch"), json!({})).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!(remote["fetch"]["problem"], "login", "{remote}");
        assert!(text(&remote["fetch_error"]).contains("login"), "{remote}");
        assert!(remote["fetched_at"].is_string(), "{remote}");
        assert_eq!(default_head(&ada, &project).await, source.head());

        // Another host never receives it.
        let elsewhere = json!({ "url": "http://127.0.0.2:9/a.git", "credential": token });
        let tested = ada.post("/api/remote-tests", elsewhere).await.json();
        assert_eq!(tested["problem"], "login", "{tested}");
        assert!(text(&tested["message"]).contains("is not sent to"), "{tested}");
        // Nor do other users use it.
        let eve = instance.user("eve@example.org").await;
        let stolen = json!({ "url": source.url(), "credential": token });
        for route in ["/api/imports", "/api/remote-tests"] {
            eve.post(route, stolen.clone()).await.problem(422);
        }
        eve.delete(&format!("/api/credentials/{token}")).await.problem(404);
        assert_eq!(ada.delete(&format!("/api/credentials/{token}")).await.status, 204);
        instance.stop().await;
        source.instance.stop().await;
    }

    async fn addresses_of_the_own_network_are_rejected(database: Database) {
        let role = |config| Config { role: NodeRole::All, ..config };
        let instance = Instance::start_with(&database, role).await;
        let ada = instance.user("ada@example.org").await;
        for url in ["http://127.0.0.1:1/a.git", "https://169.254.169.254/a", "ssh://git@[::1]/a"] {
            let tested = ada.post("/api/remote-tests", json!({ "url": url })).await.json();
            assert_eq!(tested["problem"], "network", "{tested}");
            assert!(text(&tested["message"]).contains("not allowed"), "{tested}");
        }
        for url in ["file:///etc", "/etc", "https://ada:hunter2@example.org/a", "ext::id", ""] {
            for route in ["/api/imports", "/api/remote-tests"] {
                let problem = ada.post(route, json!({ "url": url })).await.problem(422);
                assert!(problem["fields"]["url"].is_string(), "{url}: {problem}");
                assert!(!problem.to_string().contains("hunter2"), "{problem}");
            }
        }
        instance.stop().await;
    }

    async fn remote_that_hangs_is_cancelled(database: Database) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let instance = Instance::start_with(&database, following).await;
        let ada = instance.user("ada@example.org").await;
        let url = format!("http://{}/a.git", listener.local_addr().unwrap());
        let project = import(&ada, &url, None).await;
        let (_open, _) = listener.accept().await.unwrap();
        let cancelled = ada.delete(&format!("{project}/remote/fetch")).await;
        assert_eq!(cancelled.status, 202, "{}", cancelled.text);
        assert_eq!(fetched(&ada, &project).await["fetch"]["status"], "cancelled");
        instance.stop().await;
    }

    async fn repository_over_the_limit_is_not_imported(database: Database) {
        let (_folder, other) = other_database().await;
        let source = Source::start(&other).await;
        let noise: String = (0..200_000_u64).map(|n| format!("{:x}", n.wrapping_mul(n).wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
        source.commit("noise.txt", &noise);
        source.push("HEAD:main").await;
        let instance = Instance::start_with(&database, |config: Config| {
            let mut config = following(config);
            config.push_limits.max_import = 256 * 1024;
            config
        });
        let instance = instance.await;
        let ada = instance.user("ada@example.org").await;
        let token = credential(&ada, host(&source.instance), &source.token).await;
        let project = import(&ada, &source.url(), Some(&token)).await;
        let remote = fetched(&ada, &project).await;
        assert_eq!(remote["fetch"]["problem"], "too_large", "{remote}");
        assert!(text(&remote["fetch"]["failure"]).contains("max_import_mib"), "{remote}");
        assert_eq!(default_head(&ada, &project).await, "");
        instance.stop().await;
        source.instance.stop().await;
    }

    async fn signed_webhook_leads_to_a_fetch_once(database: Database) {
        let (_folder, other) = other_database().await;
        let source = Source::start(&other).await;
        let instance = Instance::start_with(&database, following).await;
        let ada = instance.user("ada@example.org").await;
        let token = credential(&ada, host(&source.instance), &source.token).await;
        let project = import(&ada, &source.url(), Some(&token)).await;
        fetched(&ada, &project).await;
        let hook = ada.post(&format!("{project}/remote/hook-secret"), json!({})).await.json();
        let (path, secret) = (text(&hook["path"]), text(&hook["secret"]));

        source.commit("notes.md", "Water the tomatoes.\n");
        source.push("HEAD:main").await;
        let call = async |secret: &str, delivery: &str, event: &str| {
            call_hook(&instance, &path, secret, delivery, event).await
        };
        call("wrong", "1", "push").await.problem(403);
        assert_eq!(call(&secret, "0", "ping").await.status, 204);
        assert_eq!(call(&secret, "1", "push").await.status, 202);
        assert_eq!(fetched(&ada, &project).await["fetch"]["status"], "done");
        assert_eq!(default_head(&ada, &project).await, source.head());
        call(&secret, "1", "push").await.problem(409);

        assert_eq!(ada.delete(&format!("{project}/remote")).await.status, 204);
        call(&secret, "2", "push").await.problem(403);
        assert_eq!(ada.get(&format!("{project}/remote")).await.json()["remote"], json!(null));
        assert_eq!(default_head(&ada, &project).await, source.head());
        instance.stop().await;
        source.instance.stop().await;
    }

    async fn webhooks_do_not_shorten_the_time_between_fetches(database: Database) {
        // Without workers: this test does what one would.
        let network = Some(sandbox::EgressRules { allow: vec!["127.0.0.0/8".parse().unwrap()] });
        let instance = Instance::start_with(&database, |config| Config { network, ..config }).await;
        let ada = instance.user("ada@example.org").await;
        let project = import(&ada, "http://127.0.0.1:9/a.git", None).await;
        let hook = ada.post(&format!("{project}/remote/hook-secret"), json!({})).await.json();
        let call = async |delivery: &str| {
            let (path, secret) = (text(&hook["path"]), text(&hook["secret"]));
            let called = call_hook(&instance, &path, &secret, delivery, "push").await;
            assert_eq!(called.status, 202, "{}", called.text);
        };
        let claim = async |at| {
            let mut tx = instance.app.db.write().await.unwrap();
            let until = at + TimeDelta::minutes(1);
            let lease = leases::claim::<FetchQueue>(&mut tx, "test", at, until).await.unwrap();
            tx.commit().await.unwrap();
            lease
        };
        let import = claim(store::now()).await.expect("the import is due");
        call("during-the-fetch").await;
        let mut tx = instance.app.db.write().await.unwrap();
        let (now, done) = (store::now(), FetchStatus::Done);
        let again_at = now + TimeDelta::seconds(5);
        assert!(fetches::finish(&mut tx, &import, done, None, again_at, now).await.unwrap());
        tx.commit().await.unwrap();
        call("before-the-repetition").await;
        assert!(claim(again_at - TimeDelta::milliseconds(1)).await.is_none());
        assert!(claim(again_at).await.is_some());
        instance.stop().await;
    }
}

/// Sends a webhook about a push, as GitHub does.
async fn call_hook(
    instance: &Instance,
    path: &str,
    secret: &str,
    delivery: &str,
    event: &str,
) -> ApiResponse {
    let body = r#"{"ref":"refs/heads/main"}"#;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let signature = hex::encode(hmac::sign(&key, body.as_bytes()).as_ref());
    let request = instance.client().post(format!("{}{path}", instance.url)).body(body);
    let request = request.header("x-hub-signature-256", format!("sha256={signature}"));
    let request = request.header("x-github-delivery", delivery.to_owned());
    send(request.header("x-github-event", event.to_owned())).await
}

/// Passes connections on to a server. After the first one, with which the branches are listed, they
/// wait for a permit; the second semaphore has a permit for each that waits.
async fn gate(server: String, permits: Arc<Semaphore>) -> (String, Arc<Semaphore>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let waiting = Arc::new(Semaphore::new(0));
    let shown = waiting.clone();
    tokio::spawn(async move {
        let mut count = 0;
        while let Ok((mut client, _)) = listener.accept().await {
            let (server, permits, shown) = (server.clone(), permits.clone(), shown.clone());
            count += 1;
            tokio::spawn(async move {
                if count > 1 {
                    shown.add_permits(1);
                    permits.acquire().await.unwrap().forget();
                }
                let mut upstream = TcpStream::connect(&server).await.unwrap();
                // Either side may end first.
                let _ = copy_bidirectional(&mut client, &mut upstream).await;
            });
        }
    });
    (address, waiting)
}

#[tokio::test]
async fn import_continues_after_the_service_was_killed() {
    let (_folder, other) = other_database().await;
    let source = Source::start(&other).await;
    let permits = Arc::new(Semaphore::new(0));
    let (address, waiting) = gate(host(&source.instance).to_owned(), permits.clone()).await;
    let folder = TempDir::new().unwrap();
    let config = "[network]\nenabled = true\nallow = [\"127.0.0.0/8\"]\n";
    fs::write(folder.path().join("forgeguard.toml"), config).unwrap();
    let mut server = ServerProcess::start_in(folder, &[]).await;
    let host = address.strip_prefix("http://").unwrap();
    let token = json!({
        "scope": "user", "name": "token", "host": host, "kind": "token", "token": source.token,
    });
    let token = text(&server.post("/api/credentials", token).await["id"]);
    let url = source.url().replace(&source.instance.url, &address);
    let made = server.post("/api/imports", json!({ "url": url, "credential": token })).await;
    let project = format!("/api/projects/{}", text(&made["id"]));
    waiting.acquire().await.unwrap().forget();
    server.kill().await;
    permits.add_permits(100);
    server.restart().await;
    let ended = async {
        let mut ticks = interval(POLL_INTERVAL);
        loop {
            ticks.tick().await;
            let remote = server.get(&format!("{project}/remote")).await["remote"].clone();
            if text(&remote["fetch"]["status"]) == "done" {
                return;
            }
            assert_ne!(remote["fetch"]["status"], "failed", "{remote}");
        }
    };
    timeout(WAIT, ended).await.expect("the import ends in time");
    server.stop().await;
    source.instance.stop().await;
}
