//! Permission rules, and questions to the user.

use super::*;
use crate::{
    store::{self, clarifications},
    tools::{call, fixture::Fixture, tool::Done},
};
use domain::budget::DEFAULT_PERMISSION_PROMPTS;
use domain::{
    event::{agents::Role, questions::ClarificationRequest},
    permission::Rule,
};
use serde_json::{Value, json};
use std::{sync::Arc, thread::JoinHandle};

fn rule(permission: Permission, pattern: &str, action: Action) -> Rule {
    Rule { permission, pattern: pattern.into(), action }
}

/// A coder in a project with these rules.
async fn within(project: Vec<Rule>) -> Fixture {
    let mut fixture = Fixture::new().await;
    fixture.build_row().await;
    Arc::make_mut(&mut fixture.ctx.state).queued.permissions = project;
    fixture
}

async fn write(fixture: &Fixture, path: &str) -> ToolReply {
    let input = json!({"path": path, "content": "a"});
    call(&fixture.ctx, "write_file", input).await.unwrap()
}

async fn refused(fixture: &Fixture, tool: &str, input: Value) -> String {
    match call(&fixture.ctx, tool, input).await.unwrap() {
        ToolReply::Done(Done { ok: false, output, .. }) => output,
        other => panic!("{other:?}"),
    }
}

fn asked(reply: ToolReply) -> ClarificationRequest {
    match reply {
        ToolReply::Ask(request) => *request,
        other => panic!("{other:?}"),
    }
}

async fn settle(fixture: &Fixture, how: ResolvedHow, answer: Option<&str>) {
    let ToolReply::Ask(request) = write(fixture, "a.lock").await else { panic!("not asked") };
    fixture.question_row(&request).await;
    assert_eq!(write(fixture, "a.lock").await, ToolReply::Waiting);
    let resolution = clarifications::Resolution {
        how,
        answer,
        answered_by: None,
        resolved_at: store::now(),
        resolved_seq: None,
    };
    let mut tx = fixture.ctx.db.write().await.unwrap();
    clarifications::resolve(&mut tx, request.question_id, &resolution).await.unwrap();
    tx.commit().await.unwrap();
}

async fn asking() -> Fixture {
    within(vec![rule(Permission::Edit, "*.lock", Action::Ask)]).await
}

#[tokio::test]
async fn denial_names_the_rule() {
    let mut fixture = within(vec![rule(Permission::Edit, "dist/*", Action::Deny)]).await;
    fixture.ctx.permissions = Arc::new([rule(Permission::Bash, "curl *", Action::Deny)]);
    fixture.file(".env", "KEY=1");
    for (tool, input, reason) in [
        (
            "write_file",
            json!({"path": "./dist//a.js", "content": ""}),
            "the project's rule edit `dist/*`",
        ),
        ("read_file", json!({"path": ".env"}), "the built-in rule read `*.env`"),
        ("check_syntax", json!({"path": ".env"}), "the built-in rule read `*.env`"),
        ("search_code", json!({"pattern": "K", "path": ".env"}), "read `*.env`"),
        ("read_file", json!([".env"]), "`*.env`"),
        (
            "run_command",
            json!({"command": "ls; curl x"}),
            "the installation's rule bash `curl *` → deny, for `curl x` in it",
        ),
    ] {
        let said = refused(&fixture, tool, input.clone()).await;
        assert!(said.contains(reason) && said.starts_with("You may not"), "{input}: {said}");
    }
    assert!(!fixture.root().join("dist").exists());
}

#[tokio::test]
async fn tests_of_the_project_require_the_bash_permission() {
    let mut fixture = within(vec![rule(Permission::Bash, "*--test*", Action::Deny)]).await;
    let gate = domain::gate::GateDefinition {
        name: "test".into(),
        command: "node --test".into(),
        timeout_s: 5,
        required: true,
        network: false,
        report: None,
        runs_tests: true,
    };
    Arc::make_mut(&mut fixture.ctx.state).queued.gates = vec![gate];
    let said = refused(&fixture, "run_tests", json!({})).await;
    assert!(said.contains("may not run `node --test`"), "{said}");
}

#[tokio::test]
async fn search_skips_unreadable_files() {
    let fixture = within(vec![rule(Permission::Read, "private/*", Action::Ask)]).await;
    for path in [".env.local", "private/a.txt", "a.txt"] {
        fixture.file(path, "secret");
    }
    let reply = call(&fixture.ctx, "search_code", json!({"pattern": "secret"})).await.unwrap();
    let ToolReply::Done(done) = reply else { panic!("{reply:?}") };
    assert!(done.output.starts_with("a.txt:1:secret"), "{}", done.output);
    assert!(!done.output.contains("private") && !done.output.contains(".env"));
}

