//! Plays the life of a build: asks `decide`, appends what a driver would, and lets luck say how
//! agents, gates, people and the machine itself behave.

use std::iter;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chain,
    decide::{Effect, decide},
    errors::Severity,
    event::{
        Event, EventBody,
        agents::{AgentStarted, Role, Task},
        branch::{AuthorKind, BranchLife, BranchStatus, Pushed},
        gates::{FixAttemptStarted, GateStarted, RetryScheduled},
        life::{Actor, Blocked, Paused, Resumed, Sealed, Sealing, Started, Unpaused},
        phases::{
            CheckedDeliverable, DeliverableResult, DeliverablesChecked, IterationStarted, Mode,
            ModeSwitched, PhaseStarted,
        },
        preflight::{PreflightFinished, PreflightStarted},
        questions::{ClarificationKind, ClarificationRequest, ClarificationResolved, ResolvedHow},
    },
    gate::SandboxLevel,
    ids::{BuildId, Id, RunId},
    requirement::RequirementId,
    rounds, seal,
    state::{BuildState, Status},
    step::{Illegal, step},
    tracking::{self, ObservedFailure},
};

use crate::{agents, bases, choices::Choices, people, rules, samples};

/// How a life ends: for good, or until a person acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum End {
    Sealed,
    Abandoned,
    Parked,
}

/// A build and all that has happened to it.
pub struct Life {
    /// Its id.
    pub build: BuildId,
    /// Its journal.
    pub events: Vec<Event>,
    /// The state after each event.
    pub states: Vec<BuildState>,
    /// The present.
    pub now: DateTime<Utc>,
    /// An end was asked for, and accepted.
    pub cancelled: bool,
    /// People may act between deciding and doing.
    racing: bool,
    /// They did.
    raced: bool,
    choices: Choices,
    ids: u128,
}

impl Life {
    /// A build that was just queued.
    pub fn begin(mut choices: Choices, racing: bool) -> Self {
        let queued = samples::queued(&mut choices);
        let mut life = Self {
            build: samples::id(9),
            events: Vec::new(),
            states: Vec::new(),
            now: samples::dawn(),
            cancelled: false,
            racing,
            raced: false,
            choices,
            ids: 1_000,
        };
        life.append(vec![queued.into()]).expect("a build can be queued");
        life
    }

    /// Lives on until nothing more happens by itself. Panics if that takes too long, or if the
    /// rules refuse what was decided.
    pub fn play(&mut self) -> End {
        for _ in 0..self.choices.len() + 200 {
            if let Some(end) = self.turn() {
                return end;
            }
        }
        panic!("it does not end: {:?}", decide(self.state(), self.now));
    }

    /// Lives on until `reached` holds, with nothing but luck.
    pub fn play_until(&mut self, reached: impl Fn(&BuildState, &Effect) -> bool) {
        for _ in 0..200 {
            if reached(self.state(), &decide(self.state(), self.now)) {
                return;
            }
            self.turn();
        }
        panic!("that is never reached");
    }

    /// The build as it stands.
    pub fn state(&self) -> &BuildState {
        latest(&self.states)
    }

    /// Appends all of it, or nothing.
    pub fn append(&mut self, bodies: Vec<EventBody>) -> Result<(), Illegal> {
        self.now += TimeDelta::milliseconds(match self.choices.pick(16) as i64 {
            15 => 660_000,
            slow @ 13..15 => 3_000 * slow,
            quick => 1 + quick,
        });
        let (events, states) = (self.events.len(), self.states.len());
        for body in bodies {
            if let Err(illegal) = self.append_one(body) {
                self.events.truncate(events);
                self.states.truncate(states);
                return Err(illegal);
            }
        }
        Ok(())
    }

    fn append_one(&mut self, body: EventBody) -> Result<(), Illegal> {
        let seq = self.events.len() as u64 + 1;
        let before = self.states.last().cloned();
        let after = step(before.clone(), seq, self.now, &body)?;
        if let Some(before) = &before {
            rules::check_event(before, self.now, &body, &after);
        }
        let link = chain::link(self.head_hash(), seq, self.build, self.now, &body);
        let text = chain::with_hash(&link.body, &link.hash);
        let event: Event = serde_json::from_str(&text).expect("an event can be read again");
        assert_eq!(event.body, body);
        self.events.push(event);
        self.states.push(after);
        Ok(())
    }

