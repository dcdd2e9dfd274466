//! Plays the bundled demo with the real player, real files and a real `node --test`, once for every
//! answer that its question can get.

#![allow(clippy::unwrap_used, reason = "the setting in clippy.toml reaches test functions only")]

#[path = "demo/bundle.rs"]
mod bundle;
#[path = "demo/workbench.rs"]
mod workbench;

use std::path::Path;

use bundle::{Phase, contracts, phases, scenario};
use llm::{Message, Offline, Pace, Provider, Request, UserBlock, collect};
use regex::Regex;
use workbench::{Outcome, Workbench};

#[tokio::test]
async fn two_weeks_are_counted() {
    ends_with("The answer is: Two weeks", "2026-03-01", "2026-03-15").await;
}

#[tokio::test]
async fn three_weeks_are_counted() {
    ends_with("three weeks", "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn a_month_ends_with_the_month() {
    ends_with("One month", "2026-01-31", "2026-02-28").await;
}

#[tokio::test]
async fn an_answer_of_ones_own_gets_the_default() {
    ends_with("as long as they like, ÜBRIGENS", "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn without_an_answer_it_decides() {
    let told = "Nobody answered in time: decide for yourself and go on.";
    ends_with(told, "2026-03-01", "2026-03-22").await;
}

#[tokio::test]
async fn a_word_from_the_user_does_not_derail_it() {
    let bench = play("Two weeks", Some("By the way, thank you!")).await;
    assert_eq!(bench.due_day("2026-03-01"), "2026-03-15");
}

#[test]
fn it_is_neither_too_short_nor_too_long() {
    let turns: usize = scenario().runs.values().map(Vec::len).sum();
    assert!((25..=45).contains(&turns), "{turns} turns");
}

#[test]
fn it_speaks_of_its_own_subject_only() {
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

/// The whole build, phase by phase, with the checks that a build makes.
async fn play(answer: &str, interjection: Option<&str>) -> Workbench {
    let mut bench = Workbench::new(answer);
    bench.gate().expect("the project passes before anything is built");
    for phase in phases() {
        play_phase(&phase, &mut bench, interjection).await;
    }
    assert_eq!(bench.questions, 1);
    bench
}

async fn play_phase(phase: &Phase, bench: &mut Workbench, interjection: Option<&str>) {
    let number = phase.number;
    bench.begin(phase);
    let label = |run: &str| format!("phase-{number}/{run}");

    run(&label("scout"), bench, interjection).await;
    let plan = run(&label("plan"), bench, interjection).await;
    let tasks = plan.last_text.lines().filter(|line| line.starts_with(|c: char| c.is_numeric()));
    let tasks = tasks.count();
    assert!(
        plan.last_text.contains("=== PLAN ===\n1. ")
            && plan.last_text.contains("\n=== END PLAN ===")
    );
    assert_eq!(plan.first_tool, "forge_get_project_contract");

    let executed = run(&label("execute"), bench, interjection).await;
    for task in 1..=tasks {
        assert!(executed.all_text.contains(&format!("=== TASK DONE: {task} ===\n")), "task {task}");
    }
    assert!(bench.tests_ran && bench.checked_syntax);

    if let Err(output) = bench.gate() {
        assert_eq!(number, 1, "{output}");
        assert!(
            output.contains("a single day is not called") && output.contains("fail 1"),
            "{output}"
        );
        assert!(output.contains("AssertionError") || output.contains("ERR_ASSERTION"), "{output}");
        let fixed = run(&label("fix"), bench, interjection).await;
        assert_eq!(fixed.last_text.trim().matches('.').count(), 1, "one sentence");
        bench.gate().expect("the fix makes the tests pass");
    } else {
        assert_eq!(number, 0, "the forgotten edge shows in phase 1");
    }

    let audit = run(&label("audit"), bench, interjection).await;
    check_sign_off(&audit.last_text, phase, bench.root());
    check_no_contract_text(bench);
}

/// One run: asks the player, does what it wants, until it wants nothing more.
async fn run(label: &str, bench: &mut Workbench, interjection: Option<&str>) -> Outcome {
    let player = Offline::playing(scenario(), Pace::default());
    let mut request = Request {
        label: label.into(),
        model: "offline".into(),
        system: String::new(),
        tools: vec![],
        messages: vec![Message::user("Begin.")],
        max_tokens: 4_000,
        forgotten_turns: 0,
    };
    let mut outcome = Outcome::default();
    loop {
        let stream = player.stream(&request).await.expect(label);
        let reply = collect(stream, |_| {}).await.unwrap();
        outcome.hear(&reply);
        let calls = reply.tool_calls.clone();
        request.messages.push(reply.into_message());
        if calls.is_empty() {
            return outcome;
        }
        let content = calls.into_iter().map(|call| {
            let content = bench
                .call(label, &call.name, &call.input)
                .unwrap_or_else(|problem| panic!("{label}, {}: {problem}", call.id));
            UserBlock::ToolResult { call_id: call.id, content, is_error: false }
        });
        request.messages.push(Message::User { content: content.collect() });
        request.messages.extend(interjection.map(Message::user));
    }
}

fn check_sign_off(text: &str, phase: &Phase, root: &Path) {
    assert!(text.contains("=== PHASE SIGN-OFF: PASS ===\n"), "{text}");
    assert!(text.ends_with("\n=== END PHASE SIGN-OFF ==="), "{text}");
    let lines: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("criterion ")).collect();
    assert_eq!(lines.len(), phase.exit_criteria);
    for (index, line) in lines.iter().enumerate() {
        let place = line.strip_prefix(&format!("{}: passed — ", index + 1)).expect(line);
        let (path, number) = place.split_once(':').expect(line);
        let content = std::fs::read_to_string(root.join(path)).expect(path);
        let cited = content.lines().nth(number.parse::<usize>().unwrap() - 1).expect(line);
        let shows = cited.starts_with("test('")
            || cited.starts_with("export function ")
            || cited.starts_with("  report ");
        assert!(shows, "{line} cites `{cited}`");
    }
}

fn check_no_contract_text(bench: &Workbench) {
    let files = bench.files();
    for (contract, text) in contracts() {
        for line in text.lines().map(str::trim).filter(|line| line.chars().count() >= 30) {
            for path in &files {
                assert!(!bench.read(path).contains(line), "{path} repeats {contract}: {line}");
            }
        }
    }
}
