//! The budget of a build: its limits, what it has used, and which limit is exhausted.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Permission prompts per build unless a limit is set. A build that needs more should have other
/// permission rules.
pub const DEFAULT_PERMISSION_PROMPTS: u32 = 200;

/// The limits of one build. `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Budgets {
    /// Execute-and-fix rounds in one phase.
    pub iterations: u32,
    /// Minutes of work; waiting for a person does not count.
    pub minutes: Option<u32>,
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    pub usd_micros: Option<u64>,
    /// Questions to the user, without permission prompts.
    pub clarifications: u32,
    /// Permission prompts, which do not count as questions.
    #[serde(default = "default_permission_prompts")]
    pub permission_prompts: u32,
    /// Identical tool calls in a row that end a run.
    pub doom_loop: u32,
}

fn default_permission_prompts() -> u32 {
    DEFAULT_PERMISSION_PROMPTS
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            iterations: 10,
            minutes: Some(120),
            tokens: None,
            usd_micros: None,
            clarifications: 10,
            permission_prompts: DEFAULT_PERMISSION_PROMPTS,
            doom_loop: 3,
        }
    }
}

/// Added to a build's limits when a user resumes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetAdded {
    #[serde(default)]
    pub iterations: u32,
    #[serde(default)]
    pub minutes: u32,
    #[serde(default)]
    pub tokens: u64,
    /// Millionths of a US dollar.
    #[serde(default)]
    pub usd_micros: u64,
}

impl BudgetAdded {
    pub fn adds_to(&self, limit: Exhausted) -> bool {
        match limit {
            Exhausted::Iterations => self.iterations > 0,
            Exhausted::Minutes => self.minutes > 0,
            Exhausted::Tokens => self.tokens > 0,
            Exhausted::Usd => self.usd_micros > 0,
        }
    }
}

/// What a build has used so far, folded from its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spent {
    /// Milliseconds of work; waiting for a person does not count.
    pub working_ms: i64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub usd_micros: u64,
    /// Questions to the user, without permission prompts.
    pub clarifications: u32,
    #[serde(default)]
    pub permission_prompts: u32,
}

/// An exhausted limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    Iterations,
    Minutes,
    Tokens,
    Usd,
}

/// The maximum cost of a model call, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCost {
    /// Input and output tokens together.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub usd_micros: u64,
}

impl CallCost {
    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            usd_micros: self.usd_micros.saturating_add(other.usd_micros),
        }
    }

    /// The difference, at least 0.
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            usd_micros: self.usd_micros.saturating_sub(other.usd_micros),
        }
    }
}

impl Budgets {
    /// Whether `cost` fits in addition to what is spent and what other calls have reserved.
    ///
    /// # Errors
    /// The first limit that it would exceed.
    pub fn admit(
        &self,
        spent: &Spent,
        reserved: CallCost,
        cost: CallCost,
    ) -> Result<(), Exhausted> {
        let all = reserved.plus(cost);
        let over = |limit: Option<u64>, spent: u64, more: u64| {
            limit.is_some_and(|limit| spent.saturating_add(more) > limit)
        };
        if over(self.tokens, spent.tokens_in.saturating_add(spent.tokens_out), all.tokens) {
            Err(Exhausted::Tokens)
        } else if over(self.usd_micros, spent.usd_micros, all.usd_micros) {
            Err(Exhausted::Usd)
        } else {
            Ok(())
        }
    }

    /// The first exhausted limit after `iterations` rounds in the current phase.
    pub fn exhausted(&self, spent: &Spent, iterations: u32) -> Option<Exhausted> {
        let over = |limit: Option<u64>, used: u64| limit.is_some_and(|limit| used >= limit);
        if iterations > self.iterations {
            Some(Exhausted::Iterations)
        } else if over(self.minutes.map(u64::from), (spent.working_ms.max(0) as u64) / 60_000) {
            Some(Exhausted::Minutes)
        } else if over(self.tokens, spent.tokens_in + spent.tokens_out) {
            Some(Exhausted::Tokens)
        } else if over(self.usd_micros, spent.usd_micros) {
            Some(Exhausted::Usd)
        } else {
            None
        }
    }

    /// Adds to the limits; an absent limit stays absent.
    pub fn with(mut self, added: BudgetAdded) -> Self {
        self.iterations = self.iterations.saturating_add(added.iterations);
        self.minutes = self.minutes.map(|limit| limit.saturating_add(added.minutes));
        self.tokens = self.tokens.map(|limit| limit.saturating_add(added.tokens));
        self.usd_micros = self.usd_micros.map(|limit| limit.saturating_add(added.usd_micros));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exhausted_returns_the_first_exhausted_limit() {
        let budgets = Budgets { minutes: Some(1), tokens: Some(100), ..Budgets::default() };
        let spent = |working_ms, tokens_in| Spent { working_ms, tokens_in, ..Spent::default() };
        for (spent, iterations, expected) in [
            (spent(59_999, 99), 10, None),
            (spent(0, 0), 11, Some(Exhausted::Iterations)),
            (spent(60_000, 100), 1, Some(Exhausted::Minutes)),
            (spent(0, 100), 1, Some(Exhausted::Tokens)),
        ] {
            assert_eq!(budgets.exhausted(&spent, iterations), expected, "{spent:?} {iterations}");
        }
    }

    #[test]
    fn call_is_admitted_if_its_cost_fits_in_addition_to_spent_and_reserved() {
        let budgets = Budgets { tokens: Some(100), usd_micros: Some(50), ..Budgets::default() };
        let spent = Spent { tokens_in: 30, tokens_out: 10, usd_micros: 20, ..Spent::default() };
        let cost = |tokens, usd_micros| CallCost { tokens, usd_micros };
        for (reserved, call, expected) in [
            (cost(0, 0), cost(60, 30), Ok(())),
            (cost(0, 0), cost(61, 0), Err(Exhausted::Tokens)),
            (cost(30, 0), cost(31, 0), Err(Exhausted::Tokens)),
            (cost(0, 30), cost(0, 1), Err(Exhausted::Usd)),
            (cost(u64::MAX, 0), cost(1, 0), Err(Exhausted::Tokens)),
        ] {
            assert_eq!(budgets.admit(&spent, reserved, call), expected, "{reserved:?} {call:?}");
        }
        let unlimited = Budgets { tokens: None, usd_micros: None, ..budgets };
        assert_eq!(unlimited.admit(&spent, cost(u64::MAX, 0), cost(1, 1)), Ok(()));
    }

    #[test]
    fn adding_to_an_absent_limit_keeps_it_absent() {
        let more = BudgetAdded { tokens: 5, minutes: 5, ..BudgetAdded::default() };
        let budgets = Budgets { tokens: None, minutes: Some(1), ..Budgets::default() }.with(more);
        assert_eq!((budgets.tokens, budgets.minutes), (None, Some(6)));
    }
}
