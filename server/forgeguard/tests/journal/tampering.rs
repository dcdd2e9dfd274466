//! Verification names what was changed directly in the database.

use forgeguard::journal::verify::verify;

use crate::{
    script,
    world::{World, connect, on_both_at, tamper},
};

/// What each change is, the event it shows at and how that reads. `EVENTS` and `BUILD` stand for
/// the rows in question, `LAST` for the number of the last event.
const CHANGES: [(&str, &str, Option<u64>, &str); 14] = [
    (
        "a byte of a text",
        "UPDATE build_events SET body = replace(body, 'I go on.', 'I go on!') WHERE EVENTS AND seq = 7",
        Some(7),
        "event 7 was changed: its hash does not match its text",
    ),
    (
        "a hash",
        "UPDATE build_events SET hash = replace(hash, substr(hash, 1, 4), 'abcd') WHERE EVENTS AND seq = 9",
        Some(9),
        "event 9 was changed: its hash does not match its text",
    ),
    (
        "a row less",
        "DELETE FROM build_events WHERE EVENTS AND seq = 5",
        Some(5),
        "expected event 5, found event 6",
    ),
    (
        "the first row less",
        "DELETE FROM build_events WHERE EVENTS AND seq = 1",
        Some(1),
        "expected event 1, found event 2",
    ),
    (
        "two texts swapped",
        "UPDATE build_events SET body = (SELECT other.body FROM build_events AS other \
         WHERE other.build_id = build_events.build_id AND other.seq = 19 - build_events.seq) \
         WHERE EVENTS AND seq IN (9, 10)",
        Some(9),
        "expected event 9, found event 10",
    ),
    (
        "the last row less",
        "DELETE FROM build_events WHERE EVENTS AND seq = LAST",
        Some(0),
        "the build's row says that event",
    ),
    (
        "all rows less",
        "DELETE FROM build_events WHERE EVENTS",
        Some(1),
        "the build's row says that event",
    ),
    (
        "another type in the column beside",
        "UPDATE build_events SET type = 'build_log' WHERE EVENTS AND seq = 3",
        Some(3),
        "the columns beside event 3 say that it is event 3 of type build_log",
    ),
    (
        "another head in the build's row",
        "UPDATE builds SET head_hash = replace(head_hash, substr(head_hash, 1, 4), 'abcd') WHERE BUILD",
        Some(0),
        "the build's row holds another hash for the last event",
    ),
    (
        "another status in the build's row",
        "UPDATE builds SET status = 'abandoned' WHERE BUILD",
        None,
        "builds.status of ",
    ),
    (
        "another verdict in the build's row",
        "UPDATE builds SET verdict = 'FLAGGED' WHERE BUILD",
        None,
        "builds.verdict of ",
    ),
    (
        "another verdict in the stored seal",
        "UPDATE seals SET verdict = 'FLAGGED' WHERE EVENTS",
        None,
        "seals.verdict of ",
    ),
    (
        "other evidence in the stored seal",
        "UPDATE seals SET evidence = replace(evidence, 'passed', 'failed') WHERE EVENTS",
        None,
        "seals.evidence of ",
    ),
    ("no stored seal", "DELETE FROM seals WHERE EVENTS", None, "seals: the row of "),
];

on_both_at! {
    async fn every_change_in_the_database_is_reported(url: &str) {
        let world = World::new(connect(url).await).await;
        for (change, sql, seq, what) in CHANGES {
            let build = world.sealed().await;
            let last = world.head(build).await;
            assert!(verify(&world.db, build).await.unwrap().ok);
            let sql = sql
                .replace("EVENTS", &format!("build_id = '{build}'"))
                .replace("BUILD", &format!("id = '{build}'"))
                .replace("LAST", &last.to_string());
            tamper(url, sql).await;
            let verification = verify(&world.db, build).await.unwrap();
            assert!(!verification.ok, "{change}");
            let problem = &verification.problems[0];
            assert!(problem.what.starts_with(what), "{change}: {}", problem.what);
            // 0 stands for the last event, whose number the table above cannot know.
            assert_eq!(problem.seq, seq.map(|seq| if seq == 0 { last } else { seq }), "{change}");
            if let Some(seq) = problem.seq {
                assert!(verification.events + 1 >= seq, "{change}");
            }
        }
    }

    async fn event_inserted_into_the_database_is_reported(url: &str) {
        let world = World::new(connect(url).await).await;
        let build = world.sealed().await;
        let last = world.head(build).await;
        let sql = format!(
            "INSERT INTO build_events (build_id, seq, type, at, body, hash) \
             SELECT build_id, seq + 1, type, at, body, hash FROM build_events \
             WHERE build_id = '{build}' AND seq = {last}"
        );
        tamper(url, sql).await;
        let verification = verify(&world.db, build).await.unwrap();
        assert_eq!(verification.events, last);
        assert_eq!(verification.problems[0].seq, Some(last + 1));
    }

    async fn problem_of_one_build_does_not_affect_another(url: &str) {
        let world = World::new(connect(url).await).await;
        let (touched, untouched) = (world.sealed().await, world.sealed().await);
        tamper(url, format!("DELETE FROM build_events WHERE build_id = '{touched}' AND seq = 2")).await;
        assert!(!verify(&world.db, touched).await.unwrap().ok);
        assert!(verify(&world.db, untouched).await.unwrap().ok);
        world.append(world.open().await, vec![script::log("another event")]).await;
    }
}
