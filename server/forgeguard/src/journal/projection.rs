//! The rows derived from events, written in the transaction that appends them.

mod errors;
mod storable;

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::{
        EventBody,
        life::{Actor, QuestionExpiry, Queued, Sealed, Unpaused},
        questions::{ClarificationRequest, ClarificationResolved},
    },
    ids::{BuildId, UserId},
    notification::NotificationKind,
    state::{BuildState, PhaseState, PhaseStatus, Status},
};

use self::{errors::ErrorChanges, storable::storable};
use crate::store::{
    self, Conn, Result,
    build_phases::Phase,
    build_projection::{BuildProjection, BuildTotals},
    clarifications::{Clarification, Resolution},
    events::EventRow,
    notifications::NewNotification,
    seals::Seal,
};

/// Writes events, which are in order, with the seq of the first, and the rows derived from them.
/// `rows` are the events' own rows, or empty to write only the derived ones.
pub async fn write(
    conn: &mut Conn,
    build_id: BuildId,
    first_seq: u64,
    events: &[(DateTime<Utc>, EventBody)],
    rows: &[EventRow],
    build: &BuildProjection<'_>,
) -> Result<()> {
    let errors = ErrorChanges::of(first_seq, events);
    store::build_projection::append(conn, build_id, rows, build, &errors.known()).await?;
    for (seq, (at, body)) in (first_seq..).zip(events) {
        project(conn, build_id, seq, *at, body).await?;
    }
    errors.store_others(conn).await
}

async fn project(
    conn: &mut Conn,
    build_id: BuildId,
    seq: u64,
    at: DateTime<Utc>,
    body: &EventBody,
) -> Result<()> {
    match body {
        EventBody::BuildQueued(queued) => open_work(conn, build_id, at, queued).await,
        EventBody::BuildPhaseStarted(started) => {
            store::build_phases::start(conn, build_id, started.phase, at).await
        }
        EventBody::BuildPhaseComplete(complete) => {
            store::build_phases::complete(conn, build_id, complete.phase, at).await
        }
        EventBody::BuildPhaseRestarted(restarted) => {
            let (number, status) = (restarted.phase, PhaseStatus::Pending);
            store::build_phases::set_status(conn, build_id, number, status).await
        }
        EventBody::BuildPhaseSkipped(skipped) => {
            let (number, status) = (skipped.phase, PhaseStatus::Skipped);
            store::build_phases::set_status(conn, build_id, number, status).await
        }
        EventBody::BuildClarificationRequest(request) => {
            ask(conn, build_id, seq, at, request).await
        }
        EventBody::BuildClarificationResolved(resolved) => settle(conn, seq, at, resolved).await,
        EventBody::BuildBlocked(blocked) => {
            let item = format!("blocked/{build_id}/{seq}");
            let text = Some(blocked.reason.explanation());
            notify(conn, build_id, NotificationKind::Blocked, &item, text, at).await
        }
        EventBody::BuildPaused(_) => {
            store::clarifications::set_expiries(conn, build_id, None).await
        }
        EventBody::BuildUnpaused(unpaused) => restart_timeouts(conn, build_id, unpaused).await,
        EventBody::BuildSealed(sealed) => {
            seal(conn, build_id, at, sealed).await?;
            end(conn, build_id, at).await
        }
        EventBody::BuildAbandoned(_) => {
            store::backlog_items::return_to_followed(conn, build_id).await?;
            end(conn, build_id, at).await
        }
        _ => Ok(()),
    }
}

/// Whether a worker has to process the event, so that a build which waits for a user is queued again.
pub fn needs_worker(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::BuildClarificationResolved(_)
            | EventBody::BuildResumeRequested(_)
            | EventBody::BuildPauseRequested(_)
            | EventBody::BuildCancelRequested(_)
            | EventBody::BuildPhaseRetryRequested(_)
            | EventBody::BuildPhaseSkipRequested(_)
            | EventBody::BuildGatesRequested(_)
            | EventBody::BuildErrorFixRequested(_)
    )
}

