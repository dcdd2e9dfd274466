//! A server that is killed in the midst of one kind of work after another, while a model streams
//! over HTTP: the build goes on by itself, nothing is doubled, and no reply is paid twice but one
//! that was cut.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use domain::event::{Event, EventBody, agents::RunOutcome};
use model_server::{Dialect, Seen, Turn};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    ground::{Ground, git},
    watched_build::WatchedBuild,
};

const PHASES: usize = 3;
/// Words of the reply that can be cut short.
const WORDS: usize = 24;
/// Between two of them.
const PACE: Duration = Duration::from_millis(10);
/// Looks at a file that a kill may come before what it waits for: some milliseconds.
const LOOKS: u32 = 500;
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the server is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Point {
    Stream,
    Write,
    Edit,
    Gate,
    Commit,
    Push,
}

const POINTS: [Point; 6] =
    [Point::Stream, Point::Write, Point::Edit, Point::Gate, Point::Commit, Point::Push];

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_in_the_midst_of_each_kind_of_work_leaves_the_build_certified() {
    for dialect in Dialect::ALL {
        Cuts::begin(dialect).await.make().await;
    }
}

/// A build that is cut short again and again.
struct Cuts {
    watched: WatchedBuild,
    model: model_server::ModelServer,
    random: StdRng,
    kills: usize,
}

