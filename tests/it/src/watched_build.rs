//! A build on a server that may be killed: shared code of the chaos tests.

use std::{
    collections::{BTreeMap, HashSet},
    time::Duration,
};

use domain::{
    event::{
        Event, EventBody,
        life::{BlockReason, Blocked},
    },
    ids::BuildId,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    follower::{Follower, Received},
    harness::text,
    processes::{self, Process},
    server_process::ServerProcess,
};

/// Longer than any single event of the demo takes on a busy machine.
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// A build, its server, and all events received so far.
pub struct WatchedBuild {
    pub server: ServerProcess,
    pub project: String,
    pub build: BuildId,
    pub follower: Follower,
    pub events: Vec<Event>,
    /// Ids of runs that were seen below the data directory.
    runs: HashSet<String>,
    /// The answer to the question that is open, according to the events received: questions of
    /// ForgeGuard itself are skipped.
    pub answer: Option<Value>,
    /// Kills at random moments may hit the same step twice; the build is then resumed.
    pub resumes_parked: bool,
}

impl WatchedBuild {
    /// Starts a server and the demo's build. `settings` are environment variables.
    pub async fn demo(settings: &[(&str, &str)]) -> Self {
        let server = ServerProcess::start(settings).await;
        let project = demo_project(&server).await;
        Self::begin(server, project).await
    }

    /// The same without mutating its code, which takes half of the time.
    pub async fn demo_without_mutants(settings: &[(&str, &str)]) -> Self {
        let server = ServerProcess::start(settings).await;
        let project = demo_project(&server).await;
        let wanted = json!({ "mutation_sample": null });
        server.put(&format!("/api/projects/{project}/settings"), wanted).await;
        Self::begin(server, project).await
    }

    /// The same with other gates than the demo's.
    pub async fn demo_with_gates(settings: &[(&str, &str)], gates: Value) -> Self {
        Self::demo_on(ServerProcess::start(settings).await, gates).await
    }

    /// The same on a running server.
    pub async fn demo_on(server: ServerProcess, gates: Value) -> Self {
        let project = demo_project(&server).await;
        let wanted =
            json!({ "gates": gates, "clarification_timeout_s": null, "mutation_sample": null });
        server.put(&format!("/api/projects/{project}/settings"), wanted).await;
        Self::begin(server, project).await
    }

    /// Starts a build of a project.
    pub async fn begin(server: ServerProcess, project: String) -> Self {
        Self::begin_with(server, project, json!({})).await
    }

    /// The same with options, besides the explicit absence of a limit.
    pub async fn begin_with(server: ServerProcess, project: String, mut options: Value) -> Self {
        options["budgets"] = json!({ "usd_micros": "unlimited" });
        let build = server.post(&format!("/api/projects/{project}/builds"), options).await;
        let build: BuildId = text(&build["id"]).parse().expect("an id");
        let follower = Follower::new(server.address(), server.token(), build);
        let (events, runs, answer) = (Vec::new(), HashSet::new(), None);
        let resumes_parked = true;
        Self { server, project, build, follower, events, runs, answer, resumes_parked }
    }

    /// The progress of the build: events that a restart does not repeat.
    pub fn progress(&self) -> u64 {
        self.events.iter().filter(|event| !is_repeated(event)).count() as u64
    }

    /// Reads, and answers questions, until `wanted` holds for the progress and the newest event,
    /// which is returned; None if the build ends first.
    pub async fn run_until(
        &mut self,
        mut wanted: impl FnMut(u64, &Event) -> bool,
    ) -> Option<Event> {
        while !self.has_ended() {
            self.answer().await;
            let event = timeout(EVENT_TIMEOUT, self.follower.event()).await;
            let event = event.unwrap_or_else(|_| {
                panic!("nothing happens after {:?}\n{}", self.events.last(), self.server.log())
            });
            self.note(event.clone());
            if wanted(self.progress(), &event) {
                return Some(event);
            }
        }
        None
    }

    /// Runs until the build is blocked, by a failure of the engine too.
    pub async fn run_until_blocked(&mut self) -> Blocked {
        loop {
            let event = timeout(EVENT_TIMEOUT, self.follower.event()).await;
            let event = event.expect("the build continues until it is blocked");
            self.note(event.clone());
            if let EventBody::BuildBlocked(blocked) = event.body {
                return blocked;
            }
        }
    }

    /// Runs until the build has ended.
    pub async fn run_to_the_end(&mut self) {
        self.run_until(|_, _| false).await;
    }

    /// Reads until a preview or the next event has arrived.
    pub async fn wait_for_preview(&mut self) {
        if self.answer.is_some() || self.is_parked() || self.has_ended() {
            return;
        }
        let next = async {
            loop {
                match self.follower.next().await {
                    Received::Event(event) => return Some(*event),
                    Received::Other(frame) if frame["op"] == "preview" => return None,
                    Received::Other(_) | Received::Closed(_) => {}
                }
            }
        };
        if let Some(event) =
            timeout(EVENT_TIMEOUT, next).await.expect("a build at work says something")
        {
            self.note(event);
        }
    }

