//! The server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{
    Router,
    body::Body,
    extract::State as Shared,
    http::{HeaderMap, Method, Response, Uri},
};
use bytes::Bytes;
use serde_json::Value;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    actions,
    document::Document,
    git::GitRepository,
    state::{Fault, Kind, Pull, Seen, State},
};

/// The token that the API and the repository accept.
pub const TOKEN: &str = "forge-token-for-tests";
/// Characters per chunk of an endless reply.
const CHUNK: usize = 64 * 1024;

/// A forge. Dropping it stops it, and fails the test if a request was not one of its API.
pub struct ForgeServer {
    state: Arc<Mutex<State>>,
    address: String,
    serving: JoinHandle<()>,
}

impl ForgeServer {
    /// Starts on a free port.
    pub async fn start(kind: Kind) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let state = Arc::new(Mutex::new(State {
            kind,
            address: address.clone(),
            git: GitRepository::create(),
            is_token_valid: true,
            pulls: Vec::new(),
            issues: Vec::new(),
            statuses: Vec::new(),
            faults: Default::default(),
            seen: Vec::new(),
            problems: Vec::new(),
        }));
        let router = Router::new()
            .fallback(answer)
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(state.clone());
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Self { state, address, serving }
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The address from which the repository is cloned.
    pub fn repository_url(&self) -> String {
        format!("http://{}/me/shelf.git", self.address)
    }

    pub fn git(&self) -> GitRepository {
        open(&self.state).git.clone()
    }

    /// Makes the next request with this operation, such as `post /pulls`, fail.
    pub fn fail_next(&self, operation: &str, fault: Fault) {
        open(&self.state).faults.push_back((operation.to_owned(), fault));
    }

    /// The number of faults that have not happened yet.
    pub fn faults_left(&self) -> usize {
        open(&self.state).faults.len()
    }

    /// Whether the token is accepted, from now on.
    pub fn set_token_valid(&self, is_valid: bool) {
        open(&self.state).is_token_valid = is_valid;
    }

    /// Adds an issue, as people do.
    pub fn add_issue(&self, number: u64, title: &str, body: Option<&str>) {
        let issue = (number, title.to_owned(), body.map(str::to_owned));
        open(&self.state).issues.push(issue);
    }

    pub fn pulls(&self) -> Vec<Pull> {
        open(&self.state).pulls.clone()
    }

    /// Changes a pull request, as people do.
    pub fn edit_pull(&self, number: u64, edit: impl FnOnce(&mut Pull)) {
        let mut state = open(&self.state);
        let pull = state.pulls.iter_mut().find(|pull| pull.number == number);
        edit(pull.expect("a known number"));
    }

    /// Commit, context and state of the commit statuses.
    pub fn statuses(&self) -> Vec<(String, String, String)> {
        open(&self.state).statuses.clone()
    }

    /// Adds a status, as another service does.
    pub fn add_status(&self, sha: &str, context: &str, state: &str) {
        let status = (sha.to_owned(), context.to_owned(), state.to_owned());
        open(&self.state).statuses.push(status);
    }

    pub fn seen(&self) -> Vec<Seen> {
        open(&self.state).seen.clone()
    }

    /// Takes the problems so far, which then do not fail the test.
    pub fn take_problems(&self) -> Vec<String> {
        std::mem::take(&mut open(&self.state).problems)
    }
}

impl Drop for ForgeServer {
    fn drop(&mut self) {
        self.serving.abort();
        let problems = self.take_problems();
        assert!(problems.is_empty() || std::thread::panicking(), "{problems:#?}");
    }
}

fn open(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn answer(
    Shared(state): Shared<Arc<Mutex<State>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let header = |name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    };
    if let Some(name) = uri.path().strip_prefix("/me/shelf.git/") {
        let (git, is_valid, fault) = {
            let mut state = open(&state);
            let operation = format!("git {name}");
            state.seen.push(Seen { operation: operation.clone(), body: None });
            (state.git.clone(), state.is_token_valid, state.take_fault(&operation))
        };
        if !is_valid || header("authorization").is_empty() {
            let challenge = [("www-authenticate", "Basic realm=git".to_owned())];
            return response(401, &challenge, Body::empty());
        }
        return match fault {
            Some(Fault::Reply { status, headers, body }) => {
                response(status, &headers, Body::from(body))
            }
            Some(Fault::Hang) => std::future::pending().await,
            Some(_) => {
                git.serve(method, uri, header, body).await;
                std::future::pending().await
            }
            None => git.serve(method, uri, header, body).await,
        };
    }
    let (status, reply, fault) = reply(&mut open(&state), &method, &uri, &header, &body);
    match fault {
        None => response(status, &[], Body::from(reply.to_string())),
        Some(Fault::Reply { status, headers, body }) => {
            response(status, &headers, Body::from(body))
        }
        Some(Fault::LostReply) => response(502, &[], Body::from("bad gateway")),
        Some(Fault::Hang | Fault::HangAfter) => std::future::pending().await,
        Some(Fault::ReplyLate(release)) => {
            release.notified().await;
            response(status, &[], Body::from(reply.to_string()))
        }
        Some(Fault::Endless) => {
            let chunk = || Ok::<_, std::io::Error>(Bytes::from(vec![b' '; CHUNK]));
            response(200, &[], Body::from_stream(futures::stream::repeat_with(chunk)))
        }
    }
}

fn response(status: u16, headers: &[(&'static str, String)], body: Body) -> Response<Body> {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(body).expect("a response")
}

/// Checks a request and performs it.
fn reply(
    state: &mut State,
    method: &Method,
    uri: &Uri,
    header: &impl Fn(&str) -> String,
    body: &Bytes,
) -> (u16, Value, Option<Fault>) {
    let document = Document::of(state.kind);
    let Some(operation) = document.operation(method.as_str(), uri.path()) else {
        state.problems.push(format!("{method} {uri} does not exist"));
        return (404, Value::Null, None);
    };
    let query: Vec<(String, String)> =
        serde_urlencoded::from_str(uri.query().unwrap_or_default()).expect("a query");
    let parsed: Option<Value> = match body.is_empty() {
        true => None,
        false => Some(serde_json::from_slice(body).expect("a JSON body")),
    };
    for problem in document.check(&operation, &query, parsed.as_ref()) {
        state.problems.push(format!("{}: {problem}", operation.name));
    }
    let (name, value) = match state.kind {
        Kind::GitHub => ("authorization", format!("Bearer {TOKEN}")),
        Kind::Forgejo => ("authorization", format!("token {TOKEN}")),
        Kind::GitLab => ("private-token", TOKEN.to_owned()),
    };
    state.seen.push(Seen { operation: operation.name.clone(), body: parsed.clone() });
    if header(name) != value || !state.is_token_valid {
        return (401, serde_json::json!({ "message": "Bad credentials" }), None);
    }
    let fault = state.take_fault(&operation.name);
    if matches!(fault, Some(Fault::Reply { .. } | Fault::Hang | Fault::Endless)) {
        return (0, Value::Null, fault);
    }
    let (status, fields) = actions::perform(state, &operation, &query, parsed.as_ref());
    (status, document.reply(&operation, status, fields), fault)
}
