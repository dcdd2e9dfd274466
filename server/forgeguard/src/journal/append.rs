//! The only writer: appends of all builds, one transaction per batch, published after the commit.
//!
//! The only place that inserts events. In one transaction, the fence is checked, and each event is
//! applied to the state machine, chained and inserted, together with the rows derived from it.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, sync::Arc};

use chrono::{DateTime, Utc};
use domain::{
    event::EventBody,
    ids::BuildId,
    state::{BuildState, Status},
};
use futures::FutureExt;
use tokio::{
    sync::{Mutex, Notify, mpsc, oneshot, watch},
    task::JoinHandle,
};
use uuid::Uuid;

use super::{
    batch::{Chain, Span},
    entry::{AppendError, Appended, Claim, Entry, Events, NewBuild},
    feed::Feed,
    other_nodes::{JOURNAL_CHANNEL, OtherNodes},
    preview_relay::PreviewRelay,
    states::{Folded, States},
};
use crate::{
    store::{
        self, Db, Tx,
        builds::Head,
        work_items::{Lease, Parked},
    },
    supervision::Supervisor,
};

/// Appends that wait for the writer; further ones wait for a slot.
const QUEUE_CAPACITY: usize = 1_024;
/// Appends per transaction.
const MAX_BATCH: usize = 512;
const ITEM_NOT_STARTABLE: &str = "the item of the backlog is started already, or was changed";
const READ_ONLY_PROJECT: &str = "the project is archived or deleted, so no build can be started";

type Reply = oneshot::Sender<Result<Appended, AppendError>>;

struct Request {
    entry: Entry,
    opens: Option<NewBuild>,
    reply: Reply,
}

/// The journal of all builds, on this node. Clones share one writer.
#[derive(Clone, Debug)]
pub struct Journal {
    db: Db,
    feed: Feed,
    states: Arc<States>,
    requests: mpsc::Sender<Request>,
    supervisor: Supervisor,
}

impl Journal {
    /// Starts the writer, and on PostgreSQL the listener for other nodes. Both end when the last
    /// clone is dropped, and are restarted if they panic.
    pub fn start(db: Db) -> Self {
        let supervisor = Supervisor::default();
        let (requests, inbox) = mpsc::channel(QUEUE_CAPACITY);
        let node = Uuid::now_v7();
        let (relay, previews) = PreviewRelay::new(&db, node);
        let feed = Feed::new(db.clone(), relay);
        let states = Arc::new(States::new());
        let behind = Arc::new(Notify::new());
        let nodes = OtherNodes { db: db.clone(), feed: feed.clone(), behind: behind.clone(), node };
        let nodes = nodes.spawn(&supervisor, previews);
        let writer =
            Writer { db: db.clone(), feed: feed.clone(), states: states.clone(), behind, node };
        let (writer, inbox) = (Arc::new(writer), Arc::new(Mutex::new(inbox)));
        let writing = supervisor.spawn("journal writer", move || {
            let (writer, inbox) = (writer.clone(), inbox.clone());
            async move { writer.run(&mut *inbox.lock().await).await }
        });
        tokio::spawn(async move {
            // An error means that the runtime is shutting down, which ends the other loops too.
            let _ = writing.await;
            nodes.iter().for_each(JoinHandle::abort);
        });
        Self { db, feed, states, requests, supervisor }
    }

    /// Inserts a build together with its first event, which gets the build's number.
    pub async fn open(
        &self,
        build: NewBuild,
        queued: domain::event::life::Queued,
    ) -> Result<Appended, AppendError> {
        let entry = Entry::given(build.id, None, vec![queued.into()]);
        self.send(entry, Some(build)).await
    }

    /// Appends an entry atomically. Returns once it is durable.
    pub async fn append(&self, entry: Entry) -> Result<Appended, AppendError> {
        self.send(entry, None).await
    }

    /// The current state of a build.
    pub async fn state(&self, build_id: BuildId) -> Result<Arc<BuildState>, AppendError> {
        self.folded(build_id).await.map(|(_, state)| state)
    }

    /// The current state of a build, and the seq of its last event.
    pub async fn folded(&self, build_id: BuildId) -> Result<(u64, Arc<BuildState>), AppendError> {
        let mut conn = self.db.read().await?;
        let head = store::events::head_seq(&mut conn, build_id).await?;
        drop(conn);
        self.folded_at(build_id, head).await
    }

