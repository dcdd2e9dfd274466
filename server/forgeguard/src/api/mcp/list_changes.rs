//! Notices changes of the lists of tools and resources, to notify the clients that keep a stream open.
//!
//! Other nodes and workers change these lists too, so they are compared at an interval: by one task for
//! each key, however many streams it has, and only while it has any.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::ids::ForgeKeyId;
use tokio::{sync::watch, time::sleep};

use super::{call::Rejection, catalog::tools_of};
use crate::{
    api::{api_error::ApiError, app::Shared, identity::Identity},
    store::{
        list_stamps::{self, ListStamp},
        users,
    },
};

const COMPARE_INTERVAL: Duration = Duration::from_secs(1);

/// What identifies the contents of the lists of a client.
#[derive(Clone, Debug, PartialEq)]
struct Lists {
    tools: Vec<&'static str>,
    resources: Option<ListStamp>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListChange {
    pub tools: bool,
    pub resources: bool,
}

pub struct ListMonitor {
    app: Shared,
    keys: Mutex<HashMap<ForgeKeyId, watch::Sender<Lists>>>,
}

/// The lists of a client, and what it last heard of them.
pub struct ListWatch {
    known: Lists,
    current: watch::Receiver<Lists>,
}

impl ListMonitor {
    pub fn new(app: Shared) -> Arc<Self> {
        Arc::new(Self { app, keys: Mutex::default() })
    }

    /// Watches the lists of a key.
    ///
    /// # Errors
    /// If the database fails, or the client has no key.
    pub async fn watch(self: &Arc<Self>, by: &Identity) -> Result<ListWatch, Rejection> {
        let key = by.key().ok_or_else(ApiError::unauthorized)?.id;
        let known = lists(&self.app, by).await?;
        let mut keys = self.lock();
        if let Some(sender) = keys.get(&key) {
            update(sender, known.clone());
            return Ok(ListWatch { known, current: sender.subscribe() });
        }
        let (sender, current) = watch::channel(known.clone());
        keys.insert(key, sender);
        drop(keys);
        tokio::spawn(self.clone().compare(key, by.clone()));
        Ok(ListWatch { known, current })
    }

    /// Compares the lists of a key until nothing watches them.
    async fn compare(self: Arc<Self>, key: ForgeKeyId, by: Identity) {
        loop {
            tokio::select! {
                () = sleep(COMPARE_INTERVAL) => {}
                () = self.app.stopping.cancelled() => {
                    self.lock().remove(&key);
                    return;
                }
            }
            if self.remove_unwatched(key) {
                return;
            }
            match lists(&self.app, &by).await {
                Ok(lists) => {
                    self.lock().get(&key).inspect(|sender| update(sender, lists));
                }
                Err(Rejection(error)) => {
                    tracing::warn!(%error, "the lists of an MCP client could not be compared");
                }
            }
        }
    }

    fn remove_unwatched(&self, key: ForgeKeyId) -> bool {
        let mut keys = self.lock();
        let is_unwatched = keys.get(&key).is_none_or(|sender| sender.receiver_count() == 0);
        if is_unwatched {
            keys.remove(&key);
        }
        is_unwatched
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ForgeKeyId, watch::Sender<Lists>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn update(sender: &watch::Sender<Lists>, lists: Lists) {
    sender.send_if_modified(|known| {
        let is_changed = *known != lists;
        *known = lists;
        is_changed
    });
}

impl ListWatch {
    /// Waits for the next change; `None` when the service stops. Cancellation-safe.
    pub async fn changed(&mut self) -> Option<ListChange> {
        loop {
            let current = self.current.borrow_and_update().clone();
            let change = ListChange {
                tools: current.tools != self.known.tools,
                resources: current.resources != self.known.resources,
            };
            if change != ListChange::default() {
                self.known = current;
                return Some(change);
            }
            self.current.changed().await.ok()?;
        }
    }
}

/// The lists as they are now: the role of the user may have changed since the client authenticated.
async fn lists(app: &Shared, by: &Identity) -> Result<Lists, Rejection> {
    let mut conn = app.db.read().await?;
    let user = users::get(&mut conn, by.user.id).await?;
    let project = by.key().and_then(|key| key.project());
    let resources = list_stamps::get(&mut conn, by.user.id, project).await?;
    let by = Identity { user: user.unwrap_or_else(|| by.user.clone()), proof: by.proof.clone() };
    let tools = tools_of(&by).map(|tool| tool.properties().name).collect();
    Ok(Lists { tools, resources })
}
