//! A database that fails in the midst of a transaction: nothing is half written, and appends work
//! again as soon as it does.

use forgeguard::{
    journal::{AppendError, Entry},
    store::{
        self, Db,
        events::{self, EventRow},
        notes, users,
    },
};
use sqlx::{AssertSqlSafe, Connection};

use crate::{
    script::{self, Until},
    world::{World, connect, on_both_at},
};

/// What a full disk does: SQLite ends the transaction by itself, PostgreSQL gives it up.
const FILL: [&str; 2] = [
    "CREATE TRIGGER no_space BEFORE INSERT ON build_events BEGIN SELECT RAISE(ROLLBACK, 'no space'); END",
    "CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION \
     'no space' USING ERRCODE = '53100'; END $$; \
     CREATE TRIGGER no_space BEFORE INSERT ON build_events FOR EACH ROW EXECUTE FUNCTION no_space()",
];
const FREE: [&str; 2] = ["DROP TRIGGER no_space", "DROP TRIGGER no_space ON build_events"];
/// The server ends every connection but the one that asks for it, and waits for their end.
const CUT: &str = "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity \
    WHERE datname = current_database() AND pid <> pg_backend_pid()";

async fn run(url: &str, [sqlite, postgres]: [&str; 2]) {
    if url.starts_with("sqlite:") {
        let mut conn = sqlx::SqliteConnection::connect(url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sqlite)).execute(&mut conn).await.unwrap();
    } else {
        let mut conn = sqlx::PgConnection::connect(url).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(postgres)).execute(&mut conn).await.unwrap();
    }
}

on_both_at! {
    async fn appends_work_again_after_a_transaction_was_ended_by_the_database(url: &str) {
        let world = World::new(connect(url).await).await;
        let build = world.open_up_to(Until::Coding).await;
        let head = world.head(build).await;
        let entry = |n: u32| Entry::given(build, None, vec![script::log(format!("line {n}"))]);
        run(url, FILL).await;
        for n in 0..3 {
            let refused = world.journal.append(entry(n)).await;
            assert!(matches!(refused, Err(AppendError::Store(_))), "{refused:?}");
        }
        assert_eq!(world.head(build).await, head);
        run(url, FREE).await;
        for n in 3..6 {
            world.journal.append(entry(n)).await.unwrap();
        }
        let (events, state) = world.refolded(build).await;
        assert_eq!(events.len() as u64, head + 3);
        assert_eq!(*world.state(build).await, state);
    }

    async fn transaction_that_failed_takes_no_more_statements(url: &str) {
        let world = World::new(connect(url).await).await;
        let project = world.project().await;
        let build = world.open_in(project).await.unwrap();
        let row = EventRow {
            seq: 2,
            kind: "build_log".to_owned(),
            at: store::now(),
            body: "{}".to_owned(),
            hash: "h".to_owned(),
        };
        run(url, FILL).await;
        let mut tx = world.db.write().await.unwrap();
        let inserted = events::insert_batch(&mut tx, build, &[row]).await;
        assert!(inserted.is_err() || tx.send_deferred().await.is_err());
        // SQLite would now run this outside of any transaction.
        let note = notes::put(&mut tx, project, world.owner, "late", 0, store::now()).await;
        assert!(note.is_err_and(|error| error.is_temporary()));
        assert!(tx.commit().await.is_err());
        let mut conn = world.db.read().await.unwrap();
        assert_eq!(notes::get(&mut conn, project, world.owner).await.unwrap(), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn append_succeeds_although_postgres_has_ended_all_idle_connections() {
    let database = support::Postgres::create().await;
    support::run_on(database, |url| async move {
        let world = World::new(connect(&url).await).await;
        let build = world.open().await;
        let head = world.head(build).await;
        for n in 1..=5 {
            run(&url, ["", CUT]).await;
            world.append(build, vec![script::log(format!("line {n}"))]).await;
            assert_eq!(world.head(build).await, head + n);
        }
    })
    .await;
}

#[tokio::test]
async fn damaged_file_is_reported_and_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forgeguard.db");
    let db = Db::open_file(&file, 2).await.unwrap();
    db.migrate().await.unwrap();
    db.close().await;
    let db = Db::open_file(&file, 2).await.unwrap();
    // All but the first page, which says that this is a database and how large.
    let mut content = std::fs::read(&file).unwrap();
    content[4096..].fill(0xa5);
    std::fs::write(&file, content).unwrap();

    let read = async { users::is_empty(&mut db.read().await?).await }.await;
    assert!(matches!(read, Err(store::Error::Corrupt(_))), "{read:?}");
    let written = db.write().await.err();
    assert!(matches!(written, Some(store::Error::Corrupt(_))), "{written:?}");
    let opened = Db::open_file(&file, 2).await.err();
    assert!(matches!(opened, Some(store::Error::Corrupt(_))), "{opened:?}");
}
