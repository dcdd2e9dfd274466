//! Warnings about limits that are nearly used up, once for each limit.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::budget::{BudgetAdded, Budgets, Spent};

/// Percent of a limit from which on a warning is due.
pub const WARNING_PERCENT: u64 = 80;

/// A limit of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitName {
    Iterations,
    Minutes,
    Tokens,
    Usd,
    Clarifications,
    PermissionPrompts,
}

/// Most of a limit is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetWarning {
    pub limit: LimitName,
    /// In rounds of the phase, minutes, tokens, millionths of a US dollar, or questions.
    pub used: u64,
    /// The limit, in the same unit.
    pub maximum: u64,
}

impl LimitName {
    pub const ALL: [Self; 6] = [
        Self::Iterations,
        Self::Minutes,
        Self::Tokens,
        Self::Usd,
        Self::Clarifications,
        Self::PermissionPrompts,
    ];

    /// Whether this limit was raised.
    pub(crate) fn is_raised_by(self, added: &BudgetAdded) -> bool {
        match self {
            Self::Iterations => added.iterations > 0,
            Self::Minutes => added.minutes > 0,
            Self::Tokens => added.tokens > 0,
            Self::Usd => added.usd_micros > 0,
            Self::Clarifications | Self::PermissionPrompts => false,
        }
    }
}

/// The warnings that are due after `iterations` rounds in the current phase, without those given
/// before.
pub fn due(
    budgets: &Budgets,
    spent: &Spent,
    iterations: u32,
    given: &[LimitName],
) -> Vec<BudgetWarning> {
    let used_of = |limit| {
        let count = |used: u32, maximum: u32| (u64::from(used), Some(u64::from(maximum)));
        match limit {
            LimitName::Iterations => count(iterations, budgets.iterations),
            LimitName::Minutes => {
                (spent.working_ms.max(0) as u64 / 60_000, budgets.minutes.map(u64::from))
            }
            LimitName::Tokens => (spent.tokens_in.saturating_add(spent.tokens_out), budgets.tokens),
            LimitName::Usd => (spent.usd_micros, budgets.usd_micros),
            LimitName::Clarifications => count(spent.clarifications, budgets.clarifications),
            LimitName::PermissionPrompts => {
                count(spent.permission_prompts, budgets.permission_prompts)
            }
        }
    };
    let warning = |limit| {
        let (used, maximum) = used_of(limit);
        let maximum = maximum.filter(|maximum| *maximum > 0)?;
        let is_due = used.saturating_mul(100) >= maximum.saturating_mul(WARNING_PERCENT);
        is_due.then_some(BudgetWarning { limit, used, maximum })
    };
    let names = LimitName::ALL.into_iter().filter(|limit| !given.contains(limit));
    names.filter_map(warning).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGETS: Budgets = Budgets {
        iterations: 10,
        minutes: Some(10),
        tokens: Some(1_000),
        usd_micros: Some(500),
        clarifications: 5,
        permission_prompts: 0,
        doom_loop: 3,
    };

    fn limits(spent: Spent, iterations: u32, given: &[LimitName]) -> Vec<LimitName> {
        due(&BUDGETS, &spent, iterations, given).iter().map(|warning| warning.limit).collect()
    }

    #[test]
    fn warning_is_due_from_80_percent_on() {
        let spent = Spent::default();
        for (spent, iterations, expected) in [
            (spent, 7, None),
            (spent, 8, Some(LimitName::Iterations)),
            (Spent { working_ms: 479_999, ..spent }, 0, None),
            (Spent { working_ms: 480_000, ..spent }, 0, Some(LimitName::Minutes)),
            (Spent { tokens_in: 700, tokens_out: 99, ..spent }, 0, None),
            (Spent { tokens_in: 700, tokens_out: 100, ..spent }, 0, Some(LimitName::Tokens)),
            (Spent { usd_micros: 400, ..spent }, 0, Some(LimitName::Usd)),
            (Spent { clarifications: 3, ..spent }, 0, None),
            (Spent { clarifications: 4, ..spent }, 0, Some(LimitName::Clarifications)),
        ] {
            assert_eq!(limits(spent, iterations, &[]).first().copied(), expected, "{spent:?}");
        }
    }

    #[test]
    fn limit_is_warned_about_once() {
        let spent = Spent { usd_micros: 499, tokens_in: 900, ..Spent::default() };
        assert_eq!(limits(spent, 0, &[LimitName::Tokens]), [LimitName::Usd]);
    }

    #[test]
    fn warning_states_what_is_used_and_the_limit() {
        let spent = Spent { usd_micros: 450, ..Spent::default() };
        let expected = BudgetWarning { limit: LimitName::Usd, used: 450, maximum: 500 };
        assert_eq!(due(&BUDGETS, &spent, 0, &[]), [expected]);
    }

    #[test]
    fn absent_limit_and_limit_of_zero_have_no_warning() {
        let budgets = Budgets { tokens: None, usd_micros: None, minutes: None, ..BUDGETS };
        let spent = Spent { usd_micros: 9, tokens_in: 9, ..Spent::default() };
        assert_eq!(due(&budgets, &spent, 0, &[]), []);
    }
}
