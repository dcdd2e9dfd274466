//! Sealed builds are delivered to a forge with a real git repository: once, whatever fails, and
//! whenever the server is killed.

use std::{sync::Arc, time::Duration};

use domain::{ids::ProjectId, remote::ForgeKind};
use forge_server::{Fault, ForgeServer, Kind, TOKEN};
use forgeguard::{
    config::Config,
    engine::credentials::{NewCredential, NewSecret},
    secret::Secret,
    store::{self, credentials::Credential, remotes::Remote, users},
};
use reqwest::Method;
use ring::hmac;
use serde_json::{Value, json};
use tokio::{
    sync::Notify,
    time::{interval, timeout},
};

use crate::{
    harness::{Database, Instance, Person, text},
    sealed_build::seal_build,
    server_process::ServerProcess,
};

/// For a delivery, or a restart, on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(90);
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Shorter than the interval at which new pull requests are read.
const BEFORE_NEXT_LOOK: Duration = Duration::from_secs(45);

const SETTINGS: &str = "[waits]\ntransient = [1, 1, 1]\nunknown = [1, 1, 1]\n\
    [network]\nallow = [\"127.0.0.1\"]\n";

/// A forge, and a server with a sealed build whose project has the forge's repository as remote.
struct Fixture {
    forge: ForgeServer,
    server: ServerProcess,
    project: String,
    build: String,
    branch: String,
    /// The default branch at the forge, which must never move.
    main: Option<String>,
}

fn with_local_network(config: Config) -> Config {
    let allow = vec!["127.0.0.1".parse().expect("an address")];
    Config { network: Some(sandbox::EgressRules { allow }), ..config }
}

impl Fixture {
    /// `delivery` are the project's settings.
    async fn start(database: &Database, kind: Kind, delivery: Value) -> Self {
        let forge = ForgeServer::start(kind).await;
        let instance = Instance::start_with(database, with_local_network).await;
        let admin = instance.admin().await;
        let project = admin.project("Lists").await;
        set_delivery(&admin, &project, delivery).await;
        add_remote(&instance, &admin, &project, &forge, kind).await;
        let build = instance.queue_build(&project, &admin.id).await;
        seal_build(&instance, &project, build, "Ada <ada@example.org>").await;
        let (folder, _) = instance.stop_keeping_data().await;
        std::fs::write(folder.path().join("forgeguard.toml"), SETTINGS).expect("a file");
        // A model that cannot be reached: builds can be queued.
        let model = [("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"), ("OPENAI_API_KEY", "unused")];
        let environment = [[("DATABASE_URL", database.url())].as_slice(), &model].concat();
        let server = ServerProcess::start_in(folder, &environment).await;
        let main = forge.git().head("main");
        let (build, branch) = (build.to_string(), format!("forge/build-{build}"));
        Self { forge, server, project, build, branch, main }
    }

    async fn shown(&self) -> Value {
        self.server.get(&format!("/api/builds/{}/delivery", self.build)).await
    }

    async fn request(&self) {
        self.server.post(&format!("/api/builds/{}/delivery", self.build), json!({})).await;
    }

