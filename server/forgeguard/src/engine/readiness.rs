//! What a build needs before it can start, checked before anything is queued.

use domain::{
    budget::Budgets,
    budget_limits::BudgetLimits,
    contract::{ContractType, gap_count},
    event::agents::Role,
    phases,
};

use super::{error::EngineError, handle::Engine, models::Models, settings::ProjectSettings};
use crate::{
    contracts::consistency,
    store::{
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
    /// The model that is shown for it, if it can be used.
    pub model: Option<String>,
    /// Why it cannot start; empty if it can.
    pub obstacles: Vec<EngineError>,
}

impl Engine {
    /// The readiness of a project.
    pub async fn build_readiness(&self, project: &Project) -> Result<BuildReadiness, EngineError> {
        let settings = ProjectSettings::read(&project.settings)?;
        let installation_budgets = self.installation_budgets().await?;
        let budgets = settings.budgets.over(installation_budgets);
        let mut obstacles: Vec<_> = self.level().err().into_iter().collect();
        let model = match self.models(project.origin).await {
            Ok(models) => {
                obstacles.extend(check_models(&models, &budgets).err());
                Some(models.shown().to_owned())
            }
            Err(error @ EngineError::ModelUnavailable(_)) => {
                obstacles.push(error);
                None
            }
            Err(error) => return Err(error),
        };
        let mut conn = self.db().read().await?;
        match contracts::current(&mut conn, project.id, ContractType::Phases).await? {
            None => obstacles.push(EngineError::NoPhases),
            Some(contract) => {
                obstacles.extend(phases::parse(&contract.content).err().map(Into::into))
            }
        }
        let contracts = contracts::list_current(&mut conn, project.id).await?;
        obstacles.extend(check_gaps(&contracts).err());
        obstacles.extend(check_requirements(&contracts).err());
        Ok(BuildReadiness { budgets, installation_budgets, model, obstacles })
    }

    /// The limits of a build: its own, its project's, then the installation's.
    pub(super) async fn budgets(
        &self,
        settings: &ProjectSettings,
        own: &BudgetLimits,
    ) -> Result<Budgets, EngineError> {
        Ok(own.over(settings.budgets.over(self.installation_budgets().await?)))
    }

    async fn installation_budgets(&self) -> Result<Budgets, EngineError> {
        Ok(self.installation_settings().await?.budgets.over(Budgets::default()))
    }
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