#[tokio::test]
async fn rules_apply_to_the_target_of_a_link() {
    let fixture = within(vec![
        rule(Permission::Read, "private/*", Action::Deny),
        rule(Permission::Edit, "locked/*", Action::Ask),
    ])
    .await;
    for path in [".env", "private/a.txt", "locked/a.txt", "a.txt"] {
        fixture.file(path, "secret");
    }
    for (target, link) in
        [(".env", "settings"), ("private", "open"), ("locked", "free"), ("a.txt", "b.txt")]
    {
        std::os::unix::fs::symlink(target, fixture.root().join(link)).unwrap();
    }
    for (tool, input, place) in [
        ("read_file", json!({"path": "settings"}), "`.env`"),
        ("check_syntax", json!({"path": "settings"}), "`.env`"),
        ("read_file", json!({"path": "open/a.txt"}), "`private/a.txt`"),
        ("search_code", json!({"pattern": "s", "path": "open/a.txt"}), "`private/a.txt`"),
    ] {
        let said = refused(&fixture, tool, input.clone()).await;
        assert!(said.starts_with("You may not") && said.contains(place), "{input}: {said}");
    }
    // Also for a file that does not exist yet.
    let question = asked(write(&fixture, "free/new.txt").await);
    assert_eq!(question.question, "Allow the coder to edit `locked/new.txt`?");
    for input in [json!({"pattern": "secret"}), json!({"pattern": "secret", "path": "open"})] {
        let reply = call(&fixture.ctx, "search_code", input.clone()).await.unwrap();
        let ToolReply::Done(done) = reply else { panic!("{reply:?}") };
        for hidden in ["settings:", "open/a.txt:", "private/a.txt:"] {
            assert!(!done.output.contains(hidden), "{input}: {}", done.output);
        }
    }
    let reply = call(&fixture.ctx, "read_file", json!({"path": "b.txt"})).await.unwrap();
    assert!(matches!(reply, ToolReply::Done(Done { ok: true, .. })), "{reply:?}");
}

#[tokio::test]
async fn user_is_asked_in_plain_text() {
    let mut fixture = asking().await;
    fixture.ctx.role = Role::Fixer;
    fixture.file("a.lock", "b");
    let input = json!({"path": "a.lock", "old_text": "b", "new_text": "c"});
    let question = asked(call(&fixture.ctx, "edit_file", input).await.unwrap());
    assert_eq!(question.question, "Allow the fixer to edit `a.lock`?");
    assert_eq!(question.options, ["Once", "Always", "Deny"]);
    assert!(question.context.unwrap().contains("the project's rule edit `*.lock` → ask"));
    assert_eq!(question.asked_by, Role::Fixer);
    assert_eq!(fixture.read("a.lock"), "b");
}

#[tokio::test]
async fn once_allows_one_call_and_always_the_whole_build() {
    for (answer, again) in [("Once", true), ("always ", false)] {
        let mut fixture = asking().await;
        settle(&fixture, ResolvedHow::Answered, Some(answer)).await;
        let done = write(&fixture, "a.lock").await;
        assert!(matches!(done, ToolReply::Done(Done { ok: true, .. })), "{done:?}");
        fixture.ctx.call_id = "call-2".into();
        fixture.ctx.run_id = store::new_id();
        let next = write(&fixture, "a.lock").await;
        assert_eq!(matches!(next, ToolReply::Ask(_)), again, "{answer}: {next:?}");
        let other = asked(write(&fixture, "b.lock").await);
        assert_eq!(other.question, "Allow the coder to edit `b.lock`?");
    }
}

#[tokio::test]
async fn other_answers_deny() {
    for (how, answer, expected) in [
        (ResolvedHow::Answered, Some("Deny"), "the user denied it"),
        (ResolvedHow::Answered, Some("Use npm ci."), "answered: Use npm ci."),
        (ResolvedHow::TimedOut, None, "did not answer in time"),
        (ResolvedHow::Skipped, None, "skipped the question"),
    ] {
        let fixture = asking().await;
        settle(&fixture, how, answer).await;
        let said = refused(&fixture, "write_file", json!({"path": "a.lock", "content": "a"})).await;
        assert!(said.contains(expected), "{said}");
        assert!(!fixture.root().join("a.lock").exists());
    }
}

