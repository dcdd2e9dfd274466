//! The tokens and dollars that a build will probably use.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The newest sealed builds of the project that an estimate considers.
pub const MAX_EARLIER_BUILDS: usize = 5;
/// Longer contracts are not sent in full with every call.
const MAX_CONTRACT_TOKENS_PER_CALL: u64 = 4_000;
/// Calls per phase, tokens per call without contracts, and tokens per reply, from recorded builds.
const MIN_PHASE_USE: PhaseUse = PhaseUse { calls: 6, context: 3_500, reply: 300 };
const MAX_PHASE_USE: PhaseUse = PhaseUse { calls: 24, context: 4_500, reply: 1_000 };
/// Percent by which a build may use less or more per phase than the earlier ones.
const MIN_PERCENT: u64 = 75;
const MAX_PERCENT: u64 = 150;
/// Suggested limit, in percent of the upper estimate.
const LIMIT_PERCENT: u64 = 150;
/// In millionths of a US dollar.
const DOLLAR: u64 = 1_000_000;

struct PhaseUse {
    calls: u64,
    context: u64,
    reply: u64,
}

/// From the lower to the upper estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EstimateRange {
    pub low: u64,
    pub high: u64,
}

/// What an estimate is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EstimateBasis {
    /// The number of phases and the size of the contracts.
    Contracts,
    /// What earlier sealed builds of the project used per phase.
    EarlierBuilds,
}

/// What a build will probably use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BuildEstimate {
    /// Input and output tokens together.
    pub tokens: EstimateRange,
    /// Millionths of a US dollar; null if the model's price is unknown.
    #[schema(required)]
    pub usd_micros: Option<EstimateRange>,
    pub basis: EstimateBasis,
    /// Earlier builds considered.
    pub earlier_builds: u32,
    /// Phases of this build.
    pub phases: u32,
    /// Size of its contracts in tokens, about four characters each.
    pub contract_tokens: u64,
}

/// An earlier sealed build of the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarlierBuild {
    pub phases: u32,
    /// Input and output tokens together.
    pub tokens: u64,
    /// Millionths of a US dollar.
    pub usd_micros: u64,
    /// Whether it used the same model, so that its cost is comparable.
    pub is_same_model: bool,
}

/// Prices in millionths of a US dollar per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPrices {
    pub input: u64,
    pub cached_input: u64,
    pub output: u64,
}

impl TokenPrices {
    /// With two thirds of the input read from the provider's cache.
    fn lowest(self, input: u64, output: u64) -> u64 {
        let cached = input * 2 / 3;
        cost(cached, self.cached_input) + self.full(input - cached, output)
    }

    fn full(self, input: u64, output: u64) -> u64 {
        cost(input, self.input) + cost(output, self.output)
    }
}

fn cost(tokens: u64, price: u64) -> u64 {
    u64::try_from(u128::from(tokens) * u128::from(price) / 1_000_000).unwrap_or(u64::MAX)
}

/// The estimate for a build of `phases` phases. `earlier` are the newest sealed builds of the
/// project; with none, the sizes of the contracts are the only basis.
pub fn estimate(
    phases: u32,
    contract_tokens: u64,
    earlier: &[EarlierBuild],
    prices: Option<TokenPrices>,
) -> BuildEstimate {
    let count = u64::from(phases.max(1));
    let contracts = contract_tokens.min(MAX_CONTRACT_TOKENS_PER_CALL);
    let (least_in, least_out) = (
        count * MIN_PHASE_USE.calls * (MIN_PHASE_USE.context + contracts / 2),
        count * MIN_PHASE_USE.calls * MIN_PHASE_USE.reply,
    );
    let (most_in, most_out) = (
        count * MAX_PHASE_USE.calls * (MAX_PHASE_USE.context + contracts),
        count * MAX_PHASE_USE.calls * MAX_PHASE_USE.reply,
    );
    let from_contracts = EstimateRange { low: least_in + least_out, high: most_in + most_out };
    let usd_from_contracts = prices.map(|prices| EstimateRange {
        low: prices.lowest(least_in, least_out),
        high: prices.full(most_in, most_out),
    });
    let known = earlier.iter().filter(|build| build.tokens > 0 && build.phases > 0);
    let known: Vec<&EarlierBuild> = known.take(MAX_EARLIER_BUILDS).collect();
    let per_phase = |used: fn(&EarlierBuild) -> u64, same_model: bool| {
        let of = known.iter().filter(|build| !same_model || build.is_same_model);
        let used: Vec<u64> = of.map(|build| used(build) / u64::from(build.phases)).collect();
        Some(EstimateRange {
            low: used.iter().min()?.saturating_mul(count) * MIN_PERCENT / 100,
            high: used.iter().max()?.saturating_mul(count) * MAX_PERCENT / 100,
        })
    };
    let from_earlier = per_phase(|build| build.tokens, false);
    // Builds with another model tell how many tokens to expect, but not their price.
    let scaled = usd_from_contracts.map(|usd| match from_earlier {
        Some(tokens) => EstimateRange {
            low: scale(usd.low, tokens.low, from_contracts.low),
            high: scale(usd.high, tokens.high, from_contracts.high),
        },
        None => usd,
    });
    BuildEstimate {
        tokens: from_earlier.unwrap_or(from_contracts),
        usd_micros: prices.and(per_phase(|build| build.usd_micros, true)).or(scaled),
        basis: match from_earlier {
            Some(_) => EstimateBasis::EarlierBuilds,
            None => EstimateBasis::Contracts,
        },
        earlier_builds: known.len() as u32,
        phases,
        contract_tokens,
    }
}

