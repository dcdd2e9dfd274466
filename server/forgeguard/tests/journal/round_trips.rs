//! How many queries are sent: each is a round trip to PostgreSQL's server or to SQLite's thread.

use std::sync::{Arc, Mutex};

use domain::{errors::Severity, event::EventBody, ids::BuildId};
use forgeguard::{
    journal::Entry,
    store::{self, work_items::Parked},
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use crate::{
    script::{self, Until},
    world::{World, connect, free_worker},
};

/// The statements that sqlx logs in this thread.
#[derive(Clone, Default)]
struct StatementLog(Arc<Mutex<Vec<String>>>);

impl StatementLog {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().expect("no holder panicked"))
    }
}

impl Visit for StatementLog {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "summary" {
            self.0.lock().expect("no holder panicked").push(format!("{value:?}"));
        }
    }
}

impl Subscriber for StatementLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }
    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// 40 sightings of 20 errors, with some log lines between them.
async fn troubles(world: &World, build: BuildId) {
    let entry = Entry::derived(build, None, move |state, _| {
        let mut state = state.clone();
        let mut events: Vec<EventBody> = Vec::new();
        for n in 0..40 {
            let message = format!("no such file: {}", "x".repeat(n % 20 + 1));
            let seen = script::error(&state, build, Severity::Error, &message);
            state = domain::step::step(Some(state), 1, store::now(), &seen)
                .expect("an error can be tracked");
            events.extend([seen, script::log("still at work")]);
        }
        Ok(events)
    });
    world.journal.append(entry).await.expect("the events are legal");
}

/// Runs a test of a build on PostgreSQL whose state is in memory. The log is of one thread, so that the
/// test's runtime must have only one.
async fn log_statements<F>(test: impl FnOnce(World, BuildId, StatementLog) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let log = StatementLog::default();
    let _logging = tracing::subscriber::set_default(log.clone());
    let database = support::Postgres::create().await;
    let body = |url: String| async move {
        let world = World::new(connect(&url).await).await;
        let build = world.open_up_to(Until::Coding).await;
        world.append(build, vec![script::log("ready")]).await;
        log.take();
        test(world, build, log).await;
    };
    support::run_on(database, body).await;
}

#[tokio::test]
async fn entry_with_many_errors_sends_one_statement_per_table() {
    log_statements(|world, build, log| async move {
        troubles(&world, build).await;
        let statements = log.take();
        let about = |table: &str| statements.iter().filter(|text| text.contains(table)).count();
        // Begin, the head with its locks, and the commit with word to other nodes.
        assert_eq!(statements.len(), 5, "{statements:#?}");
        assert_eq!(about("WITH head AS (UPDATE"), 1, "{statements:#?}");
        assert_eq!(about("INSERT INTO build_errors"), 1, "{statements:#?}");

        troubles(&world, build).await;
        let statements = log.take();
        // Known errors are updated by the statement that writes the events.
        assert_eq!(statements.len(), 4, "{statements:#?}");
    })
    .await;
}

#[tokio::test]
async fn entry_is_two_queries_on_sqlite_even_if_it_claims_the_build() {
    let database = support::Sqlite::create();
    let world = World::new(connect(&database.url()).await).await;
    let build = world.open_up_to(Until::Coding).await;
    let earlier = world.claim("a").await.expect("it is queued");
    let question = store::new_id();
    let head = world.append(build, vec![script::question(build, question)]).await.last_seq;
    let log = StatementLog::default();
    // SQLite's threads log too; each test has a process of its own.
    tracing::subscriber::set_global_default(log.clone()).expect("there is no other one");

    world.append(build, vec![script::log("still at work"), script::log("done")]).await;
    let statements = log.take();
    // The transaction begins with the head, and is committed with what is written.
    assert_eq!(statements.len(), 2, "{statements:#?}");

    let parked = world.journal.park(&earlier, head + 2, None).await;
    assert_eq!(parked.expect("the database is there"), Parked::Parked);
    log.take();
    let (claim, lease) = free_worker();
    let answer = vec![script::answer(question, script::user(world.owner), Some("red"))];
    let entry = Entry::given(build, None, answer).claimed_for(Some(claim));
    world.journal.append(entry).await.expect("the question is open");
    let statements = log.take();
    assert_eq!(statements.len(), 2, "{statements:#?}");
    assert_eq!(lease.await.expect("no worker held it").fence, earlier.fence + 1);
}

#[tokio::test]
async fn state_at_a_head_that_was_just_read_sends_no_statement() {
    log_statements(|world, build, log| async move {
        let (head, state) = world.journal.folded(build).await.unwrap();
        log.take();
        assert_eq!(world.journal.folded_at(build, head).await.unwrap(), (head, state));
        assert_eq!(log.take(), [""; 0]);

        world.append(build, vec![script::log("more")]).await;
        let newest = world.journal.folded(build).await.unwrap();
        assert_eq!(world.journal.folded_at(build, head).await.unwrap(), newest);
    })
    .await;
}
