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
/// installation, the installation from ForgeGuard's defaults. A project and a build can only tighten
/// the limits above them.
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
    /// Permission prompts, 0 to 1,000; they do not count as questions.
    #[serde(default)]
    #[schema(maximum = 1000)]
    pub permission_prompts: Option<u32>,
}

/// A limit of a build, as named in requests.
type Named = (&'static str, fn(&BudgetLimits) -> Option<Limit>);

const NAMED: [Named; 6] = [
    ("iterations", |limits| limits.iterations.map(Limit::of)),
    ("minutes", |limits| limits.minutes),
    ("tokens", |limits| limits.tokens),
    ("usd_micros", |limits| limits.usd_micros),
    ("clarifications", |limits| limits.clarifications.map(Limit::of)),
    ("permission_prompts", |limits| limits.permission_prompts.map(Limit::of)),
];

impl Limit {
    fn of(count: u32) -> Self {
        Self::AtMost(count.into())
    }

    /// This limit, unless the one above it is lower.
    fn within(self, above: Option<Self>) -> Self {
        match (self, above.and_then(Self::amount)) {
            (Self::AtMost(amount), Some(above)) => Self::AtMost(amount.min(above)),
            (Self::Unlimited(_), Some(above)) => Self::AtMost(above),
            (limit, None) => limit,
        }
    }

    /// `None` if there is no limit.
    pub fn amount(self) -> Option<u64> {
        match self {
            Self::AtMost(amount) => Some(amount),
            Self::Unlimited(_) => None,
        }
    }
}

impl BudgetLimits {
    /// These limits below `above`: its limits where none are set here, and the lower one otherwise.
    pub fn within(&self, above: &Self) -> Self {
        let lowest = |of: fn(&Self) -> Option<Limit>| {
            of(self).map_or(of(above), |limit| Some(limit.within(of(above))))
        };
        let least = |own: Option<u32>, above: Option<u32>| own.into_iter().chain(above).min();
        Self {
            iterations: least(self.iterations, above.iterations),
            minutes: lowest(|limits| limits.minutes),
            tokens: lowest(|limits| limits.tokens),
            usd_micros: lowest(|limits| limits.usd_micros),
            clarifications: least(self.clarifications, above.clarifications),
            permission_prompts: least(self.permission_prompts, above.permission_prompts),
        }
    }

    /// These limits, and the defaults where none are set.
    pub fn or_default(&self) -> Budgets {
        let default = Budgets::default();
        let minutes = |limit: Limit| limit.amount().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        Budgets {
            iterations: self.iterations.unwrap_or(default.iterations),
            minutes: self.minutes.map_or(default.minutes, minutes),
            tokens: self.tokens.map_or(default.tokens, Limit::amount),
            usd_micros: self.usd_micros.map_or(default.usd_micros, Limit::amount),
            clarifications: self.clarifications.unwrap_or(default.clarifications),
            permission_prompts: self.permission_prompts.unwrap_or(default.permission_prompts),
            doom_loop: default.doom_loop,
        }
    }

    /// Whether these limits only tighten those above.
    ///
    /// # Errors
    /// The first limit that is higher.
    pub fn validate_within(&self, above: &Self) -> Result<(), ValidationError> {
        for (field, of) in NAMED {
            let (Some(limit), Some(above)) = (of(self), of(above).and_then(Limit::amount)) else {
                continue;
            };
            if limit.amount().is_none_or(|amount| amount > above) {
                let reason = "a higher limit is not possible here: it can only be tightened";
                return Err(ValidationError::new(field, reason));
            }
        }
        Ok(())
    }

    /// Whether neither dollars nor tokens are limited, and no level says that this is intended.
    pub fn lacks_cost_limit(&self) -> bool {
        self.usd_micros.is_none() && self.tokens.and_then(Limit::amount).is_none()
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
            (
                "permission_prompts",
                self.permission_prompts.map(u64::from),
                0..=1_000,
                "choose between 0 and 1,000",
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
        let build = limits(r#"{"clarifications":0,"permission_prompts":7}"#);
        let inherited = project.within(&installation);
        assert_eq!(inherited.or_default().clarifications, 10);
        let budgets = build.within(&inherited).or_default();
        assert_eq!((budgets.usd_micros, budgets.tokens), (Some(5_000_000), Some(90_000)));
        assert_eq!((budgets.minutes, budgets.iterations), (None, 4));
        assert_eq!((budgets.clarifications, budgets.permission_prompts), (0, 7));
    }

    #[test]
    fn lower_level_only_tightens_a_limit() {
        let above = limits(r#"{"usd_micros":5000000,"iterations":4,"tokens":"unlimited"}"#);
        for (json, expected, refused) in [
            (r#"{"usd_micros":2000000}"#, 2_000_000, None),
            (r#"{"usd_micros":5000000}"#, 5_000_000, None),
            (r#"{"usd_micros":6000000}"#, 5_000_000, Some("usd_micros")),
            (r#"{"usd_micros":"unlimited"}"#, 5_000_000, Some("usd_micros")),
            (r#"{"iterations":5}"#, 5_000_000, Some("iterations")),
            (r#"{"tokens":90000,"minutes":"unlimited"}"#, 5_000_000, None),
        ] {
            let own = limits(json);
            let budgets = own.within(&above).or_default();
            assert_eq!((budgets.usd_micros, budgets.iterations), (Some(expected), 4), "{json}");
            let found = own.validate_within(&above).err().map(|invalid| invalid.field);
            assert_eq!(found.as_deref(), refused, "{json}");
        }
    }

    #[test]
    fn cost_is_limited_by_dollars_or_tokens_or_not_at_all_on_request() {
        for (json, lacks) in [
            ("{}", true),
            (r#"{"minutes":5}"#, true),
            (r#"{"tokens":"unlimited"}"#, true),
            (r#"{"tokens":90000}"#, false),
            (r#"{"usd_micros":90000}"#, false),
            (r#"{"usd_micros":"unlimited"}"#, false),
        ] {
            assert_eq!(limits(json).lacks_cost_limit(), lacks, "{json}");
        }
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
            (r#"{"permission_prompts":1001}"#, Some("permission_prompts")),
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
