//! How far a producer may be ahead of the slowest reader, and when all readers have everything.
//!
//! The same for whatever is measured: filling buffers is no advantage.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::{Notify, Semaphore};

/// Events between two words from readers to the producer.
const STEP: u64 = 32;

/// Counts what readers have, and lets the producer go on.
#[derive(Debug)]
pub struct Window {
    readers: u64,
    free: Semaphore,
    /// How many readers have reached each multiple of [`STEP`], in a ring.
    reached: Vec<AtomicU64>,
    delivered: AtomicU64,
    progress: Notify,
}

impl Window {
    /// For so many readers, of which none may be more than `size` events behind.
    pub fn new(readers: u64, size: u64) -> Arc<Self> {
        let ring = (size / STEP + 2) as usize;
        Arc::new(Self {
            readers,
            free: Semaphore::new(size as usize),
            reached: std::iter::repeat_with(AtomicU64::default).take(ring).collect(),
            delivered: AtomicU64::new(0),
            progress: Notify::new(),
        })
    }

    /// Waits until one more event may be made.
    pub async fn admit(&self) {
        if let Ok(place) = self.free.acquire().await {
            place.forget();
        }
    }

    /// A reader that had `before` events now has `after`.
    pub fn arrived(&self, before: u64, after: u64) {
        for step in before / STEP + 1..=after / STEP {
            let reached = &self.reached[step as usize % self.reached.len()];
            if reached.fetch_add(1, Ordering::AcqRel) + 1 == self.readers {
                reached.store(0, Ordering::Release);
                self.free.add_permits(STEP as usize);
            }
        }
        self.delivered.fetch_add(after - before, Ordering::AcqRel);
        self.progress.notify_one();
    }

    /// Waits until every reader has `events` events.
    pub async fn all_have(&self, events: u64) {
        while self.delivered.load(Ordering::Acquire) < events * self.readers {
            self.progress.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_slowest_reader_sets_the_pace() {
        let window = Window::new(2, 64);
        for _ in 0..64 {
            window.admit().await;
        }
        window.arrived(0, 64);
        assert_eq!(window.free.available_permits(), 0);
        window.arrived(0, 33);
        assert_eq!(window.free.available_permits(), 32);
        window.arrived(33, 64);
        assert_eq!(window.free.available_permits(), 64);
        window.all_have(64).await;
    }
}
