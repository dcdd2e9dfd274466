//! Length and content of prompts for all tasks and unusual text.

use super::*;
use crate::store::{new_id, now};
use crate::tools::Skill;
use domain::{
    budget::Budgets,
    criterion::ExitCriterion,
    errors::Severity,
    event::{
        agents::Finding,
        life::{Origin, Queued},
    },
    finding_id::FindingId,
    follow_up::{RequestThread, ThreadComment},
    gate::GateDefinition,
    phases::PhaseOutline,
    review::DiffSide,
    state::{FinishedFix, Fix, PlanStep},
    step::step,
};

const TASKS: [Task; 5] = [Task::Scout, Task::Plan, Task::Execute, Task::Audit, Task::Fix];

/// A build whose texts are all repeated `times`.
fn state(times: usize) -> BuildState {
    let long = |text: &str| text.repeat(times);
    let outline = PhaseOutline {
        number: 0,
        title: long("Loans end "),
        scope: vec![long("src/**"), "test/**".into()],
        deliverables: vec!["SECRET CLAUSE of the phases contract".into()],
        covers: vec![],
        exit_criteria: (0..times + 1)
            .map(|n| ExitCriterion::reviewed(long(&format!("criterion number {n} holds "))))
            .collect(),
    };
    let gate = GateDefinition {
        name: "test".into(),
        command: "node --test".into(),
        timeout_s: 60,
        required: true,
        network: false,
        report: None,
        runs_tests: true,
    };
    let queued = Queued {
        origin: Origin::Demo,
        snapshot_batch: new_id(),
        executor: domain::executor::Executor::Builtin,
        phase_executors: Vec::new(),
        budgets: Budgets::default(),
        started_by: new_id(),
        phases: vec![outline],
        gates: vec![gate],
        gates_detected: false,
        detection: None,
        preflight: false,
        merges_base: false,
        test_checks: Default::default(),
        clarification_timeout_s: None,
        permissions: Vec::new(),
        waits: Default::default(),
        model: "offline".into(),
        follows: None,
        requests: None,
        number: None,
        title: Some("Due dates".into()),
        description: Some("Loans end.".into()),
        estimate: None,
        exploration: Default::default(),
        plan_approval: Default::default(),
        baseline_branch: None,
        first_phase: None,
        pinned_at: None,
        models: Default::default(),
        contracts: None,
        requirements: Vec::new(),
    };
    let mut state = step(None, 1, now(), &queued.into()).unwrap();
    let phase = &mut state.phases[0];
    phase.plan = (0..times + 1)
        .map(|n| PlanStep { text: long(&format!("step {n} ")), done: n == 0, dropped: None })
        .collect();
    phase.findings = vec![
        Finding {
            id: Some(FindingId(1)),
            severity: Severity::Error,
            place: Some("src/a.js:3".into()),
            clause: None,
            text: long("imports up "),
        };
        times
    ];
    phase.fix = Some(Fix { attempt: 2, causes: vec!["test".into()], summary: String::new() });
    state
}

/// A briefing whose texts are all repeated `times`.
fn briefing(times: usize) -> Briefing {
    let failure = GateFailure {
        gate: "test".into(),
        exit_code: Some(1),
        output: "not ok 1 - a\n".repeat(times),
    };
    let skill = Skill {
        name: "deploy".into(),
        description: "When it goes out.".into(),
        body: "SECRET CLAUSE of a skill".into(),
    };
    Briefing {
        project: "Shelf: lends books. ".repeat(times),
        files: vec!["src/: a.js, b.js".into(); times],
        notes: "Use short names. ".repeat(times),
        notes_version: 1,
        dossier: "There are four modules. ".repeat(times),
        skills: vec![skill; times.min(22)],
        answers: vec![format!("Which? {}", "The first. ".repeat(times)); times],
        scratchpad: vec!["naming: short".into(); times],
        changed_files: vec!["src/a.js".to_owned(); times],
        diff: "+ a line\n".repeat(times),
        failures: vec![failure; times.min(3)],
        earlier_fixes: vec![
            format!("a: 1 is not 2; resolved by: {}", "It counts. ".repeat(times));
            times
        ],
    }
}

fn first_of(task: Task, times: usize) -> String {
    let mut state = state(times);
    state.phases[0].last_stop = Some("coder: no plan ".repeat(times));
    first(task, &state, &state.phases[0], &briefing(times), false).unwrap()
}

/// Tokens of a first message without the user's notes.
fn most(task: Task) -> usize {
    if matches!(task, Task::Audit | Task::Fix) { 4_000 } else { 1_500 }
}

/// Tokens of the user's notes in a first message.
const MAX_ADDED_NOTES_TOKENS: usize = 2_000;

