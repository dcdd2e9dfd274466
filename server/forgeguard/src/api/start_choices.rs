//! What a user chooses for a build to start from, in requests and responses.

use std::collections::BTreeMap;

use domain::{
    event::{
        agents::Role,
        life::{Actor, FirstPhase},
    },
    executor::Executor,
    ids::SnapshotId,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::engine::StartChoices;

/// Models for one build, such as `anthropic/claude-sonnet-5-5`; null for the usual one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct RoleModels {
    #[serde(default)]
    scout: Option<String>,
    #[serde(default)]
    coder: Option<String>,
    #[serde(default)]
    auditor: Option<String>,
    #[serde(default)]
    fixer: Option<String>,
}

/// The choices for a build that is not started yet.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StartParams {
    /// The branch that the build starts from; the default branch if omitted.
    baseline_branch: Option<String>,
    /// The phase that the build begins with; the first if omitted.
    first_phase: Option<u32>,
    /// The contracts of an earlier build; the current ones if omitted.
    snapshot: Option<SnapshotId>,
    /// The scout's model.
    scout: Option<String>,
    /// The coder's model.
    coder: Option<String>,
    /// The auditor's model.
    auditor: Option<String>,
    /// The fixer's model.
    fixer: Option<String>,
    /// What performs the coder's work; as the project's settings say if omitted.
    executor: Option<Executor>,
}

impl StartParams {
    pub fn choices(self, by: Actor) -> StartChoices {
        let Self { baseline_branch, first_phase, snapshot, executor, .. } = self;
        let Self { scout, coder, auditor, fixer, .. } = self;
        let models = RoleModels { scout, coder, auditor, fixer };
        let choices = choices(baseline_branch, first_phase, snapshot, models, by);
        StartChoices { executor, ..choices }
    }
}

/// The choices in a request by a user.
pub fn choices(
    baseline_branch: Option<String>,
    first_phase: Option<u32>,
    snapshot: Option<SnapshotId>,
    models: RoleModels,
    by: Actor,
) -> StartChoices {
    StartChoices {
        baseline_branch: baseline_branch.filter(|name| !name.is_empty()),
        first_phase: first_phase.map(|number| FirstPhase { number, by }),
        snapshot,
        models: models.by_role(),
        executor: None,
        phase_executors: Vec::new(),
    }
}

impl RoleModels {
    /// The chosen names.
    fn by_role(self) -> BTreeMap<Role, String> {
        let Self { scout, coder, auditor, fixer } = self;
        let all = [
            (Role::Scout, scout),
            (Role::Coder, coder),
            (Role::Auditor, auditor),
            (Role::Fixer, fixer),
        ];
        let filled = all.into_iter().filter_map(|(role, name)| {
            let name = name?.trim().to_owned();
            (!name.is_empty()).then_some((role, name))
        });
        filled.collect()
    }
}

impl From<&BTreeMap<Role, String>> for RoleModels {
    fn from(models: &BTreeMap<Role, String>) -> Self {
        let of = |role| models.get(&role).cloned();
        Self {
            scout: of(Role::Scout),
            coder: of(Role::Coder),
            auditor: of(Role::Auditor),
            fixer: of(Role::Fixer),
        }
    }
}
