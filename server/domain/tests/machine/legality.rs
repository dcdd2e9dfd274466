//! Which event can happen while a build has which status: the whole table, held against many
//! states and, in each, the best-fitting event of every type.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    budget_warnings::{BudgetWarning, LimitName},
    errors::Severity,
    event::{
        EventBody,
        agents::{
            AgentStarted, ContextCompacted, Role, RunOutcome, Task, ToolCallFinished,
            ToolCallStarted,
        },
        branch::{BranchLife, BranchStatus, Pushed},
        confirmations::{
            ConfirmationResult, RequirementChange, RequirementChanged, WeakenedTestCleared,
        },
        control::{
            ErrorFixRequested, PhaseRestarted, PhaseRetryRequested, PhaseSkipRequested,
            PhaseSkipped,
        },
        gates::{
            CriterionResult, ErrorReopened, ErrorResolved, FixAttemptResult, FixAttemptStarted,
            GateStarted, RetryScheduled,
        },
        life::{
            Abandoned, BlockReason, Blocked, ClockCorrected, Interjected, Paused, Resumed, Sealed,
            Sealing, Started, Unpaused,
        },
        phases::{
            DeliverablesChecked, IterationFinished, IterationStarted, Mode, ModeSwitched,
            PhaseAlreadyDone, PhaseComplete, PhaseStarted,
        },
        preflight::PreflightStarted,
        questions::{ClarificationKind, ClarificationRequest},
    },
    failure::ErrorClass,
    finding_id::FindingId,
    gate::SandboxLevel,
    ids::RunId,
    seal,
    state::{
        BuildState, Stage,
        Status::{
            self, AwaitingInput, Blocked as Stuck, Paused as Still, Queued, Retrying, Running,
        },
    },
    step::step,
    tracking::{self, ObservedFailure},
};

use crate::{
    agents, assumptions, bases, choices::Choices, confirmations, people, player::Life, samples,
};

const BEGUN: &[Status] = &[Running, AwaitingInput, Still, Retrying, Stuck, Status::Sealing];
const BEFORE_SEALING: &[Status] = &[Queued, Running, AwaitingInput, Still, Retrying, Stuck];
const UNFINISHED: &[Status] =
    &[Queued, Running, AwaitingInput, Still, Retrying, Stuck, Status::Sealing];
const AT_WORK: &[Status] = &[Running, AwaitingInput];
const BEFORE_A_HALT: &[Status] = &[Running, AwaitingInput, Retrying];
const RUNNING: &[Status] = &[Running];

