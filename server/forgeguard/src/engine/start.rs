//! Starting a build: what it is bound to is frozen here.

use domain::{
    budget::Budgets,
    contract::ContractType,
    event::life::{Executor, Queued},
    gate::GateDefinition,
    ids::{BuildId, SnapshotId, UserId},
    phases,
};

use super::{error::EngineError, handle::Engine, settings::ProjectSettings};
use crate::{
    journal::{AppendError, NewBuild},
    store::{self, projects::Project},
};

impl Engine {
    /// Queues a build of a project: freezes its contracts and settings. Refused while another
    /// build of the project is unfinished.
    pub async fn start_build(
        &self,
        project: &Project,
        started_by: UserId,
    ) -> Result<BuildId, EngineError> {
        self.level()?;
        let settings = ProjectSettings::read(&project.settings)?;
        let gates = self.gates(project, &settings).await?;
        let snapshot_batch: SnapshotId = store::new_id();
        let phases = self.freeze(project, snapshot_batch).await?;
        let queued = Queued {
            origin: project.origin,
            snapshot_batch,
            executor: Executor::Builtin,
            budgets: Budgets::default(),
            started_by,
            phases: phases::parse(&phases)?,
            gates_detected: settings.gates.is_empty() && !gates.is_empty(),
            gates,
            permissions: settings.permissions,
            clarification_timeout_s: settings.clarification_timeout_s,
            waits: self.parts.waits.clone(),
            model: self.models(project.origin).shown().to_owned(),
        };
        let build = NewBuild { id: store::new_id(), project_id: project.id };
        let id = build.id;
        match self.journal().open(build, queued).await {
            Ok(_) => {
                self.wake.notify_one();
                Ok(id)
            }
            Err(AppendError::UnfinishedBuild) => {
                Err(EngineError::UnfinishedBuild(self.unfinished(project).await?))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The project's own gates; where it has none and did not say that it wants none, those that
    /// its repository suggests.
    async fn gates(
        &self,
        project: &Project,
        settings: &ProjectSettings,
    ) -> Result<Vec<GateDefinition>, EngineError> {
        if !settings.gates.is_empty() || !settings.detect_gates {
            return Ok(settings.gates.clone());
        }
        let found = self.detect_gates(project).await?;
        Ok(found.gates.into_iter().map(|found| found.gate).collect())
    }

    /// Freezes the project's contracts and gives the text of its phases.
    async fn freeze(&self, project: &Project, batch: SnapshotId) -> Result<String, EngineError> {
        let mut tx = self.db().write().await?;
        store::contracts::freeze(&mut tx, batch, project.id, store::now()).await?;
        let phases = store::contracts::frozen(&mut tx, batch, ContractType::Phases).await?;
        let phases = phases.ok_or(EngineError::NoPhases)?;
        tx.commit().await?;
        Ok(phases.content)
    }

    async fn unfinished(&self, project: &Project) -> Result<Option<BuildId>, EngineError> {
        let mut conn = self.db().read().await?;
        let newest = store::builds::list(&mut conn, project.id, None, 1).await?;
        Ok(newest.first().map(|build| build.id))
    }
}
