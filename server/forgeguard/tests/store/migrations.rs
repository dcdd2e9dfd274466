//! Bringing the tables up to date, again and at once.

use forgeguard::store::{Db, Error, users};

support::on_both! {
    async fn migrations_can_be_run_again(db: Db) {
        db.migrate().await.unwrap();
        let (a, b) = tokio::join!(db.migrate(), db.migrate());
        a.unwrap();
        b.unwrap();
        assert!(users::is_empty(&mut db.read().await.unwrap()).await.unwrap());
    }
}

#[tokio::test]
async fn empty_file_can_be_migrated_by_concurrent_processes() {
    let database = support::Sqlite::create();
    let migrate = || async {
        let db = Db::connect(&database.url(), 1).await.unwrap();
        db.migrate().await.unwrap();
        db.close().await;
    };
    futures::future::join_all((0..4).map(|_| migrate())).await;
}

#[tokio::test]
async fn path_may_contain_any_characters() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("what? 100% #sure.db");
    let db = Db::open_file(&file, 1).await.unwrap();
    db.migrate().await.unwrap();
    db.close().await;
    assert!(file.is_file());
}

#[tokio::test]
async fn url_of_another_database_is_rejected() {
    let refused = Db::connect("mysql://localhost/x", 1).await;
    assert!(matches!(refused, Err(Error::UnknownAddress)), "{refused:?}");
}
