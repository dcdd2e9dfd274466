//! The order in which passwords are hashed: at most one per core at a time, and a bounded number
//! waiting, the lowest priority number first.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

/// A priority queue for a number of slots. Clones share it.
#[derive(Clone, Debug)]
pub struct HashQueue(Arc<Mutex<State>>);

/// A slot, released when dropped.
#[derive(Debug)]
pub struct Slot(Option<HashQueue>);

/// Too many are waiting.
#[derive(Debug)]
pub struct QueueFull;

#[derive(Debug)]
struct State {
    free: usize,
    capacity: usize,
    /// By priority, then in order of arrival.
    waiting: BTreeMap<(u32, u64), oneshot::Sender<Slot>>,
    arrivals: u64,
}

impl HashQueue {
    /// A queue with `slots` slots, for which at most `capacity` wait.
    pub fn new(slots: usize, capacity: usize) -> Self {
        let waiting = BTreeMap::new();
        Self(Arc::new(Mutex::new(State { free: slots, capacity, waiting, arrivals: 0 })))
    }

    /// Waits for a slot. If the queue is full, the last waiter with the highest priority number is
    /// rejected.
    pub async fn acquire(&self, priority: u32) -> Result<Slot, QueueFull> {
        let receiver = {
            let mut state = self.lock();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Slot(Some(self.clone())));
            }
            if state.waiting.len() >= state.capacity {
                // Waiters that were cancelled.
                state.waiting.retain(|_, waiting| !waiting.is_closed());
            }
            let position = (priority, state.arrivals);
            state.arrivals += 1;
            if state.waiting.len() >= state.capacity {
                match state.waiting.last_entry() {
                    Some(last) if *last.key() > position => drop(last.remove()),
                    _ => return Err(QueueFull),
                }
            }
            let (sender, receiver) = oneshot::channel();
            state.waiting.insert(position, sender);
            receiver
        };
        receiver.await.map_err(|_| QueueFull)
    }

    fn release(&self) {
        let mut state = self.lock();
        while let Some((_, next)) = state.waiting.pop_first() {
            match next.send(Slot(Some(self.clone()))) {
                Ok(()) => return,
                // That waiter was cancelled: its slot goes to the next one and is not released
                // twice.
                Err(mut slot) => drop(slot.0.take()),
            }
        }
        state.free += 1;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(queue) = self.0.take() {
            queue.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::BoxFuture};

    use super::*;

    /// A future that has entered the queue.
    fn waiting(queue: &HashQueue, priority: u32) -> BoxFuture<'static, Result<Slot, QueueFull>> {
        let queue = queue.clone();
        let mut wait = async move { queue.acquire(priority).await }.boxed();
        assert!((&mut wait).now_or_never().is_none(), "the slot is taken");
        wait
    }

    #[test]
    fn lowest_priority_gets_the_next_slot() {
        let queue = HashQueue::new(1, 10);
        let slot = queue.acquire(9).now_or_never().unwrap().unwrap();
        let mut flood: Vec<_> = (1..=5).map(|n| waiting(&queue, n)).collect();
        let known = waiting(&queue, 0);
        drop(slot);
        let slot = known.now_or_never().unwrap().unwrap();
        assert!(flood.iter_mut().all(|wait| wait.now_or_never().is_none()));
        drop(slot);
        assert!(flood.remove(0).now_or_never().is_some_and(|slot| slot.is_ok()));
    }

    #[test]
    fn full_queue_rejects_the_highest_priority_number() {
        let queue = HashQueue::new(1, 2);
        let _slot = queue.acquire(0).now_or_never().unwrap().unwrap();
        let (first, last) = (waiting(&queue, 3), waiting(&queue, 7));
        assert!(queue.acquire(7).now_or_never().unwrap().is_err());
        let better = waiting(&queue, 1);
        assert!(last.now_or_never().unwrap().is_err());
        drop((first, better));
        // Cancelled waiters have made room.
        drop(waiting(&queue, 9));
    }

    #[test]
    fn slot_of_a_cancelled_waiter_goes_to_the_next() {
        let queue = HashQueue::new(1, 10);
        let slot = queue.acquire(0).now_or_never().unwrap().unwrap();
        let (left, next) = (waiting(&queue, 1), waiting(&queue, 2));
        drop(left);
        drop(slot);
        let slot = next.now_or_never().unwrap().unwrap();
        drop(slot);
        assert!(queue.acquire(0).now_or_never().unwrap().is_ok());
    }
}
