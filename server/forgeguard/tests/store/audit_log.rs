//! The audit log: numbered without holes, filtered, and never changed.

use domain::{
    audit::{AuditAction, AuditHead},
    audit_chain::AuditWalk,
};
use forgeguard::store::{
    self, Db,
    audit_log::{self, Filter, NewEntry},
    users::User,
};
use sqlx::Connection;

use crate::rows::user;

async fn add(db: &Db, by: &User, action: AuditAction) {
    let subject = format!("user/{}", by.id);
    let entry = NewEntry::by(by, store::now(), action, subject, serde_json::json!({"a": "ä"}));
    let mut tx = db.write().await.unwrap();
    audit_log::append(&mut tx, &entry).await.unwrap();
    tx.commit().await.unwrap();
}

async fn seqs(db: &Db, filter: Filter, before: Option<u64>, limit: i64) -> Vec<u64> {
    let mut conn = db.read().await.unwrap();
    let entries = audit_log::list(&mut conn, filter, before, limit).await.unwrap();
    entries.iter().map(|entry| entry.seq).collect()
}

support::on_both! {
    async fn entries_are_read_back_newest_first_by_page_and_filter(db: Db) {
        let (ada, eve) = (user("ada@example.org"), user("eve@example.org"));
        add(&db, &ada, AuditAction::SetupCompleted).await;
        add(&db, &eve, AuditAction::PasswordChanged).await;
        add(&db, &ada, AuditAction::PasswordChanged).await;
        let all = Filter::default();
        assert_eq!(seqs(&db, all, None, 10).await, [3, 2, 1]);
        assert_eq!(seqs(&db, all, Some(3), 1).await, [2]);
        let action = Some(AuditAction::PasswordChanged);
        assert_eq!(seqs(&db, Filter { action, ..Filter::default() }, None, 10).await, [3, 2]);
        let actor = Some(ada.id);
        assert_eq!(seqs(&db, Filter { actor, ..Filter::default() }, None, 10).await, [3, 1]);
        assert_eq!(seqs(&db, Filter { action, actor, ..Filter::default() }, None, 10).await, [3]);

        let mut conn = db.read().await.unwrap();
        let first = audit_log::list(&mut conn, all, Some(2), 1).await.unwrap().pop().unwrap();
        assert_eq!((first.actor_id, first.actor_name), (Some(ada.id), ada.name));
        assert_eq!((first.action, first.detail.as_str()), (AuditAction::SetupCompleted, r#"{"a":"ä"}"#));
    }

    async fn concurrent_appends_leave_no_gap(db: Db) {
        let ada = user("ada@example.org");
        let mut writers = tokio::task::JoinSet::new();
        for n in 0..20 {
            let (db, ada) = (db.clone(), ada.clone());
            writers.spawn(async move {
                let at = store::now();
                let action = AuditAction::PasswordChanged;
                let entry = NewEntry::by(&ada, at, action, String::new(), serde_json::json!({}));
                let mut tx = db.write().await.unwrap();
                audit_log::append(&mut tx, &entry).await.unwrap();
                // Some of them never happened.
                if n % 4 == 0 { tx.rollback().await.unwrap() } else { tx.commit().await.unwrap() }
            });
        }
        writers.join_all().await;
        let expected: Vec<u64> = (1..=15).rev().collect();
        assert_eq!(seqs(&db, Filter::default(), None, 100).await, expected);
        assert_eq!(walked(&db).await, audit_log::head(&mut db.read().await.unwrap()).await.unwrap());
    }
}

/// Follows the chain to its end.
async fn walked(db: &Db) -> AuditHead {
    let mut walk = AuditWalk::default();
    for row in audit_log::after(&mut db.read().await.unwrap(), 0, 1_000).await.unwrap() {
        walk.next(&row.record(), row.hash.as_deref()).unwrap();
    }
    assert!(walk.is_chained());
    walk.head().clone()
}

async fn run(url: &str, sql: &'static str) {
    if url.starts_with("sqlite:") {
        let mut conn = sqlx::SqliteConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
    } else {
        let mut conn = sqlx::PgConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut conn).await.unwrap();
    }
}

/// As an earlier version left it: entries without hashes.
async fn entries_of_earlier_versions_are_chained_once(url: &str, without_triggers: &'static str) {
    let db = Db::connect(url, 2).await.unwrap();
    db.migrate().await.unwrap();
    assert!(!audit_log::is_unchained(&mut db.read().await.unwrap()).await.unwrap());
    for _ in 0..3 {
        add(&db, &user("ada@example.org"), AuditAction::SetupCompleted).await;
    }
    run(url, without_triggers).await;
    assert!(audit_log::is_unchained(&mut db.read().await.unwrap()).await.unwrap());
    for _ in 0..2 {
        let mut tx = db.write().await.unwrap();
        audit_log::start_chain(&mut tx, store::now()).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(walked(&db).await.seq, 4);
    }
    let rows = audit_log::after(&mut db.read().await.unwrap(), 0, 10).await.unwrap();
    assert!(rows[..3].iter().all(|row| row.hash.is_none()));
    assert_eq!(rows[3].action, "chain_started");
    db.close().await;
}

#[tokio::test]
async fn entries_of_earlier_versions_are_chained_once_on_sqlite() {
    let sql = "DROP TRIGGER audit_log_not_updated; UPDATE audit_log SET hash = NULL";
    entries_of_earlier_versions_are_chained_once(&support::Sqlite::migrated().await.url(), sql)
        .await;
}

#[tokio::test]
async fn entries_of_earlier_versions_are_chained_once_on_postgres() {
    let database = support::Postgres::create().await;
    let sql = "SET session_replication_role = replica; UPDATE audit_log SET hash = NULL";
    let body = |url: String| async move {
        entries_of_earlier_versions_are_chained_once(&url, sql).await;
    };
    support::run_on(database, body).await;
}

/// The result of a statement that is run directly on the database.
async fn refused(url: &str, sql: &'static str) -> String {
    let done = if url.starts_with("sqlite:") {
        let mut conn = sqlx::SqliteConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut conn).await.map(drop)
    } else {
        let mut conn = sqlx::PgConnection::connect(url).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut conn).await.map(drop)
    };
    done.expect_err(sql).to_string()
}

async fn is_never_changed(url: &str, more: &[&'static str]) {
    let db = Db::connect(url, 2).await.unwrap();
    db.migrate().await.unwrap();
    add(&db, &user("ada@example.org"), AuditAction::SetupCompleted).await;
    let both = [
        "UPDATE audit_log SET actor_name = 'Eve'",
        "UPDATE audit_log SET seq = 7 WHERE seq = 1",
        "DELETE FROM audit_log",
    ];
    for sql in both.iter().chain(more) {
        let why = refused(url, sql).await;
        assert!(why.contains("the audit log is never changed"), "{sql}: {why}");
    }
    assert_eq!(seqs(&db, Filter::default(), None, 10).await, [1]);
    db.close().await;
}

#[tokio::test]
async fn entry_cannot_be_changed_on_sqlite() {
    let replace = "INSERT OR REPLACE INTO audit_log \
        SELECT seq, at, actor_id, 'Eve', action, subject, detail, hash FROM audit_log";
    is_never_changed(&support::Sqlite::migrated().await.url(), &[replace]).await;
}

#[tokio::test]
async fn entry_cannot_be_changed_on_postgres() {
    let database = support::Postgres::create().await;
    let body = |url: String| async move { is_never_changed(&url, &["TRUNCATE audit_log"]).await };
    support::run_on(database, body).await;
}
