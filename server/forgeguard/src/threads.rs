//! Blocking work, such as git's, on the runtime's blocking threads: limited in number, and abandoned
//! after a timeout.
//!
//! A system call that never returns cannot be interrupted. The caller gets an error after the
//! timeout, the slot becomes free, and the thread is counted as stuck until the call returns. Both
//! limits together leave half of the runtime's 512 blocking threads to the runtime itself.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU8, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

/// Concurrent jobs; further ones wait for a slot.
const MAX_JOBS: usize = 128;
/// Stuck threads after which new jobs are rejected.
const MAX_STUCK: usize = 128;

const RUNNING: u8 = 0;
const ENDED: u8 = 1;
const STUCK: u8 = 2;

static SHARED: LazyLock<BlockingThreads> =
    LazyLock::new(|| BlockingThreads::new(MAX_JOBS, MAX_STUCK));

#[derive(Debug, thiserror::Error)]
pub enum BlockingError {
    /// It did not complete, or did not get a slot, in time.
    #[error(
        "work on files or repositories did not end within {} s and was given up; the disk may be \
         overloaded or hanging", .0.as_secs()
    )]
    TimedOut(Duration),
    /// The limit of stuck threads is reached.
    #[error("{0} threads are stuck in the file system; check the disk, then restart the service")]
    TooManyStuck(usize),
}

/// Runs blocking work within the limits of the process.
///
/// # Errors
/// If it does not complete within `limit`.
pub async fn run<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BlockingError> {
    SHARED.run(limit, work).await
}

/// Limits on blocking work.
pub struct BlockingThreads {
    slots: Arc<Semaphore>,
    stuck: Arc<AtomicUsize>,
    max_stuck: usize,
}

impl BlockingThreads {
    /// At most `max_jobs` run concurrently, in addition to `max_stuck` abandoned ones.
    pub fn new(max_jobs: usize, max_stuck: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(max_jobs)), stuck: Arc::default(), max_stuck }
    }

    /// Abandoned threads that are still stuck.
    pub fn stuck_count(&self) -> usize {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Runs blocking work to its end, even if the caller is dropped. A panic is propagated.
    ///
    /// # Errors
    /// If it does not complete within `limit`.
    pub async fn run<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BlockingError> {
        let slot = match timeout(limit, self.slots.clone().acquire_owned()).await {
            Ok(Ok(slot)) => slot,
            Ok(Err(_)) | Err(_) => return Err(BlockingError::TimedOut(limit)),
        };
        if self.stuck_count() >= self.max_stuck {
            return Err(BlockingError::TooManyStuck(self.stuck_count()));
        }
        let progress = Arc::new(AtomicU8::new(RUNNING));
        let (job, stuck) = (progress.clone(), self.stuck.clone());
        let ended = spawn_blocking(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            if job.swap(ENDED, Ordering::AcqRel) == STUCK {
                stuck.fetch_sub(1, Ordering::Relaxed);
            }
            result
        });
        let stuck = self.stuck.clone();
        // In its own task, so that the slot is held and released independently of the caller.
        let watched = tokio::spawn(async move {
            let ended = timeout(limit, ended).await;
            if ended.is_err() {
                stuck.fetch_add(1, Ordering::Relaxed);
                let before =
                    progress.compare_exchange(RUNNING, STUCK, Ordering::AcqRel, Ordering::Acquire);
                if before.is_err() {
                    stuck.fetch_sub(1, Ordering::Relaxed);
                }
            }
            drop(slot);
            ended
        });
        match watched.await {
            Ok(Ok(Ok(Ok(result)))) => Ok(result),
            Ok(Ok(Ok(Err(panic)))) => resume_unwind(panic),
            Ok(Err(_)) => {
                tracing::error!(limit_s = limit.as_secs(), "blocking work was abandoned");
                Err(BlockingError::TimedOut(limit))
            }
            // The runtime is shutting down.
            Ok(Ok(Err(_))) | Err(_) => Err(BlockingError::TimedOut(limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::File,
        io::{self, Read},
        sync::mpsc,
    };

    use rustix::fs::{CWD, FileType, Mode, OFlags};
    use tokio::sync::oneshot;

    use super::*;

    const SOON: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(60);

    /// Blocks in the kernel, reading a named pipe without a writer.
    fn read_pipe(path: std::path::PathBuf) -> impl FnOnce() -> io::Result<usize> + Send {
        move || File::open(path)?.read(&mut [0])
    }

    #[tokio::test]
    async fn job_stuck_in_a_system_call_is_abandoned_and_its_slot_released() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let threads = BlockingThreads::new(1, 2);
        for stuck in 1..=2 {
            let given_up = threads.run(SOON, read_pipe(pipe.clone())).await;
            assert!(matches!(given_up, Err(BlockingError::TimedOut(SOON))), "{given_up:?}");
            assert_eq!(threads.stuck_count(), stuck);
        }
        let refused = threads.run(LONG, || ()).await;
        assert!(matches!(refused, Err(BlockingError::TooManyStuck(2))), "{refused:?}");

        // Both readers are released, also one that opens the pipe only now; then there are free
        // slots again.
        eventually(|| {
            drop(rustix::fs::open(&pipe, OFlags::WRONLY | OFlags::NONBLOCK, Mode::empty()));
            threads.stuck_count() == 0
        })
        .await;
        assert_eq!(threads.run(LONG, || 7).await.unwrap(), 7);
    }

    #[tokio::test]
    async fn dropped_caller_does_not_free_the_slot_of_a_running_job() {
        let threads = Arc::new(BlockingThreads::new(1, 1));
        let (release, wait) = mpsc::channel::<()>();
        let (begun, has_begun) = oneshot::channel();
        let other = threads.clone();
        let caller = tokio::spawn(async move {
            let work = move || {
                let _ = begun.send(());
                wait.recv().ok()
            };
            other.run(LONG, work).await.unwrap();
        });
        has_begun.await.unwrap();
        caller.abort();
        assert!(matches!(threads.run(SOON, || ()).await, Err(BlockingError::TimedOut(_))));
        release.send(()).unwrap();
        threads.run(LONG, || ()).await.unwrap();
    }

    #[tokio::test]
    #[should_panic(expected = "as it is")]
    async fn panic_of_the_work_is_propagated() {
        let _ = BlockingThreads::new(1, 1).run(LONG, || panic!("as it is")).await;
    }

    async fn eventually(holds: impl Fn() -> bool) {
        while !holds() {
            tokio::task::yield_now().await;
        }
    }
}
