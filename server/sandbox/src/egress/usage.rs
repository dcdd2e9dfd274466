//! Counters and refusals of one run's network access.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::output::OutputChunk;

/// Distinct refusals that are recorded per run.
const MAX_REFUSALS: usize = 50;

/// Shared by the connections of one run.
pub struct Usage {
    live: Option<mpsc::Sender<OutputChunk>>,
    connections: AtomicU64,
    transferred_bytes: AtomicU64,
    max_transferred_bytes: u64,
    /// Cancelled when the run has transferred its maximum.
    pub exhausted: CancellationToken,
    refusals: Mutex<BTreeSet<String>>,
}

impl Usage {
    pub fn new(live: Option<mpsc::Sender<OutputChunk>>, max_transferred_bytes: u64) -> Self {
        Self {
            live,
            connections: AtomicU64::new(0),
            transferred_bytes: AtomicU64::new(0),
            max_transferred_bytes,
            exhausted: CancellationToken::new(),
            refusals: Mutex::default(),
        }
    }

    /// Counts a connection and returns the total.
    pub fn count_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts bytes in either direction.
    pub fn count_bytes(&self, count: usize) {
        let before = self.transferred_bytes.fetch_add(count as u64, Ordering::Relaxed);
        if before + count as u64 > self.max_transferred_bytes && !self.exhausted.is_cancelled() {
            self.exhausted.cancel();
            let mebibytes = self.max_transferred_bytes >> 20;
            self.refuse(&format!("connections closed: more than {mebibytes} MiB were transferred"));
        }
    }

    /// Records a refusal with its reason, and reports it if it is new.
    pub fn refuse(&self, what: &str) {
        let line = format!("network: {what}");
        let mut refusals = self.refusals.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if refusals.len() >= MAX_REFUSALS || !refusals.insert(line.clone()) {
            return;
        }
        drop(refusals);
        if let Some(live) = &self.live {
            // Like all output, it is dropped if the receiver is too slow.
            let _ = live.try_send(OutputChunk { text: line + "\n", dropped_bytes: 0 });
        }
    }

    /// Returns the refusals in sorted order.
    pub fn finish(self) -> Vec<String> {
        tracing::debug!(
            connections = self.connections.into_inner(),
            transferred_bytes = self.transferred_bytes.into_inner(),
            "a command's network access ended"
        );
        let refusals = self.refusals.into_inner();
        refusals.unwrap_or_else(|poisoned| poisoned.into_inner()).into_iter().collect()
    }
}
