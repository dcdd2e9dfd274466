//! Verifies a build: its journal and all rows derived from it, the contracts, the signed seal, the
//! hosted branch, the reviews and the audit log. Used by the API and the command line.
//!
//! - [`audit_log`]: the chain of the audit log
//! - [`branch`]: the branch in the repositories
//! - [`contracts`]: the pinned contracts
//! - [`reviews`]: decisions and comments against the audit log
//! - [`signature`]: the signed seal

pub mod audit_log;

mod branch;
mod contracts;
mod reviews;
mod signature;

use std::collections::BTreeMap;

use domain::{audit::AuditAction, ids::BuildId};
use serde_json::json;

use super::{error::EngineError, handle::Engine, paths::Paths};
use crate::{
    journal::verify::{Problem, Verification, verify},
    store::{self, Db, audit_log::NewEntry},
};

use audit_log::AuditVerification;
pub use signature::recorded_digest;

/// Problems listed in an alarm in the audit log.
const MAX_LISTED: usize = 10;

/// Verifies the data directory and its database.
#[derive(Clone, Debug)]
pub struct Verifier {
    db: Db,
    paths: Paths,
}

impl Engine {
    /// Verifies builds of this installation.
    pub fn verifier(&self) -> Verifier {
        Verifier::new(self.db().clone(), self.paths().clone())
    }
}

impl Verifier {
    /// For a database and its data directory.
    pub fn new(db: Db, paths: Paths) -> Self {
        Self { db, paths }
    }

    /// Verifies a build. Problems are also logged as an error and recorded in the audit log, once
    /// per set of problems.
    ///
    /// # Errors
    /// If the build does not exist, or the database fails.
    pub async fn build(&self, build_id: BuildId) -> Result<Verification, EngineError> {
        let mut found = verify(&self.db, build_id).await?;
        // In one snapshot: a seal that is signed meanwhile is seen with its record, or not at all.
        let mut conn = self.db.snapshot().await?;
        contracts::compare(&mut conn, build_id, &mut found).await?;
        found.extend(reviews::compare(&mut conn, build_id).await?);
        let sealed_head = found.sealed.iter().filter_map(|sealed| sealed.audit_log.clone());
        let sealed_heads = BTreeMap::from_iter(sealed_head.map(|head| (build_id, head)));
        let log = audit_log::verify(&mut conn, &sealed_heads).await?;
        found.extend(log.problems.into_iter().map(Problem::of));
        if let Some(sealed) = found.sealed.clone() {
            if sealed.audit_log.is_none() {
                let note = "An earlier version sealed this build, without the audit log's hash.";
                found.notes.push(note.to_owned());
            }
            signature::compare(&mut conn, &self.paths, build_id, &mut found).await?;
            let build = store::builds::get(&mut conn, build_id).await;
            let recorded = super::commits::recorded(&mut conn, build_id).await?;
            drop(conn);
            // A row that cannot be read is already reported.
            if let Ok(Some(build)) = build {
                let problems = branch::compare(&self.paths, &build, &sealed, recorded).await?;
                found.extend(problems);
            }
        }
        if !found.ok
            && let Err(error) = self.raise_alarm(build_id, &found).await
        {
            tracing::error!(%build_id, %error, "a failed verification was not recorded");
        }
        Ok(found)
    }

    /// Verifies the audit log, and that it contains the entries that signed seals name.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn audit_log(&self) -> Result<AuditVerification, EngineError> {
        let mut conn = self.db.snapshot().await?;
        let heads = signature::signed_audit_heads(&mut conn).await?;
        Ok(audit_log::verify(&mut conn, &heads).await?)
    }

    async fn raise_alarm(
        &self,
        build_id: BuildId,
        found: &Verification,
    ) -> Result<(), EngineError> {
        let problems: Vec<String> =
            found.problems.iter().take(MAX_LISTED).map(ToString::to_string).collect();
        let (count, first) = (found.problems.len(), problems.first().cloned().unwrap_or_default());
        tracing::error!(%build_id, count, first, "the build does not verify");
        let detail = json!({ "count": count, "problems": problems });
        let subject = format!("build/{build_id}");
        let action = AuditAction::VerificationFailed;
        let text = detail.to_string();
        let mut tx = self.db.write().await?;
        let entries = store::audit_log::about(&mut tx, &subject).await?;
        let newest = entries.into_iter().rev().find(|entry| entry.is(action));
        if newest.is_some_and(|newest| newest.detail == text) {
            return Ok(());
        }
        let entry = NewEntry::by_service(store::now(), action, subject, detail);
        store::audit_log::append(&mut tx, &entry).await?;
        Ok(tx.commit().await?)
    }
}
