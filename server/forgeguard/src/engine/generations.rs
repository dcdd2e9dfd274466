//! Commands for generations: start, cancel and resume.

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
    contracts::{self, brief::Brief, consistency, writing::Material},
    store::{
        self, Conn, contracts as rows, generation_drafts,
        generations::{self, Generation},
        interview_runs,
        projects::Project,
    },
};

/// A conversation without messages, as stored.
pub(super) const EMPTY_CONVERSATION: &str = "[]";

/// The contracts to be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All that the project does not have.
    Missing,
    /// This one.
    Again(ContractType),
    /// This one and all that follow it.
    AgainFrom(ContractType),
}

impl Engine {
    /// Queues a generation of contracts; `note` says what to change in existing ones. Rejected if
    /// another one of the project is unfinished, or required answers are missing.
    pub async fn start_generation(
        &self,
        project: &Project,
        wanted: Wanted,
        note: Option<&str>,
        started_by: UserId,
    ) -> Result<GenerationId, EngineError> {
        let mut tx = self.db().write().await?;
        let (brief, texts) = (brief(&mut tx, project).await?, texts(&mut tx, project.id).await?);
        let missing = brief.answers.progress(brief.size).missing;
        if !missing.is_empty() {
            return Err(EngineError::Unanswered(missing));
        }
        let kinds: Vec<ContractType> = match wanted {
            Wanted::Again(kind) => vec![kind],
            Wanted::AgainFrom(kind) => kind.from_here().collect(),
            Wanted::Missing => {
                let is_missing = |kind: &ContractType| !texts.contains_key(kind);
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
        generations::set_note(&mut tx, id, note).await?;
        for (position, kind) in (0..).zip(kinds) {
            generation_drafts::insert(&mut tx, id, position, kind).await?;
        }
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        Ok(id)
    }

    /// Cancels a generation. Written contracts are kept. Does nothing if it has ended.
    pub async fn cancel_generation(&self, id: GenerationId) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        generations::request_cancel(&mut tx, id, store::now()).await?;
        tx.commit().await?;
        self.generations.send_replace(());
        Ok(())
    }

    /// Resumes a generation that failed or was cancelled: with its first unwritten contract, or with
    /// the user's last message.
    pub async fn resume_generation(&self, generation: &Generation) -> Result<(), EngineError> {
        let Generation { id, kind, .. } = *generation;
        let mut tx = self.db().write().await?;
        let resumed = generations::resume(&mut tx, id, store::now()).await;
        if !resumed.map_err(EngineError::unfinished(kind))? {
            return Err(EngineError::Ended);
        }
        if let Some(mut run) = interview_runs::get(&mut tx, id).await? {
            // The answers may have changed since: start another conversation.
            run.turn = 0;
            run.conversation = None;
            interview_runs::update(&mut tx, id, &run).await?;
        }
        for mut draft in generation_drafts::list(&mut tx, id).await? {
            if draft.status == DraftStatus::Failed {
                // It has no turns left: start another conversation.
                draft.status = DraftStatus::Waiting;
                draft.attempt += 1;
                draft.turn = 0;
                generation_drafts::update(&mut tx, id, &draft, EMPTY_CONVERSATION).await?;
            }
        }
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        self.generations.send_replace(());
        Ok(())
    }

    /// The current input for writing contracts.
    pub(super) async fn material(
        &self,
        project: &Project,
        note: Option<&str>,
    ) -> Result<Material, EngineError> {
        let mut conn = self.db().read().await?;
        let brief = brief(&mut conn, project).await?;
        let texts = texts(&mut conn, project.id).await?;
        let set = contracts::of_project(&mut conn, project.id).await?;
        drop(conn);
        let findings = match texts.is_empty() {
            true => Vec::new(),
            false => self.blocking(move || Ok(consistency::check(&set))).await?,
        };
        Ok(Material { brief, texts, note: note.map(str::to_owned), findings })
    }

    /// Changes when a generation on this node has made progress.
    pub fn follow_generations(&self) -> watch::Receiver<()> {
        self.generations.subscribe()
    }
}

async fn brief(conn: &mut Conn, project: &Project) -> Result<Brief, EngineError> {
    let (Questionnaire { size, answers }, _) = asked::read(conn, project.id).await?;
    Ok(Brief { name: project.name.clone(), size, answers })
}

async fn texts(
    conn: &mut Conn,
    project: ProjectId,
) -> store::Result<BTreeMap<ContractType, String>> {
    let rows = rows::list_current(conn, project).await?;
    Ok(rows.into_iter().map(|row| (row.kind, row.content)).collect())
}