    /// Polls until the delivery is in this state.
    async fn reaches(&self, state: &str) -> Value {
        let mut last = Value::Null;
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            loop {
                poll.tick().await;
                last = self.shown().await;
                if last["delivery"]["state"] == state {
                    return;
                }
            }
        };
        let seen = timeout(TIMEOUT, look).await;
        assert!(seen.is_ok(), "it never was {state}: {last}\n{}", self.server.log());
        last
    }

    /// Polls until the forge has received so many requests of this kind.
    async fn receives(&self, operation: &str, count: usize) {
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            while self.count(operation) < count {
                poll.tick().await;
            }
        };
        let seen = timeout(TIMEOUT, look).await;
        assert!(seen.is_ok(), "no {operation}: {:?}\n{}", self.forge.seen(), self.server.log());
    }

    /// Polls until only so many faults are left: the next one has happened.
    async fn hangs(&self, left: usize) {
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            while self.forge.faults_left() > left {
                poll.tick().await;
            }
        };
        let seen = timeout(TIMEOUT, look).await;
        assert!(seen.is_ok(), "{:?}\n{}", self.forge.seen(), self.server.log());
    }

    /// The forge reports a change of its pull request.
    async fn send_webhook(&self) {
        let secret = format!("/api/projects/{}/remote/hook-secret", self.project);
        let hook = self.server.post(&secret, json!({})).await;
        let body = r#"{"action":"closed"}"#;
        let key = hmac::Key::new(hmac::HMAC_SHA256, text(&hook["secret"]).as_bytes());
        let signature = hex::encode(hmac::sign(&key, body.as_bytes()).as_ref());
        let url = format!("http://{}{}", self.server.address(), text(&hook["path"]));
        let sent = reqwest::Client::new().post(url).body(body);
        let sent = sent.header("x-forgejo-signature", signature);
        let sent = sent.header("x-forgejo-delivery", "1").header("x-forgejo-event", "pull_request");
        assert_eq!(sent.send().await.expect("an answer").status(), 202);
    }

    /// Polls until the pull request is known to be closed. Without a webhook it would be read a
    /// minute after the delivery.
    async fn is_read_as_closed(&self) {
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            while self.shown().await["delivery"]["pull_request"]["state"] != "closed" {
                poll.tick().await;
            }
        };
        timeout(BEFORE_NEXT_LOOK, look).await.expect("it is closed");
    }

    fn count(&self, operation: &str) -> usize {
        self.forge.seen().iter().filter(|seen| seen.operation == operation).count()
    }

    /// The sealed commit is at the forge with one pull request, and nothing else has moved.
    async fn assert_delivered_once(&self) {
        let build = self.server.get(&format!("/api/builds/{}", self.build)).await;
        let seal_commit = text(&build["seal"]["seal_commit"]);
        assert_eq!(self.forge.git().head(&self.branch), Some(seal_commit));
        let pulls = self.forge.pulls();
        assert_eq!(pulls.len(), 1, "{pulls:?}");
        assert_eq!((&pulls[0].head, pulls[0].base.as_str()), (&self.branch, "main"));
        self.assert_nothing_else_moved();
    }

    fn assert_nothing_else_moved(&self) {
        let git = self.forge.git();
        assert_eq!(git.head("main"), self.main);
        let branches = git.run(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        let others = branches.lines().filter(|name| *name != "main" && *name != self.branch);
        assert_eq!(others.count(), 0, "{branches}");
    }

    async fn end(self) {
        let log = self.server.log();
        assert!(!log.contains(TOKEN), "{log}");
        self.server.stop().await;
    }
}

async fn set_delivery(owner: &Person, project: &str, delivery: Value) {
    let path = format!("/api/projects/{project}/settings");
    let mut settings = owner.get(&path).await.json();
    settings["delivery"] = delivery;
    let saved = owner.put(&path, settings).await;
    assert!(saved.status.is_success(), "{}", saved.text);
}

async fn add_remote(
    instance: &Instance,
    owner: &Person,
    project: &str,
    forge: &ForgeServer,
    kind: Kind,
) {
    let project_id: ProjectId = project.parse().expect("an id");
    let owner_id = owner.id.parse().expect("an id");
    let db = &instance.app.db;
    let user = users::get(&mut db.read().await.expect("a connection"), owner_id).await;
    let user = user.expect("it can be read").expect("it exists");
    let new = NewCredential {
        user_id: None,
        project_id: Some(project_id),
        name: "Forge".to_owned(),
        host: forge.address().to_owned(),
        secret: NewSecret::Token {
            username: "me".to_owned(),
            token: Secret::new(TOKEN.to_owned()),
        },
    };
    let credential: Credential =
        instance.app.engine.add_credential(&user, new).await.expect("it is added");
    let remote = Remote {
        project_id,
        url: forge.repository_url(),
        forge: match kind {
            Kind::GitHub => ForgeKind::GitHub,
            Kind::Forgejo => ForgeKind::Gitea,
            Kind::GitLab => ForgeKind::GitLab,
        },
        default_branch: None,
        credential_id: Some(credential.id),
        findings: None,
        sealed_hook_secret: None,
        fetched_at: None,
        fetch_error: None,
        created_by: user.id,
        created_at: store::now(),
    };
    let mut tx = db.write().await.expect("a transaction");
    store::remotes::insert(&mut tx, &remote).await.expect("it is inserted");
    tx.commit().await.expect("a commit");
}

fn on_request() -> Value {
    json!({ "when": "on_request" })
}

fn before_and_after<'a>(operations: &[&'a str]) -> Vec<(&'a str, bool)> {
    operations.iter().flat_map(|operation| [(*operation, false), (*operation, true)]).collect()
}

