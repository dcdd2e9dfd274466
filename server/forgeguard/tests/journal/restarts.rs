//! What a node knows after a restart: the same, from the stored checkpoint or from the start.

use forgeguard::{journal::AppendError, store};

use crate::{
    script::{self, Until},
    world::{World, connect, on_both_at, tamper},
};

/// More events than there are between two checkpoints.
async fn long_build(world: &World) -> domain::ids::BuildId {
    let build = world.open_up_to(Until::Coding).await;
    for n in 0..21 {
        let lines = (0..100).map(|line| script::log(format!("{n}/{line}")));
        world.append(build, lines.collect()).await;
    }
    build
}

on_both_at! {
    async fn restart_continues_from_the_checkpoint(url: &str) {
        let world = World::new(connect(url).await).await;
        let build = long_build(&world).await;
        let before = world.state(build).await;
        let mut conn = world.db.read().await.unwrap();
        let stored = store::checkpoints::get(&mut conn, build).await.unwrap().unwrap();
        drop(conn);
        assert!(stored.seq >= 2_048, "a checkpoint at {}", stored.seq);

        let after = world.restarted();
        assert_eq!(after.state(build).await, before);
        assert_eq!(*before, world.refolded(build).await.1);
        after.append(build, vec![script::log("going on")]).await;
        assert_eq!(*after.state(build).await, after.refolded(build).await.1);

        // It is the checkpoint that is read: what is put there shows.
        let sql = "UPDATE build_checkpoints SET state = replace(state, '\"model\":\"offline\"', '\"model\":\"other\"')";
        tamper(url, sql.to_owned()).await;
        assert_eq!(world.restarted().state(build).await.queued.model, "other");
    }

    async fn unreadable_checkpoint_is_ignored(url: &str) {
        let world = World::new(connect(url).await).await;
        let build = long_build(&world).await;
        let before = world.state(build).await;
        tamper(url, "UPDATE build_checkpoints SET state = '{\"status\":\"of an older version\"}'".to_owned()).await;
        assert_eq!(world.restarted().state(build).await, before);
    }

    async fn journal_with_a_gap_cannot_be_extended(url: &str) {
        let world = World::new(connect(url).await).await;
        let build = world.open_up_to(Until::Coding).await;
        let other = world.open().await;
        let head = world.head(build).await;
        tamper(url, format!("DELETE FROM build_events WHERE build_id = '{build}' AND seq = 5")).await;
        let after = world.restarted();
        let entry = || vec![script::log("going on")];
        let entry_of = |build| forgeguard::journal::Entry::given(build, None, entry());
        let refused = after.journal.append(entry_of(build)).await;
        assert!(matches!(refused, Err(AppendError::Damaged(..))), "{refused:?}");
        assert_eq!(world.rows(build).await.len() as u64, head - 1);
        after.journal.append(entry_of(other)).await.unwrap();
    }
}