    fn head_hash(&self) -> &str {
        self.events.last().map_or(chain::GENESIS, |event| &event.hash)
    }

    fn turn(&mut self) -> Option<End> {
        if !self.racing {
            self.people();
        }
        let state = self.state().clone();
        let effect = decide(&state, self.now);
        rules::check_effect(&state, &effect);
        self.raced = self.racing && self.people();
        match effect {
            Effect::Nothing if state.status == Status::Sealed => return Some(End::Sealed),
            Effect::Nothing => return Some(End::Abandoned),
            // A build whose journal has grown since it was read is not handed back.
            Effect::Park | Effect::Wait { .. } if self.raced => {}
            Effect::Park => return self.park(),
            Effect::Wait { until } => self.wait(until),
            Effect::RunAgent { phase, task, run } => self.run_agent(phase, task, run),
            Effect::RunPreflight { names } => self.run_preflight(&names),
            Effect::RunRequestedGates { names } => self.run_requested_gates(&names),
            Effect::RunGates { phase, names } => self.run_gates(phase, &names),
            effect => {
                let events = self.events_of(&effect, &state);
                self.take(events);
            }
        }
        self.crash();
        None
    }

    /// Appends what was decided. Only people who were faster can make it illegal.
    fn take(&mut self, events: Vec<EventBody>) -> bool {
        let refused = self.append(events).err();
        assert!(self.raced || refused.is_none(), "{refused:?} in {:#?}", self.state());
        refused.is_none()
    }

    fn people(&mut self) -> bool {
        let Some(command) = people::command(latest(&self.states), &mut self.choices, self.ids)
        else {
            return false;
        };
        self.ids += 1;
        let ends = matches!(command, EventBody::BuildCancelRequested(_));
        let accepted = self.append(vec![command]).is_ok();
        self.cancelled |= accepted && ends;
        accepted
    }

    /// The worker dies and another one takes over an hour later.
    fn crash(&mut self) -> bool {
        let alive = !self.state().status.is_final() && self.state().status != Status::Queued;
        if !alive || !self.choices.one_in(25) {
            return false;
        }
        self.now += TimeDelta::hours(1);
        let (from_seq, attempt) = (self.events.len() as u64, self.state().attempt + 1);
        let resumed = Resumed { node: "b".to_owned(), from_seq, attempt };
        self.append(vec![resumed.into()]).expect("a build can always be taken up again");
        true
    }

    fn park(&mut self) -> Option<End> {
        let state = latest(&self.states);
        let command = match self.choices.pick(8) {
            0 => return Some(End::Parked),
            1 => people::cancel(),
            4 => people::retry_phase(state, true).unwrap_or_else(people::run_gates),
            5 => people::skip_phase(state).unwrap_or_else(people::run_gates),
            6 => people::run_gates(),
            7 => people::fix_error(state).unwrap_or_else(people::run_gates),
            _ => people::resume(Some(samples::more())),
        };
        let ends = matches!(command, EventBody::BuildCancelRequested(_));
        self.cancelled |= self.append(vec![command]).is_ok() && ends;
        None
    }

    fn wait(&mut self, until: Option<DateTime<Utc>>) {
        let patient = self.choices.pick(3) == 0;
        match (until, people::answer(latest(&self.states), &mut self.choices)) {
            (Some(until), _) if patient => self.now = self.now.max(until),
            (_, Some(answer)) => drop(self.take(vec![answer])),
            (Some(until), None) => self.now = self.now.max(until),
            (None, None) => panic!("it waits for nothing"),
        }
    }

