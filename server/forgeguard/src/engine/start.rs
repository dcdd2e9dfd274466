//! Starts builds.

use chrono::{DateTime, Utc};
use domain::{
    budget_limits::BudgetLimits,
    contract::ContractType,
    estimate,
    event::life::{Exploration, PlanApproval, Queued},
    follow_up::{Follows, Requests},
    gate::{GateDefinition, GateDetection},
    ids::{BacklogItemId, BuildId, SnapshotId, UserId},
    phases,
    requirements::{self, Requirement},
    test_checks::TestChecks,
};

use super::{
    error::EngineError,
    handle::Engine,
    readiness::{build_limit, check_gaps, check_models, check_requirements, phases_from},
    settings::ProjectSettings,
    start_choices::{StartChoices, check_first_phase, check_phase_executors, pinned_contracts},
};
use crate::{
    journal::{AppendError, NewBuild},
    store::{self, contracts::Contract, projects::Project},
};

/// What a user chooses when starting a build; everything else follows from the project.
#[derive(Clone, Debug, Default)]
pub struct StartOptions {
    /// What the build should change, in one line.
    pub title: Option<String>,
    pub description: Option<String>,
    pub limits: BudgetLimits,
    pub exploration: Exploration,
    /// `None`: as the project's settings say.
    pub plan_approval: Option<PlanApproval>,
    /// Whether to start without fetching the project's remote repository.
    pub use_last_fetch: bool,
    pub choices: StartChoices,
}

/// What a build does, if it is not the phases contract.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildTask {
    /// The sealed build that it follows up on.
    pub(super) follows: Option<Follows>,
    pub(super) requests: Option<Requests>,
    /// The item of the backlog that it carries out.
    pub(super) backlog_item: Option<BacklogItemId>,
}

/// The contracts of a build.
struct Pinned {
    snapshot_batch: SnapshotId,
    contracts: Vec<Contract>,
    /// Of an earlier snapshot.
    pinned_at: Option<DateTime<Utc>>,
}

impl Engine {
    /// Queues a build of a project with these options, with its contracts and settings frozen.
    /// Rejected if a prerequisite is missing, or the project has as many unfinished builds as its settings
    /// permit.
    pub async fn start_build(
        &self,
        project: &Project,
        started_by: UserId,
        options: StartOptions,
    ) -> Result<BuildId, EngineError> {
        self.start_task(project, started_by, options, BuildTask::default()).await
    }

    /// The same for a build with another task.
    pub(super) async fn start_task(
        &self,
        project: &Project,
        started_by: UserId,
        options: StartOptions,
        task: BuildTask,
    ) -> Result<BuildId, EngineError> {
        self.check_own_models(project, &options.choices.models).await?;
        self.require_cost_limit(project, &options).await?;
        if !options.use_last_fetch {
            self.fetch_before_build(project).await?;
        }
        let fetched = store::projects::get(&mut self.db().read().await?, project.id).await?;
        let project = fetched.as_ref().unwrap_or(project);
        self.open_build(project, started_by, options, task).await
    }