/// Every type of event with every status in which it can ever happen.
const LEGAL: [(&str, &[Status]); 70] = [
    ("build_queued", &[]),
    ("build_started", &[Queued]),
    ("build_resumed", BEGUN),
    ("build_paused", BEFORE_A_HALT),
    ("build_unpaused", &[Still, Stuck]),
    ("build_clock_corrected", &[Running, Status::Sealing]),
    ("build_blocked", &[Queued, Running, Retrying, Status::Sealing]),
    ("build_sealing", &[Running, Retrying]),
    ("build_deliverables_checked", &[Status::Sealing]),
    ("build_sealed", &[Status::Sealing]),
    ("build_abandoned", &[Queued, Running, Still, Retrying, Stuck, Status::Sealing]),
    ("build_pause_requested", BEFORE_A_HALT),
    ("build_resume_requested", &[Running, AwaitingInput, Still, Retrying, Stuck]),
    ("build_cancel_requested", UNFINISHED),
    ("build_interjected", BEFORE_SEALING),
    ("build_branch_status", BEGUN),
    ("build_commit_created", BEGUN),
    ("build_pushed", BEGUN),
    ("build_base_compared", RUNNING),
    ("build_base_merged", RUNNING),
    ("build_rebase_conflict", RUNNING),
    ("build_phase_started", RUNNING),
    ("build_plan_updated", AT_WORK),
    ("build_task_done", AT_WORK),
    ("build_task_dropped", AT_WORK),
    ("build_phase_already_done", AT_WORK),
    ("build_phase_complete", RUNNING),
    ("build_phase_retry_requested", &[AwaitingInput, Still, Stuck]),
    ("build_phase_restarted", &[Running, Still, Stuck]),
    ("build_phase_skip_requested", &[AwaitingInput, Still, Stuck]),
    ("build_phase_skipped", &[Running, Still, Stuck]),
    ("build_gates_requested", &[Running, AwaitingInput, Still, Retrying, Stuck]),
    ("build_requested_gate_finished", &[Running, AwaitingInput, Still, Retrying, Stuck]),
    ("build_error_fix_requested", &[Still, Stuck]),
    ("build_mode_switched", AT_WORK),
    ("build_iteration_started", RUNNING),
    ("build_iteration_finished", RUNNING),
    ("build_agent_started", &[Running, Retrying]),
    ("build_agent_turn", AT_WORK),
    ("build_tool_call_started", AT_WORK),
    ("build_tool_call_finished", AT_WORK),
    ("build_file_changed", AT_WORK),
    ("build_contract_read", AT_WORK),
    ("build_context_compacted", AT_WORK),
    ("build_agent_finished", RUNNING),
    ("build_preflight_started", &[Running, Retrying]),
    ("build_preflight_finished", RUNNING),
    ("build_gates_detected", &[Running, Retrying, Status::Sealing]),
    ("build_gates_changed", &[Still, Stuck]),
    ("build_gate_started", &[Running, Retrying, Status::Sealing]),
    ("build_gate_finished", &[Running, Status::Sealing]),
    ("build_gate_out_of_resources", &[Running, Status::Sealing]),
    ("build_criterion_checked", AT_WORK),
    ("build_criterion_confirmed", &[AwaitingInput, Still]),
    ("build_tests_compared", &[Status::Sealing]),
    ("build_red_check_finished", &[Status::Sealing]),
    ("build_mutants_tested", &[Status::Sealing]),
    ("build_weakened_test_cleared", &[AwaitingInput, Still]),
    ("build_finding_dismissed", &[Running, AwaitingInput, Still, Retrying, Stuck]),
    ("build_fix_attempt_started", RUNNING),
    ("build_fix_attempt_result", RUNNING),
    ("build_retry_scheduled", &[Running, Status::Sealing]),
    ("build_error_tracked", UNFINISHED),
    ("build_error_resolved", UNFINISHED),
    ("build_error_reopened", &[Running, AwaitingInput, Still, Retrying, Stuck]),
    ("build_requirement_changed", &[Running, Still]),
    ("build_clarification_request", &[Running, AwaitingInput, Status::Sealing]),
    ("build_clarification_resolved", &[AwaitingInput, Still]),
    ("build_budget_warning", AT_WORK),
    ("build_log", UNFINISHED),
];

#[test]
fn event_is_legal_in_the_listed_states_only() {
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for seed in 0..150 {
        let mut life = Life::begin(Choices::of_seed(seed, 250), seed % 2 == 1);
        life.play();
        let troubled = troubled(&life);
        let cancelled = [Queued, Status::Sealing].map(|status| cancelled_while(&life, status));
        let cancelled = cancelled.iter().flatten();
        let waiting = after_exhaustion(&life);
        let states = life.states.iter().chain(&troubled).chain(cancelled);
        let of_people = if seed == 0 { asking_people() } else { Vec::new() };
        let states = states.chain(&waiting).chain(&of_people);
        for (index, state) in states.enumerate() {
            let (at, seq) = (life.now, index as u64 + 2);
            for body in candidates(state) {
                let legal = found.entry(body.type_name()).or_default();
                if step(Some(state.clone()), seq, at, &body).is_ok() {
                    legal.insert(state.status.name());
                }
            }
        }
    }
    for (event, statuses) in LEGAL {
        let due: BTreeSet<&str> = statuses.iter().map(|status| status.name()).collect();
        assert_eq!(found.remove(event), Some(due), "{event}");
    }
    assert!(found.is_empty(), "not in the table: {found:?}");
}

#[test]
fn first_event_must_be_queued() {
    let life = Life::begin(Choices::kind(), false);
    for body in candidates(life.state()) {
        let first = body.type_name() == "build_queued";
        assert_eq!(step(None, 1, life.now, &body).is_ok(), first, "{}", body.type_name());
    }
}

/// The build with an open error, before anything began and at the end, if it came that far.
fn troubled(life: &Life) -> Vec<BuildState> {
    let sealing = life.states.iter().find(|state| state.status == Status::Sealing);
    let with_error = |state: &BuildState| {
        let seen = of_errors(state).swap_remove(0);
        step(Some(state.clone()), 2, life.now, &seen).unwrap()
    };
    life.states.first().into_iter().chain(sealing).map(with_error).collect()
}

fn with_dismissed_error(state: &BuildState) -> BuildState {
    let seen = of_errors(state).swap_remove(0);
    let state = step(Some(state.clone()), 2, state.last_at, &seen).unwrap();
    let dismissed = people::dismiss(&state).unwrap();
    step(Some(state.clone()), 3, state.last_at, &dismissed).unwrap()
}

