//! What a model shall write: asking for contracts, stopping it, and going on with it.

use std::collections::BTreeMap;

use domain::{
    contract::ContractType,
    generation::{DraftStatus, GenerationKind},
    ids::{GenerationId, ProjectId, UserId},
    questionnaire::Questionnaire,
};
use tokio::sync::watch;

use super::{error::EngineError, handle::Engine, questionnaires as asked};
use crate::{
    contracts::{brief::Brief, writing::Material},
    store::{
        self, Conn, contracts, generation_drafts,
        generations::{self, Generation},
        interview_runs,
        projects::Project,
    },
};

/// The conversation that has not begun, as it is stored.
pub(super) const NO_WORDS: &str = "[]";

/// Which contracts shall be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Those that the project does not have.
    Missing,
    /// This one anew.
    Again(ContractType),
    /// This one and all after it anew.
    AgainFrom(ContractType),
}

impl Engine {
    /// Queues the writing of contracts. Refused while others of the project are being written, and
    /// while answers are missing that must be there.
    pub async fn start_generation(
        &self,
        project: &Project,
        wanted: Wanted,
        started_by: UserId,
    ) -> Result<GenerationId, EngineError> {
        let mut tx = self.db().write().await?;
        let material = material(&mut tx, project).await?;
        let missing = material.brief.answers.progress(material.brief.size).missing;
        if !missing.is_empty() {
            return Err(EngineError::Unanswered(missing));
        }
        let kinds: Vec<ContractType> = match wanted {
            Wanted::Again(kind) => vec![kind],
            Wanted::AgainFrom(kind) => kind.from_here().collect(),
            Wanted::Missing => {
                let is_missing = |kind: &ContractType| !material.texts.contains_key(kind);
                ContractType::ALL.into_iter().filter(is_missing).collect()
            }
        };
        if kinds.is_empty() {
            return Err(EngineError::NothingToWrite);
        }
        let (id, now) = (store::new_id(), store::now());
        let kind = GenerationKind::Contracts;
        generations::insert(&mut tx, id, project.id, kind, started_by, now)
            .await
            .map_err(EngineError::unfinished(kind))?;
        for (position, kind) in (0..).zip(kinds) {
            generation_drafts::insert(&mut tx, id, position, kind).await?;
        }
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        Ok(id)
    }

    /// Asks a generation to stop. What it has written stays. Nothing happens to one that has ended.
    pub async fn cancel_generation(&self, id: GenerationId) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        generations::request_cancel(&mut tx, id, store::now()).await?;
        tx.commit().await?;
        self.generations.send_replace(());
        Ok(())
    }

    /// Goes on with a generation that failed or was cancelled: at its first unwritten contract, or
    /// with what the person said last.
    pub async fn resume_generation(&self, generation: &Generation) -> Result<(), EngineError> {
        let Generation { id, kind, .. } = *generation;
        let mut tx = self.db().write().await?;
        let resumed = generations::resume(&mut tx, id, store::now()).await;
        if !resumed.map_err(EngineError::unfinished(kind))? {
            return Err(EngineError::Ended);
        }
        if let Some(mut run) = interview_runs::get(&mut tx, id).await? {
            // The form may have changed since it was shown: another conversation begins.
            run.turn = 0;
            run.conversation = None;
            interview_runs::update(&mut tx, id, &run).await?;
        }
        for mut draft in generation_drafts::list(&mut tx, id).await? {
            if draft.status == DraftStatus::Failed {
                // Its turns are used up: another conversation begins.
                draft.status = DraftStatus::Waiting;
                draft.attempt += 1;
                draft.turn = 0;
                generation_drafts::update(&mut tx, id, &draft, NO_WORDS).await?;
            }
        }
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        self.generations.send_replace(());
        Ok(())
    }

    /// Changes whenever a generation on this node has gone on.
    pub fn follow_generations(&self) -> watch::Receiver<()> {
        self.generations.subscribe()
    }
}

/// What the contracts of a project are written from, as it stands now.
pub(super) async fn material(conn: &mut Conn, project: &Project) -> Result<Material, EngineError> {
    let brief = brief(conn, project).await?;
    Ok(Material { brief, texts: texts(conn, project.id).await? })
}

async fn brief(conn: &mut Conn, project: &Project) -> Result<Brief, EngineError> {
    let (Questionnaire { size, answers }, _) = asked::read(conn, project.id).await?;
    Ok(Brief { name: project.name.clone(), size, answers })
}

async fn texts(
    conn: &mut Conn,
    project: ProjectId,
) -> store::Result<BTreeMap<ContractType, String>> {
    let rows = contracts::list_current(conn, project).await?;
    Ok(rows.into_iter().map(|row| (row.kind, row.content)).collect())
}
