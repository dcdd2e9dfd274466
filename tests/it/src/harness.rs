//! A server in this process on a free port, and users that send it requests.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::{
    budget::Budgets,
    criterion::ExitCriterion,
    event::{
        EventBody,
        life::{Origin, Queued},
        phases::{LogLevel, LogLine},
    },
    follow_up::Follows,
    ids::{BuildId, ProjectId, UserId},
    phases::PhaseOutline,
    test_checks::TestChecks,
};
use forgeguard::{
    api::App,
    config::{
        Access, Config, FirstAdmin, ModelName, ModelSettings, NodeRole, ProviderName, SandboxChoice,
    },
    journal::{Entry, NewBuild},
    secret::Secret,
    server::Server,
    store::{self, users},
};
use reqwest::{Method, RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub const PASSWORD: &str = "correct horse battery";
pub const ADMIN: &str = "admin@example.org";
/// A hash of [`PASSWORD`] that takes no time to verify.
const QUICK_HASH: &str =
    "$argon2id$v=19$m=8,t=1,p=1$tC7FXnGXeKX1LiFbzIrnLA$QFxy/b6y6tEXHHxi9TUIamNUWgEFLtUPZDIVxZV+srY";

/// The address of a database, for `support::on_both!`.
pub struct Database(String);

impl Database {
    pub fn url(&self) -> &str {
        &self.0
    }

    pub async fn connect(url: &str, _: u32) -> Result<Self, std::convert::Infallible> {
        Ok(Self(url.to_owned()))
    }

    pub async fn migrate(&self) -> Result<(), std::convert::Infallible> {
        Ok(())
    }
}

/// A running server without workers: tests write journals themselves.
pub struct Instance {
    pub url: String,
    /// The address it listens on, regardless of the public URL.
    pub direct_url: String,
    pub app: Arc<App>,
    pub setup_token: Option<String>,
    stop: CancellationToken,
    running: JoinHandle<std::io::Result<()>>,
    data: TempDir,
}

/// A signed-in user.
pub struct Person {
    pub id: String,
    pub token: String,
    url: String,
    client: reqwest::Client,
}

/// A response with its body.
#[derive(Debug)]
pub struct ApiResponse {
    pub status: StatusCode,
    pub headers: header::HeaderMap,
    pub text: String,
}

impl ApiResponse {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|e| panic!("{e}: {}", self.text))
    }

    /// The body of an error response; panics if it is none.
    #[track_caller]
    pub fn problem(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text);
        assert_eq!(self.headers[header::CONTENT_TYPE], "application/problem+json", "{}", self.text);
        let body = self.json();
        assert_eq!(body["status"], status);
        for member in ["type", "title", "detail"] {
            assert!(body[member].as_str().is_some_and(|text| !text.is_empty()), "{body}");
        }
        body
    }
}

pub async fn send(request: RequestBuilder) -> ApiResponse {
    let response = request.send().await.expect("the server answers");
    let (status, headers) = (response.status(), response.headers().clone());
    ApiResponse { status, headers, text: response.text().await.expect("the body is text") }
}

impl Instance {
    /// A server with an administrator and the demo project.
    pub async fn start(database: &Database) -> Self {
        Self::start_with(database, |config| config).await
    }

    /// The same with other settings.
    pub async fn start_with(database: &Database, change: impl FnOnce(Config) -> Config) -> Self {
        let data = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        let config = change(Config {
            listen: "127.0.0.1:0".to_owned(),
            database_url: Some(Secret::new(database.0.clone())),
            role: NodeRole::Web,
            sandbox: SandboxChoice::None,
            first_admin: Some(FirstAdmin {
                email: ADMIN.to_owned(),
                password: Secret::new(PASSWORD.to_owned()),
            }),
            ..Config::in_directory(data.path().join("data"))
        });
        let begun = store::now();
        let listener = TcpListener::bind(&config.listen).await.expect("a free port");
        let server = Server::start(&config).await.expect("the server starts");
        let listening = server.listening(&listener).expect("an address");
        let port = listener.local_addr().expect("an address").port();
        let direct_url = format!("http://127.0.0.1:{port}");
        let setup_token = listening
            .setup_url
            .and_then(|url| url.split_once("token=").map(|(_, token)| token.to_owned()));
        let app = server.app().clone();
        let stop = CancellationToken::new();
        let running = tokio::spawn(server.run(listener, stop.clone().cancelled_owned()));
        let url = listening.address;
        let instance = Self { url, direct_url, app, setup_token, stop, running, data };
        instance.quicken_sign_ins(ADMIN, begun).await;
        instance
    }