/// Builds that ask about an assumption or what is open, the same builds while they are paused, and one
/// that retries, is blocked or is sealed while the auditor's findings are open.
fn asking_people() -> Vec<BuildState> {
    let asking = [assumptions::ready(), confirmations::asked(&confirmations::ready())]
        .map(|state| with_dismissed_error(&state));
    let requested = asking
        .each_ref()
        .map(|state| step(Some(state.clone()), 2, state.last_at, &people::pause()).unwrap());
    let paused = requested.each_ref().map(|state| {
        let paused = Paused { by: samples::ada(), reason: None };
        step(Some(state.clone()), 3, state.last_at, &paused.into()).unwrap()
    });
    let in_status = |status| BuildState { status, ..confirmations::ready() };
    let retrying = in_status(Retrying);
    let dismissed = with_dismissed_error(&retrying);
    let others = [retrying, dismissed, in_status(Stuck), confirmations::ready()];
    asking.into_iter().chain(requested).chain(paused).chain(others).collect()
}

/// The build at the moment a person cancels it in this status, if it came that far.
fn cancelled_while(life: &Life, status: Status) -> Option<BuildState> {
    let state = life.states.iter().find(|state| state.status == status)?;
    step(Some(state.clone()), 2, life.now, &people::cancel()).ok()
}

/// The build after a gate ran out of memory, and while it waits: on the baseline, in a phase that may
/// detect gates, and at the end, if it came that far.
fn after_exhaustion(life: &Life) -> Vec<BuildState> {
    let at_gates = |state: &BuildState| {
        state.status == Running && state.phase().is_some_and(|phase| phase.stage == Stage::Gates)
    };
    let is_due: [&dyn Fn(&BuildState) -> bool; 3] = [
        &|state| state.branch_ready && !state.preflight_gates().is_empty(),
        &|state| at_gates(state) && state.queued.detection.is_some(),
        &|state| state.status == Status::Sealing,
    ];
    let mut found = Vec::new();
    for is_due in is_due {
        let Some(state) = life.states.iter().find(|state| is_due(state)) else { continue };
        let phase = state.phase().filter(|_| at_gates(state)).map(|phase| phase.outline.number);
        for gate in state.gates() {
            let failed = samples::out_of_memory(&gate.name, phase).into();
            let Ok(failed) = step(Some(state.clone()), 2, life.now, &failed) else { continue };
            let (error_class, retry_at) = (ErrorClass::Resource, life.now);
            let retry = RetryScheduled { error_class, attempt: 1, max_attempts: 2, retry_at };
            found.extend(step(Some(failed.clone()), 3, life.now, &retry.into()));
            found.push(failed);
        }
    }
    found
}

/// At least one event of every type, as fitting as this state allows.
fn candidates(state: &BuildState) -> Vec<EventBody> {
    let mut all = of_life(state);
    all.extend(of_branch(state));
    all.extend(bases::candidates(state));
    all.extend(of_phase(state));
    all.extend(of_agent(state));
    all.extend(of_gates(state));
    all.extend(of_errors(state));
    all.extend(of_people(state));
    all.extend(of_control(state));
    all
}

fn of_life(state: &BuildState) -> Vec<EventBody> {
    let by = samples::ada();
    let evidence = seal::evidence(state);
    let (verdict, score) = (seal::verdict(&evidence), seal::score(&evidence));
    let (seal_commit, journal_head) = ("cd".repeat(20), "ab".repeat(32));
    let started = Started {
        node: "a".to_owned(),
        attempt: 1,
        baseline_sha: samples::BASELINE.to_owned(),
        branch: "forge/build-9".to_owned(),
        sandbox: SandboxLevel::None,
    };
    let (reason, report) = (BlockReason::Config, String::new());
    let warnings = LimitName::ALL.map(|limit| BudgetWarning { limit, used: 1, maximum: 1 }.into());
    let mut events: Vec<EventBody> = warnings.to_vec();
    events.extend([
        state.queued.clone().into(),
        started.into(),
        Resumed { node: "b".to_owned(), from_seq: 1, attempt: 2 }.into(),
        ClockCorrected { working_ms: 1 }.into(),
        Paused { by: by.clone(), reason: None }.into(),
        Unpaused {
            by: by.clone(),
            question_expiries: Vec::new(),
            question_expires_at: Some(state.last_at),
        }
        .into(),
        Blocked { reason, last_failures: Vec::new(), report }.into(),
        Sealing {}.into(),
        Sealed { verdict, score, seal_commit, journal_head, evidence, audit_log: None }.into(),
        Abandoned { by: by.clone(), reason: None }.into(),
        people::pause(),
        people::resume(None),
        people::cancel(),
        Interjected { by, text: "mind the gap".to_owned() }.into(),
        agents::log(),
    ]);
    events
}

