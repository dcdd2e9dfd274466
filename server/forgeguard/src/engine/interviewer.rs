//! Runs interviews: the user's messages become answers of the questionnaire, turn by turn, and the
//! model asks for what is missing.

use domain::{generation::GenerationStatus, ids::ProjectId, interview::Author};
use llm::Reply;

use super::{
    error::EngineError,
    generation_run::{GenerationRun, Outcome, count_usage},
    models::Model,
    questionnaires as asked,
};
use crate::{
    contracts::interview::{Interview, Next, ReplyOutcome},
    store::{
        self, Conn, Tx, generations,
        interview_runs::{self, InterviewRun},
        interviews, questionnaires,
    },
};

/// Answers the user's last message.
pub(super) async fn answer(held: &GenerationRun) -> Result<(), EngineError> {
    let (project, model) = held.begin().await?;
    held.settle(talk(held, project.id, &model).await?).await
}

/// Continues the conversation.
async fn talk(
    held: &GenerationRun,
    project: ProjectId,
    model: &Model,
) -> Result<Outcome, EngineError> {
    let mut conn = held.engine.db().read().await?;
    let run = interview_runs::get(&mut conn, held.lease.id).await?;
    let mut run = run.ok_or(EngineError::NotFound("interview"))?;
    let interview = match &run.conversation {
        Some(stored) => Some(serde_json::from_str(stored).map_err(EngineError::Conversation)?),
        None => begin(&mut conn, project).await?,
    };
    drop(conn);
    let Some(mut interview) = interview else {
        held.finish(GenerationStatus::Done, None).await?;
        return Ok(Outcome::Written);
    };
    loop {
        let request = interview.request(&model.name)?;
        let reply = match held.ask(model, &request).await {
            None => return Ok(Outcome::Interrupted),
            Some(Err(why)) => return Ok(why.into()),
            Some(Ok(reply)) => reply,
        };
        count_usage(&mut run, reply.usage, model);
        let Some(mut tx) = held.transaction().await? else { return Ok(Outcome::Interrupted) };
        generations::reset_failures(&mut tx, &held.lease).await?;
        let next = hear(&mut tx, project, &mut interview, reply, &mut run).await?;
        run.turn = interview.turns();
        run.conversation = match next {
            Next::Ask => {
                Some(serde_json::to_string(&interview).map_err(EngineError::Conversation)?)
            }
            Next::Say(_) | Next::GiveUp(_) => None,
        };
        interview_runs::update(&mut tx, held.lease.id, &run).await?;
        if let Next::Say(text) = &next {
            let (now, done) = (store::now(), GenerationStatus::Done);
            interviews::append(&mut tx, project, Author::Model, text, now).await?;
            generations::finish(&mut tx, &held.lease, done, None, now).await?;
        }
        held.keep(tx).await?;
        match next {
            Next::Ask => {}
            Next::Say(_) => return Ok(Outcome::Written),
            Next::GiveUp(why) => return Ok(Outcome::Failed(why)),
        }
    }
}

/// A conversation about all messages. `None` if the last message is the model's.
async fn begin(conn: &mut Conn, project: ProjectId) -> Result<Option<Interview>, EngineError> {
    let messages = interviews::list(conn, project).await?;
    let said: Vec<ReplyOutcome> = messages
        .into_iter()
        .map(|message| ReplyOutcome { author: message.author, text: message.text })
        .collect();
    let (form, _) = asked::read(conn, project).await?;
    Ok(Interview::begin(&said, &form))
}

/// Processes a reply. Proposed answers are merged into the current ones, which are read again if they
/// are changed concurrently.
async fn hear(
    tx: &mut Tx,
    project: ProjectId,
    interview: &mut Interview,
    reply: Reply,
    run: &mut InterviewRun,
) -> Result<Next, EngineError> {
    loop {
        let (before, version) = asked::read(tx, project).await?;
        let (mut form, mut heard) = (before.clone(), interview.clone());
        let next = heard.handle_reply(reply.clone(), &mut form);
        if form != before {
            let answers = serde_json::to_string(&form.answers).map_err(EngineError::Answers)?;
            let now = store::now();
            let written =
                questionnaires::put(tx, project, form.size, &answers, version, now).await?;
            let Some(written) = written else { continue };
            run.version = Some(written.version);
        }
        *interview = heard;
        return Ok(next);
    }
}
