//! The models of each role, and their prices.

use std::{collections::BTreeMap, sync::Arc};

use domain::event::agents::Role;
use llm::{OFFLINE, Price, Provider};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// In tokens, for models whose context window is unknown.
pub const DEFAULT_CONTEXT_WINDOW: u64 = 200_000;

/// A model that can be used.
#[derive(Clone)]
pub struct Model {
    pub provider: Arc<dyn Provider>,
    /// The provider's name of the model.
    pub name: String,
    /// `None` if unknown.
    pub price: Option<Price>,
    /// The context window in tokens.
    pub window: u64,
    /// Maximum tokens of one reply; `None` if unknown.
    pub max_output_tokens: Option<u32>,
    /// False for the offline model without a scenario, which cannot answer.
    pub is_configured: bool,
}

/// The models of a run, by role.
#[derive(Clone)]
pub struct Models {
    usual: Model,
    by_role: BTreeMap<Role, Model>,
}

/// Models chosen in the app, such as `anthropic/claude-sonnet-5-5`; `null` for no choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelChoices {
    /// For contracts, and for every role without its own model.
    pub default: Option<String>,
    pub scout: Option<String>,
    pub coder: Option<String>,
    pub auditor: Option<String>,
    pub fixer: Option<String>,
}

/// Opens a model by its name, or returns why it cannot be used.
pub type OpenModel = Arc<dyn Fn(&str) -> Result<Model, String> + Send + Sync>;

/// The models that a node can use. The configuration takes precedence over choices in the app: an
/// operator who deploys a model can rely on it.
#[derive(Clone)]
pub struct ModelSource {
    /// Used if neither the configuration nor the app names one.
    pub fallback: Model,
    /// Named by the configuration, for a role or (`None`) for roles without their own model.
    pub fixed: BTreeMap<Option<Role>, FixedModel>,
    /// Opens a chosen model.
    pub open: OpenModel,
}

/// A model that the configuration names.
#[derive(Clone)]
pub struct FixedModel {
    pub model: Model,
    /// The setting that names it, such as `FORGEGUARD_MODEL_CODER`.
    pub fixed_by: String,
}

/// A chosen model that cannot be used on this node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the model {name} cannot be used: {reason}")]
pub struct UnavailableModel {
    pub name: String,
    /// For display, with what to do.
    pub reason: String,
}

impl ModelChoices {
    /// The choice for a role, or with `None` for roles without their own model.
    pub fn of(&self, role: Option<Role>) -> Option<&str> {
        let choice = match role {
            None => &self.default,
            Some(Role::Scout) => &self.scout,
            Some(Role::Coder) => &self.coder,
            Some(Role::Auditor) => &self.auditor,
            Some(Role::Fixer) => &self.fixer,
        };
        choice.as_deref()
    }
}

impl ModelSource {
    /// The models that result from these choices.
    ///
    /// # Errors
    /// If an effective choice cannot be used.
    pub fn models(&self, choices: &ModelChoices) -> Result<Models, UnavailableModel> {
        let usual = self.pick(None, choices)?.unwrap_or_else(|| self.fallback.clone());
        let mut models = Models::only(usual);
        for role in Role::ALL {
            if let Some(model) = self.pick(Some(role), choices)? {
                models.by_role.insert(role, model);
            }
        }
        Ok(models)
    }

    fn pick(
        &self,
        role: Option<Role>,
        choices: &ModelChoices,
    ) -> Result<Option<Model>, UnavailableModel> {
        if let Some(fixed) = self.fixed.get(&role) {
            return Ok(Some(fixed.model.clone()));
        }
        let open = |name: &str| {
            let unavailable = |reason| UnavailableModel { name: name.to_owned(), reason };
            (self.open)(name).map_err(unavailable)
        };
        choices.of(role).map(open).transpose()
    }
}

impl Models {
    /// One model for all roles.
    pub fn only(usual: Model) -> Self {
        Self { usual, by_role: BTreeMap::new() }
    }

    /// The model for tasks without a role, such as writing contracts.
    pub fn usual(&self) -> &Model {
        &self.usual
    }

    pub fn of(&self, role: Role) -> &Model {
        self.by_role.get(&role).unwrap_or(&self.usual)
    }

    /// The model shown for a build: the coder's.
    pub fn shown(&self) -> &str {
        &self.of(Role::Coder).name
    }
}

impl Model {
    /// The model that needs no key and costs nothing.
    pub fn offline(provider: impl Provider + 'static, is_configured: bool) -> Self {
        Self {
            provider: Arc::new(provider),
            name: OFFLINE.to_owned(),
            price: Some(Price::FREE),
            window: DEFAULT_CONTEXT_WINDOW,
            max_output_tokens: None,
            is_configured,
        }
    }

    /// Provider and name, as chosen: `anthropic/claude-sonnet-5-5`, or `offline`.
    pub fn qualified_name(&self) -> String {
        match self.provider.name() {
            OFFLINE => OFFLINE.to_owned(),
            provider => format!("{provider}/{}", self.name),
        }
    }

    /// The reply limit to request, given the desired number of tokens.
    pub fn reply_tokens(&self, wanted: u32) -> u32 {
        self.max_output_tokens.map_or(wanted, |limit| limit.min(wanted))
    }
}

#[cfg(test)]
mod tests {
    use llm::Offline;

    use super::*;

    fn model(name: &str) -> Model {
        Model { name: name.to_owned(), ..Model::offline(Offline::without_scenario(), true) }
    }

    fn source(fixed: &[(Option<Role>, &str)]) -> ModelSource {
        let fix = |(role, name): &(Option<Role>, &str)| {
            (*role, FixedModel { model: model(name), fixed_by: "FORGEGUARD_MODEL".to_owned() })
        };
        ModelSource {
            fallback: model("fallback"),
            fixed: fixed.iter().map(fix).collect(),
            open: Arc::new(|name| match name {
                "closed" => Err("set its key".to_owned()),
                name => Ok(model(name)),
            }),
        }
    }

    fn choices(default: Option<&str>, coder: Option<&str>) -> ModelChoices {
        let owned = |name: Option<&str>| name.map(str::to_owned);
        ModelChoices { default: owned(default), coder: owned(coder), ..ModelChoices::default() }
    }

    #[test]
    fn configuration_goes_before_choices_and_a_role_before_the_default() {
        for (fixed, default, coder, expected) in [
            (&[][..], None, None, ["fallback", "fallback"]),
            (&[], Some("a"), None, ["a", "a"]),
            (&[], Some("a"), Some("b"), ["a", "b"]),
            (&[(None, "e")], Some("a"), None, ["e", "e"]),
            (&[(None, "e")], Some("a"), Some("b"), ["e", "b"]),
            (&[(Some(Role::Coder), "e")], Some("a"), Some("b"), ["a", "e"]),
        ] {
            let models = source(fixed).models(&choices(default, coder)).unwrap();
            let names = [Role::Scout, Role::Coder].map(|role| models.of(role).name.clone());
            assert_eq!(names, expected, "{default:?} {coder:?}");
        }
    }

    #[test]
    fn choice_that_cannot_be_used_is_named_unless_the_configuration_overrides_it() {
        let chosen = choices(Some("closed"), None);
        let unavailable = source(&[]).models(&chosen).err().unwrap();
        assert_eq!((unavailable.name.as_str(), &*unavailable.reason), ("closed", "set its key"));
        assert!(source(&[(None, "e")]).models(&chosen).is_ok());
    }
}
