//! A server that is killed during each kind of work, while a model streams over HTTP: the build
//! resumes, no effect is doubled, and only replies that were interrupted are requested again.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use domain::event::{Event, EventBody, agents::RunOutcome};
use model_server::Dialect;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::timeout;

use crate::{
    greeting_project::{self, PHASES, WORDS},
    project_fixture::{ProjectFixture, git},
    watched_build::WatchedBuild,
};

/// Polls, a millisecond apart, before the server is killed even if a file has not appeared.
const MAX_POLLS: u32 = 500;
const EVENT_TIMEOUT: Duration = Duration::from_secs(60);

/// The seed of `make test`, unless `FORGEGUARD_CHAOS_SEED` is set.
const SEED: u64 = 1;

/// The work during which the server is killed.
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
async fn build_that_is_killed_during_each_kind_of_work_is_certified() {
    Cuts::begin(Dialect::Anthropic, SEED).await.make().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_build_that_is_killed_during_each_kind_of_work_is_certified() {
    for dialect in Dialect::ALL {
        Cuts::begin(dialect, rand::random()).await.make().await;
    }
}

/// A build whose server is killed repeatedly.
struct Cuts {
    watched: WatchedBuild,
    model: model_server::ModelServer,
    random: StdRng,
    kills: usize,
}

impl Cuts {
    async fn begin(dialect: Dialect, seed: u64) -> Self {
        let given = std::env::var("FORGEGUARD_CHAOS_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or(seed);
        println!("FORGEGUARD_CHAOS_SEED={seed} {dialect:?}");
        let fixture = ProjectFixture::new(dialect, "").await;
        greeting_project::prepare(&fixture).await;
        let ProjectFixture { server, model, project } = fixture;
        let watched = WatchedBuild::begin(server, project).await;
        Self { watched, model, random: StdRng::seed_from_u64(seed), kills: 0 }
    }

    async fn make(mut self) {
        for phase in 0..PHASES {
            let pushed = self.branch("repos");
            for point in POINTS {
                self.reach(point, phase, pushed.as_deref()).await;
                println!("kill {}: {point:?} of phase {phase}", self.kills);
                self.watched.kill_and_restart().await;
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

    /// Reads until this work is in progress.
    async fn reach(&mut self, point: Point, phase: usize, pushed: Option<&str>) {
        let file = self.worktree().join(format!("greeting-{phase}.txt"));
        match point {
            Point::Stream => {
                // It may have started before the last kill.
                let starts = |body: &EventBody| matches!(body, EventBody::BuildIterationStarted(it) if it.phase as usize == phase);
                if self.count(starts) == 0 {
                    self.read_until(starts).await;
                }
                let word = format!("word-{} ", self.random.random_range(0..WORDS - 4));
                self.watched.wait_for("text", &word).await;
            }
            Point::Write => {
                let calls = |body: &EventBody| matches!(body, EventBody::BuildToolCallStarted(it) if it.tool == "write_file");
                self.read_until(calls).await;
                self.poll_until(|| file.exists()).await;
            }
            Point::Edit => {
                self.poll_until(|| text(&file).is_some_and(|text| text.contains("again"))).await
            }
            Point::Gate => self.watched.wait_for("output", "begun").await,
            Point::Commit => {
                let (clone, before) = (self.branch_file("work"), self.branch("work"));
                self.read_until(|body| matches!(body, EventBody::BuildCriterionChecked(_))).await;
                self.poll_until(|| text(&clone) != before).await;
            }
            Point::Push => {
                let hosted = self.branch_file("repos");
                self.poll_until(|| text(&hosted).as_deref() != pushed).await;
            }
        }
    }

    async fn read_until(&mut self, wanted: impl Fn(&EventBody) -> bool) {
        // It may have been read already.
        let resumed = |event: &Event| matches!(event.body, EventBody::BuildResumed(_));
        let since = self.watched.events.iter().rposition(resumed).unwrap_or(0);
        if self.watched.events[since..].iter().any(|event| wanted(&event.body)) {
            return;
        }
        let found = self.watched.run_until(|_, event| wanted(&event.body)).await;
        assert!(found.is_some(), "the build ended before kill {}", self.kills);
    }

    /// Polls until it holds; in half of all cases only a random number of times.
    async fn poll_until(&mut self, holds: impl Fn() -> bool) {
        let most = self.random.random_range(0..MAX_POLLS);
        let most = if self.random.random_bool(0.5) { most } else { u32::MAX };
        let looks = async {
            let mut looks = 0;
            while looks < most && !holds() {
                looks += 1;
                tokio::task::yield_now().await;
            }
        };
        let seen = timeout(EVENT_TIMEOUT, looks).await;
        seen.unwrap_or_else(|_| panic!("it never came\n{}", self.watched.server.log()));
    }

    /// Every reply is in the journal once, and each kill has interrupted at most one.
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
            let file = format!("forge/build-1:greeting-{phase}.txt");
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

    /// The commit of the build's branch in the clone or at origin.
    fn branch(&self, place: &str) -> Option<String> {
        text(&self.branch_file(place))
    }

    fn branch_file(&self, place: &str) -> PathBuf {
        let WatchedBuild { server, project, .. } = &self.watched;
        server.data().join(format!("{place}/{project}.git/refs/heads/forge/build-1"))
    }
}

fn text(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}
