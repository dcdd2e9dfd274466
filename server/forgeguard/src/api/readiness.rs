//! Checks whether this node can write to the database.

use std::{sync::Arc, time::Duration};

use chrono::TimeDelta;
use tokio::{
    sync::Mutex,
    time::{Instant, timeout},
};

use super::api_error::ApiError;
use crate::store::{self, Db, node_heartbeats};

/// How long a result is cached, so that probes do not load the only write connection.
const CACHE_LIFETIME: Duration = Duration::from_secs(1);
/// How long a probe waits for the database.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a node that no longer writes is remembered.
const NODE_RETENTION: TimeDelta = TimeDelta::days(1);

/// The result of the last write.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<Write>>>);

#[derive(Clone, Debug)]
struct Write {
    at: Instant,
    failure: Option<Arc<store::Error>>,
}

impl Readiness {
    /// Fails unless this node has recently written to the database, or can do so now.
    pub async fn check(&self, db: &Db, node: &str) -> Result<(), ApiError> {
        let (last, db, node) = (self.0.clone(), db.clone(), node.to_owned());
        // In its own task, which a disconnecting client does not cancel: the next probe waits for
        // it instead of starting another.
        let write = tokio::spawn(async move {
            let mut last = last.lock().await;
            match &*last {
                Some(write) if write.at.elapsed() < CACHE_LIFETIME => write.clone(),
                _ => {
                    let failure = put(&db, &node).await.err().map(Arc::new);
                    last.insert(Write { at: Instant::now(), failure }).clone()
                }
            }
        });
        match timeout(PROBE_TIMEOUT, write).await {
            Ok(Ok(Write { failure: None, .. })) => Ok(()),
            Ok(Ok(Write { failure: Some(error), .. })) => Err((&*error).into()),
            Ok(Err(error)) => Err(ApiError::internal(error)),
            Err(_) => Err(ApiError::busy("The database does not respond in time.")),
        }
    }
}

async fn put(db: &Db, node: &str) -> store::Result<()> {
    let now = store::now();
    let mut tx = db.write().await?;
    node_heartbeats::put(&mut tx, node, now, now - NODE_RETENTION).await?;
    tx.commit().await
}
