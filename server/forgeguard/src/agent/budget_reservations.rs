//! Reservations of a build's budget by calls whose cost is not known yet.
//!
//! The cost of a call is known only when its reply is complete. A call therefore reserves its
//! maximum cost first, and releases the reservation when the actual cost is in the journal.
//! Concurrent calls thus never exceed the budget together.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{
    budget::{CallCost, Exhausted},
    ids::BuildId,
};
use llm::{Price, Request, Usage};
use tokio::sync::{Mutex as Gate, Notify};

use crate::journal::{AppendError, Journal};

/// English and code have about four bytes per token, dense scripts three, random letters and
/// digits about two.
const MIN_BYTES_PER_TOKEN: u64 = 2;

/// The reservations of all calls of one build that are in progress. A build is run by one worker
/// at a time, so that this covers all of them.
#[derive(Debug, Default)]
pub struct BudgetReservations {
    reserved: Mutex<CallCost>,
    gate: Gate<()>,
    released: Notify,
}

/// Released when dropped. Drop it after the cost is in the journal.
#[derive(Debug)]
pub struct Reservation {
    reservations: Arc<BudgetReservations>,
    cost: CallCost,
}

#[derive(Debug)]
pub enum ReserveError {
    /// The call's maximum cost exceeds the rest of the budget, without any other reservation.
    Exhausted(Exhausted),
    /// The budget could not be read.
    Unreadable(AppendError),
}

/// The maximum cost of a call.
pub fn max_cost(request: &Request, price: Price) -> CallCost {
    let prompt = request.bytes().div_ceil(MIN_BYTES_PER_TOKEN);
    let output = u64::from(request.max_tokens);
    // The most expensive case: the whole prompt is uncached, or written to the provider's cache.
    let max_input_price = price.input.max(price.cache_write);
    let usage = Usage { input: prompt, output, ..Usage::default() };
    CallCost {
        tokens: prompt.saturating_add(output),
        usd_micros: Price { input: max_input_price, ..price }.cost_usd_micros(usage),
    }
}

impl BudgetReservations {
    /// Reserves `cost`, waiting for other calls to finish if it only fits without their
    /// reservations.
    ///
    /// # Errors
    /// If it does not fit although there is no other reservation, or the build cannot be read.
    pub async fn reserve(
        self: &Arc<Self>,
        journal: &Journal,
        build_id: BuildId,
        cost: CallCost,
    ) -> Result<Reservation, ReserveError> {
        // One at a time, in order: meanwhile reservations are only released.
        let _turn = self.gate.lock().await;
        loop {
            let released = self.released.notified();
            // Read before the state: a cost that is recorded in between is counted twice, but
            // never missed.
            let reserved = *self.lock();
            let state = journal.state(build_id).await.map_err(ReserveError::Unreadable)?;
            match state.budgets.admit(&state.spent, reserved, cost) {
                Ok(()) => break,
                Err(limit) if reserved == CallCost::default() => {
                    return Err(ReserveError::Exhausted(limit));
                }
                Err(_) => released.await,
            }
        }
        let mut reserved = self.lock();
        *reserved = reserved.plus(cost);
        drop(reserved);
        Ok(Reservation { reservations: self.clone(), cost })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CallCost> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = self.reservations.lock();
        *reserved = reserved.minus(self.cost);
        drop(reserved);
        self.reservations.released.notify_waiters();
    }
}
