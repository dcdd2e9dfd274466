//! Questions about builds, which a model answers from their records. Nothing here changes a build.
//!
//! - [`calls`]: the tools of the model
//! - [`branch_files`], [`record`], [`redacted`]: what the tools read, without secrets
//! - [`references`]: checks of an answer's references
//! - [`prompt`], [`conversation`]: the turns with the model
//! - [`answerer`]: runs a conversation

mod branch_files;
mod calls;
mod conversation;
mod prompt;
mod record;
mod redacted;
mod references;

pub(super) mod answerer;

use std::collections::BTreeMap;

use domain::{
    event::life::Origin,
    generation::GenerationKind,
    ids::{GenerationId, UserId},
};
use llm::OFFLINE;

use super::{error::EngineError, handle::Engine, models::Models};
use crate::store::{self, build_questions, builds::Build, generations, interview_runs};

impl Engine {
    /// The models that answer questions: those of the installation for all projects, because the
    /// demo's model can only play its build.
    pub(super) async fn question_models(&self) -> Result<Models, EngineError> {
        self.models(Origin::Questionnaire, &BTreeMap::new()).await
    }

    /// Why questions cannot be answered; `None` if they can.
    pub async fn question_obstacle(&self) -> Result<Option<EngineError>, EngineError> {
        match self.question_models().await {
            Ok(models) if models.usual().provider.name() != OFFLINE => Ok(None),
            Ok(_) => Ok(Some(EngineError::NoQuestionModel)),
            Err(error @ EngineError::ModelUnavailable(_)) => Ok(Some(error)),
            Err(error) => Err(error),
        }
    }

    /// Queues a question about a build. Its generation can be followed, cancelled and resumed.
    pub async fn ask_about_build(
        &self,
        build: &Build,
        question: &str,
        by: UserId,
    ) -> Result<GenerationId, EngineError> {
        if let Some(obstacle) = self.question_obstacle().await? {
            return Err(obstacle);
        }
        let (id, kind) = (store::new_id(), GenerationKind::BuildQuestion);
        let mut tx = self.db().write().await?;
        generations::insert(&mut tx, id, build.project_id, kind, by, store::now()).await?;
        interview_runs::insert(&mut tx, id).await?;
        build_questions::insert(&mut tx, id, build.id, question).await?;
        tx.commit().await?;
        self.wake_for(kind).notify_one();
        Ok(id)
    }
}
