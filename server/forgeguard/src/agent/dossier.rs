//! The dossier: a scout's report for the other agents of its phase.

use domain::ids::BuildId;

use crate::store::{self, Db, artifacts};

const KIND: &str = "dossier";

/// The dossier of a phase; empty if there is none.
///
/// # Errors
/// If the database fails.
pub async fn read(db: &Db, build: BuildId, phase: u32) -> store::Result<String> {
    let key = key(phase);
    let place = artifacts::Place { build, kind: KIND, key: &key };
    let found = artifacts::get(&mut db.read().await?, place, store::now()).await?;
    Ok(found.map_or(String::new(), |artifact| artifact.content))
}

/// Stores the dossier of a phase, replacing an older one.
///
/// # Errors
/// If the database fails.
pub async fn store(db: &Db, build: BuildId, phase: u32, text: &str) -> store::Result<()> {
    let key = key(phase);
    let place = artifacts::Place { build, kind: KIND, key: &key };
    let mut tx = db.write().await?;
    artifacts::put(&mut tx, place, text, store::now(), None).await?;
    tx.commit().await
}

fn key(phase: u32) -> String {
    format!("phase-{phase}")
}