/// Kills the server at each of these requests of a delivery, before or after its effect.
async fn kill_at_each(steps: &[(&str, bool)], kind: Kind, database: &Database) {
    let delivery = json!({ "when": "on_request", "labels": ["forge"], "reviewers": ["alex"] });
    let mut fixture = Fixture::start(database, kind, delivery).await;
    for (operation, has_effect) in steps {
        let fault = if *has_effect { Fault::HangAfter } else { Fault::Hang };
        fixture.forge.fail_next(operation, fault);
    }
    let build = format!("/api/builds/{}", fixture.build);
    let sealed = fixture.server.get(&build).await;
    fixture.request().await;
    for (round, (operation, has_effect)) in steps.iter().enumerate() {
        fixture.hangs(steps.len() - round - 1).await;
        println!("kill {round}: {operation}, after its effect: {has_effect}");
        fixture.server.kill().await;
        assert!(fixture.forge.pulls().len() <= 1, "{:?}", fixture.forge.pulls());
        fixture.assert_nothing_else_moved();
        fixture.server.restart().await;
    }
    let shown = fixture.reaches("delivered").await;
    assert_eq!(shown["delivery"]["pull_request"]["number"], 1);
    fixture.assert_delivered_once().await;
    let after = fixture.server.get(&build).await;
    for fact in ["status", "head_hash", "seal"] {
        assert_eq!(after[fact], sealed[fact], "{fact}");
    }
    fixture.end().await;
}

