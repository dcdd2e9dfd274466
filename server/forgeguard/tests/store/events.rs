//! Journals: batches of any size, both directions, numbers taken once.

use forgeguard::store::{Db, Error, events};

use crate::rows::{add_build, events as rows};

support::on_both! {
    async fn thousand_events_are_inserted_together_and_read_in_order(db: Db) {
        let build = add_build(&db).await;
        let all = rows(1, 1_003);
        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &[]).await.unwrap();
        assert_eq!(events::head_seq(&mut tx, build).await.unwrap(), 0);
        events::insert_batch(&mut tx, build, &all).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = db.read().await.unwrap();
        assert_eq!(events::after(&mut conn, build, 0, 5_000).await.unwrap(), all);
        assert_eq!(events::after(&mut conn, build, 400, 3).await.unwrap(), all[400..403]);
        assert_eq!(events::after(&mut conn, build, 1_003, 3).await.unwrap(), []);
        assert_eq!(events::before(&mut conn, build, None, 4).await.unwrap(), all[999..]);
        assert_eq!(events::before(&mut conn, build, Some(10), 4).await.unwrap(), all[5..9]);
        assert_eq!(events::before(&mut conn, build, Some(1), 4).await.unwrap(), []);
        assert_eq!(events::head_seq(&mut conn, build).await.unwrap(), all.last().unwrap().seq);
    }

    async fn second_event_with_a_number_is_rejected(db: Db) {
        let (build, other) = (add_build(&db).await, add_build(&db).await);
        let mut tx = db.write().await.unwrap();
        events::insert_batch(&mut tx, build, &rows(1, 3)).await.unwrap();
        events::insert_batch(&mut tx, other, &rows(3, 3)).await.unwrap();
        let again = async {
            events::insert_batch(&mut tx, build, &rows(3, 4)).await?;
            tx.commit().await
        };
        let again = again.await;
        assert!(matches!(again, Err(Error::AlreadyExists(_))), "{again:?}");
        let mut conn = db.read().await.unwrap();
        assert_eq!(events::head_seq(&mut conn, build).await.unwrap(), 0, "nothing was committed");
    }
}
