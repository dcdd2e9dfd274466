//! Verification of unchanged journals, live, sealed and exported, and of exports that were forged
//! with a valid chain.

use domain::{
    chain::{self, Link},
    errors::Severity,
    event::{Event, EventBody},
    ids::BuildId,
    verdict::Verdict,
};
use forgeguard::{
    journal::{
        AppendError,
        verify::{Verification, verify, verify_lines},
    },
    store::{self, Db},
};

use crate::{
    script::{self, Until},
    world::World,
};

/// The journal as it is exported.
async fn exported(world: &World, build: BuildId) -> Vec<String> {
    let rows = world.rows(build).await;
    rows.iter().map(|row| chain::with_hash(&row.body, &row.hash)).collect()
}

/// Chains changed events again.
fn rechained(events: &[Event]) -> Vec<String> {
    let mut previous = chain::GENESIS.to_owned();
    let lines = events.iter().map(|event| {
        let Link { body, hash } =
            chain::link(&previous, event.seq, event.build_id, event.at, &event.body);
        previous.clone_from(&hash);
        chain::with_hash(&body, &hash)
    });
    lines.collect()
}

fn told(verification: &Verification) -> Vec<(Option<u64>, &str)> {
    verification.problems.iter().map(|problem| (problem.seq, problem.what.as_str())).collect()
}