    /// Like [`Journal::folded`], for callers that have just read the seq of the last event: no query if
    /// this node has folded the build up to there. Otherwise the state may be newer.
    pub async fn folded_at(
        &self,
        build_id: BuildId,
        head: u64,
    ) -> Result<(u64, Arc<BuildState>), AppendError> {
        let folded = match self.states.kept_at(build_id, head) {
            Some(folded) => folded,
            None => self.fold(build_id).await?,
        };
        let state = folded.state.ok_or(AppendError::UnknownBuild)?;
        Ok((folded.seq, state))
    }

    /// From the table, with head and events from one snapshot.
    async fn fold(&self, build_id: BuildId) -> Result<Folded, AppendError> {
        let mut snapshot = self.db.snapshot().await?;
        let head = store::events::head_seq(&mut snapshot, build_id).await?;
        self.states.at(&mut snapshot, build_id, head).await
    }

    /// Hands a build back until `wake_at` or, without one, until a user acts; unless its journal has
    /// grown beyond `seen_seq` or the lease is lost.
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

    /// The feed to read builds from.
    pub fn feed(&self) -> &Feed {
        &self.feed
    }

    /// Supervises the background loops of this node.
    pub fn supervisor(&self) -> &Supervisor {
        &self.supervisor
    }

    /// The database.
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
        // The reply is dropped if its batch panicked.
        answer.await.map_err(|_| AppendError::Panicked)?
    }
}

struct Writer {
    db: Db,
    feed: Feed,
    states: Arc<States>,
    /// Notified when the table may contain events that were not published.
    behind: Arc<Notify>,
    node: Uuid,
}

/// A request in a batch, and its result so far.
struct Pending {
    entry: Option<Entry>,
    opens: Option<NewBuild>,
    reply: Reply,
    result: Result<Span, AppendError>,
    /// The lease for the worker that the entry names.
    claimed: Option<(Claim, Lease)>,
}

impl Pending {
    fn needs_lease(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.fence.is_some() || entry.claim.is_some())
    }
}

type Batch = BTreeMap<BuildId, Vec<Pending>>;

impl Writer {
    async fn run(&self, inbox: &mut mpsc::Receiver<Request>) {
        let mut requests = Vec::with_capacity(MAX_BATCH);
        while inbox.recv_many(&mut requests, MAX_BATCH).await > 0 {
            // Callers that were just answered may append more while the transaction begins, which is a
            // round trip on PostgreSQL: one transaction for all of them.
            let tx = self.db.write().await;
            loop {
                tokio::task::yield_now().await;
                let waiting = inbox.len().min(MAX_BATCH - requests.len());
                if waiting == 0 || inbox.recv_many(&mut requests, waiting).await == 0 {
                    break;
                }
            }
            self.write(tx, requests.drain(..)).await;
        }
    }

    async fn write(&self, tx: store::Result<Tx>, requests: impl Iterator<Item = Request>) {
        // By id, so that nodes which lock several builds use the same order.
        let mut batch = Batch::new();
        for Request { entry, opens, reply } in requests {
            let pending = batch.entry(entry.build_id).or_default();
            let result = Err(AppendError::UnknownBuild);
            pending.push(Pending { entry: Some(entry), opens, reply, result, claimed: None });
        }
        let written = AssertUnwindSafe(self.transact(tx, &mut batch)).catch_unwind().await;
        if !matches!(written, Ok(Ok(_))) {
            // After a failed commit, only the table shows whether it has taken effect.
            batch.keys().for_each(|build_id| self.states.forget(*build_id));
            self.behind.notify_one();
        }
        let chains = match written {
            Ok(Ok(chains)) => chains,
            Ok(Err(error)) => {
                refuse(batch.values_mut().flatten(), error);
                BTreeMap::new()
            }
            Err(panic) => std::panic::resume_unwind(panic),
        };
        self.publish(batch, &chains);
    }

    async fn transact(
        &self,
        tx: store::Result<Tx>,
        batch: &mut Batch,
    ) -> store::Result<BTreeMap<BuildId, Chain>> {
        let (mut tx, mut chains) = (tx?, BTreeMap::new());
        // A rejected row of one build must not undo the writes of the others.
        let several = batch.len() > 1;
        for (build_id, requests) in batch {
            if several {
                tx.mark().await?;
            }
            let mut written = self.write_build(&mut tx, *build_id, requests).await;
            if several && let Err(error) = tx.send_deferred().await {
                written = written.and(Err(error));
            }
            let written = match written {
                Err(error) if several && error.is_refusal() => {
                    tx.undo_to_mark().await?;
                    refuse(requests, error);
                    continue;
                }
                written => written?,
            };
            if let Some(chain) = written {
                chains.insert(*build_id, chain);
            }
        }
        let grown = chains.iter().filter(|(_, chain)| !chain.committed.is_empty());
        let heads: Vec<_> = grown.map(|(id, chain)| (*id, chain.folded.seq)).collect();
        store::commit_and_notify(tx, JOURNAL_CHANNEL, self.node, &heads).await?;
        Ok(chains)
    }

