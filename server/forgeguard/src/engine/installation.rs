//! Settings of the installation.

use domain::{budget_limits::BudgetLimits, event::life::Origin};
use serde::{Deserialize, Serialize};

use super::{
    error::EngineError,
    handle::Engine,
    models::{ModelChoices, Models},
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
    /// The models for a project.
    pub(super) async fn models(&self, origin: Origin) -> Result<Models, EngineError> {
        match origin {
            Origin::Demo => Ok(self.parts.demo_models.clone()),
            Origin::Questionnaire => {
                let chosen = self.installation_settings().await?.models;
                Ok(self.model_source().models(&chosen)?)
            }
        }
    }

    /// Read for every run, so that a change applies to the next one.
    pub(super) async fn installation_settings(&self) -> Result<InstallationSettings, EngineError> {
        InstallationSettings::load(&mut self.db().read().await?).await
    }
}