    fn run_agent(&mut self, phase: u32, task: Task, run: Option<RunId>) {
        let run = run.or_else(|| self.start_agent(phase, task));
        let Some(run_id) = run else { return };
        loop {
            let state = self.state();
            if !state.questions.is_empty() || state.wants_attention() || self.crash() {
                return;
            }
            let id = self.new_id::<RunId>().uuid();
            let at = agents::At { build: self.build, run: run_id, task, now: self.now, id };
            let state = latest(&self.states);
            let deed = agents::act(state, at, self.events.len() as u64, &mut self.choices);
            self.append(deed.events).expect("an agent at work may do that");
            if deed.last {
                return;
            }
            self.people();
        }
    }

    /// Lets an agent begin; `None` if people were faster.
    pub fn start_agent(&mut self, phase: u32, task: Task) -> Option<RunId> {
        let run_id = self.new_id();
        let (role, continues) = self.state().phase().expect("a phase").next_run(task);
        let model = "offline".to_owned();
        let started = AgentStarted {
            run_id,
            role,
            task,
            phase,
            model,
            weakened_tests: Vec::new(),
            continues,
            executor: domain::executor::Executor::Builtin,
        };
        self.take(vec![started.into()]).then_some(run_id)
    }

    fn run_preflight(&mut self, names: &[String]) {
        // A phase that begins again may have been preceded by a merge, which moves the baseline.
        let branch = self.state().branch.as_ref().expect("it has started");
        let (baseline_sha, gates) = (branch.baseline_sha.clone(), names.to_vec());
        let started = PreflightStarted { baseline_sha: baseline_sha.clone(), gates };
        if !self.take(vec![started.into()]) || self.crash() {
            return;
        }
        for name in names {
            let gate = self.state().gate(name).expect("the build has it");
            let finished = |passed, missing| PreflightFinished {
                baseline_sha: baseline_sha.clone(),
                ..samples::preflight_finished(&gate, passed, missing)
            };
            let event = match self.choices.pick(16) {
                14 | 15 => samples::out_of_memory(name, None).into(),
                13 => finished(false, Some("make")).into(),
                11 | 12 => finished(false, None).into(),
                _ => finished(true, None).into(),
            };
            if !self.take(vec![event]) {
                return;
            }
            self.people();
        }
    }

    fn run_requested_gates(&mut self, names: &[String]) {
        let phase = self.state().phase().expect("a phase").outline.number;
        for name in names {
            if !self.take(vec![samples::requested_gate_finished(name, phase).into()]) {
                return;
            }
            if self.crash() || self.people() {
                return;
            }
        }
    }

    fn is_first_gate_of_fix(&self, phase: Option<u32>) -> bool {
        let begins = phase.is_some() && self.state().status == Status::Running;
        let phase = self.state().phase().filter(|_| begins);
        phase.is_some_and(|phase| phase.fix.is_some() && phase.gates.is_empty())
    }

    fn run_gates(&mut self, phase: Option<u32>, names: &[String]) {
        let own = |name: &&String| !domain::gate::BUILT_IN.contains(&name.as_str());
        match (self.choices.pick(32), names.iter().find(own)) {
            (31, Some(name)) => {
                let (gate, command) = (name.clone(), String::new());
                let started = GateStarted { gate, command, phase, tree_sha: None };
                self.take(vec![started.into(), samples::out_of_memory(name, phase).into()]);
                return;
            }
            (24..=29, _) if self.is_first_gate_of_fix(phase) => {
                self.take(rounds::finish_unchanged_round(&self.state().clone()));
                return;
            }
            (30, _) if self.state().queued.detection.is_some() => {
                self.take(vec![samples::gates_detected(phase, "found").into()]);
                return;
            }
            _ => {}
        }
        for name in names {
            let command = format!("make {name}");
            let started = GateStarted { gate: name.clone(), command, phase, tree_sha: None };
            if !self.take(vec![started.into()]) || self.crash() {
                return;
            }
            let state = self.state();
            let required = state.gate(name).is_none_or(|gate| gate.required);
            let head = state.branch.as_ref().map_or("", |branch| &branch.head_sha).to_owned();
            let passed = !self.choices.one_in(5);
            let mut finished = samples::gate_finished(name, phase, passed, &head);
            finished.required = required;
            let mut events: Vec<EventBody> = vec![finished.into()];
            if !passed {
                let severity = if required { Severity::Error } else { Severity::Warning };
                const ONE: &str = "one is not two";
                const TWO: &str = "two is not one";
                const FINDINGS: [&[&str]; 3] = [&[ONE], &[TWO], &[ONE, TWO, ONE]];
                let told = self.choices.of(&FINDINGS);
                let seen = told
                    .iter()
                    .map(|told| ObservedFailure::new(rounds::gate_source(name), severity, *told));
                let mut ids = vec![self.new_id(), self.new_id()];
                let new_id = || ids.pop().expect("there are two of them");
                let (state, now) = (self.state(), self.now);
                events.extend(tracking::track_all(state, self.build, new_id, now, seen));
            }
            self.take(events);
            self.people();
        }
    }

