//! What the agents of one build hold back of its budget while their models answer.
//!
//! Nobody knows what a reply costs before it is there. So a call first holds back the most that it
//! may cost; what it did cost is in the journal before the rest is given back. Calls that are made
//! at the same time so never overrun the budget together.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{
    budget::{Claim, Exhausted},
    ids::BuildId,
};
use llm::{Price, Request, Usage};
use tokio::sync::{Mutex as Gate, Notify};

use crate::journal::{AppendError, Journal};

/// Bytes that make a token at the least. English and code have about four, dense scripts three,
/// random letters and digits about two.
const BYTES_PER_TOKEN: u64 = 2;

/// The claims of all calls of one build that are under way. One worker has a build, so they are
/// all here.
#[derive(Debug, Default)]
pub struct Purse {
    held: Mutex<Claim>,
    gate: Gate<()>,
    settled: Notify,
}

/// A claim that is held; dropping it gives it back. Drop it after the cost is in the journal.
#[derive(Debug)]
pub struct Hold {
    purse: Arc<Purse>,
    claim: Claim,
}

/// Why nothing could be held.
#[derive(Debug)]
pub enum NoRoom {
    /// Even alone the call might cost more than is left.
    Exhausted(Exhausted),
    /// The budget could not be read.
    Unreadable(AppendError),
}

/// The most that a call may cost.
pub fn greatest_cost(request: &Request, price: Price) -> Claim {
    let prompt = request.bytes().div_ceil(BYTES_PER_TOKEN);
    let output = u64::from(request.max_tokens);
    // A prompt costs the most where it is written to the provider's cache, or where it is not.
    let dearest = price.input.max(price.cache_write);
    let usage = Usage { input: prompt, output, ..Usage::default() };
    Claim {
        tokens: prompt.saturating_add(output),
        usd_micros: Price { input: dearest, ..price }.cost_usd_micros(usage),
    }
}

impl Purse {
    /// Holds back `claim`. Where it fits only without what others hold, waits for them.
    ///
    /// # Errors
    /// When it does not fit though nobody else holds anything, or the build cannot be read.
    pub async fn hold(
        self: &Arc<Self>,
        journal: &Journal,
        build_id: BuildId,
        claim: Claim,
    ) -> Result<Hold, NoRoom> {
        // One at a time and in turn: meanwhile claims only become fewer.
        let _turn = self.gate.lock().await;
        loop {
            let settled = self.settled.notified();
            // Read before the state: what settles in between is counted twice, and never not at all.
            let held = *self.lock();
            let state = journal.state(build_id).await.map_err(NoRoom::Unreadable)?;
            match state.budgets.admit(&state.spent, held, claim) {
                Ok(()) => break,
                Err(limit) if held == Claim::default() => return Err(NoRoom::Exhausted(limit)),
                Err(_) => settled.await,
            }
        }
        let mut held = self.lock();
        *held = held.plus(claim);
        drop(held);
        Ok(Hold { purse: self.clone(), claim })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Claim> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.purse.lock();
        *held = held.minus(self.claim);
        drop(held);
        self.purse.settled.notify_waiters();
    }
}