fn counted(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

#[test]
fn fixed_context_of_each_role_stays_within_the_token_limit() {
    use crate::tools::definitions;
    for task in TASKS {
        let role = task.role();
        let prompt = counted(&system(role).unwrap());
        assert!((200..=1_000).contains(&prompt), "{task:?}: {prompt} for the system prompt");
        let tools = definitions(role);
        let tools = tools.iter().map(|tool| counted(&serde_json::to_string(tool).unwrap()));
        let tools = tools.sum::<usize>();
        let first = counted(&first_of(task, 1));
        assert!(prompt + tools + first <= 4_000, "{task:?}: {prompt} + {tools} + {first}");
        for times in [5, 400] {
            let text = first_of(task, times);
            let first = counted(&text);
            let most = most(task) + MAX_ADDED_NOTES_TOKENS;
            assert!((20..=most).contains(&first), "{task:?} × {times}: {first}\n{text}");
        }
    }
}

#[test]
fn frames_inside_the_runtime_are_left_out() {
    let trace = "AssertionError: 1 == 2\n    at add (src/add.js:3:9)\n    \
        at Test.run (node:internal/test_runner/test:796:25)\n  ...";
    let expected = "AssertionError: 1 == 2\n    at add (src/add.js:3:9)\n  ...";
    assert_eq!(without_runtime_frames(trace), expected);
}

#[test]
fn notes_are_complete_up_to_their_limit() {
    let state = state(1);
    let first_with = |notes: &str| {
        let briefing = Briefing { notes: notes.into(), ..Briefing::default() };
        first(Task::Plan, &state, &state.phases[0], &briefing, false).unwrap()
    };
    let notes = "Use short names. ".repeat(400);
    assert!(first_with(&notes).contains(notes.trim()));
    let cut = first_with(&notes.repeat(3));
    assert!(cut.ends_with("[… cut; forge_read_notepad returns all]"), "{cut}");
}

#[test]
fn continued_conversation_is_not_told_the_same_again() {
    for task in [Task::Execute, Task::Fix] {
        let state = state(1);
        let text = first(task, &state, &state.phases[0], &briefing(1), true).unwrap();
        for known in ["Shelf", "a.js, b.js", "Use short names", "Which?", "naming", "step 1"] {
            assert!(!text.contains(known), "{task:?} repeats `{known}`:\n{text}");
        }
        assert!(!text.contains("\n\n\n"), "{task:?}:\n{text}");
    }
}

#[test]
fn fixer_is_told_what_was_tried() {
    let mut state = state(1);
    let phase = &mut state.phases[0];
    let fix = |round, summary: &str| FinishedFix { round, summary: summary.into() };
    phase.fixes = vec![fix(2, "An older one."), fix(3, "It rounds up."), fix(4, "It rounds down.")];
    phase.fix.as_mut().unwrap().attempt = 3;
    let text = first(Task::Fix, &state, &state.phases[0], &briefing(1), false).unwrap();
    for part in ["- It rounds up.\n- It rounds down.", "attempt 3 of 3", "+ a line"] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    assert!(!text.contains("An older one."), "{text}");
}

/// A build that follows another one, with `times` comments that are `times` as long.
fn following(times: usize, text: &str) -> BuildState {
    let mut state = state(times);
    let said = vec![ThreadComment { author: "Grace".into(), text: text.repeat(times) }];
    let thread = |line| RequestThread {
        path: "src/due.js".into(),
        side: DiffSide::New,
        first_line: None,
        line,
        line_text: "due();".into(),
        said: said.clone(),
    };
    let threads = (1..=times as u32).map(thread).collect();
    let requests = Requests { reason: text.repeat(times), threads, ..Requests::default() };
    state.phases[0].outline = requests.phase();
    state.queued.requests = Some(Box::new(requests));
    state
}

#[test]
fn requests_are_quoted_for_every_role() {
    let state = following(1, "Mind ``` leap days. ");
    for task in TASKS {
        let text = first(task, &state, &state.phases[0], &Briefing::default(), false).unwrap();
        let quoted =
            "\n```\nMind ''' leap days.\n1. src/due.js:1 — Grace: Mind ''' leap days.\n```";
        assert!(text.contains("# Requested changes") && text.contains(quoted), "{task:?}:\n{text}");
        assert!(text.contains("forge_get_phase_brief(0) returns the full text"), "{task:?}");
        assert!(!text.contains("\n\n\n"), "{task:?}:\n{text}");
    }
}

#[test]
fn long_requests_stay_within_the_token_limit() {
    for (times, text) in
        [(5, "Mind leap days. "), (400, "Mind leap days. "), (400, "请 "), (90, "✅🚀")]
    {
        let state = following(times, text);
        let notes = "Use short names. ".repeat(times);
        let briefing = Briefing { notes: notes.clone(), dossier: notes, ..Briefing::default() };
        for task in TASKS {
            let text = first(task, &state, &state.phases[0], &briefing, false).unwrap();
            let tokens = counted(&text);
            assert!(
                (20..=most(task) + MAX_ADDED_NOTES_TOKENS).contains(&tokens),
                "{task:?} × {times}: {tokens}\n{text}"
            );
            assert!(text.contains("src/due.js:1 —"), "{task:?} × {times}:\n{text}");
        }
    }
}

#[test]
fn unusual_text_is_estimated_within_limits() {
    let state = state(1);
    for text in ["9f86d081884c7d65", "请使用简短的名字", "✅🚀", "a1-b2_c3/", "\u{1}\u{2}"]
    {
        let long = text.repeat(2_000);
        let failure = GateFailure { gate: "test".into(), exit_code: None, output: long.clone() };
        let briefing = Briefing {
            notes: long.clone(),
            dossier: long.clone(),
            failures: vec![failure; 12],
            earlier_fixes: vec![long.clone(); 8],
            ..Briefing::default()
        };
        for task in TASKS {
            let text = first(task, &state, &state.phases[0], &briefing, false).unwrap();
            let tokens = counted(&text);
            assert!(
                (20..=most(task) + MAX_ADDED_NOTES_TOKENS).contains(&tokens),
                "{task:?}: {tokens}\n{text}"
            );
        }
    }
}

#[test]
fn first_message_depends_on_the_task() {
    for (task, parts) in [
        (Task::Scout, &["forge_get_phase_brief(0)", "# User Notes\n\nUse short names."][..]),
        (
            Task::Plan,
            &[
                "must call forge_get_phase_brief(0)",
                "validate, scope, test",
                "There are four modules.",
                "src/**",
                "- deploy: When it goes out.",
                "# The project\n\nShelf: lends books.",
                "# What this build should change\n\nDue dates\n\nLoans end.",
                "# Its files\n\n- src/: a.js, b.js",
                "# Decided by the user\n\n- Which? The first.",
                "# Scratchpad\n\n- naming: short",
                "# Changed so far in this phase, not committed\n\n- src/a.js",
                "stopped\n\ncoder: no plan",
            ],
        ),
        (
            Task::Execute,
            &["1. step 0 (done)\n2. step 1", "# The scout's dossier", "# Skills", "# User Notes"],
        ),
        (
            Task::Audit,
            &[
                "1. criterion number 0 holds\n2. criterion",
                "# Deliverables",
                "- F-1 src/a.js:3: imports up",
                "# Decided by the user\n\n- Which? The first.",
                "- src/a.js",
                "+ a line",
            ],
        ),
        (
            Task::Fix,
            &[
                "attempt 2 of 3",
                "# Gate test failed with exit code 1",
                "not ok 1 - a",
                "- F-1 src/a.js:3: imports up",
                "# Errors that an earlier build had too",
                "- a: 1 is not 2; resolved by: It counts.",
            ],
        ),
    ] {
        let text = first_of(task, 1);
        for part in parts {
            assert!(text.contains(part), "{task:?} lacks `{part}`:\n{text}");
        }
        // The auditor judges each deliverable.
        let text = match task {
            Task::Audit => text.replacen("SECRET CLAUSE of the phases contract", "", 1),
            _ => text,
        };
        assert!(!text.contains("SECRET CLAUSE"), "{task:?} pastes a contract");
    }
}

#[test]
fn first_message_omits_empty_parts() {
    let mut state = state(1);
    state.phases[0].outline.exit_criteria.clear();
    for task in TASKS {
        let text = first(task, &state, &state.phases[0], &Briefing::default(), false).unwrap();
        assert!(!text.contains("User Notes") && !text.contains("dossier\n\n\n"), "{text}");
        assert!(!text.contains("\n\n\n") && text == text.trim(), "{task:?}:\n{text:?}");
    }
}

#[test]
fn system_prompts_name_the_tools_that_end_a_task() {
    for (role, tools) in [
        (Role::Coder, &["submit_plan", "finish_step", "finish_phase"][..]),
        (Role::Auditor, &["sign_off"]),
        (Role::Fixer, &["finish_phase"]),
        (Role::Scout, &[]),
    ] {
        let text = system(role).unwrap();
        assert!(tools.iter().all(|tool| text.contains(tool)), "{text}");
        assert!(text.contains("AMBIGUOUS_INTENT") && !text.contains("{%"), "{text}");
        assert!(!text.contains("\n\n\n"), "{text}");
    }
}

#[test]
fn prompts_name_only_the_tools_of_the_role() {
    use crate::tools::{registry, roles};
    for role in Role::ALL {
        let text = system(role).unwrap();
        for tool in registry() {
            let is_named = text.contains(tool.name().as_str());
            assert!(
                !is_named || roles::has(role, tool.name()),
                "{} of {}",
                tool.name(),
                role.name()
            );
        }
    }
}

#[test]
fn long_list_keeps_its_numbering() {
    let items: Vec<String> = (1..=10).map(|n| format!("{n} {}", "x".repeat(300))).collect();
    let kept = list(items, 1_000);
    assert_eq!(kept.len(), 10);
    assert!(kept[9].starts_with("10 ") && kept[9].ends_with("[… cut]"));
    let many = list(vec!["x".repeat(100); 500], 480);
    assert_eq!(many.len(), 11);
    assert_eq!(many[10], "[… and 490 more]");
    assert_eq!(list(vec!["a\n b".into()], 10), ["a b"]);
}
