//! Limits for builds, set for the installation, a project or one build.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{budget::Budgets, validation::ValidationError};

/// A limit, or the explicit absence of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Limit {
    AtMost(u64),
    Unlimited(Unlimited),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Unlimited {
    Unlimited,
}

/// Limits set at one level. `null` inherits: a build from its project, a project from the
/// installation, the installation from ForgeGuard's defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetLimits {
    /// Execute-and-fix rounds in one phase, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub iterations: Option<u32>,
    /// Minutes of work, 1 to 10,080; waiting for a person does not count.
    pub minutes: Option<Limit>,
    /// Input and output tokens together, from 1,000.
    pub tokens: Option<Limit>,
    /// Millionths of a US dollar, from 10,000: one cent.
    pub usd_micros: Option<Limit>,
    /// Questions to the user, 0 to 100.
    #[schema(maximum = 100)]
    pub clarifications: Option<u32>,
}

impl Limit {
    /// `None` if there is no limit.
    pub fn amount(self) -> Option<u64> {
        match self {
            Self::AtMost(amount) => Some(amount),
            Self::Unlimited(_) => None,
        }
    }
}

impl BudgetLimits {
    /// `inherited`, overridden by the limits that are set here.
    pub fn over(&self, inherited: Budgets) -> Budgets {
        let minutes = |limit: Limit| limit.amount().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Budgets {
            iterations: self.iterations.unwrap_or(inherited.iterations),
            minutes: self.minutes.map_or(inherited.minutes, minutes),
            tokens: self.tokens.map_or(inherited.tokens, Limit::amount),
            usd_micros: self.usd_micros.map_or(inherited.usd_micros, Limit::amount),
            clarifications: self.clarifications.unwrap_or(inherited.clarifications),
            doom_loop: inherited.doom_loop,
        }
    }

    /// # Errors
    /// The first limit that is out of range.
    pub fn validate(&self) -> Result<(), ValidationError> {
        const MAX_MINUTES: u64 = 7 * 24 * 60;
        const MAX_TOKENS: u64 = 1_000_000_000_000;
        const MAX_USD_MICROS: u64 = 1_000_000_000_000;
        let amount = |limit: Option<Limit>| limit.and_then(Limit::amount);
        for (field, amount, range, reason) in [
            ("iterations", self.iterations.map(u64::from), 1..=100, "choose between 1 and 100"),
            (
                "minutes",
                amount(self.minutes),
                1..=MAX_MINUTES,
                "choose between 1 and 10,080 minutes, or no limit",
            ),
            (
                "tokens",
                amount(self.tokens),
                1_000..=MAX_TOKENS,
                "choose at least 1,000 tokens, or no limit",
            ),
            (
                "usd_micros",
                amount(self.usd_micros),
                10_000..=MAX_USD_MICROS,
                "choose between 0.01 and 1,000,000 US dollars, or no limit",
            ),
            (
                "clarifications",
                self.clarifications.map(u64::from),
                0..=100,
                "choose between 0 and 100",
            ),
        ] {
            if amount.is_some_and(|amount| !range.contains(&amount)) {
                return Err(ValidationError::new(field, reason));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(json: &str) -> BudgetLimits {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn limits_are_inherited_where_none_is_set() {
        let installation = limits(r#"{"usd_micros":5000000,"iterations":4,"minutes":"unlimited"}"#);
        let project = limits(r#"{"usd_micros":null,"tokens":90000}"#);
        let build = limits(r#"{"usd_micros":"unlimited","clarifications":0}"#);
        let inherited = project.over(installation.over(Budgets::default()));
        assert_eq!(inherited.usd_micros, Some(5_000_000));
        assert_eq!((inherited.minutes, inherited.tokens), (None, Some(90_000)));
        assert_eq!((inherited.iterations, inherited.clarifications), (4, 10));
        let budgets = build.over(inherited);
        assert_eq!((budgets.usd_micros, budgets.clarifications), (None, 0));
        assert_eq!(budgets.tokens, Some(90_000));
    }

    #[test]
    fn limit_out_of_range_is_named() {
        for (json, expected) in [
            (r#"{"iterations":0}"#, Some("iterations")),
            (r#"{"iterations":100,"clarifications":100}"#, None),
            (r#"{"minutes":10081}"#, Some("minutes")),
            (r#"{"minutes":"unlimited"}"#, None),
            (r#"{"tokens":999}"#, Some("tokens")),
            (r#"{"usd_micros":9999}"#, Some("usd_micros")),
            (r#"{"clarifications":101}"#, Some("clarifications")),
        ] {
            assert_eq!(
                limits(json).validate().err().map(|e| e.field).as_deref(),
                expected,
                "{json}"
            );
        }
    }

    #[test]
    fn other_words_than_unlimited_are_rejected() {
        assert!(serde_json::from_str::<BudgetLimits>(r#"{"minutes":"none"}"#).is_err());
    }
}
