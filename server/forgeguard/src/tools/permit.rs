//! Leave for a call: what the permission rules say, and what a person says where they are asked.

use domain::{
    event::questions::ResolvedHow,
    permission::{self, Action, Judgement, Layers, Permission},
};

use super::{
    asking::{self, Question},
    context::ToolContext,
    cut::head,
    error::ToolError,
    tool::ToolReply,
    work_path::WorkPath,
};
use crate::store::clarifications::Clarification;

const ONCE: &str = "Once";
const ALWAYS: &str = "Always";
const DENY: &str = "Deny";
/// Characters of a subject that a person can be asked about: they must see all of it.
const MAX_ASKED: usize = 150;
/// Bytes of a reason that the question shows.
const MAX_REASON: usize = 160;

/// What speaks against a call, or has to be asked first; nothing where it may be made.
///
/// # Errors
/// When the answers so far cannot be read.
pub(super) async fn objection(
    ctx: &ToolContext,
    (permission, subject): (Permission, String),
) -> Result<Option<ToolReply>, ToolError> {
    let judgement = judge(ctx, permission, &subject);
    let refused = |why: String| Some(ToolReply::failed(refusal(permission, &subject, &why)));
    match judgement.action() {
        Action::Allow => Ok(None),
        Action::Deny => Ok(refused(why(&judgement))),
        Action::Ask => match question(ctx, permission, &subject, &judgement) {
            Some(question) => Ok(ask(ctx, question).await?.unwrap_or_else(refused)),
            None => Ok(refused(format!(
                "a person must be asked ({}), and must see all of it: use at most {MAX_ASKED} \
                 plain characters",
                why(&judgement)
            ))),
        },
    }
}

/// Which files may be read without asking.
pub(super) fn readable(ctx: &ToolContext) -> impl Fn(&WorkPath) -> bool + Send + use<> {
    let ctx = ctx.clone();
    move |path| judge(&ctx, Permission::Read, &path.to_string()).action() == Action::Allow
}

fn judge(ctx: &ToolContext, permission: Permission, subject: &str) -> Judgement {
    let layers = Layers {
        built_in: permission::built_in(),
        installation: &ctx.permissions,
        project: &ctx.state.queued.permissions,
    };
    permission::judge(&layers, permission, subject)
}

fn why(judgement: &Judgement) -> String {
    let deciding = judgement.deciding();
    let reason = deciding.reason();
    match judgement.parts.first() {
        Some(whole) if whole.subject.trim() != deciding.subject => {
            format!("{reason}, for `{}` in it", deciding.subject)
        }
        _ => reason,
    }
}

fn refusal(permission: Permission, subject: &str, why: &str) -> String {
    let (shown, verb) = (head(subject, MAX_REASON), permission.verb());
    let cut = if shown.len() < subject.len() { "…" } else { "" };
    format!(
        "You may not {verb} `{shown}{cut}`: {why}. Go on without it, and if the task needs it say so \
         at the end."
    )
}

/// The question to a person; none where they could not see what they are asked about.
fn question(
    ctx: &ToolContext,
    permission: Permission,
    subject: &str,
    judgement: &Judgement,
) -> Option<Question> {
    let subject = subject.trim();
    let plain = |c: char| !hides(c) && (c == '\n' || !c.is_control());
    if subject.chars().count() > MAX_ASKED || !subject.chars().all(plain) {
        return None;
    }
    let subject = subject.replace('\n', " ⏎ ");
    let why = why(judgement);
    let why = head(&why, MAX_REASON);
    Some(Question {
        question: format!("May the {} {} `{subject}`?", ctx.role.name(), permission.verb()),
        context: Some(format!(
            "Asked because of {why}. “{ALWAYS}” holds for the rest of this build; anything but \
             “{ONCE}” and “{ALWAYS}” means no."
        )),
        options: [ONCE, ALWAYS, DENY].map(str::to_owned).to_vec(),
    })
}

/// Characters that are not seen, change what is seen around them, or stand for a line's end here.
fn hides(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '⏎')
}

/// What came of asking: nothing to object, a question that waits, or why not.
async fn ask(
    ctx: &ToolContext,
    question: Question,
) -> Result<Result<Option<ToolReply>, String>, ToolError> {
    let all = asking::asked(ctx).await?;
    if let Some(asked) = asking::by_this_call(ctx, &all) {
        return Ok(answer(asked));
    }
    // Derived from the build's questions, so that it lasts as long as they do.
    if all.iter().any(|asked| is_standing(asked, &question)) {
        return Ok(Ok(None));
    }
    if ctx.state.question.is_some() {
        return Ok(Ok(Some(ToolReply::Waiting)));
    }
    if asking::none_left(ctx) {
        let limit = ctx.state.budgets.clarifications;
        return Ok(Err(format!(
            "a person must be asked, and all {limit} questions of this build are used up"
        )));
    }
    Ok(Ok(Some(asking::ask(ctx, question))))
}