/// The build's row after `bodies`, its newest events, which led to `state` and end at `head`.
pub fn build_row<'a>(
    head: (u64, &'a str),
    state: &'a BuildState,
    bodies: &'a [(DateTime<Utc>, EventBody)],
) -> BuildProjection<'a> {
    let branch = state.branch.as_ref();
    let complete = |phase: &&PhaseState| phase.status == PhaseStatus::Complete;
    let started = bodies.iter().find_map(|(at, body)| match body {
        EventBody::BuildStarted(started) => Some((*at, started)),
        _ => None,
    });
    let node = bodies.iter().rev().find_map(|(_, body)| match body {
        EventBody::BuildStarted(started) => Some(started.node.as_str()),
        EventBody::BuildResumed(resumed) => Some(resumed.node.as_str()),
        _ => None,
    });
    let ended = bodies.iter().rev().find_map(|(at, body)| {
        matches!(body, EventBody::BuildSealed(_) | EventBody::BuildAbandoned(_)).then_some(*at)
    });
    BuildProjection {
        head_seq: head.0,
        head_hash: head.1,
        status: state.status,
        verdict: state.sealed.as_ref().map(|sealed| sealed.verdict),
        branch: branch.map(|branch| branch.branch.as_str()),
        baseline_sha: branch.map(|branch| branch.baseline_sha.as_str()),
        head_sha: branch.map(|branch| branch.head_sha.as_str()),
        branch_status: branch.map(|branch| branch.status),
        commit_count: branch.map_or(0, |branch| branch.commit_count),
        model: Some(state.queued.model.as_str()),
        sandbox_level: started.map(|(_, started)| started.sandbox),
        node,
        attempt: state.attempt,
        phase_count: state.phases.len() as u32,
        phases_done: state.phases.iter().filter(complete).count() as u32,
        open_errors: state.open_errors() as u32,
        open_questions: state.questions.len() as u32,
        blocked_reason: state.blocked.map(|reason| reason.name()),
        started_at: started.map(|(at, _)| at),
        finished_at: ended.filter(|_| state.status != Status::Queued),
        totals: totals(state),
    }
}

fn totals(state: &BuildState) -> BuildTotals {
    let (spent, budgets) = (&state.spent, &state.budgets);
    BuildTotals {
        working_ms: spent.working_ms,
        tokens: spent.tokens_in.saturating_add(spent.tokens_out),
        usd_micros: spent.usd_micros,
        budget_tokens: budgets.tokens,
        budget_usd_micros: budgets.usd_micros,
        running_agents: state.usage.conversations.len() as u32,
    }
}

async fn open_work(
    conn: &mut Conn,
    build_id: BuildId,
    at: DateTime<Utc>,
    queued: &Queued,
) -> Result<()> {
    let first = queued.first_phase.as_ref().map_or(0, |first| first.number);
    let phases = queued.phases.iter().map(|phase| Phase {
        number: phase.number,
        title: phase.title.clone(),
        status: if phase.number < first { PhaseStatus::Skipped } else { PhaseStatus::Pending },
        started_at: None,
        completed_at: None,
    });
    store::build_phases::insert_batch(conn, build_id, &phases.collect::<Vec<_>>()).await?;
    store::work_items::enqueue(conn, store::new_id(), build_id, at, at).await
}

async fn end(conn: &mut Conn, build_id: BuildId, at: DateTime<Utc>) -> Result<()> {
    store::work_items::close(conn, build_id).await?;
    store::backlogs::wake_after(conn, build_id, at).await
}

