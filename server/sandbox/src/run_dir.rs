//! The private directory of one run: its record and its temporary files.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rootdir::RootDir;
use uuid::Uuid;

use crate::removal;

#[derive(Clone, Debug)]
pub struct RunDir {
    pub id: String,
    path: PathBuf,
}

impl RunDir {
    /// Creates a new one below `runs`, accessible only to this user.
    pub fn create(runs: &Path) -> io::Result<Self> {
        let id = Uuid::now_v7().to_string();
        let private = |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path);
        private(runs)?;
        let run = Self { path: fs::canonicalize(runs)?.join(&id), id };
        for path in [run.home(), run.shared_memory(), run.etc()] {
            private(&path)?;
        }
        Ok(run)
    }

    /// An existing one; `None` if the name is not that of a run.
    pub fn existing(path: PathBuf) -> Option<Self> {
        let id = path.file_name()?.to_str()?.to_owned();
        Uuid::parse_str(&id).ok()?;
        Some(Self { id, path })
    }

    pub fn record(&self) -> PathBuf {
        self.path.join("record.json")
    }

    pub fn temporary(&self) -> PathBuf {
        self.path.join("tmp")
    }

    pub fn home(&self) -> PathBuf {
        self.path.join("tmp/home")
    }

    pub fn shared_memory(&self) -> PathBuf {
        self.path.join("shm")
    }

    /// Files that are mounted over others in the strict level's view.
    pub fn etc(&self) -> PathBuf {
        self.path.join("etc")
    }

    /// Moves the directory away, to be removed in the background.
    pub fn remove(&self) -> io::Result<()> {
        let (Some(runs), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Ok(());
        };
        removal::move_away(&RootDir::open(runs)?, name, runs)
    }
}
