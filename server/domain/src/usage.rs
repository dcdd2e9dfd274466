//! The usage of a build: runs, tokens and cost by role and model, and contracts read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    contract::{ContractSource, ContractType},
    event::agents::{AgentStarted, AgentTurn, ContractRead, Role},
    executor::Executor,
    ids::RunId,
};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// In the order of first use.
    pub models: Vec<ModelUse>,
    /// In the order of first use.
    pub contracts: Vec<ContractUse>,
    /// What has performed runs.
    #[serde(default)]
    pub executors: BTreeSet<Executor>,
    /// Runs in progress.
    pub conversations: Vec<Conversation>,
    /// The coder's last run that ended, whose conversation the next one may continue.
    #[serde(default)]
    pub ended: Option<Conversation>,
}

/// The usage of one model in one role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelUse {
    pub role: Role,
    pub model: String,
    /// Runs in which it replied.
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

/// A contract that was read by a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractUse {
    pub role: Role,
    pub contract: ContractType,
    /// 0 for the neutral example.
    pub version: u32,
    pub source: ContractSource,
    /// The number of reads.
    pub reads: u32,
    /// The number of requests that contained the text, summed over all reads: a text is sent again
    /// with every later request, until the conversation is compacted or ends.
    pub carried: u32,
}

/// A run in progress, and the contracts in its conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    pub run_id: RunId,
    pub role: Role,
    pub model: String,
    /// Replies so far.
    pub turns: u32,
    /// Texts of contracts in the conversation.
    pub holds: Vec<ContainedText>,
}

/// A contract's text in a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContainedText {
    /// Index in `contracts`.
    pub contract: usize,
    /// The reply that requested it, from 1.
    pub turn: u32,
}

/// Replies that are kept when a conversation is compacted, each with the results of its calls.
pub const TURNS_AFTER_COMPACTION: u32 = 2;

impl Usage {
    /// Runs in which a model replied.
    pub fn runs(&self) -> u32 {
        self.models.iter().map(|model| model.runs).sum()
    }

    /// Replies of all models.
    pub fn turns(&self) -> u32 {
        self.models.iter().map(|model| model.turns).sum()
    }

    pub(crate) fn begin(&mut self, started: &AgentStarted) {
        self.executors.insert(started.executor);
        let continued = self.ended.take_if(|ended| Some(ended.run_id) == started.continues);
        let held = continued.map_or_else(Vec::new, |ended| ended.holds);
        let holds = held.into_iter().map(|held| ContainedText { turn: 0, ..held }).collect();
        self.conversations.push(Conversation {
            run_id: started.run_id,
            role: started.role,
            model: started.model.clone(),
            turns: 0,
            holds,
        });
    }

    pub(crate) fn record_turn(&mut self, turn: &AgentTurn) {
        let mut conversations = self.conversations.iter_mut();
        let Some(conversation) = conversations.find(|c| c.run_id == turn.run_id) else { return };
        for held in &conversation.holds {
            self.contracts[held.contract].carried += 1;
        }
        let (role, model) = (conversation.role, conversation.model.as_str());
        let same = |used: &ModelUse| used.role == role && used.model == model;
        let place = self.models.iter().position(same).unwrap_or_else(|| {
            self.models.push(ModelUse::new(role, model));
            self.models.len() - 1
        });
        let used = &mut self.models[place];
        used.runs += u32::from(conversation.turns == 0);
        conversation.turns += 1;
        used.turns += 1;
        used.tokens_in += turn.tokens_in;
        used.tokens_out += turn.tokens_out;
        used.cache_read += turn.cache_read;
        used.cache_write += turn.cache_write;
        used.cost_usd_micros += turn.cost_usd_micros;
    }

    pub(crate) fn read(&mut self, read: &ContractRead) {
        let same = |used: &ContractUse| {
            (used.role, used.contract, used.version, used.source)
                == (read.role, read.contract, read.version, read.source)
        };
        let place = self.contracts.iter().position(same).unwrap_or_else(|| {
            self.contracts.push(ContractUse::new(read));
            self.contracts.len() - 1
        });
        self.contracts[place].reads += 1;
        if let Some(conversation) = self.conversation(read.run_id) {
            conversation.holds.push(ContainedText { contract: place, turn: conversation.turns });
        }
    }

    /// Removes the texts in its middle.
    pub(crate) fn shorten(&mut self, run_id: RunId) {
        if let Some(conversation) = self.conversation(run_id) {
            let turns = conversation.turns;
            conversation.holds.retain(|held| held.turn + TURNS_AFTER_COMPACTION > turns);
        }
    }