fn scale(amount: u64, part: u64, whole: u64) -> u64 {
    let scaled = u128::from(amount) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// A limit in whole US dollars, in millionths, that a build of this estimate should not reach.
pub fn suggested_limit(estimate: &BuildEstimate) -> Option<u64> {
    let high = estimate.usd_micros?.high;
    Some((high.saturating_mul(LIMIT_PERCENT) / 100).div_ceil(DOLLAR).max(1) * DOLLAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICES: TokenPrices =
        TokenPrices { input: 2_000_000, cached_input: 100_000, output: 10_000_000 };

    fn earlier(phases: u32, tokens: u64, usd_micros: u64, is_same_model: bool) -> EarlierBuild {
        EarlierBuild { phases, tokens, usd_micros, is_same_model }
    }

    #[test]
    fn recorded_builds_are_within_the_estimate_from_their_contracts() {
        for (phases, used) in [(2, 136_000), (1, 89_000), (2, 70_000), (1, 40_000)] {
            let BuildEstimate { tokens, basis, .. } = estimate(phases, 1_000, &[], None);
            assert!((tokens.low..=tokens.high).contains(&used), "{used}: {tokens:?}");
            assert_eq!(basis, EstimateBasis::Contracts);
        }
    }

    #[test]
    fn estimate_grows_with_phases_and_contracts_up_to_a_limit() {
        let high = |phases, contracts| estimate(phases, contracts, &[], None).tokens.high;
        assert_eq!(high(3, 1_000), 3 * high(1, 1_000));
        assert!(high(1, 2_000) > high(1, 1_000));
        assert_eq!(high(1, 4_000), high(1, 400_000));
        assert_eq!(high(0, 0), high(1, 0));
    }

    #[test]
    fn dollars_are_estimated_only_with_a_price() {
        assert_eq!(estimate(1, 1_000, &[], None).usd_micros, None);
        let usd = estimate(1, 1_000, &[], Some(PRICES)).usd_micros.unwrap();
        assert!(0 < usd.low && usd.low < usd.high, "{usd:?}");
        assert_eq!(usd.high, 24 * 5_500 * 2 + 24 * 1_000 * 10);
    }

    #[test]
    fn earlier_builds_count_per_phase() {
        let builds = [earlier(2, 100_000, 400_000, true), earlier(1, 80_000, 200_000, true)];
        let found = estimate(3, 1_000, &builds, Some(PRICES));
        assert_eq!(found.tokens, EstimateRange { low: 112_500, high: 360_000 });
        assert_eq!(found.usd_micros, Some(EstimateRange { low: 450_000, high: 900_000 }));
        assert_eq!((found.basis, found.earlier_builds), (EstimateBasis::EarlierBuilds, 2));
    }

    #[test]
    fn cost_of_another_model_is_estimated_from_its_tokens() {
        let builds = [earlier(1, 78_000, 9_000_000, false)];
        let plain = estimate(1, 1_000, &[], Some(PRICES));
        let found = estimate(1, 1_000, &builds, Some(PRICES));
        let expected = scale(plain.usd_micros.unwrap().high, 117_000, plain.tokens.high);
        assert_eq!(found.usd_micros.unwrap().high, expected);
    }

    #[test]
    fn builds_without_usage_are_ignored() {
        let found = estimate(1, 1_000, &[earlier(1, 0, 0, true)], None);
        assert_eq!((found.basis, found.earlier_builds), (EstimateBasis::Contracts, 0));
    }

    #[test]
    fn suggested_limit_is_above_the_estimate_in_whole_dollars() {
        let of = |high| {
            let usd_micros = Some(EstimateRange { low: 0, high });
            suggested_limit(&BuildEstimate { usd_micros, ..estimate(1, 0, &[], None) })
        };
        assert_eq!(
            (of(1_000), of(2_000_000), of(2_000_001)),
            (Some(DOLLAR), Some(3 * DOLLAR), Some(4 * DOLLAR))
        );
        assert_eq!(suggested_limit(&estimate(1, 0, &[], None)), None);
    }
}
