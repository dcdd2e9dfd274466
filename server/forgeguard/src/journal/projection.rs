//! The rows that follow from an event, written in the transaction that appends it.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::{
    contract::ContractType,
    event::{
        EventBody,
        gates::{ErrorResolved, ErrorTracked},
        life::{Actor, Queued, Sealed},
        questions::{ClarificationRequest, ClarificationResolved},
    },
    ids::{BuildId, UserId},
    state::PhaseStatus,
};

use crate::store::{
    self, Conn, Result,
    build_errors::Sighting,
    build_phases::Phase,
    clarifications::{Clarification, Resolution},
    seals::Seal,
};

/// Writes the rows that follow from one event.
pub async fn project(
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
        EventBody::BuildErrorTracked(tracked) => track(conn, seq, tracked).await,
        EventBody::BuildErrorResolved(resolved) => settle_error(conn, at, resolved).await,
        EventBody::BuildErrorReopened(reopened) => {
            store::build_errors::reopen(conn, reopened.error_id).await.map(drop)
        }
        EventBody::BuildClarificationRequest(request) => {
            ask(conn, build_id, seq, at, request).await
        }
        EventBody::BuildClarificationResolved(resolved) => {
            settle(conn, build_id, seq, at, resolved).await
        }
        // A parked build has something to do: whoever claims next, finds it.
        EventBody::BuildResumeRequested(_)
        | EventBody::BuildPauseRequested(_)
        | EventBody::BuildCancelRequested(_) => wake(conn, build_id, at).await,
        EventBody::BuildSealed(sealed) => {
            seal(conn, build_id, at, sealed).await?;
            store::work_items::close(conn, build_id, sealed.verdict.name()).await
        }
        EventBody::BuildAbandoned(_) => store::work_items::close(conn, build_id, "abandoned").await,
        _ => Ok(()),
    }
}

async fn open_work(
    conn: &mut Conn,
    build_id: BuildId,
    at: DateTime<Utc>,
    queued: &Queued,
) -> Result<()> {
    let phases = queued.phases.iter().map(|phase| Phase {
        number: phase.number,
        title: phase.title.clone(),
        status: PhaseStatus::Pending,
        started_at: None,
        completed_at: None,
    });
    store::build_phases::insert_batch(conn, build_id, &phases.collect::<Vec<_>>()).await?;
    store::work_items::enqueue(conn, store::new_id(), build_id, at, at).await
}

async fn wake(conn: &mut Conn, build_id: BuildId, at: DateTime<Utc>) -> Result<()> {
    store::work_items::requeue(conn, build_id, at).await.map(drop)
}

async fn track(conn: &mut Conn, seq: u64, tracked: &ErrorTracked) -> Result<()> {
    let record = &tracked.record;
    let (message, file_path) = (storable(&record.message), record.file_path.as_deref());
    let sighting = Sighting {
        id: record.id,
        build_id: record.build_id,
        seq,
        fingerprint: &record.fingerprint,
        at: record.last_seen,
        phase: record.phase.as_deref(),
        file_path,
        source: &record.source,
        severity: record.severity,
        message: &message,
    };
    store::build_errors::upsert(conn, &sighting).await.map(drop)
}

async fn settle_error(conn: &mut Conn, at: DateTime<Utc>, resolved: &ErrorResolved) -> Result<()> {
    let summary = resolved.summary.as_deref().map(storable);
    let (id, summary) = (resolved.error_id, summary.as_deref());
    store::build_errors::resolve(conn, id, resolved.method, summary, at).await.map(drop)
}

async fn ask(
    conn: &mut Conn,
    build_id: BuildId,
    seq: u64,
    at: DateTime<Utc>,
    request: &ClarificationRequest,
) -> Result<()> {
    let read = store::events::last_contract_read(conn, build_id, request.asked_by, seq).await?;
    let row = Clarification {
        id: request.question_id,
        build_id,
        run_id: request.run_id,
        call_id: storable(&request.call_id).into_owned(),
        question: storable(&request.question).into_owned(),
        context: request.context.as_deref().map(|text| storable(text).into_owned()),
        options: serde_json::Value::from(request.options.clone()).to_string(),
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
    store::clarifications::insert(conn, &row).await
}

async fn settle(
    conn: &mut Conn,
    build_id: BuildId,
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
    store::clarifications::resolve(conn, resolved.question_id, &resolution).await?;
    wake(conn, build_id, at).await
}

/// The contract that this event's text says was read.
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
    store::seals::insert(conn, &row).await
}

/// What a command prints may hold NUL characters, the one thing that a text in PostgreSQL cannot.
fn storable(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { text.replace('\0', "\u{fffd}").into() } else { text.into() }
}

fn user(actor: &Actor) -> Option<UserId> {
    match actor {
        Actor::Forge => None,
        Actor::User { id, .. } => Some(*id),
    }
}
