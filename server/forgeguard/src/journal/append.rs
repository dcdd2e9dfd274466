//! The one writer: appends of all builds in one transaction per batch, then publishes.
//!
//! The only place that inserts events. In one transaction: the fence is checked, each event is
//! tried against the state machine, chained and inserted, and what follows from it is projected.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use chrono::{DateTime, Utc};
use domain::{
    event::EventBody,
    ids::BuildId,
    state::{BuildState, Status},
};
use tokio::sync::{mpsc, oneshot, watch};
use uuid::Uuid;

use super::{
    batch::{Chain, Span},
    entry::{AppendError, Appended, Entry, Events, NewBuild},
    feed::Feed,
    states::{Folded, States},
};
use crate::store::{
    self, Db, Tx,
    work_items::{Lease, Parked},
};

/// Appends that may wait for the writer; whoever comes later waits for a place.
const WAITING: usize = 1_024;
/// Appends in one transaction at the most.
const BATCH: usize = 512;
/// Before the listener for other nodes connects again.
const RECONNECT: Duration = Duration::from_secs(1);
/// What nodes tell each other about new events.
const CHANNEL: &str = "forgeguard_journal";

type Reply = oneshot::Sender<Result<Appended, AppendError>>;

struct Request {
    entry: Entry,
    opens: Option<NewBuild>,
    reply: Reply,
}

/// The journal of all builds on this node. Clones share one writer.
#[derive(Clone, Debug)]
pub struct Journal {
    db: Db,
    feed: Feed,
    states: Arc<States>,
    requests: mpsc::Sender<Request>,
}

impl Journal {
    /// Starts the writer, and on PostgreSQL the listener for other nodes. Both end when the last
    /// clone is dropped.
    pub fn start(db: Db) -> Self {
        let (requests, inbox) = mpsc::channel(WAITING);
        let feed = Feed::new(db.clone());
        let states = Arc::new(States::new());
        let node = Uuid::now_v7();
        let writer = Writer { db: db.clone(), feed: feed.clone(), states: states.clone(), node };
        let listener = tokio::spawn(listen(db.clone(), feed.clone(), node));
        tokio::spawn(async move {
            writer.run(inbox).await;
            listener.abort();
        });
        Self { db, feed, states, requests }
    }

    /// Inserts a build together with its first event.
    pub async fn open(
        &self,
        build: NewBuild,
        queued: domain::event::life::Queued,
    ) -> Result<Appended, AppendError> {
        let entry = Entry::given(build.id, None, vec![queued.into()]);
        self.send(entry, Some(build)).await
    }

    /// Appends an entry, whole or not at all. Returns once it is durable.
    pub async fn append(&self, entry: Entry) -> Result<Appended, AppendError> {
        self.send(entry, None).await
    }

    /// The build as it stands now.
    pub async fn state(&self, build_id: BuildId) -> Result<Arc<BuildState>, AppendError> {
        self.folded(build_id).await.map(|(_, state)| state)
    }

    /// The build as it stands now, and the seq of its last event.
    pub async fn folded(&self, build_id: BuildId) -> Result<(u64, Arc<BuildState>), AppendError> {
        let mut conn = self.db.read().await?;
        let head = store::events::head(&mut conn, build_id).await?.map_or(0, |row| row.seq);
        drop(conn);
        let folded = match self.states.kept_at(build_id, head) {
            Some(folded) => folded,
            None => self.fold(build_id).await?,
        };
        let state = folded.state.ok_or(AppendError::UnknownBuild)?;
        Ok((folded.seq, state))
    }

    /// From the table, where head and events must be of one moment.
    async fn fold(&self, build_id: BuildId) -> Result<Folded, AppendError> {
        let mut snapshot = self.db.snapshot().await?;
        let head = store::events::head(&mut snapshot, build_id).await?.map_or(0, |row| row.seq);
        self.states.at(&mut snapshot, build_id, head).await
    }

