//! The usage of a build, and how reading contracts on demand compares with sending all of them.

use domain::{
    contract::{ContractSource, ContractType},
    event::agents::Role,
    ids::BuildId,
    phases::PhaseOutline,
    state::BuildState,
    usage::{ContractUse, ModelUse, Usage},
};
use llm::estimated_tokens;
use serde::Serialize;
use utoipa::ToSchema;

use super::{error::EngineError, handle::Engine};
use crate::{
    agent::runs::{self, RecordedRun},
    contract_set::ContractSet,
    contracts,
    store::{self, Conn, build_questions},
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct UsageCounts {
    /// Conversations in which the model replied.
    pub runs: u32,
    /// Replies.
    pub turns: u32,
    /// Input tokens, without those that the provider's cache read or wrote.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
}

/// The usage of one model in one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModelUsage {
    pub role: Role,
    pub model: String,
    #[serde(flatten)]
    pub counts: UsageCounts,
}

/// What agents used in one phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PhaseUsage {
    pub phase: u32,
    pub title: String,
    /// All input tokens, also those that the provider's cache read or wrote.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Millionths of a US dollar.
    pub cost_usd_micros: u64,
}

/// A contract that was read by a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ContractUsage {
    pub role: Role,
    pub contract: ContractType,
    /// 0 for the neutral example.
    pub version: u32,
    pub source: ContractSource,
    /// Estimated tokens of its whole text.
    pub tokens: u64,
    /// The number of reads.
    pub reads: u32,
    /// The number of requests that contained the text, summed over all reads.
    pub carried: u32,
}

/// Tokens of contract text, by two ways of providing it to agents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ContractTokens {
    /// Actual: contracts that agents read when needed.
    pub on_demand: u64,
    /// Hypothetical: all pinned contracts in every conversation from its first message on.
    pub pushed: u64,
}

/// Compares reading on demand with sending all contracts. Tokens are estimated on both sides by
/// `llm::estimated_tokens`, one per four characters, and by whole texts: a page of a contract or a
/// window of its phases counts as all of it, so that reading never appears cheaper than it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ContractDelivery {
    /// Contracts that the build pinned.
    pub pinned: u32,
    /// Estimated tokens of all of them.
    pub pinned_tokens: u64,
    /// Each text counted once per conversation.
    pub once: ContractTokens,
    /// Each text counted with every request that contained it, because the whole conversation is sent
    /// each time.
    pub sent: ContractTokens,
}

/// The usage of the questions about a build, which are not part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct QuestionsUsage {
    /// Questions that a model has replied to.
    pub question_count: u64,
    /// Input tokens, without those that the provider's cache read or wrote.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Tokens read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the provider's cache.
    pub cache_write: u64,
    /// Millionths of a US dollar; null if the price of one is unknown.
    #[schema(required)]
    pub cost_usd_micros: Option<u64>,
}

/// The usage of a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct BuildUsage {
    /// The total.
    pub total: UsageCounts,
    /// By role and model, in the order of first use.
    pub models: Vec<ModelUsage>,
    /// The phases in which an agent replied.
    pub phases: Vec<PhaseUsage>,
    /// By role and contract, in the order of first read.
    pub contracts: Vec<ContractUsage>,
    pub delivery: ContractDelivery,
    /// Questions about the build, which do not count towards its total and limits; null if no model
    /// has replied to any.
    #[schema(required)]
    pub questions: Option<QuestionsUsage>,
}

impl Engine {
    /// The usage of a build, from its journal.
    pub async fn usage(&self, build: BuildId) -> Result<BuildUsage, EngineError> {
        let state = self.journal().state(build).await?;
        Ok(of_state(&mut self.db().read().await?, build, &state).await?)
    }
}

/// The usage of a build, from its state.
///
/// # Errors
/// If the database fails.
pub async fn of_state(
    conn: &mut Conn,
    build: BuildId,
    state: &BuildState,
) -> store::Result<BuildUsage> {
    let set = contracts::of_snapshot(conn, state.queued.snapshot_batch).await?;
    let asked = build_questions::usage(conn, build).await?;
    let questions = asked.map(|asked| QuestionsUsage {
        question_count: asked.question_count,
        tokens_in: asked.tokens_in,
        tokens_out: asked.tokens_out,
        cache_read: asked.cache_read,
        cache_write: asked.cache_write,
        cost_usd_micros: (asked.unpriced_count == 0).then_some(asked.cost_usd_micros),
    });
    let phases = phase_usage(state, &runs::list(conn, build).await?);
    Ok(BuildUsage { questions, phases, ..build_usage(&state.usage, &set) })
}

fn phase_usage(state: &BuildState, runs: &[RecordedRun]) -> Vec<PhaseUsage> {
    let used = |outline: &PhaseOutline| {
        let is_counted = |run: &&RecordedRun| run.started.phase == outline.number && run.turns > 0;
        let runs: Vec<&RecordedRun> = runs.iter().filter(is_counted).collect();
        (!runs.is_empty()).then(|| PhaseUsage {
            phase: outline.number,
            title: outline.title.clone(),
            tokens_in: runs.iter().map(|run| run.tokens_in).sum(),
            tokens_out: runs.iter().map(|run| run.tokens_out).sum(),
            cost_usd_micros: runs.iter().map(|run| run.cost_usd_micros).sum(),
        })
    };
    state.phases.iter().filter_map(|phase| used(&phase.outline)).collect()
}

