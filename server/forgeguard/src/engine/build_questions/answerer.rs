//! Answers a question about a build, turn by turn. Each turn is stored before the next one is
//! requested, so that another worker can continue.

use domain::{build_question::Reference, generation::GenerationStatus};
use llm::ToolCall;

use super::{
    calls::{self, Call, SubmitAnswer},
    conversation::{CallResult, Conversation, Next, shortened},
    record::Record,
    references,
};
use crate::{
    engine::{
        error::EngineError,
        generation_run::{GenerationRun, Outcome, count_usage},
        models::Model,
    },
    store::{self, build_questions, builds, generations, interview_runs, projects::Project},
};

struct Answer {
    text: String,
    references: Vec<Reference>,
}

pub(in crate::engine) async fn answer(held: &GenerationRun) -> Result<(), EngineError> {
    let (project, model) = held.begin().await?;
    held.settle(talk(held, project, &model).await?).await
}

/// Continues the conversation.
async fn talk(
    held: &GenerationRun,
    project: Project,
    model: &Model,
) -> Result<Outcome, EngineError> {
    let id = held.lease.id;
    let mut conn = held.engine.db().read().await?;
    let run = interview_runs::get(&mut conn, id).await?;
    let question = build_questions::get(&mut conn, id).await?;
    let (Some(mut run), Some(question)) = (run, question) else {
        return Err(EngineError::NotFound("question"));
    };
    let build = builds::get(&mut conn, question.build_id).await?;
    drop(conn);
    let build = build.ok_or(EngineError::NotFound("build"))?;
    let record = Record::open(&held.engine, build, project).await?;
    let mut talk = match &run.conversation {
        Some(stored) => serde_json::from_str(stored).map_err(EngineError::Conversation)?,
        None => Conversation::begin(&record.facts(), &question.question),
    };
    loop {
        let request = talk.request(&model.name)?;
        let reply = match held.ask(model, &request).await {
            None => return Ok(Outcome::Interrupted),
            Some(Err(why)) => return Ok(why.into()),
            Some(Ok(reply)) => reply,
        };
        count_usage(&mut run, reply.usage, model);
        let (mut answer, mut next) = (None, talk.handle_reply(reply));
        if let Next::Run { calls, is_last } = next {
            let results;
            (answer, results) = run_calls(&record, calls, is_last).await?;
            next = talk.add_results(results, is_last);
        } else if let Next::Answer(text) = next {
            answer = Some(Answer { text, references: Vec::new() });
            next = Next::Ask;
        }
        let Some(mut tx) = held.transaction().await? else { return Ok(Outcome::Interrupted) };
        generations::reset_failures(&mut tx, &held.lease).await?;
        run.turn = talk.turns();
        let stays = answer.is_none() && next == Next::Ask;
        run.conversation = match stays {
            true => Some(serde_json::to_string(&talk).map_err(EngineError::Conversation)?),
            false => None,
        };
        interview_runs::update(&mut tx, id, &run).await?;
        if let Some(Answer { text, references }) = &answer {
            let references = serde_json::to_string(references).map_err(EngineError::Answers)?;
            build_questions::set_answer(&mut tx, id, text, &references).await?;
            let (now, done) = (store::now(), GenerationStatus::Done);
            generations::finish(&mut tx, &held.lease, done, None, now).await?;
        }
        held.keep(tx).await?;
        match next {
            _ if answer.is_some() => return Ok(Outcome::Written),
            Next::GiveUp(why) => return Ok(Outcome::Failed(why)),
            Next::Ask | Next::Run { .. } | Next::Answer(_) => {}
        }
    }
}

/// Runs calls until one submits an answer. On the last turn an answer loses its wrong references
/// instead of being rejected.
async fn run_calls(
    record: &Record,
    calls: Vec<ToolCall>,
    is_last: bool,
) -> Result<(Option<Answer>, Vec<(String, CallResult)>), EngineError> {
    let mut results = Vec::with_capacity(calls.len());
    for call in calls {
        let result = match calls::parse(&call) {
            Err(problem) => Err(problem),
            Ok(Call::Submit(submitted)) => match accept(record, submitted, is_last).await? {
                Ok(answer) => return Ok((Some(answer), results)),
                Err(problem) => Err(problem),
            },
            Ok(Call::Read(call)) => record.run(call).await?,
        };
        results.push((call.id, result));
    }
    Ok((None, results))
}

async fn accept(
    record: &Record,
    submitted: SubmitAnswer,
    is_last: bool,
) -> Result<Result<Answer, String>, EngineError> {
    let text = submitted.text.trim();
    if text.is_empty() {
        return Ok(Err("`text`: the answer is empty.".to_owned()));
    }
    let checked = references::check(record, submitted.references).await?;
    if checked.problems.is_empty() || is_last {
        let text = shortened(text).to_owned();
        return Ok(Ok(Answer { text, references: checked.valid }));
    }
    Ok(Err(format!(
        "Not submitted.\n{}\nCorrect these references, or leave them out.",
        checked.problems.join("\n")
    )))
}
