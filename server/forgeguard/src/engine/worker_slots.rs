//! The free workers of a queue on this node, and rows that commands have claimed for them.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::store::leases::Lease;

/// A claimed row, and the slot of the worker that works on it.
pub(super) struct Claimed<I> {
    pub lease: Lease<I>,
    pub slot: OwnedSemaphorePermit,
}

/// One slot for each row that the node works on at the same time. Clones share them.
#[derive(Clone)]
pub(super) struct WorkerSlots<I> {
    free: Arc<Semaphore>,
    claimed: mpsc::Sender<Claimed<I>>,
}

impl<I: Send + Sync + 'static> WorkerSlots<I> {
    /// Slots of `count` workers, and the rows that are claimed for them by [`WorkerSlots::take`].
    pub fn new(count: usize) -> (Self, mpsc::Receiver<Claimed<I>>) {
        let count = count.max(1);
        // Each row occupies a slot, so that the channel is never full.
        let (claimed, rows) = mpsc::channel(count);
        (Self { free: Arc::new(Semaphore::new(count)), claimed }, rows)
    }

    /// Waits for a slot; None after [`WorkerSlots::close`].
    pub async fn acquire(&self) -> Option<OwnedSemaphorePermit> {
        self.free.clone().acquire_owned().await.ok()
    }

    /// Hands a row to a worker, which is reserved until then. None if no worker is free.
    pub fn take(&self) -> Option<impl FnOnce(Lease<I>) + Send + Sync + 'static> {
        let slot = self.free.clone().try_acquire_owned().ok()?;
        let claimed = self.claimed.clone();
        // If the queue has ended, the lease ends with the process or expires.
        Some(move |lease| drop(claimed.try_send(Claimed { lease, slot })))
    }

    /// No slot is given out any more.
    pub fn close(&self) {
        self.free.close();
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::BuildId;

    use super::*;
    use crate::store;

    fn lease() -> Lease<BuildId> {
        Lease { id: store::new_id(), owner: "a".to_owned(), fence: 1 }
    }

    #[tokio::test]
    async fn row_keeps_its_slot_until_its_worker_has_ended() {
        let (slots, mut rows) = WorkerSlots::new(1);
        let hand_over = slots.take().unwrap();
        assert!(slots.take().is_none(), "the only worker is reserved");
        let lease = lease();
        hand_over(lease.clone());
        let claimed = rows.recv().await.unwrap();
        assert_eq!(claimed.lease, lease);
        assert!(slots.take().is_none(), "it works");
        drop(claimed);
        drop(slots.take().expect("it has ended"));
        assert!(slots.take().is_some(), "nothing was claimed for it");
    }

    #[tokio::test]
    async fn closed_slots_are_not_given_out_but_reserved_ones_are_used() {
        let (slots, mut rows) = WorkerSlots::new(2);
        let hand_over = slots.take().unwrap();
        slots.close();
        assert!(slots.take().is_none() && slots.acquire().await.is_none());
        hand_over(lease());
        assert!(rows.try_recv().is_ok());
    }
}
