//! Starts builds.

use domain::{
    budget_limits::BudgetLimits,
    contract::ContractType,
    event::life::{Executor, Queued},
    follow_up::{Follows, Requests},
    gate::{GateDefinition, GateDetection},
    ids::{BuildId, SnapshotId, UserId},
    phases,
    requirements::{self, Requirement},
    test_checks::TestChecks,
};

use super::{
    error::EngineError,
    handle::Engine,
    readiness::{check_gaps, check_models, check_requirements},
    settings::ProjectSettings,
};
use crate::{
    journal::{AppendError, NewBuild},
    store::{self, contracts::Contract, projects::Project},
};

impl Engine {
    /// Queues a build of a project within these limits, with its contracts and settings frozen.
    /// Rejected if a prerequisite is missing, or another build of the project is unfinished.
    pub async fn start_build(
        &self,
        project: &Project,
        started_by: UserId,
        limits: &BudgetLimits,
    ) -> Result<BuildId, EngineError> {
        self.open_build(project, started_by, limits, None).await
    }

    /// Queues a build: a follow-up, or a build of the phases contract.
    pub(super) async fn open_build(
        &self,
        project: &Project,
        started_by: UserId,
        limits: &BudgetLimits,
        task: Option<(Follows, Requests)>,
    ) -> Result<BuildId, EngineError> {
        self.level()?;
        let settings = ProjectSettings::read(&project.settings)?;
        let budgets = self.budgets(&settings, limits).await?;
        let models = self.models(project.origin).await?;
        check_models(&models, &budgets)?;
        let (follows, requests) = task.unzip();
        let (gates, detection) = self.gates(project, &settings, follows.as_ref()).await?;
        let snapshot_batch: SnapshotId = store::new_id();
        let frozen = self.freeze(project, snapshot_batch).await?;
        let contract = frozen.iter().find(|contract| contract.kind == ContractType::Phases);
        let phases = match &requests {
            Some(requests) => vec![requests.phase()],
            None => phases::parse(&contract.ok_or(EngineError::NoPhases)?.content)?,
        };
        let mut requirements = Vec::new();
        if requests.is_none() {
            check_requirements(&frozen)?;
            requirements = requirements_of(&frozen);
        }
        let queued = Queued {
            origin: project.origin,
            snapshot_batch,
            executor: Executor::Builtin,
            budgets,
            started_by,
            phases,
            requirements,
            gates_detected: settings.gates.is_empty() && !gates.is_empty(),
            gates,
            detection: detection.map(Box::new),
            preflight: true,
            permissions: settings.permissions,
            clarification_timeout_s: settings.clarification_timeout_s,
            test_checks: TestChecks {
                red_check: settings.red_check,
                mutation_sample: settings.mutation_sample,
            },
            waits: self.parts.waits.clone(),
            model: models.shown().to_owned(),
            follows: follows.map(Box::new),
            requests,
            contracts: Some(frozen.iter().map(Contract::pinned).collect()),
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

    /// The project's own gates, or those suggested by its repository at the baseline if it has none and
    /// permits that.
    async fn gates(
        &self,
        project: &Project,
        settings: &ProjectSettings,
        follows: Option<&Follows>,
    ) -> Result<(Vec<GateDefinition>, Option<GateDetection>), EngineError> {
        if !settings.gates.is_empty() || !settings.detect_gates {
            return Ok((settings.gates.clone(), None));
        }
        let found = match follows {
            Some(follows) => {
                let sha = follows.head_sha.parse().map_err(git::GitError::from)?;
                self.detect_gates_at(project, sha).await?
            }
            None => self.detect_gates(project).await?,
        };
        let gates: Vec<GateDefinition> = found.gates.into_iter().map(|found| found.gate).collect();
        let names = gates.iter().map(|gate| gate.name.clone());
        let names = names.filter(|name| found.answered.as_ref() != Some(name)).collect();
        Ok((gates, Some(GateDetection { names })))
    }

    /// Creates the snapshot of the project's contracts, which must have no gaps.
    async fn freeze(
        &self,
        project: &Project,
        batch: SnapshotId,
    ) -> Result<Vec<Contract>, EngineError> {
        let mut tx = self.db().write().await?;
        store::contracts::freeze(&mut tx, batch, project.id, store::now()).await?;
        let mut frozen = store::contracts::list_frozen(&mut tx, batch).await?;
        frozen.sort_by_key(|contract| contract.kind);
        check_gaps(&frozen)?;
        tx.commit().await?;
        Ok(frozen)
    }

    async fn unfinished(&self, project: &Project) -> Result<Option<BuildId>, EngineError> {
        let mut conn = self.db().read().await?;
        let newest = store::builds::list(&mut conn, project.id, None, 1).await?;
        Ok(newest.first().map(|build| build.id))
    }
}

fn requirements_of(frozen: &[Contract]) -> Vec<Requirement> {
    let blueprint = frozen.iter().find(|contract| contract.kind == ContractType::Blueprint);
    let read = blueprint.and_then(|blueprint| requirements::parse(&blueprint.content));
    read.map_or(Vec::new(), |read| read.items)
}