    /// Lets go of a build until `wake_at` or, without one, until a person acts; unless its journal
    /// grew beyond `seen_seq` or the lease is lost.
    pub async fn park(
        &self,
        lease: &Lease,
        seen_seq: u64,
        wake_at: Option<DateTime<Utc>>,
    ) -> Result<Parked, AppendError> {
        let mut tx = self.db.write().await?;
        let parked = store::work_items::park(&mut tx, lease, seen_seq, wake_at).await?;
        tx.commit().await?;
        Ok(parked)
    }

    /// Where readers follow builds.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// The database underneath.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Changes whenever the build has new events.
    pub fn follow(&self, build_id: BuildId) -> watch::Receiver<u64> {
        self.feed.follow(build_id)
    }

    async fn send(&self, entry: Entry, opens: Option<NewBuild>) -> Result<Appended, AppendError> {
        let (reply, answer) = oneshot::channel();
        let request = Request { entry, opens, reply };
        self.requests.send(request).await.map_err(|_| AppendError::Closed)?;
        answer.await.map_err(|_| AppendError::Closed)?
    }
}

struct Writer {
    db: Db,
    feed: Feed,
    states: Arc<States>,
    node: Uuid,
}

/// A request inside a batch, and what has become of it so far.
struct Pending {
    entry: Option<Entry>,
    opens: Option<NewBuild>,
    reply: Reply,
    result: Result<Span, AppendError>,
}

type Batch = BTreeMap<BuildId, Vec<Pending>>;

impl Writer {
    async fn run(self, mut inbox: mpsc::Receiver<Request>) {
        let mut requests = Vec::with_capacity(BATCH);
        while inbox.recv_many(&mut requests, BATCH).await > 0 {
            // Whoever was just answered may have more to say: one transaction for them all.
            tokio::task::yield_now().await;
            while requests.len() < BATCH
                && let Ok(request) = inbox.try_recv()
            {
                requests.push(request);
            }
            self.write(requests.drain(..)).await;
        }
    }

    async fn write(&self, requests: impl Iterator<Item = Request>) {
        // By id, so that nodes which lock several builds do it in the same order.
        let mut batch = Batch::new();
        for Request { entry, opens, reply } in requests {
            let pending = batch.entry(entry.build_id).or_default();
            let result = Err(AppendError::UnknownBuild);
            pending.push(Pending { entry: Some(entry), opens, reply, result });
        }
        let chains = self.transact(&mut batch).await.unwrap_or_else(|error| {
            refuse(batch.values_mut().flatten(), error);
            BTreeMap::new()
        });
        self.publish(batch, &chains);
    }

    async fn transact(&self, batch: &mut Batch) -> store::Result<BTreeMap<BuildId, Chain>> {
        let mut chains = BTreeMap::new();
        let mut tx = self.db.write().await?;
        // One build's row that is refused must not undo what the others get.
        let several = batch.len() > 1;
        for (build_id, requests) in batch {
            if several {
                tx.mark().await?;
            }
            let written = match self.write_build(&mut tx, *build_id, requests).await {
                Err(error) if several && error.is_refusal() => {
                    tx.undo_to_mark().await?;
                    refuse(requests, error);
                    continue;
                }
                written => written?,
            };
            if let Some(chain) = written {
                if !chain.committed.is_empty() {
                    let payload = format!("{}:{build_id}:{}", self.node, chain.folded.seq);
                    store::notify(&mut tx, CHANNEL, &payload).await?;
                }
                chains.insert(*build_id, chain);
            }
        }
        tx.commit().await?;
        Ok(chains)
    }