support::on_both! {
    async fn spec_is_read_from_an_issue(database: Database) {
        let instance = Instance::start_with(&database, with_local_network).await;
        let (admin, eve) = (instance.admin().await, instance.user("eve@example.org").await);
        for kind in [Kind::GitHub, Kind::Forgejo, Kind::GitLab] {
            let forge = ForgeServer::start(kind).await;
            let body = "## Pass Criteria\r\n\r\n- It is sorted\r\n";
            forge.add_issue(7, "Sort\nthe list", Some(body));
            let project = admin.project("Lists").await;
            let path = format!("/api/projects/{project}/spec/issue");
            let read = async |issue: &str| admin.post(&path, json!({ "issue": issue })).await;
            let rejected = async |issue: &str| {
                text(&read(issue).await.problem(422)["fields"]["issue"])
            };
            assert!(rejected("7").await.contains("no remote repository"));

            add_remote(&instance, &admin, &project, &forge, kind).await;
            let issue = read("#7").await.json();
            let url = text(&issue["url"]);
            assert!(url.ends_with("/issues/7"), "{url}");
            let expected = format!(
                "# Sort the list\n\nFrom <{url}>\n\n## Pass Criteria\n\n- It is sorted\n"
            );
            assert_eq!(text(&issue["text"]), expected);
            assert_eq!(read(&url).await.json(), issue);
            assert!(rejected("8").await.contains("has no issue 8"));
            assert!(rejected("the first").await.contains("give the number"));
            eve.post(&path, json!({ "issue": "7" })).await.problem(404);

            forge.set_token_valid(false);
            assert!(rejected("7").await.contains("rejected the token"));
        }
        instance.stop().await;
    }

    async fn sealed_build_becomes_a_pull_request_that_is_followed(database: Database) {
        let delivery = json!({
            "when": "at_seal", "draft_unless_certified": true,
            "labels": ["forge"], "reviewers": ["alex"],
        });
        let fixture = Fixture::start(&database, Kind::Forgejo, delivery).await;
        let shown = fixture.reaches("delivered").await;
        fixture.assert_delivered_once().await;
        let pull = fixture.forge.pulls().remove(0);
        let verdict = text(&fixture.server.get(&format!("/api/builds/{}", fixture.build)).await["seal"]["verdict"]);
        assert_eq!(pull.draft, verdict != "CERTIFIED");
        assert!(pull.body.starts_with(&format!("**{verdict}**")), "{}", pull.body);
        assert!(pull.body.contains("## Evidence") && pull.body.contains("/projects/lists/builds/1"), "{}", pull.body);
        assert_eq!((pull.labels, pull.reviewers), (vec!["forge".to_owned()], vec!["alex".to_owned()]));
        let (sha, context, _) = fixture.forge.statuses().remove(0);
        assert_eq!((Some(sha), context.as_str()), (fixture.forge.git().head(&fixture.branch), "ForgeGuard"));
        let url = text(&shown["delivery"]["pull_request"]["url"]);
        assert!(url.starts_with("http://") && url.ends_with("/me/shelf/pulls/1"), "{url}");

        fixture.forge.add_status(&fixture.forge.git().head(&fixture.branch).unwrap(), "ci", "success");
        fixture.forge.edit_pull(1, |pull| (pull.is_open, pull.is_merged) = (false, true));
        let before = fixture.count("get /pulls/{index}");
        fixture.request().await;
        fixture.receives("get /pulls/{index}", before + 1).await;
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            while fixture.shown().await["delivery"]["pull_request"]["state"] != "merged" {
                poll.tick().await;
            }
        };
        timeout(TIMEOUT, look).await.expect("it is merged");
        let checks = &fixture.shown().await["delivery"]["pull_request"]["checks"];
        assert_eq!(*checks, json!({ "passed": 1, "failed": 0, "pending": 0 }));
        assert_eq!(fixture.forge.pulls().len(), 1);
        fixture.end().await;
    }

    async fn webhook_about_a_pull_request_has_it_read_at_once(database: Database) {
        let fixture = Fixture::start(&database, Kind::Forgejo, on_request()).await;
        fixture.request().await;
        fixture.reaches("delivered").await;
        fixture.forge.edit_pull(1, |pull| pull.is_open = false);
        fixture.send_webhook().await;
        fixture.is_read_as_closed().await;
        fixture.end().await;
    }

    async fn pull_request_that_changes_while_it_is_read_is_read_again(database: Database) {
        let fixture = Fixture::start(&database, Kind::Forgejo, on_request()).await;
        let release = Arc::new(Notify::new());
        fixture.forge.fail_next("get /pulls/{index}", Fault::ReplyLate(release.clone()));
        fixture.request().await;
        fixture.hangs(0).await;
        fixture.forge.edit_pull(1, |pull| pull.is_open = false);
        fixture.send_webhook().await;
        release.notify_one();
        fixture.is_read_as_closed().await;
        fixture.end().await;
    }

    async fn comments_of_a_pull_request_become_the_task_of_a_follow_up(database: Database) {
        let fixture = Fixture::start(&database, Kind::Forgejo, on_request()).await;
        fixture.request().await;
        fixture.reaches("delivered").await;
        fixture.forge.edit_pull(1, |pull| {
            pull.comments = vec![
                ("alex".to_owned(), "Nearly".to_owned(), None),
                ("alex".to_owned(), "Why?".to_owned(), Some(("src/list.js".to_owned(), 2))),
            ];
        });
        fixture.request().await;
        let mut comments = Vec::new();
        let look = async {
            let mut poll = interval(POLL_INTERVAL);
            while comments.len() < 2 {
                poll.tick().await;
                let shown = &fixture.shown().await["delivery"]["pull_request"]["comments"];
                comments = shown.as_array().expect("a list").clone();
            }
        };
        timeout(TIMEOUT, look).await.expect("they are read");
        let on_line = comments.iter().find(|comment| comment["line"] == 2).expect("one").clone();
        assert_eq!((&on_line["author"], &on_line["text"]), (&json!("alex"), &json!("Why?")));

        let path = format!("/api/builds/{}/delivery/follow-up", fixture.build);
        let start = async |ids: Value| {
            let body = json!({ "comments": ids });
            fixture.server.request(Method::POST, &path, Some(body)).await
        };
        start(json!([])).await.problem(422);
        let gone = start(json!([on_line["id"], "comment-99"])).await;
        assert!(text(&gone.problem(409)["detail"]).contains("have changed"), "{}", gone.text);
        let started = start(json!([on_line["id"], on_line["id"]])).await;
        assert_eq!(started.status, 201, "{}", started.text);
        let follow_up = started.json()["build_id"].clone();
        let events = format!("/api/builds/{}/events?types=build_queued", text(&follow_up));
        let queued = &fixture.server.get(&events).await["items"][0]["payload"];
        assert_eq!(queued["requests"]["comments"], json!([on_line]));
        assert!(text(&queued["requests"]["reason"]).contains("pull request #1"), "{queued}");
        assert_eq!(queued["phases"][0]["deliverables"], json!(["src/list.js:2: Why?"]));
        assert_eq!(fixture.shown().await["follow_up"]["build_id"], follow_up);
        let second = start(json!([comments[0]["id"]])).await;
        assert!(text(&second.problem(409)["detail"]).contains("follow-up already"), "{}", second.text);
        fixture.end().await;
    }

    async fn delivery_is_continued_after_a_kill_at_each_step(database: Database) {
        const STEPS: [(&str, bool); 8] = [
            ("git git-receive-pack", false),
            ("git git-receive-pack", true),
            ("get /pulls", false),
            ("post /pulls", false),
            ("post /pulls", true),
            ("post /issues/{index}/labels", true),
            ("post /pulls/{index}/requested_reviewers", false),
            ("post /statuses/{sha}", true),
        ];
        kill_at_each(&STEPS, Kind::Forgejo, &database).await;
    }

    async fn soak_delivery_to_forgejo_is_killed_before_and_after_each_effect(database: Database) {
        let steps = before_and_after(&[
            "git git-receive-pack",
            "get /pulls",
            "post /pulls",
            "post /issues/{index}/labels",
            "post /pulls/{index}/requested_reviewers",
            "post /statuses/{sha}",
        ]);
        kill_at_each(&steps, Kind::Forgejo, &database).await;
    }

    async fn soak_delivery_to_github_is_killed_before_and_after_each_effect(database: Database) {
        let steps = before_and_after(&[
            "git git-receive-pack",
            "get /pulls",
            "post /pulls",
            "post /issues/{issue_number}/labels",
            "post /pulls/{pull_number}/requested_reviewers",
            "post /statuses/{sha}",
        ]);
        kill_at_each(&steps, Kind::GitHub, &database).await;
    }

    async fn soak_delivery_to_gitlab_is_killed_before_and_after_each_effect(database: Database) {
        let steps = before_and_after(&[
            "git git-receive-pack",
            "get /projects/{id}/merge_requests",
            "post /projects/{id}/merge_requests",
            "post /projects/{id}/statuses/{sha}",
        ]);
        kill_at_each(&steps, Kind::GitLab, &database).await;
    }

    async fn failures_are_retried_or_explained(database: Database) {
        let fixture = Fixture::start(&database, Kind::GitHub, on_request()).await;
        assert_eq!(fixture.shown().await["delivery"], Value::Null);
        let reply = |status, body: &str| {
            Fault::Reply { status, headers: Vec::new(), body: body.to_owned() }
        };
        // Failures that pass: no user has to do anything.
        fixture.forge.fail_next("get /pulls", reply(503, "busy"));
        fixture.forge.fail_next("post /pulls", Fault::LostReply);
        let headers = vec![("retry-after", "1".to_owned())];
        let body = r#"{"message":"You have exceeded a secondary rate limit"}"#.to_owned();
        fixture.forge.fail_next("post /statuses/{sha}", Fault::Reply { status: 403, headers, body });
        fixture.request().await;
        fixture.reaches("delivered").await;
        fixture.assert_delivered_once().await;
        fixture.end().await;
    }

    async fn branch_without_a_pull_request_is_shown_as_such(database: Database) {
        let fixture = Fixture::start(&database, Kind::GitHub, on_request()).await;
        let invalid = r#"{"message":"Validation Failed","errors":[{"message":"No commits between main and the branch"}]}"#;
        let fault = Fault::Reply { status: 422, headers: Vec::new(), body: invalid.to_owned() };
        fixture.forge.fail_next("post /pulls", fault);
        fixture.request().await;
        let shown = fixture.reaches("no_pr").await;
        assert_eq!(shown["delivery"]["pull_request"], Value::Null);
        assert!(text(&shown["delivery"]["failure"]).contains("No commits between"), "{shown}");
        fixture.request().await;
        fixture.reaches("delivered").await;
        fixture.assert_delivered_once().await;
        fixture.end().await;
    }

    async fn branch_that_others_have_changed_is_not_overwritten(database: Database) {
        let fixture = Fixture::start(&database, Kind::GitLab, on_request()).await;
        let foreign = fixture.forge.git().commit(&fixture.branch, "Of someone else");
        fixture.request().await;
        let shown = fixture.reaches("failed").await;
        assert!(text(&shown["delivery"]["failure"]).contains("Nothing was overwritten"), "{shown}");
        assert_eq!(fixture.forge.git().head(&fixture.branch), Some(foreign));
        assert!(fixture.forge.pulls().is_empty());
        let reference = format!("refs/heads/{}", fixture.branch);
        fixture.forge.git().run(&["update-ref", "-d", &reference]);
        fixture.request().await;
        fixture.reaches("delivered").await;
        fixture.assert_delivered_once().await;
        fixture.end().await;
    }

    async fn revoked_token_is_explained_and_delivery_can_be_turned_off(database: Database) {
        let fixture = Fixture::start(&database, Kind::Forgejo, on_request()).await;
        fixture.forge.set_token_valid(false);
        fixture.request().await;
        let shown = fixture.reaches("failed").await;
        assert!(text(&shown["delivery"]["failure"]).contains("could not be pushed"), "{shown}");
        assert!(!shown.to_string().contains(TOKEN), "{shown}");
        let path = format!("/api/projects/{}/settings", fixture.project);
        let mut settings = fixture.server.get(&path).await;
        settings["delivery"]["when"] = json!("never");
        fixture.server.put(&path, settings).await;
        let path = format!("/api/builds/{}/delivery", fixture.build);
        let refused = fixture.server.request(Method::POST, &path, Some(json!({}))).await;
        refused.problem(409);
        fixture.assert_nothing_else_moved();
        fixture.end().await;
    }
}
