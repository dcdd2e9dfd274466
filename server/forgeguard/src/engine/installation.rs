//! Settings of the installation.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    budget_limits::BudgetLimits,
    event::{agents::Role, life::Origin},
    ids::BuildId,
    state::BuildState,
};
use serde::{Deserialize, Serialize};

use super::{
    demo_pace::{DemoPace, PacedProvider},
    error::EngineError,
    handle::Engine,
    models::{Model, ModelChoices, Models},
};
use crate::store::{Conn, installation_settings};

/// Settings of the installation, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InstallationSettings {
    /// Limits of builds whose project sets none.
    pub budgets: BudgetLimits,
    /// Models of roles for which the configuration names none.
    pub models: ModelChoices,
}

impl InstallationSettings {
    /// The stored settings, or the defaults.
    pub async fn load(conn: &mut Conn) -> Result<Self, EngineError> {
        match installation_settings::get(conn).await? {
            Some(text) => Ok(serde_json::from_str(&text)?),
            None => Ok(Self::default()),
        }
    }

    /// The text to store.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|e| unreachable!("settings are JSON: {e}"))
    }
}

impl Engine {
    /// The models for a project, with those that a build has chosen for itself.
    pub(super) async fn models(
        &self,
        origin: Origin,
        own: &BTreeMap<Role, String>,
    ) -> Result<Models, EngineError> {
        match origin {
            Origin::Demo => Ok(self.parts.demo_models.clone()),
            Origin::Questionnaire => {
                let chosen = self.installation_settings().await?.models;
                Ok(self.model_source().await?.models_of_build(&chosen, own)?)
            }
        }
    }

    /// The models for a run of a build's agent. In a demo build, replies are delayed.
    pub(super) async fn models_of_run(
        &self,
        build: BuildId,
        state: &BuildState,
    ) -> Result<Models, EngineError> {
        let models = self.models(state.queued.origin, &state.queued.models).await?;
        match state.queued.origin {
            Origin::Questionnaire => Ok(models),
            Origin::Demo => {
                let pace = DemoPace::new(self.db().clone(), build, self.parts.demo_delay);
                let inner = models.usual().provider.clone();
                let is_follow_up = state.queued.follows.is_some();
                let provider = PacedProvider { inner, is_follow_up, pace: Arc::new(pace) };
                Ok(Models::only(Model { provider: Arc::new(provider), ..models.usual().clone() }))
            }
        }
    }

    /// Read for every run, so that a change applies to the next one.
    pub(super) async fn installation_settings(&self) -> Result<InstallationSettings, EngineError> {
        InstallationSettings::load(&mut self.db().read().await?).await
    }
}