    /// Replaces the hash of [`PASSWORD`] of an account that was created since. Verifying a real one takes
    /// 30 ms, and there are thousands of sign-ins.
    async fn quicken_sign_ins(&self, email: &str, since: DateTime<Utc>) {
        let mut tx = self.app.db.write().await.expect("the database is up");
        let account = users::by_email(&mut tx, email).await.expect("accounts can be read");
        if let Some(user) = account.filter(|user| user.created_at >= since) {
            users::set_password(&mut tx, user.id, QUICK_HASH).await.expect("it can be changed");
        }
        tx.commit().await.expect("the database is up");
    }

    /// Stops the server and waits for its end.
    pub async fn stop(self) {
        self.stop.cancel();
        self.running.await.expect("the server does not panic").expect("the server ends well");
    }

    /// Stops the server; returns its folder, and the data directory in it.
    pub async fn stop_keeping_data(self) -> (TempDir, PathBuf) {
        let Self { app, stop, running, data, .. } = self;
        stop.cancel();
        running.await.expect("the server does not panic").expect("the server ends well");
        drop(app);
        let directory = data.path().join("data");
        (data, directory)
    }

    /// Requests a stop.
    pub fn request_stop(&self) {
        self.stop.cancel();
    }

    pub fn client(&self) -> reqwest::Client {
        support::http_client().timeout(Duration::from_secs(60)).build().expect("a client")
    }

    pub async fn sign_in(&self, email: &str) -> Person {
        let client = self.client();
        let request = client.post(format!("{}/api/session", self.url));
        let answer = send(request.json(&json!({"email": email, "password": PASSWORD}))).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
        let session = answer.json();
        Person {
            id: text(&session["user"]["id"]),
            token: text(&session["access_token"]),
            url: self.url.clone(),
            client,
        }
    }

    pub async fn admin(&self) -> Person {
        self.sign_in(ADMIN).await
    }

    /// A user with this access token or forge key.
    pub fn bearer(&self, id: &str, token: &str) -> Person {
        let (id, token, url) = (id.to_owned(), token.to_owned(), self.url.clone());
        Person { id, token, url, client: self.client() }
    }

    /// A new administrator appointed by the first one, signed in.
    pub async fn appoint(&self, email: &str, name: &str) -> Person {
        self.add_account(email, name, "admin").await
    }

    /// A new user, signed in.
    pub async fn user(&self, email: &str) -> Person {
        self.add_account(email, "User", "user").await
    }

    async fn add_account(&self, email: &str, name: &str, role: &str) -> Person {
        let begun = store::now();
        let body = json!({"email": email, "name": name, "password": PASSWORD, "role": role});
        let made = self.admin().await.post("/api/users", body).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        self.quicken_sign_ins(email, begun).await;
        self.sign_in(email).await
    }

    /// A queued build of a project.
    pub async fn queue_build(&self, project: &str, owner: &str) -> BuildId {
        self.queue_follow_up(project, owner, None).await
    }

