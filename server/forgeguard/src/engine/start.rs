//! Starting a build: what it is bound to is frozen here.

use domain::{
    budget::Budgets,
    contract::ContractType,
    event::life::{Executor, Queued},
    follow_up::{Follows, Requests},
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
        self.open_build(project, started_by, None).await
    }

    /// Queues a build, one that follows another or one by the phases contract.
    pub(super) async fn open_build(
        &self,
        project: &Project,
        started_by: UserId,
        task: Option<(Follows, Requests)>,
    ) -> Result<BuildId, EngineError> {
        self.level()?;
        let settings = ProjectSettings::read(&project.settings)?;
        let (follows, requests) = task.unzip();
        let gates = self.gates(project, &settings, follows.as_ref()).await?;
        let snapshot_batch: SnapshotId = store::new_id();
        let contract = self.freeze(project, snapshot_batch).await?;
        let phases = match &requests {
            Some(requests) => vec![requests.phase()],
            None => phases::parse(&contract.ok_or(EngineError::NoPhases)?)?,
        };
        let queued = Queued {
            origin: project.origin,
            snapshot_batch,
            executor: Executor::Builtin,
            budgets: Budgets::default(),
            started_by,
            phases,
            gates_detected: settings.gates.is_empty() && !gates.is_empty(),
            gates,
            permissions: settings.permissions,
            clarification_timeout_s: settings.clarification_timeout_s,
            waits: self.parts.waits.clone(),
            model: self.models(project.origin).shown().to_owned(),
            follows,
            requests,
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
    /// its repository suggests where the build begins.
    async fn gates(
        &self,
        project: &Project,
        settings: &ProjectSettings,
        follows: Option<&Follows>,
    ) -> Result<Vec<GateDefinition>, EngineError> {
        if !settings.gates.is_empty() || !settings.detect_gates {
            return Ok(settings.gates.clone());
        }
        let found = match follows {
            Some(follows) => {
                let sha = follows.head_sha.parse().map_err(git::GitError::from)?;
                self.detect_gates_at(project, sha).await?
            }
            None => self.detect_gates(project).await?,
        };
        Ok(found.gates.into_iter().map(|found| found.gate).collect())
    }

    /// Freezes the project's contracts and gives the text of its phases, if it has any.
    async fn freeze(
        &self,
        project: &Project,
        batch: SnapshotId,
    ) -> Result<Option<String>, EngineError> {
        let mut tx = self.db().write().await?;
        store::contracts::freeze(&mut tx, batch, project.id, store::now()).await?;
        let phases = store::contracts::frozen(&mut tx, batch, ContractType::Phases).await?;
        tx.commit().await?;
        Ok(phases.map(|phases| phases.content))
    }

    async fn unfinished(&self, project: &Project) -> Result<Option<BuildId>, EngineError> {
        let mut conn = self.db().read().await?;
        let newest = store::builds::list(&mut conn, project.id, None, 1).await?;
        Ok(newest.first().map(|build| build.id))
    }
}
