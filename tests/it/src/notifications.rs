//! Notifications by webhook and email: signatures, retries, refused addresses, and who is told.

use domain::event::{
    life::{BlockReason, Blocked},
    questions::ClarificationKind,
};
use forgeguard::{config::Config, store};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    clarifications::{append, asking_for},
    harness::{Database, Instance, Person, text},
    notification_sink::{SmtpSink, WebhookSink},
    sealed_build::sealed_build,
};

/// Polls the condition until it holds.
macro_rules! eventually {
    ($holds:expr) => {
        let mut poll = tokio::time::interval(std::time::Duration::from_millis(50));
        while !$holds {
            poll.tick().await;
        }
    };
}

const WEBHOOKS: &str = "/api/settings/webhooks";

/// This machine is an allowed destination.
fn with_local_network(config: Config) -> Config {
    let allow = vec!["127.0.0.1".parse().expect("an address")];
    Config { network: Some(sandbox::EgressRules { allow }), ..config }
}

async fn ask(instance: &Instance, owner: &Person, project: &str) -> (String, String) {
    let kind = ClarificationKind::Question;
    let (build, question) = asking_for(instance, owner, project, &[], None, kind).await;
    (build.to_string(), question.to_string())
}

async fn add(person: &Person, path: &str, url: &str, kinds: Value) -> Value {
    let added = person.post(path, json!({"url": url, "kinds": kinds})).await;
    assert_eq!(added.status, StatusCode::CREATED, "{}", added.text);
    added.json()
}

async fn deliveries(person: &Person, webhook: &Value) -> Vec<Value> {
    let path = format!("{WEBHOOKS}/{}/deliveries", text(&webhook["id"]));
    person.get(&path).await.json()["items"].as_array().unwrap().clone()
}