#[tokio::test]
async fn answer_to_a_question_grants_no_permission() {
    let fixture = asking().await;
    let input =
        json!({"question": "Allow the coder to edit `a.lock`?", "options": ["Always", "Never"]});
    let question = asked(call(&fixture.ctx, "forge_ask_clarification", input).await.unwrap());
    fixture.question_row(&question).await;
    let mut tx = fixture.ctx.db.write().await.unwrap();
    let resolution = clarifications::Resolution {
        how: ResolvedHow::Answered,
        answer: Some("Always"),
        answered_by: None,
        resolved_at: store::now(),
        resolved_seq: None,
    };
    clarifications::resolve(&mut tx, question.question_id, &resolution).await.unwrap();
    tx.commit().await.unwrap();
    let ctx = ToolContext { call_id: "call-2".into(), ..fixture.ctx.clone() };
    let reply = call(&ctx, "write_file", json!({"path": "a.lock", "content": ""})).await;
    assert!(matches!(reply, Ok(ToolReply::Ask(_))), "{reply:?}");
}

#[tokio::test]
async fn call_is_denied_when_no_question_can_be_asked() {
    let mut fixture = within(vec![rule(Permission::Bash, "*", Action::Ask)]).await;
    let run = |line: &str| json!({"command": line});
    for line in ["x".repeat(151), "echo \u{202e}a".into(), "echo a\tb".into()] {
        let said = refused(&fixture, "run_command", run(&line)).await;
        assert!(said.contains("must see all of it"), "{said}");
    }
    let lines = asked(call(&fixture.ctx, "run_command", run("ls\nwc x")).await.unwrap());
    assert_eq!(lines.question, "Allow the coder to run `ls ⏎ wc x`?");
    Arc::make_mut(&mut fixture.ctx.state).spent.permission_prompts = DEFAULT_PERMISSION_PROMPTS;
    let said = refused(&fixture, "run_command", run("ls")).await;
    let exhausted_limit =
        format!("all {DEFAULT_PERMISSION_PROMPTS} permission prompts of this build are used up");
    assert!(said.contains(&exhausted_limit), "{said}");
}

/// Lets a link lead to each of two targets in turn.
fn swap(
    root: std::path::PathBuf,
    link: &'static str,
    targets: [&'static str; 2],
) -> JoinHandle<()> {
    const SWAPS: usize = 3_000;
    std::thread::spawn(move || {
        for n in 0..SWAPS {
            let next = root.join(format!("{link}-next"));
            std::os::unix::fs::symlink(targets[n % 2], &next).unwrap();
            std::fs::rename(&next, root.join(link)).unwrap();
        }
    })
}

#[tokio::test]
async fn link_that_is_swapped_meanwhile_does_not_show_a_forbidden_file() {
    let fixture = within(Vec::new()).await;
    fixture.file(".env", "SECRET=1234");
    fixture.file("public", "line\n");
    std::os::unix::fs::symlink("public", fixture.root().join("link")).unwrap();
    let swaps = swap(fixture.root().to_owned(), "link", [".env", "public"]);
    let mut shown = 0;
    while !swaps.is_finished() {
        for (tool, input) in [
            ("read_file", json!({"path": "link"})),
            ("search_code", json!({"pattern": "=|line", "path": "link"})),
            ("search_code", json!({"pattern": "=|line", "glob": "link"})),
            ("list_directory", json!({})),
        ] {
            let reply = call(&fixture.ctx, tool, input).await.unwrap();
            let ToolReply::Done(Done { output, .. }) = reply else { panic!("{reply:?}") };
            let is_size_of_secret = output.contains("link (11 bytes)");
            assert!(!output.contains("SECRET") && !is_size_of_secret, "{tool}: {output}");
            shown += usize::from(output.contains("line"));
        }
    }
    swaps.join().unwrap();
    assert!(shown > 0, "the allowed target was read in between");
}

#[tokio::test]
async fn folder_that_is_swapped_meanwhile_lets_nothing_into_a_forbidden_one() {
    let fixture = within(vec![rule(Permission::Edit, "locked/**", Action::Deny)]).await;
    fixture.file("locked/keep", "");
    fixture.file("open/keep", "");
    std::os::unix::fs::symlink("open", fixture.root().join("folder")).unwrap();
    let swaps = swap(fixture.root().to_owned(), "folder", ["locked", "open"]);
    while !swaps.is_finished() {
        write(&fixture, "folder/new").await;
        call(&fixture.ctx, "delete_file", json!({"path": "folder/keep"})).await.unwrap();
    }
    swaps.join().unwrap();
    let locked: Vec<_> = std::fs::read_dir(fixture.root().join("locked")).unwrap().collect();
    assert_eq!(locked.len(), 1, "{locked:?}");
    assert!(fixture.root().join("locked/keep").exists());
}
