//! The memory that all runs of this service may use together, so that they cannot exhaust the
//! machine.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::memory;

/// Default share of the machine's memory for all runs together.
const DEFAULT_SHARE_PERCENT: u64 = 75;
/// If less than this share of the machine's memory is available, runs are ended, regardless of what
/// uses the rest.
const RESERVE_PERCENT: u64 = 2;

/// Memory usage of all runs, as last reported by their supervisors.
#[derive(Debug)]
pub struct MemoryBudget {
    limit_bytes: u64,
    reserve_bytes: u64,
    runs: Mutex<HashMap<Uuid, Usage>>,
}

#[derive(Debug)]
struct Usage {
    bytes: u64,
    exceeded: CancellationToken,
}

/// One run's entry in the budget, removed on drop.
#[derive(Debug)]
pub struct RunMemory {
    id: Uuid,
    budget: Arc<MemoryBudget>,
    exceeded: CancellationToken,
}

impl MemoryBudget {
    /// `None` means the default share of the machine's memory.
    pub fn new(limit_bytes: Option<u64>) -> Self {
        let installed = memory::installed_bytes().unwrap_or(u64::MAX);
        let default_limit = installed / 100 * DEFAULT_SHARE_PERCENT;
        Self {
            limit_bytes: limit_bytes.unwrap_or(default_limit),
            reserve_bytes: installed / 100 * RESERVE_PERCENT,
            runs: Mutex::default(),
        }
    }

    pub fn limit_bytes(&self) -> u64 {
        self.limit_bytes
    }

    pub fn add_run(self: &Arc<Self>) -> RunMemory {
        let id = Uuid::now_v7();
        let exceeded = CancellationToken::new();
        let usage = Usage { bytes: 0, exceeded: exceeded.clone() };
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).insert(id, usage);
        RunMemory { id, budget: Arc::clone(self), exceeded }
    }

    /// Ends the largest run if the total is too high; the next one only after that is gone.
    fn record_usage(&self, id: Uuid, bytes: u64, available: Option<u64>) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(run) = runs.get_mut(&id) {
            run.bytes = bytes;
        }
        let total: u64 = runs.values().map(|run| run.bytes).sum();
        let short = available.is_some_and(|available| available < self.reserve_bytes);
        if total <= self.limit_bytes && !short {
            return;
        }
        let one_is_ending = runs.values().any(|run| run.exceeded.is_cancelled());
        let largest = runs.values().max_by_key(|run| run.bytes);
        if let Some(run) = largest.filter(|_| !one_is_ending) {
            tracing::warn!(total, short, largest = run.bytes, "commands use too much memory");
            run.exceeded.cancel();
        }
    }
}

impl RunMemory {
    /// Records the memory that the run uses now, in bytes.
    pub fn report(&self, bytes: u64) {
        self.budget.record_usage(self.id, bytes, memory::available_bytes());
    }

    /// Waits until the run must end because the total is too high.
    pub async fn exceeded(&self) {
        self.exceeded.cancelled().await;
    }
}

impl Drop for RunMemory {
    fn drop(&mut self) {
        self.budget.runs.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_run_is_ended_when_the_total_is_exceeded() {
        let budget = Arc::new(MemoryBudget::new(Some(100)));
        let plenty = Some(u64::MAX);
        let runs = [budget.add_run(), budget.add_run(), budget.add_run()];
        let ended = || runs.iter().map(|run| run.exceeded.is_cancelled()).collect::<Vec<_>>();
        budget.record_usage(runs[0].id, 30, plenty);
        budget.record_usage(runs[1].id, 40, plenty);
        budget.record_usage(runs[2].id, 30, plenty);
        assert_eq!(ended(), [false; 3]);
        budget.record_usage(runs[2].id, 31, plenty);
        assert_eq!(ended(), [false, true, false]);
        budget.record_usage(runs[0].id, 50, plenty);
        assert_eq!(ended(), [false, true, false]);
        let [first, second, third] = runs;
        drop(second);
        budget.record_usage(first.id, 50, plenty);
        assert!(!first.exceeded.is_cancelled() && !third.exceeded.is_cancelled());
        budget.record_usage(third.id, 31, Some(0));
        assert!(first.exceeded.is_cancelled() && !third.exceeded.is_cancelled());
    }

    #[test]
    fn default_limit_is_below_the_machine_memory() {
        let budget = MemoryBudget::new(None);
        let installed = memory::installed_bytes().unwrap();
        assert!(budget.limit_bytes < installed && budget.limit_bytes > installed / 2);
    }
}