    fn events_of(&mut self, effect: &Effect, state: &BuildState) -> Vec<EventBody> {
        match effect.clone() {
            Effect::Start => vec![started(state)],
            Effect::CreateBranch => {
                vec![branch_status(state, BranchLife::Active), pushed(state)]
            }
            Effect::ControlPhase { request } => rounds::control_phase(state, &request, None),
            Effect::Pause { by } => vec![Paused { by, reason: None }.into()],
            Effect::Unpause { by } => {
                let question_expiries = state.expiries_after_pause(self.now);
                let unpaused = Unpaused { by, question_expiries, question_expires_at: None };
                let is_changed = state.gates().len() > 1 && self.choices.one_in(4);
                let gates = vec![samples::gate("test", true), samples::gate("late", true)];
                let changed = is_changed.then(|| samples::gates_changed(state, gates));
                let changed = changed.filter(|changed| !changed.changes.is_empty());
                changed.map(EventBody::from).into_iter().chain([unpaused.into()]).collect()
            }
            Effect::Abandon { by, reason } => rounds::abandon(state, by, reason),
            Effect::TimeOut { question_id } => {
                let (how, by) = (ResolvedHow::TimedOut, Actor::Forge);
                vec![ClarificationResolved { question_id, answer: None, how, by }.into()]
            }
            Effect::AskAssumption { id } => {
                let kind = ClarificationKind::Assumption;
                vec![self.ask(state, kind, Some(id))]
            }
            Effect::AskPlanApproval => vec![self.ask(state, ClarificationKind::Plan, None)],
            Effect::AskConfirmation => {
                vec![self.ask(state, ClarificationKind::Confirmation, None)]
            }
            Effect::Block { reason } => {
                let last_failures = state.last_failures.clone();
                let report = rounds::blocked_report(state, reason.name(), "Look at it.");
                vec![Blocked { reason, last_failures, report }.into()]
            }
            Effect::Retry { error_class, attempt, wait_s } => {
                let max_attempts = self.state().queued.waits.of(error_class).len() as u32;
                assert!(attempt <= max_attempts, "{error_class:?}: {attempt}");
                let retry_at = self.now + TimeDelta::seconds(i64::from(wait_s));
                vec![RetryScheduled { error_class, attempt, max_attempts, retry_at }.into()]
            }
            Effect::StartPhase { phase } => {
                vec![
                    PhaseStarted {
                        phase,
                        title: format!("Part {phase}"),
                        explores: phase % 2 == 0,
                    }
                    .into(),
                ]
            }
            Effect::StartIteration { phase, n } => {
                let why = "the plan stands".to_owned();
                let switched = ModeSwitched { phase, mode: Mode::Execute, why };
                vec![switched.into(), IterationStarted { phase, n }.into()]
            }
            Effect::JudgeRound { .. } => rounds::finish_round(state),
            Effect::StartFix { phase, attempt, causes } => {
                let n = state.phase().map_or(0, |phase| phase.iteration) + 1;
                let fix = FixAttemptStarted { phase, attempt, causes };
                vec![IterationStarted { phase, n }.into(), fix.into()]
            }
            Effect::Commit { phase } => {
                let commit = people::commit(self.next(), Some(phase));
                let EventBody::BuildCommitCreated(made) = &commit else { unreachable!() };
                let merged = bases::merged(made.sha.clone());
                let is_merge = state.base.conflict.is_some();
                iter::once(commit).chain(is_merge.then(|| merged.into())).collect()
            }
            Effect::CompareBase => match self.choices.pick(6) {
                4 => bases::merge(self.next()),
                5 => vec![bases::conflict(state).into()],
                _ => vec![bases::compared(state).into()],
            },
            Effect::Push => vec![pushed(state)],
            Effect::CompletePhase { .. } => rounds::complete_phase(state),
            Effect::BeginSealing => {
                vec![Sealing {}.into(), branch_status(state, BranchLife::Sealing)]
            }
            Effect::CompareTests => {
                let mut compared = samples::tests_compared(state);
                if self.choices.one_in(4) {
                    compared.weakened.push(samples::weakened_test());
                }
                vec![compared.into()]
            }
            Effect::RunRedCheck { base_sha, gate } => {
                let passes = self.choices.one_in(3);
                vec![samples::red_check(state, &base_sha, &gate, passes).into()]
            }
            Effect::CheckDeliverables => vec![deliverables(state)],
            Effect::TestMutants => vec![samples::mutants_tested(state).into()],
            Effect::Seal => self.seal(state),
            other => unreachable!("{other:?} is not one append"),
        }
    }

