//! Payloads with little in them.

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    budget::{BudgetAdded, Budgets},
    criterion::{ExitCriterion, ProofType},
    detection::ProposedGate,
    errors::Severity,
    event::{
        agents::{AgentFinished, AgentTurn, Finding, RunOutcome},
        control::RequestedGateFinished,
        gates::{GateFinished, GateOutOfResources, GatesChanged, GatesDetected},
        life::{Actor, FirstPhase, Origin, Queued},
        preflight::PreflightFinished,
        test_checks::{
            Mutant, MutantOutcome, MutantsTested, RedCheckFinished, TestChange, TestOrigin,
            TestsCompared,
        },
    },
    gate::{GateDefinition, GateDetection, NamedTest, SandboxLevel, TestCounts, TestOutcome},
    gate_failure::Resource,
    ids::{Id, RunId},
    phases::PhaseOutline,
    requirement::{RequirementId, RequirementKind},
    requirements::{Priority, Requirement, Source},
    state::BuildState,
    weakened_tests::{WeakenedTest, Weakening},
};
use uuid::Uuid;

use crate::choices::Choices;

/// The commit that every build starts from.
pub const BASELINE: &str = "0000000000000000000000000000000000000000";

/// The test that a criterion of the third phase names, and that the gate `test` runs.
pub const TEST: &str = "fine";

/// A typed id from a number.
pub fn id<I: Id>(number: u128) -> I {
    I::from_uuid(Uuid::from_u128(number))
}

/// When everything begins.
pub fn dawn() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

/// A user.
pub fn ada() -> Actor {
    Actor::User { id: id(1), name: "Ada".to_owned() }
}

/// A phase with as many exit criteria.
pub fn outline(number: u32, scoped: bool, criteria: usize) -> PhaseOutline {
    PhaseOutline {
        number,
        title: format!("Part {number}"),
        scope: if scoped { vec!["src/**".to_owned()] } else { Vec::new() },
        deliverables: vec!["a thing".to_owned()],
        covers: Vec::new(),
        exit_criteria: (0..criteria)
            .map(|n| ExitCriterion::reviewed(format!("criterion {n} of {number}")))
            .collect(),
    }
}

/// A project's own gate.
pub fn gate(name: &str, required: bool) -> GateDefinition {
    let (name, command) = (name.to_owned(), format!("make {name}"));
    GateDefinition {
        name,
        command,
        timeout_s: 60,
        required,
        network: false,
        report: None,
        runs_tests: false,
    }
}

/// A build of one to three phases with whatever gates and limits.
pub fn queued(choices: &mut Choices) -> Queued {
    let phases = 1 + choices.pick(3) as u32;
    let outlines = (0..phases).map(|n| outline(n, choices.pick(2) == 1, choices.of(&[1, 2, 0])));
    let mut phases: Vec<PhaseOutline> = outlines.collect();
    // Proven by a test that the build adds.
    if let Some(criterion) = phases.get_mut(2).and_then(|phase| phase.exit_criteria.first_mut()) {
        criterion.proof = ProofType::Test { names: vec![TEST.to_owned()] };
    }
    let gates = [vec![gate("test", true)], vec![gate("test", true), gate("lint", false)], vec![]];
    let budgets = Budgets {
        iterations: choices.of(&[10, 1, 2, 4]),
        minutes: choices.of(&[Some(120), None, Some(1), Some(5)]),
        tokens: choices.of(&[None, Some(500), Some(5_000)]),
        usd_micros: choices.of(&[None, Some(300), Some(3_000)]),
        clarifications: choices.of(&[10, 0, 1, 2]),
        doom_loop: 3,
        ..Budgets::default()
    };
    let gates = choices.of(&gates);
    let clarification_timeout_s = choices.of(&[Some(600), None]);
    let mut queued = Queued {
        origin: Origin::Demo,
        snapshot_batch: id(2),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets,
        started_by: id(1),
        phases,
        gates,
        gates_detected: false,
        detection: choices.of(&[None, Some(Box::new(GateDetection::default()))]),
        preflight: choices.one_in(4),
        merges_base: false,
        clarification_timeout_s,
        permissions: Vec::new(),
        test_checks: Default::default(),
        waits: Default::default(),
        model: "offline".to_owned(),
        follows: None,
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
        contracts: None,
        requirements: choices.of(&[vec![], vec![], vec![], assumptions()]),
    };
    // Last, so that the choices before it stay what they were.
    queued.budgets.permission_prompts = choices.of(&[200, 1, 3]);
    queued.merges_base = choices.one_in(2);
    if queued.phases.len() > 1 && choices.one_in(8) {
        queued.first_phase = Some(Box::new(FirstPhase { number: 1, by: ada() }));
    }
    queued
}