fn of_branch(state: &BuildState) -> Vec<EventBody> {
    let unknown = BranchStatus {
        branch: "forge/build-9".to_owned(),
        baseline_sha: samples::BASELINE.to_owned(),
        head_sha: samples::BASELINE.to_owned(),
        commit_count: 0,
        status: BranchLife::Active,
    };
    let branch = state.branch.clone().unwrap_or(unknown);
    let head_sha = branch.head_sha.clone();
    vec![
        DeliverablesChecked { head_sha, deliverables: Vec::new() }.into(),
        Pushed { sha: branch.head_sha.clone(), remote: "hosted".to_owned() }.into(),
        branch.into(),
        people::commit(7, None),
    ]
}

fn of_phase(state: &BuildState) -> Vec<EventBody> {
    let phase = state.phase().unwrap_or(&state.phases[0]);
    let number = phase.outline.number;
    let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
    let (title, why) = (phase.outline.title.clone(), "because".to_owned());
    vec![
        PhaseStarted { phase: number, title, explores: true }.into(),
        agents::plan(number),
        agents::task_done(phase).unwrap_or_else(|| agents::task_done_of(number, 1)),
        agents::task_dropped(phase),
        PhaseAlreadyDone { phase: number, reason: "it is there".to_owned() }.into(),
        PhaseComplete { phase: number, deliverables: Vec::new() }.into(),
        ModeSwitched { phase: number, mode: Mode::Execute, why }.into(),
        IterationStarted { phase: number, n: phase.iteration + 1 }.into(),
        IterationFinished { phase: number, n: phase.iteration, passed }.into(),
        agents::criterion(number, 1, "it works", CriterionResult::Passed),
    ]
}

fn of_agent(state: &BuildState) -> Vec<EventBody> {
    let phase = state.phase().unwrap_or(&state.phases[0]);
    let run_id: RunId = phase.run.unwrap_or(samples::id(5));
    let task = match phase.stage {
        Stage::Agent(task) => task,
        _ => Task::Scout,
    };
    let at = agents::At {
        build: samples::id(9),
        run: run_id,
        task,
        now: state.last_at,
        id: uuid::Uuid::from_u128(6),
    };
    let started = AgentStarted {
        run_id,
        role: task.role(),
        task,
        phase: phase.outline.number,
        model: "offline".to_owned(),
        weakened_tests: Vec::new(),
        continues: None,
        executor: domain::executor::Executor::Builtin,
    };
    let (call_id, tool) = ("c1".to_owned(), "read_file".to_owned());
    let asked = agents::question(state, at, &mut Choices::kind());
    let asked = asked.unwrap_or_else(|| agents::any_question(state, at, &mut Choices::kind()));
    let resolved = people::answer(state, &mut Choices::kind());
    let input = serde_json::json!({});
    let call = ToolCallStarted { run_id, call_id: call_id.clone(), tool: tool.clone(), input };
    let (ok, output, duration_ms) = (true, String::new(), 1);
    vec![
        started.into(),
        samples::turn(run_id, 0, 1).into(),
        call.into(),
        ToolCallFinished { run_id, call_id, tool, ok, output, duration_ms }.into(),
        agents::file_changed(run_id),
        agents::contract_read(at),
        ContextCompacted { run_id, before: 2, after: 1, contracts_read: Vec::new() }.into(),
        samples::finished(run_id, RunOutcome::DoomLoop { tool: "x".to_owned() }).into(),
        asked,
        resolved.unwrap_or_else(|| people::answer_to(samples::id(4))),
    ]
}

