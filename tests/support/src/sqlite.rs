//! A SQLite file for one test.

use tempfile::TempDir;

/// An address where no database is yet; what is made there goes when this is dropped.
pub struct Sqlite {
    folder: TempDir,
}

impl Sqlite {
    /// A new folder for the file.
    pub fn create() -> Self {
        Self { folder: TempDir::with_prefix("forgeguard-test-").expect("a temporary folder") }
    }

    /// The address, as `DATABASE_URL` takes it.
    pub fn url(&self) -> String {
        format!("sqlite:{}", self.folder.path().join("forgeguard.db").display())
    }
}
