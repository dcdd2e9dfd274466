//! Errors of builds: counted by fingerprint, settled, and back again.

use chrono::Duration;
use domain::{errors::ResolutionMethod, ids::BuildId};
use forgeguard::store::{
    self, Conn, Db,
    build_errors::{self, BuildError, Cursor, Resolution, TrackedError},
};

use crate::rows::{self, add_build};

async fn see(conn: &mut Conn, build: BuildId, fingerprint: &str, message: &str) -> BuildError {
    rows::track_error(conn, rows::tracked_error(build, fingerprint, message)).await
}

support::on_both! {
    async fn occurrences_of_an_error_are_counted_in_one_row(db: Db) {
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

    async fn resolved_error_that_occurs_again_is_a_regression(db: Db) {
        let build = add_build(&db).await;
        let at = store::now() + Duration::seconds(1);
        let mut tx = db.write().await.unwrap();
        let error = see(&mut tx, build, "f", "it broke").await;
        let method = ResolutionMethod::AutoFix;
        let note = Some("Renamed it");
        rows::resolve_error(&mut tx, error.id, method, note, at).await;
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

    async fn pages_list_open_errors_first_and_each_error_once(db: Db) {
        let build = add_build(&db).await;
        let mut tx = db.write().await.unwrap();
        let mut ids = Vec::new();
        for n in 0..5 {
            ids.push(see(&mut tx, build, &format!("f{n}"), "it broke").await.id);
        }
        for id in [ids[0], ids[3]] {
            let method = ResolutionMethod::Dismissed;
            rows::resolve_error(&mut tx, id, method, None, store::now()).await;
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

    async fn batch_writes_new_and_known_errors_with_their_resolutions(db: Db) {
        let build = add_build(&db).await;
        let at = store::now() + Duration::seconds(1);
        let mut tx = db.write().await.unwrap();
        let known = see(&mut tx, build, "known", "it broke on line 1").await;
        let open = see(&mut tx, build, "open", "it is slow").await;
        let resolution = || Resolution {
            at,
            method: ResolutionMethod::AutoFix,
            summary: Some("Renamed it".into()),
        };
        let again = TrackedError {
            id: known.id,
            is_new: false,
            first_seen: known.first_seen,
            occurrence_count: 9,
            ..rows::tracked_error(build, "known", "it broke on line 2")
        };
        // More than one statement of a fixed number of rows would take.
        let names: Vec<String> = (0..600).map(|n| format!("new {n}")).collect();
        let new = names.iter().map(|name| rows::tracked_error(build, name, "new"));
        let new: Vec<_> = new.collect();
        build_errors::insert_batch(&mut tx, &new).await.unwrap();
        build_errors::update_batch(&mut tx, &[&again]).await.unwrap();
        let resolved = |id| (id, Some(resolution()));
        let resolutions = [resolved(open.id), resolved(known.id), (new[0].id, None)];
        build_errors::set_resolutions(&mut tx, &resolutions).await.unwrap();

        let row = build_errors::get(&mut tx, build, known.id).await.unwrap().unwrap();
        assert_eq!((row.occurrence_count, row.message.as_str()), (9, "it broke on line 2"));
        assert_eq!((row.first_seen, row.first_seq), (known.first_seen, known.first_seq));
        assert_eq!((row.resolved, row.resolved_at), (true, Some(at)));
        assert_eq!(row.resolution_summary.as_deref(), Some("Renamed it"));
        let row = build_errors::get(&mut tx, build, open.id).await.unwrap().unwrap();
        assert_eq!((row.resolved, row.resolution_method), (true, Some(ResolutionMethod::AutoFix)));
        assert_eq!(build_errors::count_open(&mut tx, build).await.unwrap(), 600);
        build_errors::set_resolutions(&mut tx, &[(open.id, None)]).await.unwrap();
        let row = build_errors::get(&mut tx, build, open.id).await.unwrap();
        assert_eq!(row, Some(open));
    }
}
