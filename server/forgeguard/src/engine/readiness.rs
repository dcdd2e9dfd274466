//! What a build needs before it can start, checked before anything is queued.

use domain::{
    budget::Budgets,
    budget_limits::BudgetLimits,
    contract::{ContractType, gap_count},
    estimate::BuildEstimate,
    event::{
        agents::Role,
        life::{FirstPhase, PlanApproval},
    },
    executor::Executor,
    phases::{self, PhaseOutline},
};

use super::{
    error::EngineError,
    executors::ExecutorChoice,
    gate_programs::GateWarning,
    handle::Engine,
    models::Models,
    settings::ProjectSettings,
    start_choices::{StartChoices, check_first_phase, pinned_contracts},
};
use crate::{
    contracts::consistency,
    store::{
        builds::{self, Build},
        contracts::{self, Contract},
        projects::Project,
    },
};

/// The settings with which a build of a project would start, and what prevents it.
pub struct BuildReadiness {
    /// The limits if the start sets none.
    pub budgets: Budgets,
    /// The limits if the project set none either.
    pub installation_budgets: Budgets,
    pub installation_limits: BudgetLimits,
    pub project_limits: BudgetLimits,
    /// Whether a start must limit dollars or tokens, or state that they are not limited.
    pub needs_limit: bool,
    /// What a build would probably use; `None` while its phases are unknown.
    pub estimate: Option<BuildEstimate>,
    pub plan_approval: PlanApproval,
    /// The project's executor.
    pub executor: Executor,
    pub executors: Vec<ExecutorChoice>,
    /// The phases of its contract; empty if that cannot be used.
    pub phases: Vec<PhaseOutline>,
    /// The model that is shown for it, if it can be used.
    pub model: Option<String>,
    /// The models of all roles, if they can be used.
    pub models: Option<Models>,
    /// Why it cannot start; empty if it can.
    pub obstacles: Vec<EngineError>,
    pub warnings: Vec<GateWarning>,
}

impl Engine {
    /// The readiness of a project for a build with these choices.
    pub async fn build_readiness(
        &self,
        project: &Project,
        choices: &StartChoices,
    ) -> Result<BuildReadiness, EngineError> {
        let settings = ProjectSettings::read(&project.settings)?;
        let baseline = match &choices.baseline_branch {
            Some(branch) => Some(self.baseline_sha(project, branch).await?),
            None => self.default_head(project).await?,
        };
        let installation_limits = self.installation_settings().await?.budgets;
        let limits = settings.budgets.within(&installation_limits);
        let budgets = limits.or_default();
        let mut obstacles: Vec<_> = self.level().err().into_iter().collect();
        let unusable = self.check_own_models(project, &choices.models).await.err();
        let is_usable = unusable.is_none();
        obstacles.extend(unusable);
        let models = match self.models(project.origin, &choices.models).await {
            Ok(models) => {
                obstacles.extend(check_models(&models, &budgets).err());
                Some(models)
            }
            Err(EngineError::ModelUnavailable(_)) if !is_usable => None,
            Err(error @ EngineError::ModelUnavailable(_)) => {
                obstacles.push(error);
                None
            }
            Err(error) => return Err(error),
        };
        let executors = match &models {
            Some(models) => self.executors(project.origin, &settings, models).await,
            None => Vec::new(),
        };
        let chosen = choices.executor.unwrap_or(settings.executor);
        let found = executors.iter().find(|choice| choice.executor == chosen);
        let reason = found.and_then(|choice| choice.obstacle.clone());
        obstacles.extend(
            reason.map(|reason| EngineError::ExecutorUnavailable { executor: chosen, reason }),
        );
        let mut conn = self.db().read().await?;
        let contracts = match choices.snapshot {
            Some(snapshot) => pinned_contracts(&mut conn, project, snapshot).await?.0,
            None => contracts::list_current(&mut conn, project.id).await?,
        };
        let unfinished = builds::list_unfinished(&mut conn, project.id).await?;
        drop(conn);
        let (mut estimate, mut phases) = (None, Vec::new());
        match contracts.iter().find(|contract| contract.kind == ContractType::Phases) {
            None => obstacles.push(EngineError::NoPhases),
            Some(contract) => match phases::parse(&contract.content) {
                Ok(parsed) => phases = parsed,
                Err(error) => obstacles.push(error.into()),
            },
        }
        if let Some(models) = models.as_ref().filter(|_| !phases.is_empty()) {
            check_first_phase(choices.first_phase.as_ref(), &phases)?;
            let count = phases_from(choices.first_phase.as_ref(), &phases);
            estimate = Some(self.estimate(project, models, count, &contracts).await?);
        }
        obstacles.extend(check_build_limit(&settings, &unfinished).err());
        obstacles.extend(check_gaps(&contracts).err());
        obstacles.extend(check_requirements(&contracts).err());
        let warnings = match baseline {
            Some(_) => self.gate_warnings(project, &settings, baseline).await?,
            None => {
                obstacles.push(EngineError::NoBaselineBranch(project.default_branch.clone()));
                Vec::new()
            }
        };
        Ok(BuildReadiness {
            budgets,
            installation_budgets: installation_limits.or_default(),
            installation_limits,
            project_limits: settings.budgets,
            needs_limit: models.as_ref().is_some_and(Models::is_paid) && limits.lacks_cost_limit(),
            estimate,
            plan_approval: settings.plan_approval,
            executor: settings.executor,
            executors,
            phases,
            model: models.as_ref().map(|models| models.shown().to_owned()),
            models,
            obstacles,
            warnings,
        })
    }

