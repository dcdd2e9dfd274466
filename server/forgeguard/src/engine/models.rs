//! The models of each role, and their prices.

use std::{collections::BTreeMap, sync::Arc};

use domain::{event::agents::Role, model_provider::ModelProvider};
use llm::{OFFLINE, Price, Provider, Thinking};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::secret::Secret;

/// In tokens, for models whose context window is unknown.
pub const DEFAULT_CONTEXT_WINDOW: u64 = 200_000;

/// A model that can be used.
#[derive(Clone)]
pub struct Model {
    pub provider: Arc<dyn Provider>,
    /// The provider's name of the model.
    pub name: String,
    /// How much it thinks before it replies.
    pub thinking: Thinking,
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

/// Key and address of a provider that are set in the app.
#[derive(Clone, Debug)]
pub struct ProviderAccess {
    /// None for an address without a key.
    pub key: Option<Secret<String>>,
    /// If not the provider's own address.
    pub base_url: Option<String>,
}

/// What is set in the app, or why this node cannot use it.
pub type AppAccess = BTreeMap<ModelProvider, Result<ProviderAccess, String>>;

/// The models that this node can use, given what is set in the app.
pub type OpenSource = Arc<dyn Fn(&AppAccess) -> ModelSource + Send + Sync>;

/// Opens a model by its name, or returns why it cannot be used.
pub type OpenModel = Arc<dyn Fn(&str) -> Result<Model, String> + Send + Sync>;

/// The models that a node can use. The configuration takes precedence over keys and choices in the
/// app: an operator who deploys a model can rely on it.
#[derive(Clone)]
pub struct ModelSource {
    /// Used if neither the configuration nor the app names one.
    pub fallback: Result<Model, UnavailableModel>,
    /// Named by the configuration, for a role or (`None`) for roles without their own model.
    pub fixed: BTreeMap<Option<Role>, FixedModel>,
    /// Opens a chosen model.
    pub open: OpenModel,
    /// Providers that the environment configures, with the variable.
    pub configured_providers: BTreeMap<ModelProvider, String>,
    /// The model of a provider that is used if none is named.
    pub default_model: fn(ModelProvider) -> String,
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
        self.models_of_build(choices, &BTreeMap::new())
    }

    /// The models that result from these choices, and for some roles from the build's `own`. They
    /// were checked against the configuration when the build was started.
    ///
    /// # Errors
    /// If an effective choice cannot be used.
    pub fn models_of_build(
        &self,
        choices: &ModelChoices,
        own: &BTreeMap<Role, String>,
    ) -> Result<Models, UnavailableModel> {
        let usual = match self.pick(None, choices)? {
            Some(model) => model,
            None => self.fallback.clone()?,
        };
        let mut models = Models::only(usual);
        for role in Role::ALL {
            let model = match own.get(&role) {
                Some(name) => Some(self.open_chosen(name)?),
                None => self.pick(Some(role), choices)?,
            };
            if let Some(model) = model {
                models.by_role.insert(role, model);
            }
        }
        Ok(models)
    }

    /// Why a build cannot choose this model for a role.
    pub fn obstacle(&self, role: Role, name: &str) -> Option<String> {
        if let Some(fixed) = self.fixed.get(&Some(role)) {
            return Some(format!("the model of this role is set by {}", fixed.fixed_by));
        }
        (self.open)(name).err()
    }

    fn pick(
        &self,
        role: Option<Role>,
        choices: &ModelChoices,
    ) -> Result<Option<Model>, UnavailableModel> {
        if let Some(fixed) = self.fixed.get(&role) {
            return Ok(Some(fixed.model.clone()));
        }
        choices.of(role).map(|name| self.open_chosen(name)).transpose()
    }

    fn open_chosen(&self, name: &str) -> Result<Model, UnavailableModel> {
        (self.open)(name).map_err(|reason| UnavailableModel { name: name.to_owned(), reason })
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

    /// The name of the first model of a provider.
    pub fn of_provider(&self, provider: ModelProvider) -> Option<String> {
        let roles = Role::ALL.iter().map(|role| self.of(*role));
        let mut models = std::iter::once(&self.usual).chain(roles);
        let found = models.find(|model| model.provider.name() == provider.name());
        found.map(Model::qualified_name)
    }

    /// Whether a role has a model whose price is known and not zero.
    pub fn is_paid(&self) -> bool {
        Role::ALL.iter().any(|role| self.of(*role).price.is_some_and(|price| price != Price::FREE))
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
            thinking: Thinking::default(),
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
            provider => format!("{provider}/{}{}", self.name, self.thinking),
        }
    }

    /// The reply limit to request, given the desired number of tokens.
    pub fn reply_tokens(&self, wanted: u32) -> u32 {
        // The reply shares the window with the conversation.
        let share = u32::try_from(self.window / 4).unwrap_or(u32::MAX).max(1);
        self.max_output_tokens.map_or(wanted, |limit| limit.min(wanted)).min(share)
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
            fallback: Ok(model("fallback")),
            fixed: fixed.iter().map(fix).collect(),
            open: Arc::new(|name| match name {
                "closed" => Err("set its key".to_owned()),
                name => Ok(model(name)),
            }),
            configured_providers: BTreeMap::new(),
            default_model: |provider| provider.name().to_owned(),
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
    fn reply_fits_into_a_small_window() {
        let small = |window, max_output_tokens| Model { window, max_output_tokens, ..model("m") };
        assert_eq!(small(200_000, None).reply_tokens(16_384), 16_384);
        assert_eq!(small(200_000, Some(4_096)).reply_tokens(16_384), 4_096);
        assert_eq!(small(8_192, None).reply_tokens(16_384), 2_048);
    }

    #[test]
    fn build_chooses_models_for_itself_unless_the_configuration_names_the_role() {
        let own = BTreeMap::from([(Role::Coder, "own".to_owned())]);
        let models = source(&[(None, "e")]).models_of_build(&choices(None, Some("b")), &own);
        let models = models.unwrap();
        let names = [Role::Scout, Role::Coder].map(|role| models.of(role).name.clone());
        assert_eq!(names, ["e", "own"]);
        let fixed = source(&[(Some(Role::Coder), "e")]);
        assert!(fixed.obstacle(Role::Coder, "own").unwrap().contains("FORGEGUARD_MODEL"));
        assert_eq!(fixed.obstacle(Role::Scout, "own"), None);
        assert_eq!(fixed.obstacle(Role::Scout, "closed").as_deref(), Some("set its key"));
    }

    #[test]
    fn choice_that_cannot_be_used_is_named_unless_the_configuration_overrides_it() {
        let chosen = choices(Some("closed"), None);
        let unavailable = source(&[]).models(&chosen).err().unwrap();
        assert_eq!((unavailable.name.as_str(), &*unavailable.reason), ("closed", "set its key"));
        assert!(source(&[(None, "e")]).models(&chosen).is_ok());
    }
}