impl Cuts {
    async fn begin(dialect: Dialect) -> Self {
        let seed = std::env::var("FORGEGUARD_CHAOS_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = seed.unwrap_or_else(rand::random);
        println!("FORGEGUARD_CHAOS_SEED={seed} {dialect:?}");
        let ground = Ground::new(dialect, "").await;
        ground.model.play(model);
        let phase = |n| {
            format!(
                "\n## Phase {n} — Greeting\n**Deliverables:**\n- greeting-{n}.txt\n\
                 **Exit criteria:**\n- it greets\n"
            )
        };
        let phases: String = (0..PHASES).map(phase).collect();
        ground.set("contracts/phases", json!({ "content": format!("# Phases\n{phases}") })).await;
        let gate = json!({
            "name": "test", "command": "echo begun; sleep 0.5; cat greeting-*.txt",
            "timeout_s": 60, "required": true, "network": false
        });
        let settings = json!({ "gates": [gate], "clarification_timeout_s": null });
        ground.set("settings", settings).await;
        let Ground { server, model, project } = ground;
        let watched = WatchedBuild::begin(server, project).await;
        Self { watched, model, random: StdRng::seed_from_u64(seed), kills: 0 }
    }

    async fn make(mut self) {
        for phase in 0..PHASES {
            let pushed = self.branch("repos");
            for point in POINTS {
                self.reach(point, phase, pushed.as_deref()).await;
                println!("kill {}: {point:?} of phase {phase}", self.kills);
                self.watched.kill_and_start_again().await;
                self.kills += 1;
            }
        }
        self.watched.run_to_the_end().await;
        self.watched.assert_certified().await;
        self.assert_no_reply_was_paid_twice();
        self.assert_no_effect_is_doubled();
        self.model.finish();
        self.watched.server.stop().await;
    }

    /// Reads until the build is in the midst of this.
    async fn reach(&mut self, point: Point, phase: usize, pushed: Option<&str>) {
        let file = self.worktree().join(format!("greeting-{phase}.txt"));
        match point {
            Point::Stream => {
                self.read_until(|body| matches!(body, EventBody::BuildIterationStarted(_))).await;
                let word = format!("word-{} ", self.random.random_range(0..WORDS - 4));
                self.watched.wait_for("text", &word).await;
            }
            Point::Write => {
                let calls = |body: &EventBody| matches!(body, EventBody::BuildToolCallStarted(it) if it.tool == "write_file");
                self.read_until(calls).await;
                self.look_until(|| file.exists()).await;
            }
            Point::Edit => {
                self.look_until(|| text(&file).is_some_and(|text| text.contains("again"))).await
            }
            Point::Gate => self.watched.wait_for("output", "begun").await,
            Point::Commit => {
                let (clone, before) = (self.branch_file("work"), self.branch("work"));
                self.read_until(|body| matches!(body, EventBody::BuildCriterionChecked(_))).await;
                self.look_until(|| text(&clone) != before).await;
            }
            Point::Push => {
                let hosted = self.branch_file("repos");
                self.look_until(|| text(&hosted).as_deref() != pushed).await;
            }
        }
    }

    async fn read_until(&mut self, wanted: impl Fn(&EventBody) -> bool) {
        // It may have been read while something else was waited for.
        let resumed = |event: &Event| matches!(event.body, EventBody::BuildResumed(_));
        let since = self.watched.events.iter().rposition(resumed).unwrap_or(0);
        if self.watched.events[since..].iter().any(|event| wanted(&event.body)) {
            return;
        }
        let found = self.watched.run_until(|_, event| wanted(&event.body)).await;
        assert!(found.is_some(), "the build ended before kill {}", self.kills);
    }

    /// Looks until it holds, or in half of all cases a random number of times at most.
    async fn look_until(&mut self, holds: impl Fn() -> bool) {
        let most = self.random.random_range(0..LOOKS);
        let most = if self.random.random_bool(0.5) { most } else { u32::MAX };
        let looks = async {
            let mut looks = 0;
            while looks < most && !holds() {
                looks += 1;
                tokio::task::yield_now().await;
            }
        };
        let seen = timeout(PATIENCE, looks).await;
        seen.unwrap_or_else(|_| panic!("it never came\n{}", self.watched.server.log()));
    }

    /// Every reply is in the journal once, and each kill has cut one other at most.
    fn assert_no_reply_was_paid_twice(&self) {
        let mut asked: HashMap<String, usize> = HashMap::new();
        for seen in self.model.requests() {
            *asked.entry(seen.json.to_string()).or_default() += 1;
        }
        let turns = self.count(|body| matches!(body, EventBody::BuildAgentTurn(_)));
        assert_eq!(turns, asked.len());
        let again: usize = asked.values().map(|times| times - 1).sum();
        println!("{turns} replies, {again} of them cut and asked for again, {} kills", self.kills);
        assert!((PHASES..=self.kills).contains(&again), "{again} of {}", self.kills);
    }

    fn assert_no_effect_is_doubled(&self) {
        let hosted = self.watched.server.data().join(format!("repos/{}.git", self.watched.project));
        for phase in 0..PHASES {
            let file = format!("forge/build-{}:greeting-{phase}.txt", self.watched.build);
            assert_eq!(git(&hosted, &["show", &file]), "Hello\nagain");
        }
        let failed = |body: &EventBody| match body {
            EventBody::BuildRetryScheduled(_) | EventBody::BuildErrorTracked(_) => true,
            EventBody::BuildToolCallFinished(call) => !call.ok,
            EventBody::BuildAgentFinished(run) => run.outcome != RunOutcome::Completed,
            _ => false,
        };
        assert_eq!(self.count(failed), 0);
        let mut gates = HashSet::new();
        for event in &self.watched.events {
            if let EventBody::BuildGateFinished(gate) = &event.body {
                assert!(gates.insert((gate.phase, gate.gate.clone())), "{gate:?}");
            }
        }
    }

    fn count(&self, wanted: impl Fn(&EventBody) -> bool) -> usize {
        self.watched.events.iter().filter(|event| wanted(&event.body)).count()
    }

    fn worktree(&self) -> PathBuf {
        self.watched.server.data().join(format!("worktrees/{}", self.watched.build))
    }

    /// Where the build's branch stands in the clone or at origin.
    fn branch(&self, place: &str) -> Option<String> {
        text(&self.branch_file(place))
    }

    fn branch_file(&self, place: &str) -> PathBuf {
        let WatchedBuild { server, project, build, .. } = &self.watched;
        server.data().join(format!("{place}/{project}.git/refs/heads/forge/build-{build}"))
    }
}

fn text(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}

/// What a model does that knows what it is about, slowly where it begins to write.
fn model(seen: &Seen) -> Turn {
    let (system, tools) = (seen.system(), seen.tools());
    let phase = phase(seen);
    let file = format!("greeting-{phase}.txt");
    let says = |text: &str| Turn::says(text);
    let looks = |path: &str| Turn::reply().calls("read_file", json!({ "path": path }));
    let window = || Turn::reply().calls("forge_get_phase_window", json!({ "phase_number": phase }));
    match seen.turn() {
        0 if system.contains("You are the auditor") => looks(&file),
        _ if system.contains("You are the auditor") => says(&format!(
            "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — {file}:1\n\
             === END PHASE SIGN-OFF ==="
        )),
        0 if !tools.contains(&"write_file") => window(),
        _ if system.contains("You are the scout") => says("Little is there."),
        _ if !tools.contains(&"write_file") => {
            says("=== PLAN ===\n1. Write the greeting\nGates: validate\n=== END PLAN ===")
        }
        0 => {
            let words: String = (0..WORDS).map(|n| format!("word-{n} ")).collect();
            let edit = json!({ "path": file, "old_text": "Hello\n", "new_text": "Hello\nagain\n" });
            Turn::says(words)
                .calls("write_file", json!({ "path": file, "content": "Hello\n" }))
                .calls("edit_file", edit)
                .slowly(PACE)
        }
        _ => says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

/// The phase that the first message of a conversation names.
fn phase(seen: &Seen) -> usize {
    let said = seen.json["messages"].to_string();
    (0..PHASES).find(|n| said.contains(&format!("Phase {n} of {PHASES}"))).expect("a phase")
}
