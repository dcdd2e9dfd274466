//! The signed statement about a build's seal, created once, right after sealing.

use domain::{
    attestation::{Envelope, sha256},
    audit::AuditAction,
    ids::BuildId,
};
use serde_json::json;

use super::{error::EngineError, handle::Engine, statement, verify::recorded_digest};
use crate::store::{
    self,
    audit_log::{self, NewEntry},
    seals,
};

impl Engine {
    /// The envelope of a sealed build. A seal that was not signed because the service stopped right
    /// after sealing is signed now, if the build verifies. A seal is never signed twice: if its
    /// envelope is missing or changed, that is reported instead.
    pub async fn envelope(&self, build_id: BuildId) -> Result<Envelope, EngineError> {
        let mut conn = self.db().snapshot().await?;
        let stored = seals::envelope(&mut conn, build_id).await?;
        let recorded = recorded_digest(&mut conn, build_id).await?;
        drop(conn);
        match (stored, recorded) {
            (Some(stored), Some(recorded)) if sha256(stored.as_bytes()) == recorded => {
                serde_json::from_str(&stored).map_err(EngineError::Envelope)
            }
            (None, None) => self.sign(build_id).await,
            _ => {
                let found = self.verifier().build(build_id).await?;
                let problem = found.problems.into_iter().next();
                let what = problem.map_or("the signed seal was changed".to_owned(), |it| it.what);
                Err(EngineError::DoesNotVerify(what))
            }
        }
    }

    async fn sign(&self, build_id: BuildId) -> Result<Envelope, EngineError> {
        let found = self.verifier().build(build_id).await?;
        if let Some(problem) = found.problems.first() {
            return Err(EngineError::DoesNotVerify(problem.what.clone()));
        }
        let mut conn = self.db().read().await?;
        let statement = statement::of_build(&mut conn, build_id, &found).await?;
        drop(conn);
        let payload = serde_json::to_vec(&statement).map_err(EngineError::Envelope)?;
        let key = &self.parts.seal_key;
        let key_id = key.public().id();
        let envelope = Envelope::sign(&payload, key_id.clone(), |bytes| key.sign(bytes));
        let text = serde_json::to_string(&envelope).map_err(EngineError::Envelope)?;
        let mut tx = self.db().write().await?;
        if seals::put_envelope(&mut tx, build_id, &text).await? {
            let detail = json!({
                "envelope_sha256": sha256(text.as_bytes()),
                "key_id": key_id,
                "verdict": statement.predicate.verdict,
            });
            let subject = format!("build/{build_id}");
            let action = AuditAction::SealSigned;
            let entry = NewEntry::by_service(store::now(), action, subject, detail);
            audit_log::append(&mut tx, &entry).await?;
            tx.commit().await?;
            return Ok(envelope);
        }
        // A concurrent request signed it first.
        drop(tx);
        let stored = seals::envelope(&mut self.db().read().await?, build_id).await?;
        let stored = stored.ok_or(EngineError::NotSealed)?;
        serde_json::from_str(&stored).map_err(EngineError::Envelope)
    }
}
