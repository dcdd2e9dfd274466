//! A temporary SQLite database for one test, empty or copied from a template that is migrated once.

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
};

use sqlx::{ConnectOptions, Connection, migrate::Migrator, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::template;

/// The path of a database. Removed on drop.
pub struct Sqlite {
    folder: TempDir,
}

impl Sqlite {
    /// Of a database that does not exist yet.
    pub fn create() -> Self {
        Self { folder: TempDir::with_prefix("forgeguard-test-").expect("a temporary folder") }
    }

    /// Of a database with all migrations.
    pub async fn migrated() -> Self {
        let database = Self::create();
        fs::copy(migrated_template().await, database.file()).expect("the template is copied");
        database
    }

    /// The URL, as in `DATABASE_URL`.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.file().display())
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("forgeguard.db")
    }
}

/// The template database, created by the first caller.
async fn migrated_template() -> PathBuf {
    let (migrator, name) = template::migrations("sqlite").await;
    let file = env::temp_dir().join(name);
    let lock = File::create(file.with_extension("lock")).expect("a file in the temporary folder");
    lock.lock().expect("the lock is granted");
    if !file.exists() {
        // Renamed when complete.
        let unfinished = file.with_extension("new");
        migrate(&migrator, &unfinished).await;
        fs::rename(&unfinished, &file).expect("the file is renamed");
    }
    file
}

async fn migrate(migrator: &Migrator, file: &Path) {
    // What a killed process left behind.
    let _ = fs::remove_file(file);
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
    let mut conn = options.connect().await.expect("the database is created");
    migrator.run(&mut conn).await.expect("the migrations run on an empty database");
    conn.close().await.expect("the connection closes");
}
