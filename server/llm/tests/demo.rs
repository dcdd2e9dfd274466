//! Runs the bundled demo with the offline model, real files and a real `node --test`, once for each
//! answer to its question.

#![allow(clippy::unwrap_used, reason = "the setting in clippy.toml reaches test functions only")]

#[path = "demo/bundle.rs"]
mod bundle;
#[path = "demo/project.rs"]
mod project;

use std::path::Path;

use bundle::{Phase, contracts, phases, scenario};
use llm::{Message, Offline, Provider, Request, UserBlock, collect};
use project::{DemoProject, Outcome};
use regex::Regex;
use serde_json::{Value, json};

#[tokio::test]
async fn loan_of_two_weeks_is_counted() {
    ends_with("The answer is: Two weeks", "2026-03-01", "2026-03-15").await;
}

#[tokio::test]
async fn loan_of_three_weeks_is_counted() {
    ends_with("three weeks", "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn loan_of_one_month_ends_in_the_next_month() {
    ends_with("One month", "2026-01-31", "2026-02-28").await;
}

#[tokio::test]
async fn free_text_answer_gets_the_default() {
    ends_with("as long as they like, ÜBRIGENS", "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn unanswered_question_gets_the_default() {
    let answer = "No answer in time: decide yourself and continue.";
    ends_with(answer, "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn additional_user_message_does_not_change_the_result() {
    let project = play("Two weeks", Some("By the way, thank you!")).await;
    assert_eq!(project.due_day("2026-03-01"), "2026-03-15");
}

#[tokio::test]
async fn follow_up_adds_an_option_after_each_answer() {
    for answer in ["Two weeks", "One month", "decide yourself"] {
        let mut project = play(answer, None).await;
        project.begin(&Phase { scope: vec!["**".to_owned()], ..phases().remove(0) });
        let plan = run("follow-up/phase-0/plan", &mut project, None).await;
        assert_eq!(plan.first_tool, "forge_get_phase_brief");
        let steps = plan.end.expect("a plan")["steps"].as_array().expect("a list").len() as u64;
        let executed = run("follow-up/phase-0/execute", &mut project, None).await;
        assert_eq!(executed.steps, (1..=steps).collect::<Vec<_>>());
        assert!(executed.end.is_some() && project.tests_ran && project.checked_syntax);
        project.gate().expect("the tests pass");
        let audit = run("follow-up/phase-0/audit", &mut project, None).await;
        let request = Phase { exit_criteria: 1, ..phases().remove(0) };
        check_sign_off(&audit.end.expect("a judgement"), &request, project.root());
    }
}

#[test]
fn demo_has_25_to_45_turns() {
    let turns: usize = scenario().runs.values().map(Vec::len).sum();
    assert!((25..=45).contains(&turns), "{turns} turns");
}

#[test]
fn demo_does_not_mention_the_service() {
    let foreign =
        r"(?i)forge(guard|_|/|\b)|\b(sealed|scout|auditor|fixer|worktree|gates?|dossier)\b";
    let foreign = Regex::new(foreign).unwrap();
    let mut texts: Vec<(String, String)> = contracts();
    texts.extend(bundle::project_files());
    for (name, text) in texts {
        let found = foreign.find(&text).map(|found| found.as_str());
        assert_eq!(found, None, "{name}");
    }
}

async fn ends_with(answer: &str, since: &str, due: &str) {
    assert_eq!(play(answer, None).await.due_day(since), due);
}

/// Runs all phases with the checks of a real build.
async fn play(answer: &str, interjection: Option<&str>) -> DemoProject {
    let mut project = DemoProject::new(answer);
    project.gate().expect("the project passes before anything is built");
    for phase in phases() {
        play_phase(&phase, &mut project, interjection).await;
    }
    assert_eq!(project.questions, 1);
    project
}

async fn play_phase(phase: &Phase, project: &mut DemoProject, interjection: Option<&str>) {
    let number = phase.number;
    project.begin(phase);
    let label = |run: &str| format!("phase-{number}/{run}");

    if number == 0 {
        run(&label("scout"), project, interjection).await;
    }
    let plan = run(&label("plan"), project, interjection).await;
    let end = plan.end.expect("a plan");
    let steps = end["steps"].as_array().expect("a list").len() as u64;
    assert!((3..=8).contains(&steps), "{steps} steps");
    assert_eq!(plan.first_tool, "forge_get_phase_brief");

    let executed = run(&label("execute"), project, interjection).await;
    assert_eq!(executed.steps, (1..=steps).collect::<Vec<_>>());
    assert!(executed.end.is_some(), "it finishes the phase");
    assert!(project.tests_ran && project.checked_syntax);

    if let Err(output) = project.gate() {
        assert_eq!(number, 1, "{output}");
        assert!(
            output.contains("a single day is not called") && output.contains("fail 1"),
            "{output}"
        );
        assert!(output.contains("AssertionError") || output.contains("ERR_ASSERTION"), "{output}");
        let fixed = run(&label("fix"), project, interjection).await;
        let summary = fixed.end.expect("it finishes the fix")["summary"].to_string();
        assert_eq!(summary.matches('.').count(), 1, "one sentence");
        project.gate().expect("the fix makes the tests pass");
    } else {
        assert_eq!(number, 0, "the forgotten edge shows in phase 1");
    }

    let audit = run(&label("audit"), project, interjection).await;
    check_sign_off(&audit.end.expect("a judgement"), phase, project.root());
    check_no_contract_text(project);
}

/// Runs one agent: executes tool calls until a reply contains none or one that ends its task.
async fn run(label: &str, project: &mut DemoProject, interjection: Option<&str>) -> Outcome {
    let provider = Offline::playing(scenario());
    let mut request = Request {
        label: label.into(),
        model: "offline".into(),
        system: String::new(),
        tools: [].into(),
        messages: vec![Message::user("Begin.")],
        max_tokens: 4_000,
        forgotten_turns: 0,
        earlier_turns: 0,
    };
    let mut outcome = Outcome::default();
    loop {
        let stream = provider.stream(&request).await.expect(label);
        let reply = collect(stream, |_| {}).await.unwrap();
        outcome.record(&reply);
        let calls = reply.tool_calls.clone();
        request.messages.push(reply.into_message());
        if calls.is_empty() || outcome.end.is_some() {
            return outcome;
        }
        let content = calls.into_iter().map(|call| {
            let content = project
                .call(label, &call.name, &call.input)
                .unwrap_or_else(|problem| panic!("{label}, {}: {problem}", call.id));
            UserBlock::ToolResult { call_id: call.id, content, is_error: false }
        });
        request.messages.push(Message::User { content: content.collect() });
        request.messages.extend(interjection.map(Message::user));
    }
}

fn check_sign_off(input: &Value, phase: &Phase, root: &Path) {
    assert_eq!(input["verdict"], "pass");
    let criteria = input["criteria"].as_array().expect("a list");
    assert_eq!(criteria.len(), phase.exit_criteria);
    for (index, criterion) in (1..).zip(criteria) {
        assert_eq!((&criterion["index"], &criterion["result"]), (&json!(index), &json!("passed")));
        let citation = &criterion["citations"][0];
        let path = citation["path"].as_str().expect("a path");
        let line = citation["first_line"].as_u64().expect("a line") as usize;
        let content = std::fs::read_to_string(root.join(path)).expect(path);
        let cited = content.lines().nth(line - 1).expect(path);
        let shows = cited.starts_with("test('")
            || cited.starts_with("export function ")
            || cited.starts_with("  report ");
        assert!(shows, "criterion {index} cites `{cited}`");
    }
    for deliverable in input["deliverables"].as_array().expect("a list") {
        let path = deliverable["shown_by"].as_str().expect("a path");
        assert!(root.join(path).is_file(), "{path}");
    }
}

fn check_no_contract_text(project: &DemoProject) {
    let files = project.files();
    for (contract, text) in contracts() {
        for line in text.lines().map(str::trim).filter(|line| line.chars().count() >= 30) {
            for path in &files {
                assert!(!project.read(path).contains(line), "{path} repeats {contract}: {line}");
            }
        }
    }
}