    /// Writes what one build gets; `None` if there is no such build, or it cannot be read.
    async fn write_build(
        &self,
        tx: &mut Tx,
        build_id: BuildId,
        requests: &mut Vec<Pending>,
    ) -> store::Result<Option<Chain>> {
        let rows: Vec<_> = requests.iter().filter_map(opening_row).collect();
        for row in rows {
            store::builds::insert(tx, &row).await?;
        }
        let Some(head) = store::builds::lock_head(tx, build_id).await? else { return Ok(None) };
        let folded = match self.states.at(tx, build_id, head.head_seq).await {
            Ok(folded) => folded,
            Err(AppendError::Store(error)) => return Err(unshared(error)),
            Err(error) => {
                tracing::error!(%build_id, %error, "a journal cannot be read");
                for request in requests {
                    request.result = Err(AppendError::Damaged(build_id, error.to_string()));
                }
                return Ok(None);
            }
        };
        let mut chain = Chain::new(build_id, folded);
        for request in &mut *requests {
            let Some(entry) = request.entry.take() else { continue };
            request.result = match entry.fence {
                Some(fence) if Some(fence) != head.generation => Err(AppendError::LeaseLost),
                _ => chain.extend(entry),
            };
        }
        chain.store(tx).await?;
        Ok(Some(chain))
    }

    fn publish(&self, batch: Batch, chains: &BTreeMap<BuildId, Chain>) {
        for (build_id, chain) in chains {
            self.states.keep(*build_id, chain.folded.clone());
            self.feed.publish(*build_id, &chain.committed);
        }
        for (build_id, requests) in batch {
            let state = chains.get(&build_id).and_then(|chain| chain.folded.state.clone());
            for request in requests {
                let state = state.clone().ok_or(AppendError::UnknownBuild);
                let appended = request.result.and_then(|span| {
                    let Span { first_seq, last_seq } = span;
                    Ok(Appended { first_seq, last_seq, state: state? })
                });
                // Whoever asked may have gone; what is written stays written.
                let _ = request.reply.send(appended);
            }
        }
    }
}

/// What these asked for was undone.
fn refuse<'a>(requests: impl IntoIterator<Item = &'a mut Pending>, error: store::Error) {
    let error = Arc::new(error);
    for request in requests {
        request.result = Err(match (&*error, &request.opens) {
            (store::Error::AlreadyExists(_), Some(_)) => AppendError::UnfinishedBuild,
            _ => AppendError::Store(error.clone()),
        });
    }
}

fn unshared(error: Arc<store::Error>) -> store::Error {
    Arc::try_unwrap(error).unwrap_or_else(|shared| store::Error::Unreadable {
        wanted: "journal",
        value: shared.to_string(),
    })
}

fn opening_row(request: &Pending) -> Option<store::builds::NewBuild<'_>> {
    let new = request.opens.as_ref()?;
    let Events::Given(events) = &request.entry.as_ref()?.events else { return None };
    let EventBody::BuildQueued(queued) = events.first()? else { return None };
    Some(store::builds::NewBuild {
        id: new.id,
        project_id: new.project_id,
        started_by: queued.started_by,
        snapshot_batch: Some(queued.snapshot_batch),
        follows: queued.follows.as_ref().map(|follows| follows.build_id),
        status: Status::Queued,
        head_hash: domain::chain::GENESIS,
        created_at: store::now(),
    })
}

/// Hears what other nodes append, until it is aborted.
async fn listen(db: Db, feed: Feed, node: Uuid) {
    let own = node.to_string();
    loop {
        let mut listener = match db.listen(CHANNEL).await {
            Ok(Some(listener)) => listener,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!(%error, "cannot listen for other nodes; trying again");
                tokio::time::sleep(RECONNECT).await;
                continue;
            }
        };
        if let Err(error) = feed.catch_up_all().await {
            tracing::warn!(%error, "cannot read what other nodes have written");
        }
        while let Ok(Some(word)) = listener.try_recv().await {
            let mut parts = word.payload().split(':');
            let (from, build, head) = (parts.next(), parts.next(), parts.next());
            let build = build.and_then(|id| id.parse().ok());
            let head = head.and_then(|seq| seq.parse().ok());
            let (Some(build), Some(head)) = (build, head) else { continue };
            if from != Some(&own)
                && let Err(error) = feed.catch_up(build, head).await
            {
                tracing::warn!(%error, "cannot read what another node has written");
            }
        }
    }
}
