//! Ends open streams once the access that opened them has ended: the session or key, the account,
//! or the right to see the project.
//!
//! One task checks all streams together, after every request that may have changed access and at
//! an interval, which covers other nodes and expiry.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use domain::ids::{ProjectId, SessionId, UserId};
use tokio::{
    sync::{Notify, watch},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::store::{self, Conn, Db, forge_keys, project_viewers, users};

/// Many changes in quick succession are checked together.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Why access ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLoss {
    /// The session, key or account is no longer valid.
    SignedOut,
    /// The user may no longer see the project.
    Forbidden(ProjectId),
    /// The project is deleted.
    Deleted(ProjectId),
}

/// The credential that opened a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Credential {
    Session(SessionId),
    /// A forge key, by its digest.
    ForgeKey(Arc<str>),
    DataDirectory,
}

/// All open streams.
#[derive(Debug, Default)]
pub struct AccessMonitor {
    streams: Mutex<Streams>,
    changed: Notify,
}

/// Watches one open stream until it is dropped.
#[derive(Debug)]
pub struct AccessWatch {
    monitor: Arc<AccessMonitor>,
    id: u64,
    loss: watch::Receiver<Option<AccessLoss>>,
}

#[derive(Debug, Default)]
struct Streams {
    open: HashMap<u64, Stream>,
    opened: u64,
}

#[derive(Clone, Debug)]
struct Stream {
    user: UserId,
    credential: Credential,
    projects: BTreeSet<ProjectId>,
    loss: watch::Sender<Option<AccessLoss>>,
}

impl AccessMonitor {
    pub fn watch(self: &Arc<Self>, user: UserId, credential: Credential) -> AccessWatch {
        let (sender, loss) = watch::channel(None);
        let mut streams = self.lock();
        let id = streams.opened;
        streams.opened += 1;
        let stream = Stream { user, credential, projects: BTreeSet::new(), loss: sender };
        streams.open.insert(id, stream);
        AccessWatch { monitor: self.clone(), id, loss }
    }

    /// Requests a check of all streams.
    pub fn check_soon(&self) {
        self.changed.notify_one();
    }

    /// Checks streams until `stopping` is cancelled.
    pub async fn run(&self, db: Db, interval: Duration, stopping: CancellationToken) {
        while !stopping.is_cancelled() {
            tokio::select! {
                () = self.changed.notified() => {}
                () = sleep(interval) => {}
                () = stopping.cancelled() => return,
            }
            if let Err(error) = self.check(&db).await {
                tracing::warn!(%error, "the access to open streams could not be checked");
            }
            sleep(MIN_CHECK_INTERVAL).await;
        }
    }

    async fn check(&self, db: &Db) -> store::Result<()> {
        let streams: Vec<Stream> = self.lock().open.values().cloned().collect();
        if streams.is_empty() {
            return Ok(());
        }
        let mut conn = db.read().await?;
        let (mut credentials, mut projects) = (HashMap::new(), HashMap::new());
        for Stream { user, credential, projects: followed, loss } in streams {
            let holds = match credentials.get(&(user, credential.clone())) {
                Some(holds) => *holds,
                None => {
                    let holds = holds(&mut conn, user, &credential).await?;
                    credentials.insert((user, credential), holds);
                    holds
                }
            };
            if !holds {
                loss.send_replace(Some(AccessLoss::SignedOut));
                continue;
            }
            for project in followed {
                let lost = match projects.get(&(user, project)) {
                    Some(lost) => *lost,
                    None => {
                        let lost = lost(&mut conn, user, project).await?;
                        projects.insert((user, project), lost);
                        lost
                    }
                };
                if lost.is_some() {
                    loss.send_replace(lost);
                }
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn holds(conn: &mut Conn, user: UserId, credential: &Credential) -> store::Result<bool> {
    let now = store::now();
    match credential {
        Credential::Session(session) => {
            Ok(users::of_session(conn, user, *session, now).await?.is_some())
        }
        Credential::ForgeKey(digest) => forge_keys::is_active(conn, digest, user, now).await,
        Credential::DataDirectory => Ok(true),
    }
}

async fn lost(
    conn: &mut Conn,
    user: UserId,
    project: ProjectId,
) -> store::Result<Option<AccessLoss>> {
    Ok(match project_viewers::may_see(conn, project, user).await? {
        Some(true) => None,
        Some(false) => Some(AccessLoss::Forbidden(project)),
        None => Some(AccessLoss::Deleted(project)),
    })
}

impl AccessWatch {
    /// Sets the projects that the stream shows.
    pub fn set_projects(&self, projects: impl IntoIterator<Item = ProjectId>) {
        if let Some(stream) = self.monitor.lock().open.get_mut(&self.id) {
            stream.projects = projects.into_iter().collect();
        }
    }

    pub fn of_project(self, project: ProjectId) -> Self {
        self.set_projects([project]);
        self
    }

    /// Waits until the access ends. Cancellation-safe.
    pub async fn lost(&mut self) -> AccessLoss {
        match self.loss.wait_for(Option::is_some).await.map(|loss| *loss) {
            Ok(Some(loss)) => loss,
            // The sender lives as long as this watch.
            Ok(None) | Err(_) => AccessLoss::SignedOut,
        }
    }
}

impl Drop for AccessWatch {
    fn drop(&mut self) {
        self.monitor.lock().open.remove(&self.id);
    }
}
