//! `forge_ask_clarification`: asks the user a question and waits for the answer.

use async_trait::async_trait;
use domain::{event::questions::ClarificationKind, state::BuildState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    asking::{self, Asker, Question},
    context::ToolContext,
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};
const MAX_QUESTION: usize = 200;
const MAX_CONTEXT: usize = 300;
const MAX_OPTION: usize = 100;

pub struct ForgeAskClarification;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// At most 200 characters.
    question: String,
    /// Why you ask, at most 300 characters.
    #[serde(default)]
    context: Option<String>,
    /// 2 to 4 short choices, or none for free text.
    #[serde(default)]
    options: Option<Vec<String>>,
    /// Several options may be chosen.
    #[serde(default)]
    multiple: bool,
}

#[async_trait]
impl Tool for ForgeAskClarification {
    fn name(&self) -> ToolName {
        ToolName::ForgeAskClarification
    }

    fn description(&self) -> &'static str {
        "Asks the user a question and waits for the answer."
    }

    fn effect(&self) -> Effect {
        Effect::External
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        ask(&Asker::of(ctx), input).await
    }
}

/// Asks, or returns the answer of a call that has asked.
///
/// # Errors
/// [`ToolError::ForModel`] for an invalid question, [`ToolError::Fatal`] if the database fails.
pub async fn ask(asker: &Asker<'_>, input: Value) -> Result<ToolReply, ToolError> {
    let params = checked(input::read(input)?)?;
    let all = asking::asked(asker).await?;
    if let Some(asked) = asking::by_this_call(asker, &all) {
        return Ok(match asking::settled(&asked.status) {
            Some(how) => {
                let (answer, multiple) = (asked.answer.as_deref(), asked.multiple);
                ToolReply::done(BuildState::answer_text(how, answer, multiple))
            }
            None => ToolReply::Waiting,
        });
    }
    if let Some(asked) = asking::answered_before(&all, &params.question) {
        let answer = asked.shown_answer().unwrap_or_default();
        return Ok(ToolReply::done(format!("The user has answered that already: {answer}")));
    }
    if let Some(limit) = asking::exhausted_limit(asker, ClarificationKind::Question) {
        return Ok(asking::used_up(limit));
    }
    let Params { question, context, options, multiple } = params;
    let options = options.unwrap_or_default();
    let question = Question { question, context, options, multiple };
    Ok(asking::ask(asker, ClarificationKind::Question, question))
}

fn checked(params: Params) -> Result<Params, ToolError> {
    let refuse = |reason: String| Err(ToolError::ForModel(reason));
    let trimmed = |text: String| text.trim().to_owned();
    // Answers have one line for each choice.
    let on_one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let question = trimmed(params.question);
    let context = params.context.map(trimmed).filter(|context| !context.is_empty());
    let options =
        params.options.map(|options| options.into_iter().map(on_one_line).collect::<Vec<_>>());
    let options = options.filter(|options| !options.is_empty());
    if !(1..=MAX_QUESTION).contains(&question.chars().count()) {
        return refuse(format!("`question` must have 1 to {MAX_QUESTION} characters."));
    }
    if context.as_ref().is_some_and(|context| context.chars().count() > MAX_CONTEXT) {
        return refuse(format!("`context` can have at most {MAX_CONTEXT} characters."));
    }
    if let Some(options) = &options {
        if !(2..=4).contains(&options.len()) {
            return refuse("`options` must be 2 to 4 choices, or left out.".into());
        }
        let fits = |option: &String| (1..=MAX_OPTION).contains(&option.chars().count());
        if !options.iter().all(fits) {
            return refuse(format!("Each of `options` must have 1 to {MAX_OPTION} characters."));
        }
        if (1..options.len()).any(|place| options[..place].contains(&options[place])) {
            return refuse("`options` must differ from each other.".into());
        }
    }
    if params.multiple && options.is_none() {
        return refuse("`multiple` needs `options`.".into());
    }
    Ok(Params { question, context, options, multiple: params.multiple })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{self, clarifications},
        tools::fixture::Fixture,
    };
    use domain::event::questions::ResolvedHow;
    use serde_json::json;
    use std::sync::Arc;

    fn question() -> Value {
        json!({"question": " How long is a loan? ", "context": "", "options": ["14 days", "30 days"]})
    }

    #[tokio::test]
    async fn valid_question_is_asked() {
        let fixture = Fixture::new().await;
        let reply = fixture.call(&ForgeAskClarification, question()).await.unwrap();
        let ToolReply::Ask(request) = reply else { panic!("{reply:?}") };
        assert_eq!(request.question, "How long is a loan?");
        assert_eq!((request.context, request.options.len()), (None, 2));
        assert_eq!(
            (request.run_id, request.call_id),
            (fixture.ctx.run_id, fixture.ctx.call_id.clone())
        );
        assert!(request.expires_at.is_some());
    }

    #[tokio::test]
    async fn error_names_the_field() {
        let fixture = Fixture::new().await;
        let with = |field: &str, value: Value| {
            let mut input = question();
            input[field] = value;
            input
        };
        for (input, field) in [
            (with("question", json!("x".repeat(201))), "`question`"),
            (with("question", json!("  ")), "`question`"),
            (with("context", json!("x".repeat(301))), "`context`"),
            (with("options", json!(["one"])), "`options`"),
            (with("options", json!(["1", "2", "3", "4", "5"])), "`options`"),
            (with("options", json!(["same", "same"])), "`options`"),
            (with("options", json!(["", "b"])), "`options`"),
            (json!({"question": "Which?", "multiple": true}), "`multiple`"),
        ] {
            let said = fixture.refused(&ForgeAskClarification, input).await;
            assert!(said.contains(field), "{said}");
        }
    }

    #[tokio::test]
    async fn question_over_the_limit_is_left_to_the_agent() {
        let mut fixture = Fixture::new().await;
        Arc::make_mut(&mut fixture.ctx.state).spent.clarifications = 10;
        let said = fixture.refused(&ForgeAskClarification, question()).await;
        assert!(said.contains("decide yourself"), "{said}");
    }

    #[tokio::test]
    async fn repeated_call_returns_the_answer() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        let ToolReply::Ask(asked) = fixture.call(&ForgeAskClarification, question()).await.unwrap()
        else {
            panic!("not asked")
        };
        fixture.question_row(&asked).await;
        let waiting = fixture.call(&ForgeAskClarification, question()).await.unwrap();
        assert_eq!(waiting, ToolReply::Waiting);
        let mut tx = fixture.ctx.db.write().await.unwrap();
        let resolution = clarifications::Resolution {
            how: ResolvedHow::Answered,
            answer: Some("30 days"),
            answered_by: None,
            resolved_at: store::now(),
            resolved_seq: None,
        };
        clarifications::resolve(&mut tx, asked.question_id, &resolution).await.unwrap();
        tx.commit().await.unwrap();
        let answer = fixture.ok(&ForgeAskClarification, question()).await;
        assert_eq!(answer, "The user answered: 30 days");

        let mut later = fixture;
        later.ctx.call_id = "call-2".into();
        let again = json!({ "question": "how long is a loan" });
        let answer = later.ok(&ForgeAskClarification, again).await;
        assert_eq!(answer, "The user has answered that already: 30 days");
        let other = json!({ "question": "How long is a reservation?" });
        let reply = later.call(&ForgeAskClarification, other).await.unwrap();
        assert!(matches!(reply, ToolReply::Ask(_)), "{reply:?}");
    }
}
