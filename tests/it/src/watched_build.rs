//! A build on a server that may be killed: what the chaos tests have in common.

use std::{
    collections::{BTreeMap, HashSet},
    process::Command,
    time::Duration,
};

use domain::{
    event::{Event, EventBody},
    ids::BuildId,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::{
    follower::{Follower, Given},
    harness::text,
    processes::{self, Process},
    server_process::ServerProcess,
};

/// Longer than any single event of the demo takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A build, its server, and all that was seen of it so far.
pub struct WatchedBuild {
    pub server: ServerProcess,
    pub project: String,
    pub build: BuildId,
    pub follower: Follower,
    pub events: Vec<Event>,
    /// Ids of runs that were seen below the data directory.
    runs: HashSet<String>,
    /// The question that is open as far as we know.
    question: Option<String>,
}

impl WatchedBuild {
    /// Starts a server and the demo's build. `settings` are environment variables.
    pub async fn demo(settings: &[(&str, &str)]) -> Self {
        let (server, project) = with_demo_project(settings).await;
        Self::begin(server, project).await
    }

    /// The same with other gates than the demo's own.
    pub async fn demo_with_gates(settings: &[(&str, &str)], gates: Value) -> Self {
        let (server, project) = with_demo_project(settings).await;
        let wanted = json!({ "gates": gates, "clarification_timeout_s": null });
        server.put(&format!("/api/projects/{project}/settings"), wanted).await;
        Self::begin(server, project).await
    }

    /// Starts a build of a project.
    pub async fn begin(server: ServerProcess, project: String) -> Self {
        let build = server.post(&format!("/api/projects/{project}/builds"), json!({})).await;
        let build: BuildId = text(&build["id"]).parse().expect("an id");
        let follower = Follower::new(server.address(), server.token(), build);
        let (events, runs, question) = (Vec::new(), HashSet::new(), None);
        Self { server, project, build, follower, events, runs, question }
    }

    /// How far the build is: events that a restart does not repeat.
    pub fn progress(&self) -> u64 {
        self.events.iter().filter(|event| !is_repeated(event)).count() as u64
    }

    /// Reads, and answers what is asked, until `wanted` holds for the progress and the newest
    /// event, which is then given; `None` when the build ends first.
    pub async fn run_until(
        &mut self,
        mut wanted: impl FnMut(u64, &Event) -> bool,
    ) -> Option<Event> {
        while !self.has_ended() {
            self.answer().await;
            let event = timeout(PATIENCE, self.follower.event()).await;
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

    /// Runs until the build has ended.
    pub async fn run_to_the_end(&mut self) {
        self.run_until(|_, _| false).await;
    }

    /// Reads until something is under way between two events, or the next event has come.
    pub async fn wait_for_preview(&mut self) {
        if self.question.is_some() || self.has_ended() {
            return;
        }
        let next = async {
            loop {
                match self.follower.next().await {
                    Given::Event(event) => return Some(*event),
                    Given::Other(frame) if frame["op"] == "preview" => return None,
                    Given::Other(_) | Given::Closed(_) => {}
                }
            }
        };
        if let Some(event) = timeout(PATIENCE, next).await.expect("a build at work says something")
        {
            self.note(event);
        }
    }

    /// Reads until a command has printed this, or with kind `text` until a model has said it.
    pub async fn wait_for(&mut self, kind: &str, wanted: &str) {
        let shown = async {
            loop {
                match self.follower.next().await {
                    Given::Event(event) => self.note(*event),
                    Given::Other(frame) => {
                        if frame["kind"] == kind && frame.to_string().contains(wanted) {
                            return;
                        }
                    }
                    Given::Closed(close) => panic!("the server closed the socket: {close:?}"),
                }
            }
        };
        let shown = timeout(PATIENCE, shown).await;
        shown.unwrap_or_else(|_| panic!("no {kind} with {wanted:?}\n{}", self.server.log()));
    }

    /// What runs that belongs to this data directory, but the server itself.
    pub fn processes(&self) -> Vec<Process> {
        let mut runs = self.runs.clone();
        runs.extend(processes::runs(&self.server.data()));
        let mut found = processes::of(&self.server.data(), &runs);
        found.retain(|process| Some(process.pid) != self.server.pid());
        found
    }

    /// Ends the server as a power cut would and starts it again on what is left.
    pub async fn kill_and_start_again(&mut self) {
        self.runs.extend(processes::runs(&self.server.data()));
        self.server.kill().await;
        self.server.start_again().await;
        self.follower.move_to(self.server.address());
    }

    /// Everything that has to be true of a build that ended well.
    pub async fn assert_certified(&self) {
        let build = self.server.get(&format!("/api/builds/{}", self.build)).await;
        assert_eq!((&build["status"], &build["verdict"]), (&json!("sealed"), &json!("CERTIFIED")));
        self.assert_journal_is_whole(&build).await;
        self.assert_nothing_is_doubled();
        self.assert_branch_agrees(&build);
        self.assert_no_process_is_left();
    }

    /// What the client has is what the server has, from the first event to the last.
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

    /// The branch has the commits of the journal and no others: one for each phase and the seal.
    fn assert_branch_agrees(&self, build: &Value) {
        let baseline = text(&build["baseline_sha"]);
        let range = format!("{baseline}..forge/build-{}", self.build);
        let trailer = |name: &str| format!("%(trailers:key={name},valueonly,separator=%x2c)");
        let format = format!("%H {} {}", trailer("Phase"), trailer("Journal-Head"));
        let repository = self.server.data().join(format!("repos/{}.git", self.project));
        let log = Command::new("git")
            .arg("-C")
            .arg(repository)
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

    /// Nothing is left running.
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
        assert!(!matches!(newest.body, EventBody::BuildBlocked(_)), "blocked: {newest:?}");
        let broke = |event: &EventBody| matches!(event, EventBody::BuildErrorTracked(it) if it.record.source == "engine");
        assert!(!broke(&newest.body), "the engine failed: {newest:?}\n{}", self.server.log());
        matches!(newest.body, EventBody::BuildSealed(_) | EventBody::BuildAbandoned(_))
    }

    /// Remembers an event that was read elsewhere.
    pub fn note(&mut self, event: Event) {
        self.runs.extend(processes::runs(&self.server.data()));
        match &event.body {
            EventBody::BuildClarificationRequest(it) => {
                self.question = Some(it.question_id.to_string())
            }
            EventBody::BuildClarificationResolved(_) => self.question = None,
            _ => {}
        }
        self.events.push(event);
    }

    /// Answers what is open, as the person in front of the page would.
    async fn answer(&mut self) {
        let Some(question_id) = self.question.take() else { return };
        let answer = json!({ "question_id": question_id, "answer": "Two weeks" });
        self.server.post(&format!("/api/builds/{}/clarify", self.build), answer).await;
    }
}

/// A server that has the demo's project, which is given too.
async fn with_demo_project(settings: &[(&str, &str)]) -> (ServerProcess, String) {
    let server = ServerProcess::start(settings).await;
    let projects = server.get("/api/projects").await;
    let project = text(&projects["items"][0]["id"]);
    (server, project)
}

/// Comes again when what it begins was cut off.
fn is_repeated(event: &Event) -> bool {
    matches!(
        event.body,
        EventBody::BuildResumed(_)
            | EventBody::BuildToolCallStarted(_)
            | EventBody::BuildGateStarted(_)
    )
}
