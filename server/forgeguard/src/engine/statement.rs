//! The statement about a sealed build, from the database.

use domain::{
    attestation::{
        BranchEnd, ContractDigest, JournalEnd, Predicate, Statement, evidence_sha256, sha256,
    },
    ids::BuildId,
};

use super::error::EngineError;
use crate::{
    journal::verify::Verification,
    store::{self, Conn, seals},
};

/// The statement about a build whose journal was just read.
///
/// # Errors
/// [`EngineError::NotSealed`] if the journal or the table contains no seal.
pub async fn of_build(
    conn: &mut Conn,
    build_id: BuildId,
    found: &Verification,
) -> Result<Statement, EngineError> {
    let sealed = found.sealed.clone().ok_or(EngineError::NotSealed)?;
    let seal = seals::get(conn, build_id).await?.ok_or(EngineError::NotSealed)?;
    let build = store::builds::get(conn, build_id).await?;
    let build = build.ok_or(EngineError::NotFound("build"))?;
    let contracts = match build.snapshot_batch {
        Some(batch) => store::contracts::list_frozen(conn, batch).await?,
        None => Vec::new(),
    };
    let mut contracts: Vec<ContractDigest> = contracts
        .into_iter()
        .map(|row| ContractDigest {
            kind: row.kind,
            version: row.version,
            sha256: sha256(row.content.as_bytes()),
        })
        .collect();
    contracts.sort_by_key(|contract| contract.kind);
    let predicate = Predicate {
        build_id,
        project_id: build.project_id,
        verdict: sealed.verdict,
        score: sealed.score,
        baseline: build.baseline_sha.unwrap_or_default(),
        branch: Some(BranchEnd {
            name: build.branch.unwrap_or_default(),
            commit: sealed.seal_commit,
        }),
        journal: JournalEnd { events: found.events, head: found.head_hash.clone() },
        evidence_sha256: evidence_sha256(&sealed.evidence),
        contracts,
        sealed_at: seal.sealed_at,
        audit_log: sealed.audit_log,
    };
    Ok(Statement::about(found.journal_sha256.clone(), predicate))
}
