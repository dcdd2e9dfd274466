//! A temporary SQLite database for one test.

use tempfile::TempDir;

/// The path of a database that does not exist yet. Removed on drop.
pub struct Sqlite {
    folder: TempDir,
}

impl Sqlite {
    pub fn create() -> Self {
        Self { folder: TempDir::with_prefix("forgeguard-test-").expect("a temporary folder") }
    }

    /// The URL, as in `DATABASE_URL`.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.folder.path().join("forgeguard.db").display())
    }
}
