//! Errors of builds: counted by fingerprint, settled, and back again.

use chrono::Duration;
use domain::{
    errors::{ResolutionMethod, Severity},
    ids::BuildId,
};
use forgeguard::store::{
    self, Conn, Db,
    build_errors::{self, BuildError, Cursor, Sighting},
};

use crate::rows::add_build;

async fn see(conn: &mut Conn, build: BuildId, fingerprint: &str, message: &str) -> BuildError {
    let seen = Sighting {
        id: store::new_id(),
        build_id: build,
        seq: 7,
        fingerprint,
        at: store::now(),
        phase: Some("Phase 0: Lists"),
        file_path: None,
        source: "gate:test",
        severity: Severity::Error,
        message,
    };
    build_errors::upsert(conn, &seen).await.unwrap()
}

support::on_both! {
    async fn the_same_error_is_one_record_with_a_count(db: Db) {
        let (build, other) = (add_build(&db).await, add_build(&db).await);
        let mut tx = db.write().await.unwrap();
        let first = see(&mut tx, build, "f", "it broke on line 1").await;
        assert_eq!((first.occurrence_count, first.resolved, first.regression), (1, false, false));
        let again = see(&mut tx, build, "f", "it broke on line 2").await;
        assert_eq!((again.id, again.occurrence_count), (first.id, 2));
        assert_eq!((again.first_seen, again.message.as_str()), (first.first_seen, "it broke on line 2"));
        assert!(!again.regression);
        let elsewhere = see(&mut tx, other, "f", "it broke").await;
        assert_ne!(elsewhere.id, first.id);
        assert_eq!(build_errors::count_open(&mut tx, build).await.unwrap(), 1);
        assert_eq!(build_errors::get(&mut tx, build, first.id).await.unwrap(), Some(again));
        assert_eq!(build_errors::get(&mut tx, other, first.id).await.unwrap(), None);
    }

    async fn a_settled_error_that_comes_back_is_a_regression(db: Db) {
        let build = add_build(&db).await;
        let at = store::now() + Duration::seconds(1);
        let mut tx = db.write().await.unwrap();
        let error = see(&mut tx, build, "f", "it broke").await;
        let method = ResolutionMethod::AutoFix;
        let note = Some("Renamed it");
        assert!(build_errors::resolve(&mut tx, error.id, method, note, at).await.unwrap());
        assert!(!build_errors::resolve(&mut tx, error.id, method, note, at).await.unwrap());
        let settled = build_errors::get(&mut tx, build, error.id).await.unwrap().unwrap();
        assert_eq!((settled.resolved, settled.resolved_at), (true, Some(at)));
        assert_eq!(settled.resolution_method, Some(method));
        assert_eq!(settled.resolution_summary.as_deref(), note);
        assert_eq!(build_errors::count_open(&mut tx, build).await.unwrap(), 0);

        let back = see(&mut tx, build, "f", "it broke").await;
        assert_eq!((back.id, back.occurrence_count), (error.id, 2));
        assert_eq!((back.resolved, back.regression), (false, true));
        assert_eq!((back.resolved_at, back.resolution_method), (None, None));
        assert_eq!(back.resolution_summary, None);
    }

    async fn pages_show_open_errors_first_and_each_once(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let mut ids = Vec::new();
        for n in 0..5 {
            ids.push(see(&mut tx, build, &format!("f{n}"), "it broke").await.id);
        }
        for id in [ids[0], ids[3]] {
            let method = ResolutionMethod::Dismissed;
            build_errors::resolve(&mut tx, id, method, None, store::now()).await.unwrap();
        }
        let mut seen = Vec::new();
        let mut after = None;
        loop {
            let page = build_errors::list(&mut tx, build, after, 2).await.unwrap();
            let Some(last) = page.last() else { break };
            after = Some(Cursor { resolved: last.resolved, id: last.id });
            seen.extend(page.iter().map(|error| error.id));
        }
        assert_eq!(seen, [ids[1], ids[2], ids[4], ids[0], ids[3]]);
    }

    async fn many_at_once_lose_no_sighting(db: Db) {
        let build = add_build(&db).await;
        let one = || async {
            let mut tx = db.write().await.unwrap();
            see(&mut tx, build, "f", "it broke").await;
            tx.commit().await.unwrap();
        };
        futures::future::join_all((0..8).map(|_| one())).await;
        let mut conn = db.read().await.unwrap();
        let all = build_errors::list(&mut conn, build, None, 10).await.unwrap();
        assert_eq!(all.iter().map(|e| e.occurrence_count).collect::<Vec<_>>(), [8]);
    }
}
