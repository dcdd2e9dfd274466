//! Artifacts: texts that agents of a build store for each other, and the dossiers of its scouts; or
//! texts that clients store for a project.

use chrono::Duration;

use super::{error::ToolError, records::Records};
use crate::store::{self, artifacts, project_artifacts};

/// Kind of the rows written by `forge_store_artifact`.
pub(super) const KIND: &str = "artifact";
/// Kind of the rows written for scouts, and the prefix of their keys.
const DOSSIER: &str = "dossier";
/// Artifacts per build, and per project.
pub(super) const MAX_ARTIFACTS: usize = 100;

/// Keys of the current artifacts, in order.
pub(super) async fn keys(records: &Records<'_>) -> Result<Vec<String>, ToolError> {
    let mut conn = records.db.read().await?;
    let (now, limit) = (store::now(), MAX_ARTIFACTS as i64);
    let Some(build) = records.build else {
        return Ok(project_artifacts::keys(&mut conn, records.project_id, now, limit).await?);
    };
    let mut keys = artifacts::keys(&mut conn, build.id, KIND, None, now, limit).await?;
    let dossiers = artifacts::keys(&mut conn, build.id, DOSSIER, None, now, limit).await?;
    keys.extend(dossiers.into_iter().map(|key| format!("{DOSSIER}/{key}")));
    Ok(keys)
}

/// The text of a key returned by [`keys`].
pub(super) async fn text(records: &Records<'_>, key: &str) -> Result<Option<String>, ToolError> {
    let mut conn = records.db.read().await?;
    let Some(build) = records.build else {
        let project = records.project_id;
        return Ok(project_artifacts::get(&mut conn, project, key, store::now()).await?);
    };
    let (kind, key) = match dossier(key) {
        Some(key) => (DOSSIER, key),
        None => (KIND, key),
    };
    let place = artifacts::Place { build: build.id, kind, key };
    let found = artifacts::get(&mut conn, place, store::now()).await?;
    Ok(found.map(|artifact| artifact.content))
}

/// Stores a text for the duration, and deletes those that have expired.
pub(super) async fn put(
    records: &Records<'_>,
    key: &str,
    content: &str,
    duration: Duration,
) -> Result<(), ToolError> {
    let now = store::now();
    let end = now + duration;
    let mut tx = records.db.write().await?;
    match records.build {
        Some(build) => {
            artifacts::remove_expired(&mut tx, now).await?;
            let place = artifacts::Place { build: build.id, kind: KIND, key };
            artifacts::put(&mut tx, place, content, now, Some(end)).await?;
        }
        None => {
            project_artifacts::remove_expired(&mut tx, now).await?;
            let project = records.project_id;
            project_artifacts::put(&mut tx, project, key, content, now, end).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

/// The stored key of a dossier, if this is one.
pub(super) fn dossier(key: &str) -> Option<&str> {
    key.strip_prefix(DOSSIER)?.strip_prefix('/')
}
