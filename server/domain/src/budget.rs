//! What a build may spend, what it has spent, and when it is out of something.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
    /// Questions to the user.
    pub clarifications: u32,
    /// Identical tool calls in a row that end a run.
    pub doom_loop: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            iterations: 10,
            minutes: Some(120),
            tokens: None,
            usd_micros: None,
            clarifications: 10,
            doom_loop: 3,
        }
    }
}

/// What a person adds to a build's limits when they resume it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct BudgetAdded {
    /// More rounds in a phase.
    pub iterations: u32,
    /// More minutes of work.
    pub minutes: u32,
    /// More tokens.
    pub tokens: u64,
    /// More millionths of a US dollar.
    pub usd_micros: u64,
}

/// What a build has spent so far, folded from its journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spent {
    /// Milliseconds of work; waiting for a person does not count.
    pub working_ms: i64,
    /// Tokens sent to models.
    pub tokens_in: u64,
    /// Tokens received from models.
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub usd_micros: u64,
    /// Questions asked.
    pub clarifications: u32,
}

/// The first limit that is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// Rounds in the current phase.
    Iterations,
    /// Minutes of work.
    Minutes,
    /// Tokens.
    Tokens,
    /// Money.
    Usd,
}

/// What a call of a model may cost at the most, while nobody knows what it will cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// Input and output tokens together.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub usd_micros: u64,
}

impl Claim {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            usd_micros: self.usd_micros.saturating_add(other.usd_micros),
        }
    }

    /// What is left when `other` is given back.
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            usd_micros: self.usd_micros.saturating_sub(other.usd_micros),
        }
    }
}

impl Budgets {
    /// Whether a claim fits beside what is spent and what others hold.
    ///
    /// # Errors
    /// The first limit that it does not fit under.
    pub fn admit(&self, spent: &Spent, held: Claim, claim: Claim) -> Result<(), Exhausted> {
        let all = held.plus(claim);
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

    /// Which limit, if any, is used up after `iterations` rounds in the current phase.
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

    /// These limits with more added; a limit that does not exist stays absent.
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
    fn names_the_first_limit_that_is_used_up() {
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
    fn a_claim_fits_beside_what_is_spent_and_held() {
        let budgets = Budgets { tokens: Some(100), usd_micros: Some(50), ..Budgets::default() };
        let spent = Spent { tokens_in: 30, tokens_out: 10, usd_micros: 20, ..Spent::default() };
        let claim = |tokens, usd_micros| Claim { tokens, usd_micros };
        for (held, wanted, expected) in [
            (claim(0, 0), claim(60, 30), Ok(())),
            (claim(0, 0), claim(61, 0), Err(Exhausted::Tokens)),
            (claim(30, 0), claim(31, 0), Err(Exhausted::Tokens)),
            (claim(0, 30), claim(0, 1), Err(Exhausted::Usd)),
            (claim(u64::MAX, 0), claim(1, 0), Err(Exhausted::Tokens)),
        ] {
            assert_eq!(budgets.admit(&spent, held, wanted), expected, "{held:?} {wanted:?}");
        }
        let endless = Budgets { tokens: None, usd_micros: None, ..budgets };
        assert_eq!(endless.admit(&spent, claim(u64::MAX, 0), claim(1, 1)), Ok(()));
    }

    #[test]
    fn adding_to_no_limit_sets_none() {
        let more = BudgetAdded { tokens: 5, minutes: 5, ..BudgetAdded::default() };
        let budgets = Budgets { tokens: None, minutes: Some(1), ..Budgets::default() }.with(more);
        assert_eq!((budgets.tokens, budgets.minutes), (None, Some(6)));
    }
}