/// Two assumptions that no criterion proves.
pub fn assumptions() -> Vec<Requirement> {
    vec![assumption(1), assumption(2)]
}

fn assumption(number: u32) -> Requirement {
    let (kind, scenario) = (RequirementKind::Functional, None);
    Requirement {
        id: RequirementId { kind, number, scenario },
        priority: Priority::Must,
        source: Source::Assumed,
        text: "It counts.".to_owned(),
        line: 1,
        scenarios: Vec::new(),
    }
}

/// A gate that has run.
pub fn gate_finished(gate: &str, phase: Option<u32>, passed: bool, head_sha: &str) -> GateFinished {
    GateFinished {
        gate: gate.to_owned(),
        command: format!("make {gate}"),
        phase,
        required: true,
        passed,
        exit_code: Some(i32::from(!passed)),
        duration_ms: 7,
        output: if passed { String::new() } else { format!("{gate} says no") },
        output_sha256: "ab".repeat(32),
        head_sha: head_sha.to_owned(),
        tree_sha: None,
        sandbox: Some(SandboxLevel::Landlock),
        tests: (gate == "test").then_some(TestCounts { passed: 3, failed: 0, skipped: 0 }),
        named_tests: if gate == "test" && passed { vec![passed_test()] } else { Vec::new() },
        failed_tests: Vec::new(),
        test_names: None,
        log: None,
    }
}

/// A gate that has run on the baseline.
pub fn requested_gate_finished(name: &str, phase: u32) -> RequestedGateFinished {
    RequestedGateFinished {
        gate: name.to_owned(),
        command: format!("make {name}"),
        phase,
        required: true,
        passed: false,
        exit_code: Some(1),
        duration_ms: 1,
        output: "one failed".to_owned(),
        output_sha256: "ef".repeat(32),
        tree_sha: None,
        sandbox: Some(SandboxLevel::Landlock),
        tests: None,
        failed_tests: Vec::new(),
        log: None,
    }
}

pub fn preflight_finished(
    gate: &GateDefinition,
    passed: bool,
    missing_program: Option<&str>,
) -> PreflightFinished {
    PreflightFinished {
        gate: gate.name.clone(),
        command: gate.command.clone(),
        required: gate.required,
        passed,
        exit_code: Some(i32::from(!passed)),
        missing_program: missing_program.map(str::to_owned),
        duration_ms: 7,
        output: String::new(),
        output_sha256: "ab".repeat(32),
        baseline_sha: BASELINE.to_owned(),
        tree_sha: BASELINE.to_owned(),
        sandbox: Some(SandboxLevel::Landlock),
        tests: None,
        failed_tests: Vec::new(),
        log: None,
    }
}

/// A gate that ran out of memory.
pub fn out_of_memory(gate: &str, phase: Option<u32>) -> GateOutOfResources {
    GateOutOfResources {
        gate: gate.to_owned(),
        command: format!("make {gate}"),
        phase,
        resource: Resource::Memory,
        exit_code: None,
        duration_ms: 7,
        output: "MemoryError".to_owned(),
        output_sha256: "ab".repeat(32),
        sandbox: Some(SandboxLevel::Landlock),
        log: None,
    }
}

/// A gate that was detected in what the build has made.
/// The project has these gates now.
pub fn gates_changed(state: &BuildState, gates: Vec<GateDefinition>) -> GatesChanged {
    let changes = state.gate_changes(&gates, None);
    GatesChanged { by: ada(), gates, detection: None, changes }
}

