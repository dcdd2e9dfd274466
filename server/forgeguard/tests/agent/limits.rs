//! Model calls stay within the budget, also concurrently.

use std::sync::Arc;

use domain::{
    budget::{BudgetAdded, Budgets, CallCost, Exhausted},
    event::{
        agents::{AgentTurn, RunOutcome, Task},
        life::{Actor, BlockReason, Blocked, ResumeRequested, Unpaused},
    },
};
use forgeguard::agent::{RunEnd, budget_reservations::ReserveError};
use futures::future::join_all;

use crate::{
    build::Build,
    model::{says, scripted},
};

const CALLS: u64 = 16;
const ROOM: u64 = 10;
const COST: CallCost = CallCost { tokens: 100, usd_micros: 7 };

#[tokio::test]
async fn concurrent_calls_never_exceed_the_budget() {
    let tokens = Some(ROOM * COST.tokens + COST.tokens / 2);
    let budgets = Budgets { tokens, ..Budgets::default() };
    let build = Arc::new(Build::within(budgets, Task::Execute).await);
    let calls = (0..CALLS).map(|_| {
        let build = build.clone();
        tokio::spawn(async move {
            let held = build.reservations.reserve(&build.journal, build.id, COST).await;
            let hold = match held {
                Ok(hold) => hold,
                Err(ReserveError::Exhausted(limit)) => return Err(limit),
                Err(ReserveError::Unreadable(error)) => panic!("{error}"),
            };
            tokio::task::yield_now().await;
            build.append(vec![turn(&build).into()]).await;
            drop(hold);
            Ok(())
        })
    });
    let outcomes: Vec<_> = join_all(calls).await.into_iter().map(Result::unwrap).collect();
    let made = outcomes.iter().filter(|outcome| outcome.is_ok()).count() as u64;
    assert_eq!(made, ROOM, "{outcomes:?}");
    assert!(outcomes.iter().all(|outcome| matches!(outcome, Ok(()) | Err(Exhausted::Tokens))));
    let spent = build.state().await.spent;
    assert_eq!(spent.tokens_in + spent.tokens_out, ROOM * COST.tokens);
}

#[tokio::test]
async fn call_that_may_exceed_the_budget_waits_for_a_larger_one() {
    let budgets = Budgets { tokens: Some(1_500), ..Budgets::default() };
    let build = Build::within(budgets, Task::Execute).await;
    let model = || scripted("phase-0/execute", serde_json::json!([says("Done.")]));
    assert_eq!(build.run(model()).await, RunEnd::BudgetExhausted(Exhausted::Tokens));
    assert!(build.messages().await.is_empty(), "nothing was said");

    let blocked =
        Blocked { reason: BlockReason::Tokens, last_failures: vec![], report: String::new() };
    let added = BudgetAdded { tokens: 100_000, ..BudgetAdded::default() };
    let resumed = ResumeRequested { by: Actor::Forge, budget_added: Some(added) };
    let unpaused =
        Unpaused { by: Actor::Forge, question_expiries: Vec::new(), question_expires_at: None };
    build.append(vec![blocked.into(), resumed.into(), unpaused.into()]).await;
    assert_eq!(build.run(model()).await, RunEnd::Finished);
    assert_eq!(build.finished().await.outcome, RunOutcome::Completed);
}

fn turn(build: &Build) -> AgentTurn {
    AgentTurn {
        run_id: build.run_id,
        text: String::new(),
        tokens_in: COST.tokens - 40,
        tokens_out: 40,
        cache_read: 0,
        cache_write: 0,
        cost_usd_micros: COST.usd_micros,
        interjections_seen: 0,
        notes_version: 0,
        cut_short: None,
    }
}
