//! What a scout leaves for those who work on its phase after it.

use domain::ids::BuildId;

use crate::store::{self, Db, artifacts};

const KIND: &str = "dossier";

/// The dossier of a phase; empty where there is none.
///
/// # Errors
/// When the database fails.
pub async fn read(db: &Db, build: BuildId, phase: u32) -> store::Result<String> {
    let key = key(phase);
    let place = artifacts::Place { build, kind: KIND, key: &key };
    let found = artifacts::get(&mut db.read().await?, place, store::now()).await?;
    Ok(found.map_or(String::new(), |artifact| artifact.content))
}

/// Keeps the dossier of a phase, in place of an older one.
///
/// # Errors
/// When the database fails.
pub async fn keep(db: &Db, build: BuildId, phase: u32, text: &str) -> store::Result<()> {
    let key = key(phase);
    let place = artifacts::Place { build, kind: KIND, key: &key };
    let mut tx = db.write().await?;
    artifacts::put(&mut tx, place, text, store::now(), None).await?;
    tx.commit().await
}

fn key(phase: u32) -> String {
    format!("phase-{phase}")
}
