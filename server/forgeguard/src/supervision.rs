//! Background loops that are restarted after a panic, and reported as failing meanwhile.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::FutureExt;
use tokio::{
    task::JoinHandle,
    time::{Instant, sleep},
};

const RESTART_DELAY: Duration = Duration::from_secs(1);
/// A loop that panicked is reported as failing for this long, so that one which panics repeatedly
/// is not reported as healthy in between.
const PROBATION: Duration = Duration::from_secs(10);

/// Starts loops and records their failures. Clones share the records.
#[derive(Clone, Debug, Default)]
pub struct Supervisor(Arc<Mutex<BTreeMap<&'static str, Instant>>>);

impl Supervisor {
    /// Runs the future made by `make` until it completes, and again after each panic.
    pub fn spawn<F>(
        &self,
        name: &'static str,
        mut make: impl FnMut() -> F + Send + 'static,
    ) -> JoinHandle<()>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let supervisor = self.clone();
        tokio::spawn(async move {
            // The panic hook has logged the panic.
            while AssertUnwindSafe(make()).catch_unwind().await.is_err() {
                tracing::error!(name, "a background loop panicked and is restarted");
                supervisor.lock().insert(name, Instant::now());
                sleep(RESTART_DELAY).await;
            }
        })
    }

    /// The loops that have panicked recently.
    pub fn failing(&self) -> Vec<&'static str> {
        let mut panicked_at = self.lock();
        panicked_at.retain(|_, at| at.elapsed() < PROBATION);
        panicked_at.keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<&'static str, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn loop_is_restarted_after_each_panic_and_reported_as_failing() {
        let supervisor = Supervisor::default();
        let runs = Arc::new(AtomicU32::new(0));
        let counted = runs.clone();
        let running = supervisor.spawn("queue", move || {
            let run = counted.fetch_add(1, Ordering::Relaxed);
            async move { assert!(run >= 3, "run {run} fails") }
        });
        running.await.unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 4);
        assert_eq!(supervisor.failing(), ["queue"]);
        advance(PROBATION).await;
        assert!(supervisor.failing().is_empty());
    }

    #[tokio::test]
    async fn loop_that_completes_is_not_restarted() {
        let supervisor = Supervisor::default();
        let mut runs = 0;
        let running = supervisor.spawn("queue", move || {
            runs += 1;
            async move { assert_eq!(runs, 1) }
        });
        running.await.unwrap();
        assert!(supervisor.failing().is_empty());
    }
}
