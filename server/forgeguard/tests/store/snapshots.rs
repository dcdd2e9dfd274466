//! Connections: what a reader sees, and what it may not do.

use std::time::Duration;

use forgeguard::store::{
    self, Db, Error, events, users,
    work_items::{self, Lease},
};
use uuid::Uuid;

use crate::rows::{add_build, events as rows, user};

support::on_both! {
    async fn snapshot_does_not_see_later_commits_and_a_connection_does(db: Db) {
        let build = add_build(&db).await;
        let mut still = db.snapshot().await.unwrap();
        let mut moving = db.read().await.unwrap();
        assert_eq!(events::head_seq(&mut still, build).await.unwrap(), 0);
        assert_eq!(events::head_seq(&mut moving, build).await.unwrap(), 0);

        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(1, 2)).await.unwrap();
        assert_eq!(events::head_seq(&mut moving, build).await.unwrap(), 0, "not yet committed");
        tx.commit().await.unwrap();

        assert_eq!(events::head_seq(&mut still, build).await.unwrap(), 0);
        assert_eq!(events::head_seq(&mut moving, build).await.unwrap(), 2);
        still.commit().await.unwrap();
        let mut still = db.snapshot().await.unwrap();
        assert_eq!(events::head_seq(&mut still, build).await.unwrap(), 2);
    }

    async fn snapshot_is_read_only(db: Db) {
        let mut snapshot = db.snapshot().await.unwrap();
        let refused = users::insert(&mut snapshot, &user("ada@example.org")).await;
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    }

    async fn transaction_sees_and_commits_statements_that_were_deferred(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(1, 2)).await.unwrap();
        assert_eq!(events::head_seq(&mut tx, build).await.unwrap(), 2);
        events::insert_batch(&mut tx, build, &rows(3, 3)).await.unwrap();
        tx.mark().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(4, 4)).await.unwrap();
        tx.undo_to_mark().await.unwrap();
        tx.commit().await.unwrap();
        let mut conn = db.read().await.unwrap();
        assert_eq!(events::head_seq(&mut conn, build).await.unwrap(), 3);
    }

    async fn transaction_without_statements_commits_and_releases_its_connection(db: Db) {
        for _ in 0..20 {
            db.write().await.unwrap().commit().await.unwrap();
            drop(db.write().await.unwrap());
            db.snapshot().await.unwrap().commit().await.unwrap();
        }
        let mut tx = db.write().await.unwrap();
        assert!(users::is_empty(&mut tx).await.unwrap());
    }

    async fn first_statement_of_a_transaction_counts_its_own_rows(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(1, 1)).await.unwrap();
        tx.commit().await.unwrap();
        let lease = Lease { id: build, owner: "other".to_owned(), fence: 7 };
        let mut tx = db.write().await.unwrap();
        assert!(!work_items::begin_step(&mut tx, &lease, "ran the gates").await.unwrap());
    }

    async fn cancelled_write_releases_its_connection(db: Db) {
        for _ in 0..20 {
            let write = async {
                let mut tx = db.write().await.unwrap();
                users::insert(&mut tx, &user("ada@example.org")).await.unwrap();
                std::future::pending::<()>().await;
            };
            let cut = tokio::time::timeout(Duration::from_millis(20), write).await;
            assert!(cut.is_err());
        }
        let mut tx = db.write().await.unwrap();
        assert!(users::is_empty(&mut tx).await.unwrap());
    }

    async fn notification_is_sent_when_the_transaction_commits(db: Db) {
        let Some(mut heard) = db.listen(&["builds"]).await.unwrap() else {
            return; // SQLite has one node, which needs no word.
        };
        let mut tx = db.write().await.unwrap();
        store::notify(&mut tx, "builds", "undone").await.unwrap();
        tx.rollback().await.unwrap();
        let mut tx = db.write().await.unwrap();
        store::notify(&mut tx, "builds", "done").await.unwrap();
        store::notify(&mut tx, "others", "elsewhere").await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(heard.recv().await.unwrap().payload(), "done");
    }

    async fn commit_sends_the_new_heads_of_builds(db: Db) {
        let build = add_build(&db).await;
        let listener = db.listen(&["builds"]).await.unwrap();
        let (node, mut tx) = (Uuid::now_v7(), db.write().await.unwrap());
        events::insert_batch(&mut tx, build, &rows(1, 2)).await.unwrap();
        store::commit_and_notify(tx, "builds", node, &[(build, 2), (build, 3)]).await.unwrap();
        let mut conn = db.read().await.unwrap();
        assert_eq!(events::head_seq(&mut conn, build).await.unwrap(), 2);
        let Some(mut heard) = listener else { return };
        for head in [2, 3] {
            let expected = format!("{node}:{build}:{head}");
            assert_eq!(heard.recv().await.unwrap().payload(), expected);
        }
    }
}

#[tokio::test]
async fn write_ahead_log_of_a_busy_file_is_checkpointed() {
    let database = support::Sqlite::migrated().await;
    let db = Db::connect(&database.url(), 4).await.unwrap();
    db.migrate().await.unwrap();
    let build = add_build(&db).await;
    for n in 0..300 {
        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(n * 50 + 1, n * 50 + 50)).await.unwrap();
        tx.commit().await.unwrap();
        let mut conn = db.read().await.unwrap();
        events::head_seq(&mut conn, build).await.unwrap();
    }
    let path = database.url().replace("sqlite:", "") + "-wal";
    let log = std::fs::metadata(path).unwrap().len();
    assert!(log < 8 << 20, "the log has {log} bytes");
}