fn build_usage(usage: &Usage, set: &ContractSet) -> BuildUsage {
    let contracts: Vec<_> = usage.contracts.iter().map(|used| contract_usage(used, set)).collect();
    BuildUsage {
        total: usage
            .models
            .iter()
            .map(UsageCounts::from)
            .fold(Default::default(), UsageCounts::plus),
        models: usage.models.iter().map(model_usage).collect(),
        delivery: delivery(usage, &contracts, set),
        questions: None,
        phases: Vec::new(),
        contracts,
    }
}

fn delivery(usage: &Usage, read: &[ContractUsage], set: &ContractSet) -> ContractDelivery {
    // Contracts that do not exist would not be sent.
    let pinned = || set.iter().filter(|text| text.source != ContractSource::Template);
    let pinned_tokens = pinned().map(|text| estimated_tokens(&text.content)).sum();
    let on_demand = |times: fn(&ContractUsage) -> u32| {
        read.iter().map(|c| u64::from(times(c)) * c.tokens).sum()
    };
    let tokens =
        |on_demand, times| ContractTokens { on_demand, pushed: u64::from(times) * pinned_tokens };
    ContractDelivery {
        pinned: pinned().count() as u32,
        pinned_tokens,
        once: tokens(on_demand(|read| read.reads), usage.runs()),
        sent: tokens(on_demand(|read| read.carried), usage.turns()),
    }
}

fn contract_usage(used: &ContractUse, set: &ContractSet) -> ContractUsage {
    let text = match used.source {
        ContractSource::Template => set.example(used.contract),
        ContractSource::Snapshot | ContractSource::Project => set.get(used.contract),
    };
    ContractUsage {
        role: used.role,
        contract: used.contract,
        version: used.version,
        source: used.source,
        tokens: estimated_tokens(&text.content),
        reads: used.reads,
        carried: used.carried,
    }
}

fn model_usage(used: &ModelUse) -> ModelUsage {
    ModelUsage { role: used.role, model: used.model.clone(), counts: used.into() }
}

impl From<&ModelUse> for UsageCounts {
    fn from(used: &ModelUse) -> Self {
        Self {
            runs: used.runs,
            turns: used.turns,
            tokens_in: used.tokens_in,
            tokens_out: used.tokens_out,
            cache_read: used.cache_read,
            cache_write: used.cache_write,
            cost_usd_micros: used.cost_usd_micros,
        }
    }
}

impl UsageCounts {
    fn plus(self, other: Self) -> Self {
        Self {
            runs: self.runs + other.runs,
            turns: self.turns + other.turns,
            tokens_in: self.tokens_in + other.tokens_in,
            tokens_out: self.tokens_out + other.tokens_out,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
            cost_usd_micros: self.cost_usd_micros + other.cost_usd_micros,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract_set::ContractText;

    /// Manifesto and stack are pinned, with 10 and 20 tokens; examples have 5.
    fn set() -> ContractSet {
        let text = |kind, tokens: usize, version, source| ContractText {
            kind,
            version,
            source,
            content: "four".repeat(tokens),
            updated_at: None,
        };
        let found = vec![
            text(ContractType::Manifesto, 10, 1, ContractSource::Snapshot),
            text(ContractType::Stack, 20, 3, ContractSource::Snapshot),
        ];
        ContractSet::complete(found, |kind| text(kind, 5, 0, ContractSource::Template))
    }

    fn used(
        contract: ContractType,
        source: ContractSource,
        reads: u32,
        carried: u32,
    ) -> ContractUse {
        ContractUse { role: Role::Coder, contract, version: 1, source, reads, carried }
    }

    fn model(role: Role, runs: u32, turns: u32) -> ModelUse {
        ModelUse {
            role,
            model: "m".into(),
            runs,
            turns,
            tokens_in: 100,
            tokens_out: 10,
            cache_read: 40,
            cache_write: 5,
            cost_usd_micros: 7,
        }
    }

    #[test]
    fn a_push_counts_every_pinned_contract_every_time() {
        let usage = Usage {
            models: vec![model(Role::Scout, 1, 4), model(Role::Coder, 2, 6)],
            contracts: vec![
                used(ContractType::Stack, ContractSource::Snapshot, 2, 9),
                used(ContractType::Stack, ContractSource::Template, 1, 3),
            ],
            ..Usage::default()
        };
        let found = build_usage(&usage, &set());
        let tokens: Vec<_> = found.contracts.iter().map(|contract| contract.tokens).collect();
        assert_eq!(tokens, [20, 5]);
        assert_eq!(
            found.delivery,
            ContractDelivery {
                pinned: 2,
                pinned_tokens: 30,
                once: ContractTokens { on_demand: 2 * 20 + 5, pushed: 3 * 30 },
                sent: ContractTokens { on_demand: 9 * 20 + 3 * 5, pushed: 10 * 30 },
            }
        );
        assert_eq!((found.total.turns, found.total.cost_usd_micros), (10, 14));
        assert_eq!(found.models[1].counts.cache_read, 40);
    }
}
