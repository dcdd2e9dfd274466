//! Stores the output of gates that is too long for their events.

use domain::gate::GateLog;

use super::{
    super::{driver::Driver, error::EngineError},
    outcome::GateOutcome,
};
use crate::{
    store::{self, blobs},
    text,
};

/// Of the output of one run that is kept.
pub const MAX_LOG_BYTES: usize = 16 << 20;
/// What the event contains of output that is stored as a log.
const EXCERPT_BYTES: usize = 16 << 10;

impl Driver {
    /// Stores the log, before the event that names it, and shortens the output to an excerpt.
    pub(super) async fn store_log(
        &self,
        outcome: &mut GateOutcome,
    ) -> Result<Option<Box<GateLog>>, EngineError> {
        let Some(log) = outcome.log.take() else { return Ok(None) };
        outcome.output = text::ends(&outcome.output, EXCERPT_BYTES);
        let left_out_bytes = log.left_out_bytes;
        let pack = move || Ok(blobs::Blob::of(&log.bytes, store::now()));
        let blob = self.engine.blocking(pack).await?;
        let stored = GateLog { sha256: blob.sha256.clone(), bytes: blob.size, left_out_bytes };
        let mut tx = self.engine.db().write().await?;
        blobs::insert_batch(&mut tx, &[blob]).await?;
        tx.commit().await?;
        Ok(Some(Box::new(stored)))
    }
}
