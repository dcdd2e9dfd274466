//! A database with people and projects in it, and a journal over it.

use std::sync::Arc;

use chrono::TimeDelta;
use domain::{
    chain::{Link, Walk},
    event::{Event, EventBody},
    ids::{BuildId, ProjectId, UserId},
    state::BuildState,
    step::step,
};
use forgeguard::{
    journal::{AppendError, Appended, Claim, Entry, Journal, NewBuild},
    store::{
        self, Db,
        events::EventRow,
        leases,
        projects::{self, NewProject},
        users::{self, User},
        work_items::{self, BuildQueue, Lease},
    },
};
use sqlx::{AssertSqlSafe, Connection};
use tokio::sync::oneshot;

use crate::script;

/// One node.
#[derive(Clone)]
pub struct World {
    pub db: Db,
    pub journal: Journal,
    pub owner: UserId,
}

impl World {
    /// A node on a fresh database.
    pub async fn new(db: Db) -> Self {
        let owner = User {
            id: store::new_id(),
            email: "ada@example.org".to_owned(),
            name: "Ada".to_owned(),
            role: domain::user_role::UserRole::User,
            password_hash: "$argon2id$".to_owned(),
            created_at: store::now(),
            disabled_at: None,
        };
        let mut tx = db.write().await.unwrap();
        users::insert(&mut tx, &owner).await.unwrap();
        tx.commit().await.unwrap();
        Self { journal: Journal::start(db.clone()), db, owner: owner.id }
    }

    /// The same node after a restart: nothing in memory.
    pub fn restarted(&self) -> Self {
        Self { journal: Journal::start(self.db.clone()), ..self.clone() }
    }

    pub async fn project(&self) -> ProjectId {
        let project = NewProject {
            id: store::new_id(),
            owner_id: self.owner,
            name: "List".to_owned(),
            description: String::new(),
            origin: domain::event::life::Origin::Demo,
            default_branch: "main".to_owned(),
            settings: "{}".to_owned(),
            created_at: store::now(),
        };
        let mut tx = self.db.write().await.unwrap();
        projects::insert(&mut tx, &project).await.unwrap();
        tx.commit().await.unwrap();
        project.id
    }

    /// Queues a build of a project.
    pub async fn open_in(&self, project_id: ProjectId) -> Result<BuildId, AppendError> {
        self.open_within(project_id, 1).await
    }

    /// Queues a build of a project that may have `limit` unfinished ones.
    pub async fn open_within(
        &self,
        project_id: ProjectId,
        limit: u32,
    ) -> Result<BuildId, AppendError> {
        let new = NewBuild { id: store::new_id(), project_id, limit, backlog_item: None };
        let id = new.id;
        self.journal.open(new, script::queued(self.owner)).await.map(|_| id)
    }

    /// Queues a build of a new project.
    pub async fn open(&self) -> BuildId {
        self.open_in(self.project().await).await.unwrap()
    }

    /// Appends what must be legal, under no lease.
    pub async fn append(&self, build: BuildId, events: Vec<EventBody>) -> Appended {
        self.journal.append(Entry::given(build, None, events)).await.unwrap()
    }

    /// A build that has got so far in its script.
    pub async fn open_up_to(&self, until: script::Until) -> BuildId {
        let build = self.open().await;
        for entry in script::entries(build, until) {
            self.append(build, entry).await;
        }
        build
    }

    /// A build with its whole life behind it.
    pub async fn sealed(&self) -> BuildId {
        let build = self.open_up_to(script::Until::FinalGates).await;
        self.seal(build).await;
        build
    }

    /// Seals a build that has nothing else left to do.
    pub async fn seal(&self, build: BuildId) -> Appended {
        let state = self.state(build).await;
        let head = self.rows(build).await.pop().unwrap().hash;
        self.append(build, script::sealed(&state, head)).await
    }

    pub async fn state(&self, build: BuildId) -> Arc<BuildState> {
        self.journal.state(build).await.unwrap()
    }

    pub async fn head(&self, build: BuildId) -> u64 {
        self.journal.folded(build).await.unwrap().0
    }

    /// The journal as the table holds it.
    pub async fn rows(&self, build: BuildId) -> Vec<EventRow> {
        let mut conn = self.db.read().await.unwrap();
        store::events::after(&mut conn, build, 0, i64::MAX).await.unwrap()
    }

    /// The journal read from its start, checked link by link and folded.
    pub async fn refolded(&self, build: BuildId) -> (Vec<Event>, BuildState) {
        let (mut walk, mut state, mut events) = (Walk::new(build), None, Vec::new());
        for row in self.rows(build).await {
            let event = walk.next(&Link { body: row.body, hash: row.hash }).unwrap();
            state = Some(step(state, event.seq, event.at, &event.body).unwrap());
            events.push(event);
        }
        (events, state.unwrap())
    }

    /// Claims the build that is due, for 30 s.
    pub async fn claim(&self, worker: &str) -> Option<Lease> {
        self.claim_after(worker, TimeDelta::zero()).await
    }

    /// Claims it `later`, when leases that were not renewed have expired.
    pub async fn claim_after(&self, worker: &str, later: TimeDelta) -> Option<Lease> {
        let now = store::now() + later;
        let mut tx = self.db.write().await.unwrap();
        for lease in leases::held::<BuildQueue>(&mut tx).await.unwrap() {
            if lease.lease_expires_at.is_some_and(|until| until <= now) {
                leases::expire::<BuildQueue>(&mut tx, &lease, worker, now).await.unwrap();
            }
        }
        let until = now + TimeDelta::seconds(30);
        let lease = leases::claim::<BuildQueue>(&mut tx, worker, now, until).await.unwrap();
        tx.commit().await.unwrap();
        lease
    }

    pub async fn work_status(&self, build: BuildId) -> String {
        let mut conn = self.db.read().await.unwrap();
        work_items::get(&mut conn, build).await.unwrap().unwrap().status
    }
}

/// Runs a statement directly on the database.
pub async fn tamper(url: &str, sql: String) {
    let changed = if url.starts_with("sqlite:") {
        let mut conn = sqlx::SqliteConnection::connect(url).await.unwrap();
        let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut conn).await.unwrap();
        done.rows_affected()
    } else {
        let mut conn = sqlx::PgConnection::connect(url).await.unwrap();
        let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut conn).await.unwrap();
        done.rows_affected()
    };
    assert!(changed > 0, "there was something to change");
}

/// Like `support::on_both!`, for tests that need the database's address.
macro_rules! on_both_at {
    ($(async fn $name:ident($url:ident: &str) $body:block)+) => {$(
        mod $name {
            use super::*;

            async fn body($url: &str) $body

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                let database = support::Sqlite::migrated().await;
                body(&database.url()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                let database = support::Postgres::create().await;
                support::run_on(database, |url| async move { body(&url).await }).await;
            }
        }
    )+};
}

/// A claim for a worker that waits for its lease.
pub fn free_worker() -> (Claim, oneshot::Receiver<Lease>) {
    let (sender, lease) = oneshot::channel();
    let claim = Claim {
        owner: "b".to_owned(),
        node: "node-b".to_owned(),
        lease_until: store::now() + TimeDelta::seconds(30),
        begin: Box::new(move |lease| drop(sender.send(lease))),
    };
    (claim, lease)
}

/// A migrated database at this address.
pub async fn connect(url: &str) -> Db {
    let db = Db::connect(url, 8).await.unwrap();
    db.migrate().await.unwrap();
    db
}

pub(crate) use on_both_at;