    /// The limits of a build: the lowest of its own, its project's and the installation's.
    ///
    /// # Errors
    /// If its own are higher than those above.
    pub(super) async fn limits(
        &self,
        settings: &ProjectSettings,
        own: &BudgetLimits,
    ) -> Result<BudgetLimits, EngineError> {
        let above = settings.budgets.within(&self.installation_settings().await?.budgets);
        own.validate_within(&above).map_err(EngineError::InvalidLimit)?;
        Ok(own.within(&above))
    }
}

/// The number of phases of a build that begins with this one.
pub(super) fn phases_from(first: Option<&FirstPhase>, phases: &[PhaseOutline]) -> usize {
    let first = first.map_or(0, |first| first.number);
    phases.iter().filter(|phase| phase.number >= first).count()
}

/// Whether the project may have another unfinished build.
fn check_build_limit(settings: &ProjectSettings, unfinished: &[Build]) -> Result<(), EngineError> {
    let is_reached = unfinished.len() >= settings.max_concurrent_builds as usize;
    if is_reached { Err(build_limit(unfinished)) } else { Ok(()) }
}

pub(super) fn build_limit(unfinished: &[Build]) -> EngineError {
    let names: Vec<String> = unfinished.iter().map(Build::display_name).collect();
    EngineError::BuildLimit(names.join(", "))
}

/// Whether the contracts have no gaps left.
pub(super) fn check_gaps(contracts: &[Contract]) -> Result<(), EngineError> {
    let gaps = contracts.iter().map(|contract| (contract.kind, gap_count(&contract.content)));
    let gaps: Vec<_> = gaps.filter(|(_, count)| *count > 0).collect();
    if gaps.is_empty() { Ok(()) } else { Err(EngineError::ContractGaps(gaps)) }
}

/// Whether every requirement has an id, a phase and a proof.
pub(super) fn check_requirements(contracts: &[Contract]) -> Result<(), EngineError> {
    let text = |kind| contracts.iter().find(|it| it.kind == kind).map(|it| it.content.as_str());
    let (Some(blueprint), Some(phases)) =
        (text(ContractType::Blueprint), text(ContractType::Phases))
    else {
        return Ok(());
    };
    let findings = consistency::check_requirements(blueprint, phases);
    let blocking = findings.into_iter().filter(|finding| finding.rule.is_blocking());
    let texts: Vec<String> = blocking.map(|finding| finding.text).collect();
    if texts.is_empty() { Ok(()) } else { Err(EngineError::Requirements(texts)) }
}

/// Whether these models can work within these limits.
pub(super) fn check_models(models: &Models, budgets: &Budgets) -> Result<(), EngineError> {
    for role in Role::ALL {
        let model = models.of(role);
        if !model.is_configured {
            return Err(EngineError::NoBuildModel);
        }
        if budgets.usd_micros.is_some() && model.price.is_none() {
            return Err(EngineError::UnknownPrice(model.name.clone()));
        }
    }
    Ok(())
}