    /// Queues a build: of the phases contract, unless the task requests something else.
    pub(super) async fn open_build(
        &self,
        project: &Project,
        started_by: UserId,
        options: StartOptions,
        task: BuildTask,
    ) -> Result<BuildId, EngineError> {
        if project.archived_at.is_some() {
            return Err(EngineError::Archived);
        }
        self.level()?;
        let settings = ProjectSettings::read(&project.settings)?;
        let budgets = self.limits(&settings, &options.limits).await?.or_default();
        let StartChoices {
            baseline_branch,
            first_phase,
            snapshot,
            models: own,
            executor,
            phase_executors,
        } = options.choices;
        let baseline_branch = baseline_branch.filter(|name| *name != project.default_branch);
        let first_phase = first_phase.filter(|first| first.number > 0);
        let models = self.models(project.origin, &own).await?;
        check_models(&models, &budgets)?;
        let executor = executor.unwrap_or(settings.executor);
        let of_phases = phase_executors.iter().map(|own| own.executor);
        for executor in std::iter::once(executor).chain(of_phases) {
            let obstacle = self.executor_obstacle(project.origin, executor, &settings, &models);
            if let Some(reason) = obstacle {
                return Err(EngineError::ExecutorUnavailable { executor, reason });
            }
        }
        let BuildTask { follows, requests, backlog_item } = task;
        let baseline = match (&follows, &baseline_branch) {
            (Some(follows), _) => Some(follows.head_sha.parse().map_err(git::GitError::from)?),
            (None, Some(branch)) => Some(self.baseline_sha(project, branch).await?),
            (None, None) => {
                let head = self.default_head(project).await?;
                let missing = || EngineError::NoBaselineBranch(project.default_branch.clone());
                head.ok_or_else(missing).map(|_| None)?
            }
        };
        let (gates, detection) = self.gates(project, &settings, baseline).await?;
        let Pinned { snapshot_batch, contracts: frozen, pinned_at } =
            self.pin(project, snapshot).await?;
        let contract = frozen.iter().find(|contract| contract.kind == ContractType::Phases);
        let phases = match &requests {
            Some(requests) => vec![requests.phase()],
            None => phases::parse(&contract.ok_or(EngineError::NoPhases)?.content)?,
        };
        check_first_phase(first_phase.as_ref(), &phases)?;
        check_phase_executors(&phase_executors, first_phase.as_ref(), &phases)?;
        let mut requirements = Vec::new();
        if requests.is_none() {
            check_requirements(&frozen)?;
            requirements = requirements_of(&frozen);
        }
        let estimated = match &requests {
            Some(_) => None,
            None => {
                let count = phases_from(first_phase.as_ref(), &phases);
                Some(self.estimate(project, &models, count, &frozen).await?)
            }
        };
        let queued = Queued {
            origin: project.origin,
            snapshot_batch,
            executor,
            phase_executors,
            budgets,
            started_by,
            phases,
            requirements,
            gates_detected: settings.gates.is_empty() && !gates.is_empty(),
            gates,
            detection: detection.map(Box::new),
            preflight: true,
            merges_base: true,
            permissions: settings.permissions,
            clarification_timeout_s: settings.clarification_timeout_s,
            test_checks: TestChecks {
                red_check: settings.red_check,
                mutation_sample: settings.mutation_sample,
            },
            waits: self.parts.waits.clone(),
            model: models.shown().to_owned(),
            follows: follows.map(Box::new),
            requests: requests.map(Box::new),
            contracts: Some(frozen.iter().map(Contract::pinned).collect()),
            number: None,
            title: options.title,
            description: options.description,
            estimate: estimated.map(Box::new),
            exploration: options.exploration,
            plan_approval: options.plan_approval.unwrap_or(settings.plan_approval),
            baseline_branch,
            first_phase: first_phase.map(Box::new),
            pinned_at,
            models: own,
        };
        let limit = settings.max_concurrent_builds;
        let build = NewBuild { id: store::new_id(), project_id: project.id, limit, backlog_item };
        let id = build.id;
        match self.journal().open(build, queued).await {
            Ok(_) => {
                self.wake.notify_one();
                Ok(id)
            }
            Err(AppendError::BuildLimit) => {
                let mut conn = self.db().read().await?;
                Err(build_limit(&store::builds::list_unfinished(&mut conn, project.id).await?))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Rejects a start on a paid model if neither dollars nor tokens are limited and no level says
    /// that this is intended.
    async fn require_cost_limit(
        &self,
        project: &Project,
        options: &StartOptions,
    ) -> Result<(), EngineError> {
        let ready = self.build_readiness(project, &options.choices).await?;
        let lacks_limit = options.limits.lacks_cost_limit();
        if ready.needs_limit && ready.obstacles.is_empty() && lacks_limit {
            let limit = ready.estimate.as_ref().and_then(estimate::suggested_limit);
            return Err(EngineError::NoCostLimit(limit));
        }
        Ok(())
    }

    /// The project's own gates, or those suggested by its repository at the baseline if it has none and
    /// permits that.
    pub(super) async fn gates(
        &self,
        project: &Project,
        settings: &ProjectSettings,
        baseline: Option<git::Sha>,
    ) -> Result<(Vec<GateDefinition>, Option<GateDetection>), EngineError> {
        if !settings.gates.is_empty() || !settings.detect_gates {
            return Ok((settings.gates.clone(), None));
        }
        let found = match baseline {
            Some(sha) => self.detect_gates_at(project, sha).await?,
            None => self.detect_gates(project).await?,
        };
        let gates: Vec<GateDefinition> = found.gates.into_iter().map(|found| found.gate).collect();
        let names = gates.iter().map(|gate| gate.name.clone());
        let names = names.filter(|name| found.answered.as_ref() != Some(name)).collect();
        Ok((gates, Some(GateDetection { names })))
    }

    /// Pins the chosen snapshot, or creates one of the project's contracts. They must have no gaps.
    async fn pin(
        &self,
        project: &Project,
        snapshot: Option<SnapshotId>,
    ) -> Result<Pinned, EngineError> {
        let mut tx = self.db().write().await?;
        let snapshot_batch = snapshot.unwrap_or_else(store::new_id);
        let (mut contracts, pinned_at) = match snapshot {
            Some(snapshot) => {
                let (contracts, at) = pinned_contracts(&mut tx, project, snapshot).await?;
                (contracts, Some(at))
            }
            None => {
                store::contracts::freeze(&mut tx, snapshot_batch, project.id, store::now()).await?;
                (store::contracts::list_frozen(&mut tx, snapshot_batch).await?, None)
            }
        };
        contracts.sort_by_key(|contract| contract.kind);
        check_gaps(&contracts)?;
        tx.commit().await?;
        Ok(Pinned { snapshot_batch, contracts, pinned_at })
    }
}

fn requirements_of(frozen: &[Contract]) -> Vec<Requirement> {
    let blueprint = frozen.iter().find(|contract| contract.kind == ContractType::Blueprint);
    let read = blueprint.and_then(|blueprint| requirements::parse(&blueprint.content));
    read.map_or(Vec::new(), |read| read.items)
}
