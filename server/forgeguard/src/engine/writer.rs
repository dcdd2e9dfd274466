//! Writes the contracts of a generation, one after another, turn by turn. Each turn is stored before
//! the next one is requested.

use domain::{
    contract::{ContractType, VersionSource},
    generation::{DraftStatus, GenerationStatus},
    ids::ProjectId,
};
use llm::{ModelError, OFFLINE, Reply, Request};

use super::{
    error::EngineError,
    generation_run::{GenerationRun, Outcome},
    generations::EMPTY_CONVERSATION,
    models::Model,
};
use crate::{
    contracts::{
        draft::draft as draft_from_answers,
        writing::{Conversation, Material, Next, fits, pasted_tokens},
    },
    store::{
        self, Tx,
        contracts::{self, NewContract},
        generation_drafts::{self, Draft},
        generations,
    },
};

/// Writes the contracts that are not written yet.
pub(super) async fn write(held: &GenerationRun) -> Result<(), EngineError> {
    let (project, model) = held.begin().await?;
    let mut conn = held.engine.db().read().await?;
    let drafts = generation_drafts::list(&mut conn, held.lease.id).await?;
    drop(conn);
    for mut draft in drafts {
        if draft.status == DraftStatus::Written {
            continue;
        }
        let note = held.generation.note.as_deref();
        let material = held.engine.material(&project, note).await?;
        let why = match write_one(held, &mut draft, &material, &model).await? {
            Outcome::Written => continue,
            Outcome::Interrupted => return held.interrupted().await,
            Outcome::Failed(why) => why,
            Outcome::Later(why) => match held.later(&why).await? {
                None => return Ok(()),
                Some(why) => why,
            },
        };
        draft.status = DraftStatus::Failed;
        record(held, &mut draft, EMPTY_CONVERSATION, None).await?;
        return held.finish(GenerationStatus::Failed, Some(&why)).await;
    }
    held.finish(GenerationStatus::Done, None).await
}

/// Writes one contract, continuing its conversation.
async fn write_one(
    held: &GenerationRun,
    draft: &mut Draft,
    material: &Material,
    model: &Model,
) -> Result<Outcome, EngineError> {
    let mut conn = held.engine.db().read().await?;
    let stored = generation_drafts::conversation(&mut conn, held.lease.id, draft.position).await?;
    drop(conn);
    let stored = stored.unwrap_or_else(|| EMPTY_CONVERSATION.to_owned());
    let messages: Vec<llm::Message> =
        serde_json::from_str(&stored).map_err(EngineError::Conversation)?;
    let mut talk = match messages.is_empty() {
        true => Conversation::begin(draft.kind, material),
        false => Conversation::resume(draft.kind, messages),
    };
    draft.status = DraftStatus::Writing;
    if !record(held, draft, &stored, None).await? {
        return Ok(Outcome::Interrupted);
    }
    loop {
        let request = talk.request(&model.name, draft.attempt, material)?;
        let reply = match held.ask(model, &request).await {
            None => return Ok(Outcome::Interrupted),
            Some(Err(ModelError::NoScenario { .. }))
                if model.provider.name() == OFFLINE && talk.turns() == 0 =>
            {
                return without_model(held, draft, material).await;
            }
            Some(Err(why)) => return Ok(why.into()),
            Some(Ok(reply)) => reply,
        };
        count(draft, &request, &reply, model);
        let heard = talk.handle_reply(reply, material);
        draft.turn = talk.turns();
        draft.tool = heard.tool;
        if heard.submissions > 0 {
            let each = pasted_tokens(draft.kind, material)?;
            draft.pasted_tokens += each * u64::from(heard.submissions);
        }
        if let Some(refusal) = heard.refusal {
            draft.refusals += 1;
            draft.refusal = Some(refusal);
        }
        let said = serde_json::to_string(talk.messages()).map_err(EngineError::Conversation)?;
        let accepted = match &heard.next {
            Next::Accept(text) => Some((text.as_str(), VersionSource::Generated)),
            Next::Ask | Next::GiveUp(_) => None,
        };
        if !record(held, draft, &said, accepted).await? {
            return Ok(Outcome::Interrupted);
        }
        match heard.next {
            Next::Ask => {}
            Next::Accept(_) => return Ok(Outcome::Written),
            Next::GiveUp(why) => return Ok(Outcome::Failed(why)),
        }
    }
}

/// Without a model, a template quotes the answers and leaves gaps.
async fn without_model(
    held: &GenerationRun,
    draft: &mut Draft,
    material: &Material,
) -> Result<Outcome, EngineError> {
    let (kind, brief) = (draft.kind, material.brief.clone());
    let text = held.engine.blocking(move || Ok(draft_from_answers(kind, &brief))).await??;
    if let Err(why) = fits(kind, &text, material) {
        let why = format!("The draft of the {kind} contract is invalid: {why}.");
        return Ok(Outcome::Failed(why));
    }
    let accepted = Some((text.as_str(), VersionSource::Draft));
    Ok(match record(held, draft, EMPTY_CONVERSATION, accepted).await? {
        true => Outcome::Written,
        false => Outcome::Interrupted,
    })
}

/// Stores the progress of a contract, with its version once it is written. False if the lease is
/// lost; then nothing is stored.
async fn record(
    held: &GenerationRun,
    draft: &mut Draft,
    said: &str,
    accepted: Option<(&str, VersionSource)>,
) -> Result<bool, EngineError> {
    let Some(mut tx) = held.transaction().await? else { return Ok(false) };
    if draft.turn > 0 {
        generations::reset_failures(&mut tx, &held.lease).await?;
    }
    if let Some((text, source)) = accepted {
        let project_id = held.generation.project_id;
        let version = insert_version(&mut tx, project_id, draft.kind, text, source).await?;
        draft.status = DraftStatus::Written;
        draft.version = Some(version);
        draft.source = Some(source);
    }
    let said = if accepted.is_some() { EMPTY_CONVERSATION } else { said };
    generation_drafts::update(&mut tx, held.lease.id, draft, said).await?;
    held.keep(tx).await?;
    Ok(true)
}

async fn insert_version(
    tx: &mut Tx,
    project_id: ProjectId,
    kind: ContractType,
    content: &str,
    source: VersionSource,
) -> store::Result<u32> {
    let next = NewContract {
        id: store::new_id(),
        project_id,
        kind,
        format: kind.format(),
        content,
        source,
        author_id: None,
        created_at: store::now(),
    };
    Ok(contracts::insert(tx, &next).await?.version)
}

fn count(draft: &mut Draft, request: &Request, reply: &Reply, model: &Model) {
    let usage = reply.usage;
    draft.tokens_in += usage.input;
    draft.tokens_out += usage.output;
    draft.cache_read += usage.cache_read;
    draft.cache_write += usage.cache_write;
    draft.sent_tokens += request.estimated_tokens();
    if let Some(price) = model.price {
        let cost = draft.cost_usd_micros.unwrap_or(0) + price.cost_usd_micros(usage);
        draft.cost_usd_micros = Some(cost);
    }
}
