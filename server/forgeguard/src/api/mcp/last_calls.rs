//! Records the last MCP call of each key, for the settings page: at once, and then at an interval, so
//! that not every call writes.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};
use domain::ids::ForgeKeyId;
use tokio::time::sleep;

use crate::store::{self, Db, forge_keys};

const WRITE_INTERVAL: Duration = Duration::from_secs(5);

pub struct LastCalls {
    db: Db,
    /// Calls of keys that have called within the interval; `None` if the last one is written.
    unwritten: Mutex<HashMap<ForgeKeyId, Option<Call>>>,
}

struct Call {
    name: String,
    at: DateTime<Utc>,
}

impl LastCalls {
    pub fn new(db: Db) -> Arc<Self> {
        Arc::new(Self { db, unwritten: Mutex::default() })
    }

    /// Records a call, such as the name of a tool.
    pub fn record(self: &Arc<Self>, key: ForgeKeyId, name: &str) {
        let call = Some(Call { name: name.to_owned(), at: store::now() });
        match self.unwritten.lock().unwrap_or_else(PoisonError::into_inner).entry(key) {
            Entry::Occupied(mut entry) => {
                entry.insert(call);
                return;
            }
            Entry::Vacant(entry) => entry.insert(call),
        };
        let calls = self.clone();
        tokio::spawn(async move {
            while let Some(call) = calls.take(key) {
                if let Err(error) = calls.write(key, &call).await {
                    tracing::warn!(%error, "the last call of a key could not be recorded");
                }
                sleep(WRITE_INTERVAL).await;
            }
        });
    }

    /// The call to write; without one, the key has been idle for the interval and is forgotten.
    fn take(&self, key: ForgeKeyId) -> Option<Call> {
        let mut unwritten = self.unwritten.lock().unwrap_or_else(PoisonError::into_inner);
        let call = unwritten.get_mut(&key).and_then(Option::take);
        if call.is_none() {
            unwritten.remove(&key);
        }
        call
    }

    async fn write(&self, key: ForgeKeyId, call: &Call) -> store::Result<()> {
        let mut tx = self.db.write().await?;
        forge_keys::record_call(&mut tx, key, &call.name, call.at).await?;
        tx.commit().await
    }
}