fn of_gates(state: &BuildState) -> Vec<EventBody> {
    let phase = state.phase().unwrap_or(&state.phases[0]);
    let number = phase.outline.number;
    let passed = phase.gates.values().all(|gate| gate.passed || !gate.required);
    let (error_class, retry_at) = (ErrorClass::Transient, state.last_at);
    let attempt = phase.fix.as_ref().map_or(1, |fix| fix.attempt);
    let next = phase.fix_attempts + 1;
    let mut all: Vec<EventBody> = vec![
        FixAttemptStarted { phase: number, attempt: next, causes: Vec::new() }.into(),
        FixAttemptResult {
            phase: number,
            attempt,
            passed,
            fix_summary: String::new(),
            unchanged: false,
        }
        .into(),
        RetryScheduled { error_class, attempt: 1, max_attempts: 5, retry_at }.into(),
        samples::tests_compared(state).into(),
        samples::mutants_tested(state).into(),
        samples::red_check(state, samples::BASELINE, "test", false).into(),
    ];
    let in_phase = state.gate_names(Some(phase)).into_iter().map(|name| (name, Some(number)));
    let at_the_end = state.gate_names(None).into_iter().map(|name| (name, None));
    for (gate, phase) in in_phase.chain(at_the_end) {
        all.push(samples::gate_finished(&gate, phase, true, samples::BASELINE).into());
        all.push(samples::out_of_memory(&gate, phase).into());
        all.push(GateStarted { gate, command: String::new(), phase, tree_sha: None }.into());
    }
    for phase in [Some(number), None] {
        all.push(samples::gates_detected(phase, "found").into());
    }
    all.push(samples::gates_changed(state, Vec::new()).into());
    for gate in state.gates() {
        all.push(samples::preflight_finished(gate, true, None).into());
        let (baseline_sha, gates) = (samples::BASELINE.to_owned(), vec![gate.name.clone()]);
        all.push(PreflightStarted { baseline_sha, gates }.into());
    }
    all
}

fn of_errors(state: &BuildState) -> Vec<EventBody> {
    let (source, message) = ("tool:x".to_owned(), "oh".to_owned());
    let seen = ObservedFailure::new(source, Severity::Warning, message);
    let open = state.errors.values().find(|error| !error.resolved);
    let error_id = open.map_or(samples::id(3), |error| error.id);
    let method = domain::errors::ResolutionMethod::AutoFix;
    let dismissed = state.errors.values().find(|error| error.dismissed);
    let reopened = dismissed.map_or(samples::id(3), |error| error.id);
    vec![
        tracking::track(state, samples::id(9), samples::id(8), state.last_at, seen),
        ErrorResolved { error_id, method, summary: None, by: None }.into(),
        ErrorReopened { error_id: reopened }.into(),
    ]
}

fn of_control(state: &BuildState) -> Vec<EventBody> {
    let (phase, by) = (state.phase().unwrap_or(&state.phases[0]).outline.number, samples::ada());
    let (reason, rescue) = ("it took a wrong turn".to_owned(), None);
    let gates = state.gate_names(state.phase()).into_iter();
    let error_id = state.errors.values().find(|error| !error.resolved);
    let error_id = error_id.map_or(samples::id(3), |error| error.id);
    let (retried, skipped) = (reason.clone(), reason.clone());
    let mut all: Vec<EventBody> = vec![
        PhaseRetryRequested { phase, by: by.clone(), reason: retried, discard_changes: true }
            .into(),
        PhaseSkipRequested { phase, by: by.clone(), reason: skipped }.into(),
        PhaseRestarted { phase, by: by.clone(), reason: reason.clone(), rescue: None }.into(),
        PhaseSkipped { phase, by: by.clone(), reason, rescue }.into(),
        people::run_gates(),
        ErrorFixRequested { error_id, by }.into(),
    ];
    all.extend(gates.map(|gate| samples::requested_gate_finished(&gate, phase).into()));
    all
}

fn of_people(state: &BuildState) -> Vec<EventBody> {
    let (by, items) = (samples::ada(), state.open_items());
    let head_sha = state.branch.as_ref().map_or(String::new(), |branch| branch.head_sha.clone());
    let of_kind = |kind, requirement| ClarificationRequest {
        question_id: samples::id(4),
        kind,
        question: String::new(),
        context: None,
        options: Vec::new(),
        multiple: false,
        asked_by: Role::Scout,
        run_id: samples::id(0),
        call_id: String::new(),
        requirement,
        expires_at: None,
    };
    let asked = state.queued.requirements.first().map(|requirement| requirement.id);
    let id = asked.unwrap_or("R-1".parse().unwrap());
    let finding = items.findings.first().map_or(FindingId(1), |finding| finding.id);
    let (number, reason) = (1, "it was out of date".to_owned());
    vec![
        of_kind(ClarificationKind::Assumption, asked).into(),
        of_kind(ClarificationKind::Confirmation, None).into(),
        people::confirm(0, 1, ConfirmationResult::Rejected, head_sha.clone()),
        WeakenedTestCleared { number, reason, head_sha, by: by.clone() }.into(),
        people::dismiss_finding(finding),
        RequirementChanged { id, change: RequirementChange::Confirmed, by }.into(),
    ]
}