    /// Reads until a command has printed this, or with kind `text` until a model has written it.
    pub async fn wait_for(&mut self, kind: &str, wanted: &str) {
        let shown = async {
            loop {
                if self.receive().await.is_some_and(|frame| is_preview(&frame, kind, wanted)) {
                    return;
                }
            }
        };
        let shown = timeout(EVENT_TIMEOUT, shown).await;
        shown.unwrap_or_else(|_| panic!("no {kind} with {wanted:?}\n{}", self.server.log()));
    }

    /// Receives the next message, and returns it if it is not an event.
    pub async fn receive(&mut self) -> Option<Value> {
        if self.resumes_parked && self.is_parked() {
            self.resume().await;
        }
        match self.follower.next().await {
            Received::Event(event) => {
                self.note(*event);
                None
            }
            Received::Other(frame) => Some(frame),
            Received::Closed(close) => panic!("the server closed the socket: {close:?}"),
        }
    }

    /// Running processes that belong to this data directory, except the server.
    pub fn processes(&self) -> Vec<Process> {
        let mut runs = self.runs.clone();
        runs.extend(processes::runs(&self.server.data()));
        let mut found = processes::of(&self.server.data(), &runs);
        found.retain(|process| Some(process.pid) != self.server.pid());
        found
    }

    /// Kills the server and restarts it.
    pub async fn kill_and_restart(&mut self) {
        self.runs.extend(processes::runs(&self.server.data()));
        self.server.kill().await;
        self.server.restart().await;
        self.follower.set_address(self.server.address());
    }

    /// Everything that must hold for a build that succeeded.
    pub async fn assert_certified(&self) {
        let build = self.server.get(&format!("/api/builds/{}", self.build)).await;
        assert_eq!((&build["status"], &build["verdict"]), (&json!("sealed"), &json!("CERTIFIED")));
        self.assert_journal_is_whole(&build).await;
        self.assert_nothing_is_doubled();
        self.assert_branch_agrees(&build);
        self.assert_no_process_is_left();
    }

    /// The client has received the same events that the server has.
    pub async fn assert_journal_is_whole(&self, build: &Value) {
        let (last, hash) = self.follower.head();
        assert_eq!((&build["head_seq"], &build["head_hash"]), (&json!(last), &json!(hash)));
        assert_eq!(self.events.len() as u64, last);
        let verified = self.server.get(&format!("/api/builds/{}/verify", self.build)).await;
        assert_eq!(verified["problems"], json!([]), "{verified}");
        assert_eq!((&verified["ok"], &verified["events"]), (&json!(true), &json!(last)));
    }

    fn assert_nothing_is_doubled(&self) {
        let mut once = BTreeMap::new();
        for event in &self.events {
            let what = match &event.body {
                EventBody::BuildUnpaused(_) => {
                    // A build that was blocked during sealing starts sealing again.
                    once.remove("sealing");
                    continue;
                }
                EventBody::BuildStarted(_) => "start".to_owned(),
                EventBody::BuildPhaseStarted(it) => format!("start of phase {}", it.phase),
                EventBody::BuildPhaseComplete(it) => format!("end of phase {}", it.phase),
                EventBody::BuildCommitCreated(it) => match it.phase {
                    Some(phase) => format!("commit of phase {phase}"),
                    None => "commit of the seal".to_owned(),
                },
                EventBody::BuildAgentFinished(it) => format!("end of run {}", it.run_id),
                EventBody::BuildToolCallFinished(it) => {
                    format!("result of call {} of run {}", it.call_id, it.run_id)
                }
                EventBody::BuildClarificationRequest(it) => format!("question {}", it.question),
                EventBody::BuildClarificationResolved(_) => "answer".to_owned(),
                EventBody::BuildSealing(_) => "sealing".to_owned(),
                EventBody::BuildSealed(_) => "seal".to_owned(),
                _ => continue,
            };
            *once.entry(what).or_insert(0) += 1;
        }
        let doubled: Vec<_> = once.iter().filter(|(_, count)| **count != 1).collect();
        assert!(doubled.is_empty(), "doubled: {doubled:?}");
        let mut wanted = vec!["commit of the seal".to_owned(), "seal".to_owned()];
        wanted.extend((0..self.phase_count()).map(|phase| format!("commit of phase {phase}")));
        wanted.extend((0..self.phase_count()).map(|phase| format!("end of phase {phase}")));
        if once.keys().any(|what| what.starts_with("question")) {
            wanted.push("answer".to_owned());
        }
        for wanted in wanted {
            assert!(once.contains_key(&wanted), "missing: {wanted}");
        }
    }