async fn ask(
    conn: &mut Conn,
    build_id: BuildId,
    seq: u64,
    at: DateTime<Utc>,
    request: &ClarificationRequest,
) -> Result<()> {
    let read = match request.kind.is_of_agent() {
        true => store::events::last_contract_read(conn, build_id, request.asked_by, seq).await?,
        false => None,
    };
    let row = Clarification {
        id: request.question_id,
        build_id,
        kind: request.kind,
        run_id: request.run_id,
        call_id: storable(&request.call_id).into_owned(),
        question: storable(&request.question).into_owned(),
        context: request.context.as_deref().map(|text| storable(text).into_owned()),
        options: serde_json::Value::from(request.options.clone()).to_string(),
        multiple: request.multiple,
        asked_by: request.asked_by,
        asked_at: at,
        expires_at: request.expires_at,
        status: "open".to_owned(),
        answer: None,
        answered_by: None,
        answered_by_name: None,
        resolved_at: None,
        asked_seq: Some(seq),
        resolved_seq: None,
        contract: read.as_deref().and_then(contract_of),
    };
    store::clarifications::insert(conn, &row).await?;
    let (kind, item) =
        (NotificationKind::of_question(request.kind), format!("question/{}", request.question_id));
    notify(conn, build_id, kind, &item, Some(&row.question), at).await
}

/// Adds a notification to be sent by email and webhooks.
async fn notify(
    conn: &mut Conn,
    build_id: BuildId,
    kind: NotificationKind,
    item: &str,
    text: Option<&str>,
    at: DateTime<Utc>,
) -> Result<()> {
    let new = NewNotification {
        id: store::new_id(),
        kind,
        build_id,
        item,
        text,
        decision: None,
        actor_id: None,
        created_at: at,
    };
    store::notifications::insert(conn, &new).await
}

async fn restart_timeouts(conn: &mut Conn, build_id: BuildId, unpaused: &Unpaused) -> Result<()> {
    if unpaused.question_expires_at.is_some() {
        let expires_at = unpaused.question_expires_at;
        store::clarifications::set_expiries(conn, build_id, expires_at).await?;
    }
    for QuestionExpiry { question_id, expires_at } in &unpaused.question_expiries {
        store::clarifications::set_expiry(conn, *question_id, *expires_at).await?;
    }
    Ok(())
}

async fn settle(
    conn: &mut Conn,
    seq: u64,
    at: DateTime<Utc>,
    resolved: &ClarificationResolved,
) -> Result<()> {
    let answer = resolved.answer.as_deref().map(storable);
    let resolution = Resolution {
        how: resolved.how,
        answer: answer.as_deref(),
        answered_by: user(&resolved.by),
        resolved_at: at,
        resolved_seq: Some(seq),
    };
    store::clarifications::resolve(conn, resolved.question_id, &resolution).await.map(drop)
}

/// The contract that the event's text names as read.
fn contract_of(event: &str) -> Option<ContractType> {
    match serde_json::from_str::<EventBody>(event).ok()? {
        EventBody::BuildContractRead(read) => Some(read.contract),
        _ => None,
    }
}

async fn seal(
    conn: &mut Conn,
    build_id: BuildId,
    at: DateTime<Utc>,
    sealed: &Sealed,
) -> Result<()> {
    let evidence = serde_json::to_string(&sealed.evidence)
        .unwrap_or_else(|e| unreachable!("evidence is always JSON: {e}"));
    let row = Seal {
        build_id,
        verdict: sealed.verdict,
        score: f64::from(sealed.score),
        seal_commit: sealed.seal_commit.clone(),
        journal_head: sealed.journal_head.clone(),
        evidence,
        sealed_at: at,
    };
    store::seals::insert(conn, &row).await?;
    store::branch_deliveries::queue_sealed(conn, store::new_id(), build_id, at).await?;
    let item = format!("review/{build_id}/0");
    notify(conn, build_id, NotificationKind::Review, &item, None, at).await
}

fn user(actor: &Actor) -> Option<UserId> {
    match actor {
        Actor::Forge => None,
        Actor::User { id, .. } => Some(*id),
    }
}
