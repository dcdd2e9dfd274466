//! Artifacts: texts that agents of a build store for each other, and the dossiers of its scouts.

use super::{context::ToolContext, error::ToolError};
use crate::store::{self, artifacts};

/// Kind of the rows written by `forge_store_artifact`.
pub(super) const KIND: &str = "artifact";
/// Kind of the rows written for scouts, and the prefix of their keys.
const DOSSIER: &str = "dossier";
/// Artifacts per build.
pub(super) const MAX_ARTIFACTS: usize = 100;

/// Keys of the current artifacts, in order.
pub(super) async fn keys(ctx: &ToolContext) -> Result<Vec<String>, ToolError> {
    let mut conn = ctx.db.read().await?;
    let (build, now, limit) = (ctx.build_id, store::now(), MAX_ARTIFACTS as i64);
    let mut keys = artifacts::keys(&mut conn, build, KIND, None, now, limit).await?;
    let dossiers = artifacts::keys(&mut conn, build, DOSSIER, None, now, limit).await?;
    keys.extend(dossiers.into_iter().map(|key| format!("{DOSSIER}/{key}")));
    Ok(keys)
}

/// The text of a key returned by [`keys`].
pub(super) async fn text(ctx: &ToolContext, key: &str) -> Result<Option<String>, ToolError> {
    let (kind, key) = match dossier(key) {
        Some(key) => (DOSSIER, key),
        None => (KIND, key),
    };
    let mut conn = ctx.db.read().await?;
    let place = artifacts::Place { build: ctx.build_id, kind, key };
    let found = artifacts::get(&mut conn, place, store::now()).await?;
    Ok(found.map(|artifact| artifact.content))
}

/// The stored key of a dossier, if this is one.
pub(super) fn dossier(key: &str) -> Option<&str> {
    key.strip_prefix(DOSSIER)?.strip_prefix('/')
}