    /// The branch has exactly the commits of the journal: one for each phase, and the seal.
    fn assert_branch_agrees(&self, build: &Value) {
        let baseline = text(&build["baseline_sha"]);
        let range = format!("{baseline}..{}", text(&build["branch"]));
        let trailer = |name: &str| format!("%(trailers:key={name},valueonly,separator=%x2c)");
        let format = format!("%H {} {}", trailer("Phase"), trailer("Journal-Head"));
        let log = self
            .server
            .git(&self.project)
            .args(["log", "--reverse", &format!("--format={format}"), &range])
            .output()
            .expect("git can be run");
        assert!(log.status.success(), "{}", String::from_utf8_lossy(&log.stderr));
        let sealed = self.events.iter().find_map(|event| match &event.body {
            EventBody::BuildSealed(sealed) => Some(sealed),
            _ => None,
        });
        let sealed = sealed.expect("the build is sealed");
        let recorded: Vec<String> = self
            .events
            .iter()
            .filter_map(|event| match &event.body {
                EventBody::BuildCommitCreated(it) => Some(match it.phase {
                    Some(phase) => format!("{} {phase} ", it.sha),
                    None => format!("{}  {}", it.sha, sealed.journal_head),
                }),
                _ => None,
            })
            .collect();
        let found = String::from_utf8_lossy(&log.stdout);
        assert_eq!(found.lines().collect::<Vec<_>>(), recorded);
    }

    /// No process is left running.
    pub fn assert_no_process_is_left(&self) {
        let left = self.processes();
        assert!(left.is_empty(), "still there: {left:?}");
    }

    fn phase_count(&self) -> usize {
        match self.events.first().map(|event| &event.body) {
            Some(EventBody::BuildQueued(queued)) => queued.phases.len(),
            other => panic!("a build begins in the queue, not with {other:?}"),
        }
    }

    fn has_ended(&self) -> bool {
        let Some(newest) = self.events.last() else { return false };
        if let EventBody::BuildBlocked(blocked) = &newest.body {
            let is_expected = blocked.reason == BlockReason::WorkerEnded;
            assert!(is_expected, "blocked: {newest:?}");
            return !self.resumes_parked;
        }
        let broke = |event: &EventBody| matches!(event, EventBody::BuildErrorTracked(it) if it.record.source == "engine");
        assert!(!broke(&newest.body), "the engine failed: {newest:?}\n{}", self.server.log());
        matches!(newest.body, EventBody::BuildSealed(_) | EventBody::BuildAbandoned(_))
    }

    /// Resumes it, and reads the resulting event, so that it is no longer considered blocked.
    pub async fn resume(&mut self) {
        self.server.post(&format!("/api/builds/{}/resume", self.build), json!({})).await;
        let event = timeout(EVENT_TIMEOUT, self.follower.event()).await.expect("it is resumed");
        self.note(event);
    }

    /// Whether it is blocked until a user resumes it.
    fn is_parked(&self) -> bool {
        let newest = self.events.last().map(|event| &event.body);
        matches!(newest, Some(EventBody::BuildBlocked(_)))
    }

    /// Records an event that was read elsewhere.
    pub fn note(&mut self, event: Event) {
        self.runs.extend(processes::runs(&self.server.data()));
        match &event.body {
            EventBody::BuildClarificationRequest(it) => {
                let answer = match it.kind.is_of_agent() {
                    true => json!({ "question_id": it.question_id, "answer": "Two weeks" }),
                    false => json!({ "question_id": it.question_id, "skip": true }),
                };
                self.answer = Some(answer);
            }
            EventBody::BuildClarificationResolved(_) => self.answer = None,
            _ => {}
        }
        self.events.push(event);
    }

    /// Leaves the open question to the agent instead of answering it.
    pub async fn skip_question(&mut self) {
        let asked = self.answer.take().expect("a question is open");
        let skip = json!({ "question_id": asked["question_id"], "skip": true });
        self.server.post(&format!("/api/builds/{}/clarify", self.build), skip).await;
    }

    /// Answers the open question, as a user would.
    async fn answer(&mut self) {
        if self.is_parked() {
            self.resume().await;
        }
        let Some(answer) = self.answer.take() else { return };
        self.server.post(&format!("/api/builds/{}/clarify", self.build), answer).await;
    }
}

/// A server, and the id of its demo project.
async fn demo_project(server: &ServerProcess) -> String {
    let projects = server.get("/api/projects").await;
    let mut items = projects["items"].as_array().expect("projects").iter();
    text(&items.find(|project| project["origin"] == "demo").expect("the demo")["id"])
}

/// Whether such an event is repeated after an interruption.
fn is_repeated(event: &Event) -> bool {
    matches!(
        event.body,
        EventBody::BuildResumed(_)
            | EventBody::BuildToolCallStarted(_)
            | EventBody::BuildPreflightStarted(_)
            | EventBody::BuildGateStarted(_)
    )
}

/// Whether a message shows this output of a command, or with kind `text` of a model.
pub fn is_preview(frame: &Value, kind: &str, wanted: &str) -> bool {
    frame["kind"] == kind && frame.to_string().contains(wanted)
}
