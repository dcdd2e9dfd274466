//! What people say about what should be built, which a model then answers.

use domain::{
    generation::GenerationKind,
    ids::{GenerationId, UserId},
    interview::Author,
};
use llm::OFFLINE;

use super::{error::EngineError, handle::Engine};
use crate::store::{self, generations, interview_runs, interviews, projects::Project};

impl Engine {
    /// Whether there is a model that answers.
    pub fn can_interview(&self, project: &Project) -> bool {
        self.models(project.origin).usual().provider.name() != OFFLINE
    }

    /// Adds what a person says, and queues the answer. Refused while the one before is not answered.
    pub async fn say(
        &self,
        project: &Project,
        text: &str,
        by: UserId,
    ) -> Result<GenerationId, EngineError> {
        if !self.can_interview(project) {
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