    pub(crate) fn end(&mut self, run_id: RunId) {
        let ended = self.conversations.extract_if(.., |it| it.run_id == run_id).last();
        if let Some(ended) = ended.filter(|it| it.role == Role::Coder) {
            self.ended = Some(ended);
        }
    }

    fn conversation(&mut self, run_id: RunId) -> Option<&mut Conversation> {
        self.conversations.iter_mut().find(|conversation| conversation.run_id == run_id)
    }
}

impl ModelUse {
    fn new(role: Role, model: &str) -> Self {
        Self {
            role,
            model: model.to_owned(),
            runs: 0,
            turns: 0,
            tokens_in: 0,
            tokens_out: 0,
            cache_read: 0,
            cache_write: 0,
            cost_usd_micros: 0,
        }
    }
}

impl ContractUse {
    fn new(read: &ContractRead) -> Self {
        Self {
            role: read.role,
            contract: read.contract,
            version: read.version,
            source: read.source,
            reads: 0,
            carried: 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{event::agents::Task, ids::Id};
    use uuid::Uuid;

    fn run(number: u128) -> RunId {
        RunId::from_uuid(Uuid::from_u128(number))
    }

    fn begin(usage: &mut Usage, number: u128, task: Task, model: &str) {
        let (run_id, role, model) = (run(number), task.role(), model.to_owned());
        usage.begin(&AgentStarted {
            run_id,
            role,
            task,
            phase: 0,
            model,
            weakened_tests: Vec::new(),
            continues: None,
            executor: Executor::Builtin,
        });
    }

    fn turn(usage: &mut Usage, number: u128) {
        usage.record_turn(&AgentTurn {
            run_id: run(number),
            text: String::new(),
            tokens_in: 100,
            tokens_out: 10,
            cache_read: 40,
            cache_write: 5,
            cost_usd_micros: 7,
            interjections_seen: 0,
            notes_version: 0,
            cut_short: None,
        });
    }

    fn read(usage: &mut Usage, number: u128, contract: ContractType, version: u32) {
        let (role, source) = (Role::Coder, ContractSource::Snapshot);
        usage.read(&ContractRead { run_id: run(number), role, contract, version, source });
    }

    #[test]
    fn usage_is_summed_by_role_and_model() {
        let mut usage = Usage::default();
        for (number, task, model) in [
            (1, Task::Plan, "a"),
            (2, Task::Execute, "a"),
            (3, Task::Fix, "a"),
            (4, Task::Fix, "b"),
        ] {
            begin(&mut usage, number, task, model);
            turn(&mut usage, number);
            turn(&mut usage, number);
            usage.end(run(number));
        }
        begin(&mut usage, 5, Task::Audit, "never replies");
        let seen: Vec<_> =
            usage.models.iter().map(|m| (m.role, m.model.as_str(), m.runs, m.turns)).collect();
        assert_eq!(
            seen,
            [(Role::Coder, "a", 2, 4), (Role::Fixer, "a", 1, 2), (Role::Fixer, "b", 1, 2)]
        );
        let coder = &usage.models[0];
        let counts = [coder.tokens_in, coder.tokens_out, coder.cache_read, coder.cache_write];
        assert_eq!((counts, coder.cost_usd_micros), ([400, 40, 160, 20], 28));
        assert_eq!((usage.runs(), usage.turns()), (4, 8));
    }

    #[test]
    fn text_counts_from_its_read_to_the_end_of_its_conversation() {
        let mut usage = Usage::default();
        begin(&mut usage, 1, Task::Plan, "a");
        turn(&mut usage, 1);
        read(&mut usage, 1, ContractType::Stack, 1);
        turn(&mut usage, 1);
        read(&mut usage, 1, ContractType::Stack, 1);
        read(&mut usage, 1, ContractType::Ui, 2);
        turn(&mut usage, 1);
        usage.end(run(1));
        begin(&mut usage, 2, Task::Execute, "a");
        turn(&mut usage, 2);
        read(&mut usage, 2, ContractType::Stack, 1);
        turn(&mut usage, 2);
        read(&mut usage, 2, ContractType::Ui, 2);
        turn(&mut usage, 2);
        // The second and third reply are kept with their results, the first is removed.
        usage.shorten(run(2));
        turn(&mut usage, 2);
        let seen: Vec<_> =
            usage.contracts.iter().map(|c| (c.contract, c.version, c.reads, c.carried)).collect();
        // From the first run 1 + 2, and 1; from the second 2, and 2.
        assert_eq!(seen, [(ContractType::Stack, 1, 3, 5), (ContractType::Ui, 2, 2, 3)]);
    }
}