support::on_both! {
    async fn webhook_is_called_with_a_signature_for_its_kinds_and_projects(database: Database) {
        let instance = Instance::start_with(&database, with_local_network).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let (all, own) = (WebhookSink::start().await, WebhookSink::start().await);
        let webhook = add(&root, WEBHOOKS, &all.url(), json!(["question"])).await;
        let secret = text(&webhook["secret"]);
        let (build, question) = ask(&instance, &ada, "First").await;
        eventually!(all.received().len() == 1);
        let received = all.received().remove(0);
        assert!(received.is_signed_with(&secret));
        assert!(!received.is_signed_with("whsec_AAAA"));
        assert!((chrono::Utc::now().timestamp() - received.timestamp).abs() < 300);
        let body = received.json();
        assert_eq!((&body["kind"], &body["project"]["name"]), (&json!("question"), &json!("First")));
        assert_eq!((&body["build"]["id"], &body["build"]["number"]), (&json!(build), &json!(1)));
        assert!(text(&body["text"]).starts_with("First #1 has a question\n> How long may a book stay out?\nhttp://"), "{body}");

        // Another project's webhook, and another kind, are not called.
        let project = text(&ada.get(&format!("/api/builds/{build}")).await.json()["project_id"]);
        let path = format!("/api/projects/{project}/webhooks");
        add(&ada, &path, &own.url(), json!(["blocked"])).await;
        let answer = json!({"question_id": question, "answer": "A month"});
        ada.post(&format!("/api/builds/{build}/clarify"), answer).await;
        let blocked = Blocked { reason: BlockReason::Usd, last_failures: Vec::new(), report: String::new() };
        append(&instance, build.parse().unwrap(), blocked).await;
        ask(&instance, &ada, "Second").await;
        eventually!(all.received().len() == 2 && own.received().len() == 1);
        assert_eq!(own.received()[0].json()["detail"], "It reached its cost limit.");
        assert_eq!(all.received()[1].json()["project"]["name"], "Second");

        // The secret is shown only once, and the log contains neither it nor the URL's path.
        for path in [WEBHOOKS, "/api/audit-log"] {
            let shown = root.get(path).await.text;
            assert!(!shown.contains(&secret) && (path == WEBHOOKS || !shown.contains("/hook")), "{shown}");
        }
        // Recorded once the receiver has answered.
        eventually!(deliveries(&root, &webhook).await[0]["status"] == "delivered");
        instance.stop().await;
    }

    async fn failed_delivery_is_repeated_after_a_restart(database: Database) {
        let data = TempDir::with_prefix("forgeguard-it-").unwrap();
        let data_dir = data.path().join("data");
        let configure = |config| {
            let data_dir = data_dir.clone();
            with_local_network(Config { data_dir, ..config })
        };
        let sink = WebhookSink::start().await;
        sink.respond_with("302 Found");
        let instance = Instance::start_with(&database, configure).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let webhook = add(&root, WEBHOOKS, &sink.url(), json!(["question"])).await;
        ask(&instance, &ada, "Lists").await;
        let failed = async || {
            let found = deliveries(&root, &webhook).await;
            found.first().is_some_and(|it| it["failure"] == "the server responded with 302 Found")
        };
        eventually!(failed().await);
        assert_eq!(deliveries(&root, &webhook).await[0]["status"], "waiting");
        assert!(root.get(WEBHOOKS).await.json()["items"][0]["failing_since"].is_string());
        instance.stop().await;

        sink.respond_with("204 No Content");
        let instance = Instance::start_with(&database, configure).await;
        let root = instance.admin().await;
        let delivered = async || deliveries(&root, &webhook).await[0]["status"] == "delivered";
        eventually!(delivered().await);
        let received = sink.received();
        assert!(received.len() >= 2 && received.iter().all(|it| it.id == received[0].id), "{received:?}");
        assert!(received.iter().all(|it| it.is_signed_with(webhook["secret"].as_str().unwrap())));
        assert!(root.get(WEBHOOKS).await.json()["items"][0]["failing_since"].is_null());
        instance.stop().await;
    }

    async fn webhook_that_is_gone_is_disabled_until_it_is_enabled(database: Database) {
        let instance = Instance::start_with(&database, with_local_network).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let sink = WebhookSink::start().await;
        sink.respond_with("410 Gone");
        let webhook = add(&root, WEBHOOKS, &sink.url(), json!(["question", "blocked"])).await;
        let path = format!("{WEBHOOKS}/{}", text(&webhook["id"]));
        ask(&instance, &ada, "Lists").await;
        let failed = async || {
            let found = deliveries(&root, &webhook).await;
            found.first().is_some_and(|it| it["status"] == "failed")
        };
        eventually!(failed().await);
        assert!(root.get(WEBHOOKS).await.json()["items"][0]["disabled_at"].is_string());
        let delivery = text(&deliveries(&root, &webhook).await[0]["id"]);
        let again = format!("{path}/deliveries/{delivery}/send");
        root.post(&again, json!({})).await.problem(409);
        root.patch(&path, json!({"kinds": []})).await.problem(422);
        let enabled = root.patch(&path, json!({"kinds": ["question"]})).await.json();
        assert_eq!((&enabled["disabled_at"], &enabled["kinds"]), (&json!(null), &json!(["question"])));
        sink.respond_with("200 OK");
        assert_eq!(root.post(&again, json!({})).await.status, StatusCode::ACCEPTED);
        let delivered = async || deliveries(&root, &webhook).await[0]["status"] == "delivered";
        eventually!(delivered().await);
        root.post(&again, json!({})).await.problem(404);
        assert_eq!(root.delete(&path).await.status, StatusCode::NO_CONTENT);
        root.delete(&path).await.problem(404);
        instance.stop().await;
    }

    async fn addresses_that_are_not_public_are_refused_unless_they_are_allowed(database: Database) {
        let data = TempDir::with_prefix("forgeguard-it-").unwrap();
        let data_dir = data.path().join("data");
        let strict = |config| Config { data_dir: data_dir.clone(), ..config };
        let sink = WebhookSink::start().await;
        let instance = Instance::start_with(&database, |config| with_local_network(strict(config))).await;
        let (root, ada) = (instance.admin().await, instance.user("ada@example.org").await);
        let webhook = add(&root, WEBHOOKS, &sink.url(), json!(["question"])).await;
        instance.stop().await;

        let instance = Instance::start_with(&database, strict).await;
        let (root, ada) = (instance.admin().await, instance.bearer(&ada.id, &ada.token));
        for url in [
            sink.url(), "http://localhost:1/".to_owned(), "http://[::1]/".to_owned(), "http://10.0.0.1/".to_owned(),
            "http://169.254.169.254/latest".to_owned(), "http://2130706433/".to_owned(),
        ] {
            let refused = root.post(WEBHOOKS, json!({"url": url, "kinds": ["question"]})).await.problem(422);
            assert!(text(&refused["fields"]["url"]).contains("not allowed"), "{url}: {refused}");
        }
        for url in ["ftp://example.org/", "https://user:word@example.org/", "nonsense"] {
            root.post(WEBHOOKS, json!({"url": url, "kinds": ["question"]})).await.problem(422);
        }
        // The address is checked before each request, not only when the webhook is added.
        ask(&instance, &ada, "Lists").await;
        let refused = async || {
            let found = deliveries(&root, &webhook).await;
            found.first().and_then(|it| it["failure"].as_str()).is_some_and(|why| why.contains("refused: loopback"))
        };
        eventually!(refused().await);
        assert!(sink.received().is_empty());
        instance.stop().await;
    }

    async fn webhooks_of_a_project_are_visible_to_its_owner_only(database: Database) {
        let instance = Instance::start_with(&database, with_local_network).await;
        let root = instance.admin().await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let sink = WebhookSink::start().await;
        let (project, other) = (ada.project("Lists").await, eve.project("Hers").await);
        let path = format!("/api/projects/{project}/webhooks");
        let webhook = add(&ada, &path, &sink.url(), json!(["question"])).await;
        let id = text(&webhook["id"]);
        for stranger in [&eve, &root] {
            stranger.get(&path).await.problem(404);
        }
        // Not under another project or the installation either.
        for stranger in [(&eve, format!("/api/projects/{other}/webhooks/{id}")), (&root, format!("{WEBHOOKS}/{id}"))] {
            let (person, path) = stranger;
            person.delete(&path).await.problem(404);
            person.get(&format!("{path}/deliveries")).await.problem(404);
        }
        ada.post(&format!("/api/projects/{project}/viewers"), json!({"email": "eve@example.org"})).await;
        eve.get(&path).await.problem(403);
        eve.get(&format!("{path}/{id}/deliveries")).await.problem(403);
        for n in 1..10 {
            add(&ada, &path, &format!("{}/{n}", sink.url()), json!(["review"])).await;
        }
        ada.post(&path, json!({"url": sink.url(), "kinds": ["review"]})).await.problem(409);
        instance.stop().await;
    }

    async fn email_is_sent_to_those_who_chose_it(database: Database) {
        let instance = Instance::start(&database).await;
        let root = instance.admin().await;
        let (ada, eve) = (instance.user("ada@example.org").await, instance.user("eve@example.org").await);
        let preferences = "/api/me/email-notifications";
        assert_eq!(ada.get(preferences).await.json(), json!({"kinds": [], "available": false}));
        root.post("/api/settings/email/test", json!({})).await.problem(409);
        let sink = SmtpSink::start().await;
        let server = json!({
            "host": "127.0.0.1", "port": sink.address.port(), "tls": "none", "user": "forge",
            "from": "ForgeGuard <forge@example.org>",
        });
        let mut request = server.clone();
        request["password"] = json!("mail secret");
        let set = root.put("/api/settings/email", request).await;
        assert_eq!(set.json(), json!({"server": server, "has_password": true}));
        let tested = root.post("/api/settings/email/test", json!({})).await.json();
        assert_eq!(tested, json!({"to": "admin@example.org", "failure": null}));
        let test = sink.received().remove(0);
        assert_eq!((test.credentials.as_str(), test.to.contains("admin@example.org")), ("\0forge\0mail secret", true));

        // Without a password the stored one is kept, but not for another server.
        let kept = root.put("/api/settings/email", server.clone()).await.json();
        assert_eq!(kept["has_password"], true);
        ask(&instance, &ada, "Silent").await;
        let waiting = async || {
            let mut conn = instance.app.db.read().await.unwrap();
            store::notifications::list(&mut conn, 1).await.unwrap().len()
        };
        eventually!(waiting().await == 0);
        assert_eq!(ada.put(preferences, json!({"kinds": ["plan", "question"]})).await.json()["available"], true);
        eve.put(preferences, json!({"kinds": ["question", "review"]})).await;
        root.put(preferences, json!({"kinds": ["review"]})).await;
        ask(&instance, &ada, "Lists").await;
        sealed_build(&instance, &ada).await;
        eventually!(sink.received().len() >= 3);
        let mut sent: Vec<_> = sink.received().into_iter().skip(1).map(|mail| (mail.to, mail.text)).collect();
        sent.sort();
        assert_eq!(sent.len(), 2, "{sent:?}");
        assert!(sent[1].0.contains("admin@example.org") && sent[1].1.contains("Subject: Lists #1 is waiting for a review"), "{sent:?}");
        assert!(sent[0].0.contains("ada@example.org") && sent[0].1.contains("How long may a book stay out?"), "{sent:?}");

        let mut other = server;
        other["host"] = json!("localhost");
        assert_eq!(root.put("/api/settings/email", other).await.json()["has_password"], false);
        // The password is neither shown nor stored as it is.
        for path in ["/api/settings/email", "/api/audit-log"] {
            assert!(!root.get(path).await.text.contains("mail secret"));
        }
        let stored = store::smtp_settings::get(&mut instance.app.db.read().await.unwrap()).await.unwrap();
        assert!(!format!("{stored:?}").contains("mail secret"));
        assert_eq!(root.delete("/api/settings/email").await.status, StatusCode::NO_CONTENT);
        assert_eq!(root.get("/api/settings/email").await.json(), json!({"server": null, "has_password": false}));
        instance.stop().await;
    }
}
