//! Users' messages in interviews, which a model answers.

use std::collections::BTreeMap;

use domain::{
    generation::GenerationKind,
    ids::{GenerationId, UserId},
    interview::Author,
};
use llm::OFFLINE;

use super::{error::EngineError, handle::Engine};
use crate::store::{self, generations, interview_runs, interviews, projects::Project};

impl Engine {
    /// Whether a model is available.
    pub async fn can_interview(&self, project: &Project) -> Result<bool, EngineError> {
        match self.models(project.origin, &BTreeMap::new()).await {
            Ok(models) => Ok(models.usual().provider.name() != OFFLINE),
            Err(EngineError::ModelUnavailable(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Adds a user's message, and queues the answer. Rejected while the previous one is unanswered.
    pub async fn say(
        &self,
        project: &Project,
        text: &str,
        by: UserId,
    ) -> Result<GenerationId, EngineError> {
        if !self.can_interview(project).await? {
            return Err(EngineError::NoModel);
        }
        let (id, now) = (store::new_id(), store::now());
        let kind = GenerationKind::Answers;
        let mut tx = self.db().write().await?;
        generations::insert(&mut tx, id, project.id, kind, by, now)
            .await
            .map_err(EngineError::unfinished(kind))?;
        interview_runs::insert(&mut tx, id).await?;
        interviews::append(&mut tx, project.id, Author::Person, text, now).await?;
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        Ok(id)
    }
}
