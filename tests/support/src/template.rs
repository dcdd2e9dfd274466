//! The migrations of this checkout, with which the databases that tests copy are made.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use sqlx::migrate::Migrator;

/// The migrations in a folder of `migrations`, and the name of a database with all of them.
pub async fn migrations(folder: &str) -> (Migrator, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations").join(folder);
    let migrator = Migrator::new(folder).await.expect("the migrations can be read");
    let mut hasher = DefaultHasher::new();
    migrator.iter().for_each(|m| (m.version, &m.checksum).hash(&mut hasher));
    let name = format!("forgeguard_template_{:016x}", hasher.finish());
    (migrator, name)
}