    /// The same for a follow-up.
    pub async fn queue_follow_up(
        &self,
        project: &str,
        owner: &str,
        follows: Option<BuildId>,
    ) -> BuildId {
        let owner: UserId = owner.parse().expect("an id");
        let project_id: ProjectId = project.parse().expect("an id");
        let build = NewBuild { id: store::new_id(), project_id, limit: 1, backlog_item: None };
        let id = build.id;
        let snapshot_batch = store::new_id();
        let mut tx = self.app.db.write().await.expect("a transaction");
        let now = store::now();
        store::contracts::freeze(&mut tx, snapshot_batch, project_id, now).await.expect("a freeze");
        let frozen = store::contracts::list_frozen(&mut tx, snapshot_batch).await.expect("rows");
        tx.commit().await.expect("a commit");
        let phase = PhaseOutline {
            number: 0,
            title: "Only".to_owned(),
            scope: Vec::new(),
            deliverables: vec!["something".to_owned()],
            covers: Vec::new(),
            exit_criteria: vec![ExitCriterion::reviewed("it has a size".to_owned())],
        };
        let queued = Queued {
            origin: Origin::Questionnaire,
            snapshot_batch,
            executor: domain::executor::Executor::Builtin,
            phase_executors: Vec::new(),
            budgets: Budgets::default(),
            started_by: owner,
            phases: vec![phase],
            gates: Vec::new(),
            gates_detected: false,
            detection: None,
            preflight: false,
            merges_base: false,
            test_checks: TestChecks { mutation_sample: None, ..TestChecks::default() },
            clarification_timeout_s: None,
            permissions: Vec::new(),
            waits: Default::default(),
            model: "none".to_owned(),
            follows: follows
                .map(|build_id| Box::new(Follows { build_id, head_sha: "a".repeat(40) })),
            requests: None,
            number: None,
            title: None,
            description: None,
            estimate: None,
            exploration: Default::default(),
            plan_approval: Default::default(),
            baseline_branch: None,
            first_phase: None,
            pinned_at: None,
            models: Default::default(),
            requirements: Vec::new(),
            contracts: Some(frozen.iter().map(store::contracts::Contract::pinned).collect()),
        };
        self.app.journal.open(build, queued).await.expect("the build is queued");
        id
    }

    /// Appends log lines to a build's journal.
    pub async fn log(&self, build: BuildId, messages: impl IntoIterator<Item = String>) {
        let line = |message| {
            let source = "test".to_owned();
            EventBody::from(LogLine { level: LogLevel::Info, source, message })
        };
        let events = messages.into_iter().map(line).collect();
        let entry = Entry::given(build, None, events);
        self.app.journal.append(entry).await.expect("the lines are appended");
    }
}

impl Person {
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    pub async fn get(&self, path: &str) -> ApiResponse {
        send(self.request(Method::GET, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> ApiResponse {
        send(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> ApiResponse {
        send(self.request(Method::PUT, path).json(&body)).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> ApiResponse {
        send(self.request(Method::PATCH, path).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> ApiResponse {
        send(self.request(Method::DELETE, path)).await
    }

    /// Creates a project of this user; returns its id.
    pub async fn project(&self, name: &str) -> String {
        let made = self.post("/api/projects", json!({"name": name, "description": ""})).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
        text(&made.json()["id"])
    }
}

/// The same settings with a model, which is never called.
pub fn with_model(config: Config) -> Config {
    let base_url = Some("http://127.0.0.1:9".to_owned());
    let anthropic = Access { base_url, ..Access::NONE };
    let usual = ModelName {
        provider: ProviderName::Anthropic,
        model: "claude-sonnet-5-5".to_owned(),
        thinking: Default::default(),
    };
    let models = ModelSettings { usual, anthropic, ..ModelSettings::offline() };
    Config { models, ..config }
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// The value of a cookie that a response sets.
pub fn cookie(answer: &ApiResponse, name: &str) -> String {
    let cookies = answer.headers.get_all(header::SET_COOKIE).into_iter();
    let mut found = cookies.filter_map(|value| value.to_str().ok()?.strip_prefix(name));
    let rest = found.next().unwrap_or_else(|| panic!("{name} is set: {:?}", answer.headers));
    rest.trim_start_matches('=').split(';').next().unwrap_or_default().to_owned()
}

/// The program: `FORGEGUARD_BINARY`, otherwise built if necessary.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        if let Some(given) = std::env::var_os("FORGEGUARD_BINARY") {
            return given.into();
        }
        let built = support::cargo().args(["build", "-q", "-p", "forgeguard"]).status();
        assert!(built.is_ok_and(|status| status.success()), "the program can be built");
        let tests = std::env::current_exe().expect("this program has a file");
        let target = tests.ancestors().nth(2).expect("it lies in target/<profile>/deps");
        target.join("forgeguard")
    })
}
