//! A build's seal as a signed statement, made once, right after the build was sealed.

use domain::{
    attestation::{
        ContractDigest, Envelope, JournalEnd, Predicate, Statement, evidence_sha256, sha256,
    },
    ids::BuildId,
};

use super::{error::EngineError, handle::Engine};
use crate::{
    journal::verify::verify,
    store::{self, seals},
};

impl Engine {
    /// The envelope of a sealed build. One that nobody has signed yet is signed now, if journal and
    /// seal verify.
    pub async fn envelope(&self, build_id: BuildId) -> Result<Envelope, EngineError> {
        let stored = seals::envelope(&mut self.db().read().await?, build_id).await?;
        if let Some(stored) = stored {
            return serde_json::from_str(&stored).map_err(EngineError::Envelope);
        }
        let statement = self.statement(build_id).await?;
        let payload = serde_json::to_vec(&statement).map_err(EngineError::Envelope)?;
        let key = &self.parts.seal_key;
        let envelope = Envelope::sign(&payload, key.public().id(), |bytes| key.sign(bytes));
        let text = serde_json::to_string(&envelope).map_err(EngineError::Envelope)?;
        let mut tx = self.db().write().await?;
        let is_first = seals::put_envelope(&mut tx, build_id, &text).await?;
        tx.commit().await?;
        if is_first {
            return Ok(envelope);
        }
        let stored = seals::envelope(&mut self.db().read().await?, build_id).await?;
        let stored = stored.ok_or(EngineError::NotSealed)?;
        serde_json::from_str(&stored).map_err(EngineError::Envelope)
    }

    async fn statement(&self, build_id: BuildId) -> Result<Statement, EngineError> {
        let found = verify(self.db(), build_id).await?;
        if let Some(problem) = found.problems.first() {
            return Err(EngineError::DoesNotVerify(problem.what.clone()));
        }
        let sealed = found.sealed.ok_or(EngineError::NotSealed)?;
        let mut conn = self.db().read().await?;
        let seal = seals::get(&mut conn, build_id).await?.ok_or(EngineError::NotSealed)?;
        let build = store::builds::get(&mut conn, build_id).await?;
        let build = build.ok_or(EngineError::NotFound("build"))?;
        let batch = self.journal().state(build_id).await?.queued.snapshot_batch;
        let contracts = store::contracts::list_frozen(&mut conn, batch).await?;
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
            journal: JournalEnd { events: found.events, head: found.head_hash },
            evidence_sha256: evidence_sha256(&sealed.evidence),
            contracts,
            sealed_at: seal.sealed_at,
        };
        Ok(Statement::about(build.branch.unwrap_or_default(), sealed.seal_commit, predicate))
    }
}