support::on_both! {
    async fn unchanged_build_verifies_at_any_time(db: Db) {
        let world = World::new(db).await;
        let build = world.open().await;
        for entry in script::entries(build, Until::FinalGates) {
            world.append(build, entry).await;
            let verification = verify(&world.db, build).await.unwrap();
            assert_eq!(told(&verification), []);
            assert!(verification.ok && verification.sealed.is_none());
            assert_eq!(verification.events, world.head(build).await);
        }
        world.seal(build).await;
        let verification = verify(&world.db, build).await.unwrap();
        assert_eq!(told(&verification), []);
        assert_eq!(verification.sealed.as_ref().unwrap().verdict, Verdict::Certified);
        let last = world.rows(build).await.pop().unwrap();
        assert_eq!((verification.events, verification.head_hash.clone()), (last.seq, last.hash));
        assert_eq!(verify_lines(exported(&world, build).await), verification);
    }

    async fn build_verifies_during_concurrent_appends(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let writer = {
            let world = world.clone();
            tokio::spawn(async move {
                for n in 0..300 {
                    let lines = (0..5).map(|line| script::log(format!("{n}/{line}")));
                    world.append(build, lines.collect()).await;
                }
            })
        };
        let mut checks = 0;
        while !writer.is_finished() || checks == 0 {
            let verification = verify(&world.db, build).await.unwrap();
            assert_eq!(told(&verification), []);
            checks += 1;
        }
        writer.await.unwrap();
        assert_eq!(verify(&world.db, build).await.unwrap().events, world.head(build).await);
    }

    async fn build_verifies_when_it_was_sealed_after_a_crash(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::FinalGates).await;
        let judged = world.rows(build).await.pop().unwrap().hash;
        world.append(build, vec![script::resumed(2), script::log("taken up again")]).await;
        let state = world.state(build).await;
        let mut sealing = script::sealed(&state, judged);
        let last = sealing.pop().unwrap();
        world.append(build, sealing).await;
        world.append(build, vec![script::resumed(3)]).await;
        world.append(build, vec![last]).await;
        let verification = verify(&world.db, build).await.unwrap();
        assert_eq!(told(&verification), []);
    }

    async fn events_after_the_last_gate_are_part_of_the_seal(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::FinalGates).await;
        let state = world.state(build).await;
        let judged = world.rows(build).await.pop().unwrap().hash;
        // The seal looks away from an error that was tracked before its commit.
        let late = script::error(&state, build, Severity::Error, "late");
        world.append(build, vec![late]).await;
        let seq = world.append(build, script::sealed(&state, judged.clone())).await.last_seq;
        let verification = verify(&world.db, build).await.unwrap();
        assert!(!verification.ok);
        let [carries, verdict, points, evidence] = &verification.problems[..] else {
            panic!("{:?}", verification.problems)
        };
        assert_eq!(carries.what, format!("the seal commit carries {judged}, which is not what it judged"));
        assert_eq!(verdict.what, "the seal says CERTIFIED; by the rules it is FLAGGED");
        assert_eq!(points.what, "the seal says 100 points; by the rules it is 85");
        assert_eq!(evidence.what, "the seal's evidence is not what the journal shows");
        assert!(verification.problems.iter().all(|problem| problem.seq == Some(seq)));
    }

    async fn unknown_build_cannot_be_verified(db: Db) {
        let world = World::new(db).await;
        let unknown = verify(&world.db, store::new_id()).await;
        assert!(matches!(unknown, Err(AppendError::UnknownBuild)), "{unknown:?}");
    }

    // An exported journal can be forged from the first event to the last, but not the hash in the
    // seal commit.
    async fn forged_chain_is_detected_by_the_seal_commit(db: Db) {
        let world = World::new(db).await;
        let build = world.sealed().await;
        let (events, _) = world.refolded(build).await;
        assert!(verify_lines(rechained(&events)).ok, "chaining again changes nothing by itself");
        type Forgery = fn(&mut EventBody);
        let forgeries: [(&str, Forgery); 4] = [
            ("other words", |body| {
                if let EventBody::BuildAgentTurn(turn) = body {
                    turn.text.push('!');
                }
            }),
            ("another gate", |body| {
                if let EventBody::BuildGateFinished(gate) = body {
                    gate.exit_code = Some(1);
                }
            }),
            ("another verdict", |body| {
                if let EventBody::BuildSealed(sealed) = body {
                    sealed.verdict = Verdict::Conditional;
                }
            }),
            ("another commit", |body| {
                if let EventBody::BuildSealed(sealed) = body {
                    sealed.seal_commit = "3".repeat(40);
                }
            }),
        ];
        for (what, forge) in forgeries {
            let mut forged = events.clone();
            forged.iter_mut().for_each(|event| forge(&mut event.body));
            let verification = verify_lines(rechained(&forged));
            assert!(!verification.ok, "{what}");
            let last = Some(events.len() as u64);
            assert!(verification.problems.iter().all(|problem| problem.seq == last), "{what}");
        }
    }

    async fn illegal_event_is_reported(db: Db) {
        let world = World::new(db).await;
        let build = world.open_up_to(Until::Coding).await;
        let (mut events, _) = world.refolded(build).await;
        let again = events[1].body.clone();
        events[5].body = again;
        let verification = verify_lines(rechained(&events));
        let [problem] = &verification.problems[..] else { panic!("{:?}", verification.problems) };
        assert_eq!(problem.seq, Some(6));
        assert!(problem.what.starts_with("build_started cannot happen"), "{}", problem.what);
        assert_eq!(verification.events, 5);
    }

    async fn export_is_verified_line_by_line(db: Db) {
        let world = World::new(db).await;
        let build = world.sealed().await;
        let lines = exported(&world, build).await;
        let with_ends: Vec<String> = lines.iter().map(|line| format!("{line}\r\n")).collect();
        assert!(verify_lines(with_ends).ok);

        let without = |index: usize| {
            let mut lines = lines.clone();
            lines.remove(index);
            verify_lines(lines)
        };
        assert_eq!(told(&without(0))[0].0, Some(1));
        let missing = without(7);
        assert_eq!(told(&missing), [(Some(8), "expected event 8, found event 9")]);
        let unsealed = without(lines.len() - 1);
        assert!(unsealed.ok && unsealed.sealed.is_none(), "the end alone cannot be missed");

        let mut swapped = lines.clone();
        swapped.swap(3, 4);
        assert_eq!(told(&verify_lines(swapped)), [(Some(4), "expected event 4, found event 5")]);
        let mut broken = lines.clone();
        broken[2] = "{\"seq\":3".to_owned();
        assert_eq!(told(&verify_lines(broken)), [(Some(3), "the line is not an event with a hash")]);
        let nothing: [&str; 0] = [];
        assert_eq!(told(&verify_lines(nothing)), [(Some(1), "there is no event at all")]);
    }
}