    /// Writes the entries of one build; `None` if it does not exist or cannot be read.
    async fn write_build(
        &self,
        tx: &mut Tx,
        build_id: BuildId,
        requests: &mut Vec<Pending>,
    ) -> store::Result<Option<Chain>> {
        // One time for the build's row and its first event, so that the row can be derived.
        let at = store::now();
        for request in &mut *requests {
            if let Err(refused) = insert_build(tx, request, at).await? {
                request.result = Err(refused);
                request.entry = None;
            }
        }
        let with_lease = requests.iter().any(Pending::needs_lease);
        let head = store::builds::lock_head(tx, build_id, with_lease).await?;
        let Some(Head { head_seq, mut fence, mut can_be_claimed }) = head else { return Ok(None) };
        let folded = match self.states.at(tx, build_id, head_seq).await {
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
            let Some(mut entry) = request.entry.take() else { continue };
            let claim = entry.claim.take();
            request.result = match entry.fence {
                Some(given) if Some(given) != fence => Err(AppendError::LeaseLost),
                _ => chain.extend(entry, at),
            };
            if let Some(claim) = claim.filter(|_| can_be_claimed && request.result.is_ok()) {
                let lease = chain.claim(&claim, fence.unwrap_or_default() + 1, at);
                (fence, can_be_claimed) = (Some(lease.fence), false);
                request.claimed = Some((claim, lease));
            }
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
                if let Some((claim, lease)) = request.claimed.filter(|_| request.result.is_ok()) {
                    (claim.begin)(lease);
                }
                let state = state.clone().ok_or(AppendError::UnknownBuild);
                let appended = request.result.and_then(|span| {
                    let Span { first_seq, last_seq, at } = span;
                    Ok(Appended { first_seq, last_seq, at, state: state? })
                });
                // The caller may be gone; the event stays written.
                let _ = request.reply.send(appended);
            }
        }
    }
}

/// Fails all requests of a transaction that was rolled back.
fn refuse<'a>(requests: impl IntoIterator<Item = &'a mut Pending>, error: store::Error) {
    let error = Arc::new(error);
    for request in requests {
        request.result = Err(match (&*error, &request.opens) {
            (store::Error::AlreadyExists(_), Some(_)) => AppendError::AlreadyFollowed,
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

/// Inserts the row of a build that the request opens, under the next number of its project. Refused if
/// the project or the item of the backlog does not permit it.
async fn insert_build(
    tx: &mut Tx,
    request: &mut Pending,
    at: DateTime<Utc>,
) -> store::Result<Result<(), AppendError>> {
    let Some(NewBuild { id, project_id, limit, backlog_item }) = request.opens.clone() else {
        return Ok(Ok(()));
    };
    let Some(Events::Given(events)) = request.entry.as_mut().map(|entry| &mut entry.events) else {
        return Ok(Ok(()));
    };
    let Some(EventBody::BuildQueued(queued)) = events.first_mut() else { return Ok(Ok(())) };
    let Some(count) = store::projects::lock_active(tx, project_id).await? else {
        return Ok(Err(AppendError::Refused(READ_ONLY_PROJECT)));
    };
    let Some(slot) = store::builds::free_slot(tx, project_id, limit).await? else {
        return Ok(Err(AppendError::BuildLimit));
    };
    if let Some(item) = backlog_item
        && !store::backlog_items::record_build(tx, item, id).await?
    {
        return Ok(Err(AppendError::Refused(ITEM_NOT_STARTABLE)));
    }
    let number = count + 1;
    store::projects::set_build_count(tx, project_id, number).await?;
    queued.number = Some(number);
    let row = store::builds::NewBuild {
        id,
        project_id,
        number,
        slot,
        started_by: queued.started_by,
        snapshot_batch: Some(queued.snapshot_batch),
        follows: queued.follows.as_ref().map(|follows| follows.build_id),
        title: queued.title.as_deref(),
        status: Status::Queued,
        head_hash: domain::chain::GENESIS,
        created_at: at,
    };
    store::builds::insert(tx, &row).await?;
    if let Some(follows) = row.follows {
        store::backlog_items::continue_with(tx, follows, id).await?;
    }
    Ok(Ok(()))
}
