//! A server that is killed during each kind of work, while a model streams over HTTP: the build
//! resumes, no effect is doubled, and only replies that were interrupted are requested again.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use domain::event::{Event, EventBody, agents::RunOutcome};
use model_server::{Dialect, Seen, Turn};
use rand::{RngExt, SeedableRng, rngs::StdRng};
use tokio::time::timeout;

use crate::{
    greeting_project::{self, PHASES},
    project_fixture::{ProjectFixture, git},
    watched_build::{WatchedBuild, is_preview},
};

/// Polls, a millisecond apart, before the server is killed even if a file has not appeared.
const MAX_POLLS: u32 = 500;
const EVENT_TIMEOUT: Duration = Duration::from_secs(60);
/// Words of a reply that does not end before its server is killed.
const WORDS: usize = 60_000;
const WORD_INTERVAL: Duration = Duration::from_millis(5);
/// Pieces of a reply that are read before the kill are fewer.
const MAX_PIECES: usize = 8;

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
    /// The build's branch in the clone and at origin when the current phase began.
    before: [Option<String>; 2],
}

impl Cuts {
    async fn begin(dialect: Dialect, seed: u64) -> Self {
        let given = std::env::var("FORGEGUARD_CHAOS_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = given.unwrap_or(seed);
        println!("FORGEGUARD_CHAOS_SEED={seed} {dialect:?}");
        let fixture = ProjectFixture::new(dialect, "").await;
        greeting_project::prepare(&fixture).await;
        fixture.model.play(first_reply_is_endless());
        let ProjectFixture { server, model, project } = fixture;
        let watched = WatchedBuild::begin(server, project).await;
        let random = StdRng::seed_from_u64(seed);
        Self { watched, model, random, kills: 0, before: [None, None] }
    }

    async fn make(mut self) {
        for phase in 0..PHASES {
            self.before = ["work", "repos"].map(|place| self.branch(place));
            for point in POINTS {
                self.reach(point, phase).await;
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

    /// Reads until this work is in progress, or the phase is complete.
    async fn reach(&mut self, point: Point, phase: usize) {
        let name = format!("greeting-{phase}.txt");
        let file = self.worktree().join(&name);
        match point {
            Point::Stream => {
                let pieces = self.random.random_range(1..MAX_PIECES);
                self.read_previews("text", "word", pieces, phase).await;
            }
            Point::Write => {
                let calls = |body: &EventBody| matches!(body, EventBody::BuildToolCallStarted(it) if it.input["path"] == *name);
                self.read_until(phase, calls).await;
                self.poll_until(|| file.exists()).await;
            }
            Point::Edit => {
                self.poll_until(|| text(&file).is_some_and(|text| text.contains("again"))).await
            }
            Point::Gate => {
                let starts = |body: &EventBody| matches!(body, EventBody::BuildGateStarted(it) if it.phase == Some(phase as u32));
                self.read_until(phase, starts).await;
                self.read_previews("output", "begun", 1, phase).await;
            }
            Point::Commit => {
                let checked = |body: &EventBody| matches!(body, EventBody::BuildCriterionChecked(it) if it.phase as usize == phase);
                self.read_until(phase, checked).await;
                let (clone, before) = (self.branch_file("work"), self.before[0].clone());
                self.poll_until(|| text(&clone) != before).await;
            }
            Point::Push => {
                let (hosted, before) = (self.branch_file("repos"), self.before[1].clone());
                self.poll_until(|| text(&hosted) != before).await;
            }
        }
    }

    /// Reads until such an event came after the last kill, or the phase is complete.
    async fn read_until(&mut self, phase: usize, wanted: impl Fn(&EventBody) -> bool) {
        let ends = |body: &EventBody| wanted(body) || completes(body, phase);
        // It may have been read already.
        let resumed = |event: &Event| matches!(event.body, EventBody::BuildResumed(_));
        let since = self.watched.events.iter().rposition(resumed).unwrap_or(0);
        if self.watched.events[since..].iter().any(|event| ends(&event.body)) {
            return;
        }
        let found = self.watched.run_until(|_, event| ends(&event.body)).await;
        assert!(found.is_some(), "the build ended before kill {}", self.kills);
    }

    /// Reads so many previews with this text. On a slow machine they may have been sent before this
    /// client was connected: then until the phase is complete.
    async fn read_previews(&mut self, kind: &str, wanted: &str, count: usize, phase: usize) {
        let mut seen = 0;
        while seen < count && self.count(|body| completes(body, phase)) == 0 {
            let received = timeout(EVENT_TIMEOUT, self.watched.receive()).await;
            let frame = received.expect("the build continues");
            seen += usize::from(frame.is_some_and(|frame| is_preview(&frame, kind, wanted)));
        }
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

/// The model of the project, whose first reply of each phase does not end before its server is killed.
fn first_reply_is_endless() -> impl FnMut(&Seen) -> Turn + Send + 'static {
    let mut begun = HashSet::new();
    move |seen| {
        let is_first =
            greeting_project::is_work(seen) && begun.insert(greeting_project::phase(seen));
        match is_first {
            true => Turn::says("word ".repeat(WORDS)).slowly(WORD_INTERVAL),
            false => greeting_project::model(seen),
        }
    }
}

fn completes(body: &EventBody, phase: usize) -> bool {
    matches!(body, EventBody::BuildPhaseComplete(it) if it.phase as usize == phase)
}

fn text(file: &Path) -> Option<String> {
    std::fs::read_to_string(file).ok()
}