pub fn gates_detected(phase: Option<u32>, name: &str) -> GatesDetected {
    let gate = GateDefinition { command: format!("detected {name}"), ..gate(name, true) };
    let gates = vec![ProposedGate { gate, reason: "package.json has a script".to_owned() }];
    GatesDetected { phase, tree_sha: BASELINE.to_owned(), gates }
}

/// The test passed.
pub fn passed_test() -> NamedTest {
    NamedTest { name: TEST.to_owned(), outcome: TestOutcome::Passed }
}

/// The comparison of the tests, all of which the build added.
pub fn tests_compared(state: &BuildState) -> TestsCompared {
    let change = TestChange::Changed { base_sha: BASELINE.to_owned(), file: None };
    let origins = state
        .tests_to_prove()
        .map(|(phase, test)| TestOrigin { phase, test: test.clone(), change: change.clone() })
        .collect();
    TestsCompared {
        baseline_sha: BASELINE.to_owned(),
        head_sha: head(state),
        origins,
        weakened: Vec::new(),
    }
}

/// A place where the build weakened tests.
pub fn weakened_test() -> WeakenedTest {
    let (path, text) = ("tests/fine.js".to_owned(), "it.skip('adds')".to_owned());
    WeakenedTest { kind: Weakening::SkipAdded, path, line: Some(3), text, blob_sha: None }
}

/// A gate that ran without the change, where the test passed or could not run.
pub fn red_check(state: &BuildState, base_sha: &str, gate: &str, passes: bool) -> RedCheckFinished {
    RedCheckFinished {
        gate: gate.to_owned(),
        command: format!("make {gate}"),
        base_sha: base_sha.to_owned(),
        head_sha: head(state),
        test_files: vec!["tests/fine.js".to_owned()],
        test_file_count: 1,
        named_tests: if passes { vec![passed_test()] } else { Vec::new() },
        exit_code: Some(i32::from(!passes)),
        duration_ms: 7,
        output: String::new(),
        output_sha256: "ab".repeat(32),
        sandbox: Some(SandboxLevel::Landlock),
    }
}

/// Two mutants of the new code, one of which survived.
pub fn mutants_tested(state: &BuildState) -> MutantsTested {
    let mutant = |line, outcome| Mutant {
        path: "src/fine.js".to_owned(),
        line,
        before: "<".to_owned(),
        after: ">=".to_owned(),
        outcome,
    };
    MutantsTested {
        head_sha: head(state),
        gates: vec!["test".to_owned()],
        mutants: vec![mutant(1, MutantOutcome::Killed), mutant(2, MutantOutcome::Survived)],
        timed_out: false,
        is_repeatable: true,
        duration_ms: 7,
    }
}

fn head(state: &BuildState) -> String {
    state.branch.as_ref().map_or(BASELINE, |branch| &branch.head_sha).to_owned()
}

/// A model's answer.
pub fn turn(run_id: RunId, seen: u64, tokens: u64) -> AgentTurn {
    AgentTurn {
        run_id,
        text: "I go on.".to_owned(),
        tokens_in: tokens,
        tokens_out: tokens / 4,
        cache_read: tokens / 2,
        cache_write: 0,
        cost_usd_micros: tokens / 3,
        interjections_seen: seen,
        notes_version: 0,
        cut_short: None,
    }
}

/// The end of a run that is not an audit.
pub fn finished(run_id: RunId, outcome: RunOutcome) -> AgentFinished {
    let summary = "That was it.".to_owned();
    AgentFinished {
        run_id,
        outcome,
        summary,
        findings: Vec::new(),
        earlier_findings: Vec::new(),
        deliverables: Vec::new(),
        cleared_weakenings: Vec::new(),
        signed_off: false,
    }
}

/// Something that an auditor holds against the change.
pub fn finding(severity: Severity) -> Finding {
    let (place, clause) = (Some("src/a.js:3".to_owned()), None);
    let text = format!("a {} of the auditor", severity.name());
    Finding { id: None, severity, place, clause, text }
}

/// A little more of everything.
pub fn more() -> BudgetAdded {
    BudgetAdded { iterations: 2, minutes: 30, tokens: 2_000, usd_micros: 2_000 }
}