    fn ask(
        &mut self,
        state: &BuildState,
        kind: ClarificationKind,
        requirement: Option<RequirementId>,
    ) -> EventBody {
        let timeout = state.queued.clarification_timeout_s;
        let request = ClarificationRequest {
            question_id: self.new_id(),
            kind,
            question: "Is it right?".to_owned(),
            context: None,
            options: Vec::new(),
            multiple: false,
            asked_by: Role::Scout,
            run_id: samples::id(0),
            call_id: String::new(),
            requirement,
            expires_at: timeout.map(|seconds| self.now + TimeDelta::seconds(seconds.into())),
        };
        request.into()
    }

    fn seal(&mut self, state: &BuildState) -> Vec<EventBody> {
        let evidence = seal::evidence(state);
        let commit = people::commit_by(AuthorKind::Forge, self.next(), None);
        let EventBody::BuildCommitCreated(made) = &commit else { unreachable!("it is one") };
        let seal_commit = made.sha.clone();
        let sealed = Sealed {
            verdict: seal::verdict(&evidence),
            score: seal::score(&evidence),
            seal_commit,
            journal_head: self.head_hash().to_owned(),
            evidence,
            audit_log: None,
        };
        vec![commit, sealed.into()]
    }

    fn next(&mut self) -> u128 {
        self.ids += 1;
        self.ids
    }

    fn new_id<I: Id>(&mut self) -> I {
        samples::id(self.next())
    }
}

fn latest(states: &[BuildState]) -> &BuildState {
    states.last().expect("it was queued")
}

fn started(state: &BuildState) -> EventBody {
    let started = Started {
        node: "a".to_owned(),
        attempt: state.attempt + 1,
        baseline_sha: samples::BASELINE.to_owned(),
        branch: "forge/build-9".to_owned(),
        sandbox: SandboxLevel::Landlock,
    };
    started.into()
}

fn branch_status(state: &BuildState, status: BranchLife) -> EventBody {
    let branch = state.branch.clone().expect("it has started");
    BranchStatus { status, ..branch }.into()
}

fn pushed(state: &BuildState) -> EventBody {
    let branch = state.branch.as_ref().expect("it has started");
    Pushed { sha: branch.head_sha.clone(), remote: "hosted".to_owned() }.into()
}

/// Every deliverable is shown by a path.
fn deliverables(state: &BuildState) -> EventBody {
    let mut deliverables = Vec::new();
    for phase in &state.phases {
        let number = phase.outline.number;
        let indexes = (1..).zip(&phase.outline.deliverables).map(|(index, _)| index);
        deliverables.extend(indexes.map(|index| CheckedDeliverable {
            phase: number,
            index,
            result: DeliverableResult::Shown,
            path: Some("src/a.js".to_owned()),
        }));
    }
    let head_sha = state.branch.as_ref().map_or(String::new(), |branch| branch.head_sha.clone());
    DeliverablesChecked { head_sha, deliverables }.into()
}
