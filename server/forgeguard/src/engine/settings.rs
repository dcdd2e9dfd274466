//! Settings of projects.

use domain::{
    branch_delivery::DeliverySettings,
    budget_limits::BudgetLimits,
    event::life::PlanApproval,
    executor::Executor,
    gate::{GateDefinition, MAX_GATES},
    permission::{InvalidRule, MAX_RULES, Rule},
    test_checks::MutationSample,
    validation::ValidationError,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The database has this many slots for the unfinished builds of a project.
const MAX_CONCURRENT_BUILDS: u32 = 10;

/// Settings of a project, as stored and shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectSettings {
    /// The project's own gates, cheapest first.
    #[serde(default)]
    pub gates: Vec<GateDefinition>,
    /// Whether builds use the gates suggested by the repository while the project has none.
    #[serde(default = "usually")]
    pub detect_gates: bool,
    /// Seconds that a question waits before the agent decides; `null`: without limit.
    #[serde(default = "usual_timeout")]
    pub clarification_timeout_s: Option<u32>,
    /// Permission rules in addition to the installation's, which they can only tighten; the last match counts.
    #[serde(default)]
    pub permissions: Vec<Rule>,
    /// Whether tests that a build adds or changes must fail without its change; otherwise they prove
    /// nothing.
    #[serde(default = "usually")]
    pub red_check: bool,
    /// Small changes to a build's new code that its tests should notice; `null`: none.
    #[serde(default = "default_sample")]
    pub mutation_sample: Option<MutationSample>,
    /// Limits of builds that set none at their start.
    #[serde(default)]
    pub budgets: BudgetLimits,
    /// Which plans of builds a user approves, unless their start says otherwise.
    #[serde(default)]
    pub plan_approval: PlanApproval,
    /// Builds that may be unfinished at a time, from 1 to 10.
    #[serde(default = "one_build")]
    #[schema(minimum = 1, maximum = 10)]
    pub max_concurrent_builds: u32,
    /// How sealed builds reach the project's remote repository.
    #[serde(default)]
    pub delivery: DeliverySettings,
    /// What performs the coder's work in builds, unless their start says otherwise.
    #[serde(default)]
    pub executor: Executor,
}

fn usually() -> bool {
    true
}

fn one_build() -> u32 {
    1
}

fn usual_timeout() -> Option<u32> {
    Some(600)
}

fn default_sample() -> Option<MutationSample> {
    Some(MutationSample::default())
}

impl Default for ProjectSettings {
    fn default() -> Self {
        Self {
            gates: Vec::new(),
            detect_gates: usually(),
            clarification_timeout_s: usual_timeout(),
            permissions: Vec::new(),
            red_check: usually(),
            mutation_sample: default_sample(),
            budgets: BudgetLimits::default(),
            plan_approval: PlanApproval::default(),
            max_concurrent_builds: one_build(),
            delivery: DeliverySettings::default(),
            executor: Executor::default(),
        }
    }
}

impl ProjectSettings {
    /// Parses stored settings; missing ones have their defaults.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        if text.trim().is_empty() { Ok(Self::default()) } else { serde_json::from_str(text) }
    }

    /// The text to store.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|e| unreachable!("settings are JSON: {e}"))
    }

    /// Validates the gates, the uniqueness of their names, the timeout and the rules.
    pub fn validate(&self) -> Result<(), ValidationError> {
        let invalid = |field: String, reason: &str| Err(ValidationError::new(field, reason));
        if self.gates.len() > MAX_GATES {
            return invalid("gates".into(), "a project has at most 20 gates");
        }
        for (index, gate) in self.gates.iter().enumerate() {
            if let Err(ValidationError { field, reason }) = gate.validate() {
                return invalid(format!("gates[{index}].{field}"), &reason);
            }
            if self.gates[..index].iter().any(|other| other.name == gate.name) {
                return invalid(format!("gates[{index}].name"), "another gate has this name");
            }
        }
        if self.clarification_timeout_s.is_some_and(|seconds| !(10..=604_800).contains(&seconds)) {
            let reason = "choose between 10 seconds and 7 days, or never";
            return invalid("clarification_timeout_s".into(), reason);
        }
        if !(1..=MAX_CONCURRENT_BUILDS).contains(&self.max_concurrent_builds) {
            return invalid("max_concurrent_builds".into(), "choose a number from 1 to 10");
        }
        if let Some(sample) = &self.mutation_sample {
            sample.validate()?;
        }
        self.delivery.validate()?;
        validate_budgets("budgets", &self.budgets)?;
        validate_permissions("permissions", &self.permissions)
    }
}

/// Validates the limits in `field`.
pub fn validate_budgets(field: &str, limits: &BudgetLimits) -> Result<(), ValidationError> {
    limits.validate().map_err(|invalid| {
        ValidationError::new(format_args!("{field}.{}", invalid.field), invalid.reason)
    })
}

/// Validates the rules in `field`.
pub fn validate_permissions(field: &str, rules: &[Rule]) -> Result<(), ValidationError> {
    let invalid = |field: String, reason: &str| Err(ValidationError::new(field, reason));
    if rules.len() > MAX_RULES {
        return invalid(field.to_owned(), "a project has at most 100 rules");
    }
    for (index, rule) in rules.iter().enumerate() {
        if let Err(InvalidRule { field: part, reason }) = rule.validate() {
            return invalid(format!("{field}[{index}].{part}"), reason);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::permission::{Action, Permission};

    #[test]
    fn settings_that_were_never_set_have_usual_values() {
        assert_eq!(ProjectSettings::read("{}").unwrap(), ProjectSettings::default());
        assert_eq!(ProjectSettings::read("").unwrap(), ProjectSettings::default());
        let never = ProjectSettings::read(r#"{"clarification_timeout_s":null}"#).unwrap();
        assert_eq!(never.clarification_timeout_s, None);
    }

    #[test]
    fn names_the_field_that_does_not_fit() {
        let gate = |name: &str| GateDefinition {
            name: name.into(),
            command: "true".into(),
            timeout_s: 5,
            required: true,
            network: false,
            report: None,
            runs_tests: true,
        };
        let field = |gates: Vec<GateDefinition>, seconds| {
            let clarification_timeout_s = seconds;
            let settings =
                ProjectSettings { gates, clarification_timeout_s, ..ProjectSettings::default() };
            settings.validate().map_err(|invalid| invalid.field)
        };
        assert_eq!(field(vec![gate("a"), gate("b")], None), Ok(()));
        assert_eq!(field(vec![gate("a"), gate("a")], None), Err("gates[1].name".into()));
        assert_eq!(field(vec![gate("A")], None), Err("gates[0].name".into()));
        assert_eq!(field(vec![], Some(1)), Err("clarification_timeout_s".into()));
    }

    #[test]
    fn names_the_rule_that_does_not_fit() {
        let rule = |pattern: &str| Rule {
            permission: Permission::Bash,
            pattern: pattern.into(),
            action: Action::Ask,
        };
        let field = |permissions: Vec<Rule>| {
            let settings = ProjectSettings { permissions, ..ProjectSettings::default() };
            settings.validate().map_err(|invalid| invalid.field)
        };
        assert_eq!(field(vec![rule("a"); 100]), Ok(()));
        assert_eq!(field(vec![rule("a"); 101]), Err("permissions".into()));
        assert_eq!(field(vec![rule("a"), rule("")]), Err("permissions[1].pattern".into()));
    }
}
