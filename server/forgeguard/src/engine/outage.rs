//! A worker's behaviour while the database is unavailable or read-only, or the disk is full: it
//! hands its build back as soon as that can be recorded, and the next worker continues from the
//! journal. None of this counts as a failure of the build.

use std::time::Duration;

use chrono::TimeDelta;
use tokio::time::sleep;

use super::{driver::Driver, error::EngineError};
use crate::store;

/// Before the first retry; doubled each time.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(4);
/// Before the build is claimed again.
const RESUME_DELAY: TimeDelta = TimeDelta::seconds(1);
/// Before the build is claimed again, if the disk was full for something other than the database.
const NO_SPACE_DELAY: TimeDelta = TimeDelta::seconds(10);

impl Driver {
    /// Hands the build back, once that can be recorded.
    pub(super) async fn wait_out(&self, error: &EngineError) {
        tracing::warn!(build_id = %self.build(), %error, "the build waits until it can be continued");
        let delay = if error.is_out_of_space() { NO_SPACE_DELAY } else { RESUME_DELAY };
        let mut interval = RETRY_INTERVAL;
        loop {
            match self.hand_back(delay).await {
                Err(error) if error.is_temporary() => {}
                Err(error) => {
                    tracing::error!(build_id = %self.build(), %error, "the build cannot be handed back");
                    return;
                }
                Ok(()) => return,
            }
            tokio::select! {
                () = self.stop.cancelled() => return,
                () = sleep(interval) => interval = (interval * 2).min(MAX_RETRY_INTERVAL),
            }
        }
    }

    async fn hand_back(&self, delay: TimeDelta) -> Result<(), EngineError> {
        let (seq, _) = self.engine.journal().folded(self.build()).await?;
        let wake_at = Some(store::now() + delay);
        // If the journal has grown in the meantime, the pending command does not wait for the lease.
        self.engine.journal().park(&self.lease, seq, wake_at).await.map(drop)?;
        Ok(())
    }
}