fn answer(asked: &Clarification) -> Result<Option<ToolReply>, String> {
    match asking::settled(&asked.status) {
        None => Ok(Some(ToolReply::Waiting)),
        Some(ResolvedHow::Answered) => match asked.answer.as_deref().unwrap_or_default().trim() {
            answer if is(answer, ONCE) || is(answer, ALWAYS) => Ok(None),
            answer if is(answer, DENY) => Err("the user said no".to_owned()),
            answer => Err(format!("the user was asked and did not agree, but said: {answer}")),
        },
        Some(ResolvedHow::TimedOut) => {
            Err("the user was asked, and nobody answered in time".to_owned())
        }
        Some(ResolvedHow::Skipped | ResolvedHow::Cancelled) => {
            Err("the user was asked and did not agree".to_owned())
        }
    }
}

/// Whether the very same question was answered for the rest of the build.
fn is_standing(asked: &Clarification, question: &Question) -> bool {
    let answer = asked.answer.as_deref().unwrap_or_default();
    let options: Vec<String> = serde_json::from_str(&asked.options).unwrap_or_default();
    asked.status == "answered"
        && is(answer.trim(), ALWAYS)
        && asked.question == question.question
        && asked.context == question.context
        && options == question.options
}

fn is(answer: &str, option: &str) -> bool {
    answer.eq_ignore_ascii_case(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{self, clarifications},
        tools::{call, tool::Done, trial::Trial},
    };
    use domain::{
        event::{agents::Role, questions::ClarificationRequest},
        permission::Rule,
    };
    use serde_json::{Value, json};
    use std::sync::Arc;

    fn rule(permission: Permission, pattern: &str, action: Action) -> Rule {
        Rule { permission, pattern: pattern.into(), action }
    }

    /// A coder in a project with these rules.
    async fn within(project: Vec<Rule>) -> Trial {
        let mut trial = Trial::new().await;
        trial.build_row().await;
        Arc::make_mut(&mut trial.ctx.state).queued.permissions = project;
        trial
    }

    async fn write(trial: &Trial, path: &str) -> ToolReply {
        let input = json!({"path": path, "content": "a"});
        call(&trial.ctx, "write_file", input).await.unwrap()
    }

    async fn refused(trial: &Trial, tool: &str, input: Value) -> String {
        match call(&trial.ctx, tool, input).await.unwrap() {
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

    async fn settle(trial: &Trial, how: ResolvedHow, answer: Option<&str>) {
        let ToolReply::Ask(request) = write(trial, "a.lock").await else { panic!("not asked") };
        trial.question_row(&request).await;
        assert_eq!(write(trial, "a.lock").await, ToolReply::Waiting);
        let resolution = clarifications::Resolution {
            how,
            answer,
            answered_by: None,
            resolved_at: store::now(),
            resolved_seq: None,
        };
        let mut tx = trial.ctx.db.write().await.unwrap();
        clarifications::resolve(&mut tx, request.question_id, &resolution).await.unwrap();
        tx.commit().await.unwrap();
    }

    async fn asking() -> Trial {
        within(vec![rule(Permission::Edit, "*.lock", Action::Ask)]).await
    }

    #[tokio::test]
    async fn a_refusal_names_the_rule() {
        let mut trial = within(vec![rule(Permission::Edit, "dist/*", Action::Deny)]).await;
        trial.ctx.permissions = Arc::new([rule(Permission::Bash, "curl *", Action::Deny)]);
        trial.file(".env", "KEY=1");
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
            let said = refused(&trial, tool, input.clone()).await;
            assert!(said.contains(reason) && said.starts_with("You may not"), "{input}: {said}");
        }
        assert!(!trial.root().join("dist").exists());
    }

    #[tokio::test]
    async fn the_tests_of_the_project_are_a_command_too() {
        let mut trial = within(vec![rule(Permission::Bash, "*--test*", Action::Deny)]).await;
        let gate = domain::gate::GateDefinition {
            name: "test".into(),
            command: "node --test".into(),
            timeout_s: 5,
            required: true,
            network: false,
        };
        Arc::make_mut(&mut trial.ctx.state).queued.gates = vec![gate];
        let said = refused(&trial, "run_tests", json!({})).await;
        assert!(said.contains("may not run `node --test`"), "{said}");
    }

    #[tokio::test]
    async fn a_search_leaves_out_what_may_not_be_read() {
        let trial = within(vec![rule(Permission::Read, "private/*", Action::Ask)]).await;
        for path in [".env.local", "private/a.txt", "a.txt"] {
            trial.file(path, "secret");
        }
        let reply = call(&trial.ctx, "search_code", json!({"pattern": "secret"})).await.unwrap();
        let ToolReply::Done(done) = reply else { panic!("{reply:?}") };
        assert!(done.output.starts_with("a.txt:1:secret"), "{}", done.output);
        assert!(!done.output.contains("private") && !done.output.contains(".env"));
    }

    #[tokio::test]
    async fn a_person_is_asked_in_plain_words() {
        let mut trial = asking().await;
        trial.ctx.role = Role::Fixer;
        trial.file("a.lock", "b");
        let input = json!({"path": "a.lock", "old_text": "b", "new_text": "c"});
        let question = asked(call(&trial.ctx, "edit_file", input).await.unwrap());
        assert_eq!(question.question, "May the fixer edit `a.lock`?");
        assert_eq!(question.options, ["Once", "Always", "Deny"]);
        assert!(question.context.unwrap().contains("the project's rule edit `*.lock` → ask"));
        assert_eq!(question.asked_by, Role::Fixer);
        assert_eq!(trial.read("a.lock"), "b");
    }

    #[tokio::test]
    async fn once_is_once_and_always_is_for_the_build() {
        for (answer, again) in [("Once", true), ("always ", false)] {
            let mut trial = asking().await;
            settle(&trial, ResolvedHow::Answered, Some(answer)).await;
            let done = write(&trial, "a.lock").await;
            assert!(matches!(done, ToolReply::Done(Done { ok: true, .. })), "{done:?}");
            trial.ctx.call_id = "call-2".into();
            trial.ctx.run_id = store::new_id();
            let next = write(&trial, "a.lock").await;
            assert_eq!(matches!(next, ToolReply::Ask(_)), again, "{answer}: {next:?}");
            let other = asked(write(&trial, "b.lock").await);
            assert_eq!(other.question, "May the coder edit `b.lock`?");
        }
    }

    #[tokio::test]
    async fn anything_else_is_no() {
        for (how, answer, told) in [
            (ResolvedHow::Answered, Some("Deny"), "the user said no"),
            (ResolvedHow::Answered, Some("Use npm ci."), "said: Use npm ci."),
            (ResolvedHow::TimedOut, None, "nobody answered in time"),
            (ResolvedHow::Skipped, None, "did not agree"),
        ] {
            let trial = asking().await;
            settle(&trial, how, answer).await;
            let said =
                refused(&trial, "write_file", json!({"path": "a.lock", "content": "a"})).await;
            assert!(said.contains(told), "{said}");
            assert!(!trial.root().join("a.lock").exists());
        }
    }

    #[tokio::test]
    async fn a_question_of_an_agent_gives_no_leave() {
        let trial = asking().await;
        let input =
            json!({"question": "May the coder edit `a.lock`?", "options": ["Always", "Never"]});
        let question = asked(call(&trial.ctx, "forge_ask_clarification", input).await.unwrap());
        trial.question_row(&question).await;
        let mut tx = trial.ctx.db.write().await.unwrap();
        let resolution = clarifications::Resolution {
            how: ResolvedHow::Answered,
            answer: Some("Always"),
            answered_by: None,
            resolved_at: store::now(),
            resolved_seq: None,
        };
        clarifications::resolve(&mut tx, question.question_id, &resolution).await.unwrap();
        tx.commit().await.unwrap();
        let ctx = ToolContext { call_id: "call-2".into(), ..trial.ctx.clone() };
        let reply = call(&ctx, "write_file", json!({"path": "a.lock", "content": ""})).await;
        assert!(matches!(reply, Ok(ToolReply::Ask(_))), "{reply:?}");
    }

    #[tokio::test]
    async fn where_nobody_can_be_asked_the_answer_is_no() {
        let mut trial = within(vec![rule(Permission::Bash, "*", Action::Ask)]).await;
        let run = |line: &str| json!({"command": line});
        for line in ["x".repeat(151), "echo \u{202e}a".into(), "echo a\tb".into()] {
            let said = refused(&trial, "run_command", run(&line)).await;
            assert!(said.contains("must see all of it"), "{said}");
        }
        let lines = asked(call(&trial.ctx, "run_command", run("ls\nwc x")).await.unwrap());
        assert_eq!(lines.question, "May the coder run `ls ⏎ wc x`?");
        Arc::make_mut(&mut trial.ctx.state).spent.clarifications = 10;
        let said = refused(&trial, "run_command", run("ls")).await;
        assert!(said.contains("all 10 questions of this build are used up"), "{said}");
    }
}
