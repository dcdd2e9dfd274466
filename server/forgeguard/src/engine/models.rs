//! Which model answers whom, and what it costs.

use std::{collections::BTreeMap, sync::Arc};

use domain::event::agents::Role;
use llm::{OFFLINE, Price, Provider};

/// Tokens that a model takes in one conversation, where nobody said otherwise.
pub const USUAL_WINDOW: u64 = 200_000;

/// A model that can be asked.
#[derive(Clone)]
pub struct Model {
    /// What answers.
    pub provider: Arc<dyn Provider>,
    /// The provider's name of it.
    pub name: String,
    /// What it costs; `None` where nobody knows.
    pub price: Option<Price>,
    /// Tokens that a conversation may have.
    pub window: u64,
}

/// The models of a node, by role.
#[derive(Clone)]
pub struct Models {
    usual: Model,
    by_role: BTreeMap<Role, Model>,
}

impl Models {
    /// One model for all roles.
    pub fn only(usual: Model) -> Self {
        Self { usual, by_role: BTreeMap::new() }
    }

    /// Another model for one role.
    pub fn with(mut self, role: Role, model: Model) -> Self {
        self.by_role.insert(role, model);
        self
    }

    /// The model for whatever has no role, such as writing contracts.
    pub fn usual(&self) -> &Model {
        &self.usual
    }

    /// The model of a role.
    pub fn of(&self, role: Role) -> &Model {
        self.by_role.get(&role).unwrap_or(&self.usual)
    }

    /// The model that is shown for a whole build: the coder's.
    pub fn shown(&self) -> &str {
        &self.of(Role::Coder).name
    }
}

impl Model {
    /// The model that needs no key and costs nothing.
    pub fn offline(provider: impl Provider + 'static) -> Self {
        Self {
            provider: Arc::new(provider),
            name: OFFLINE.to_owned(),
            price: Some(Price::FREE),
            window: USUAL_WINDOW,
        }
    }
}
