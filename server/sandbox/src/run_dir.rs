//! The private directory of one run: its record, its temporary files, removed with it.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Where one run keeps what must not outlive it.
#[derive(Clone, Debug)]
pub struct RunDir {
    pub id: String,
    path: PathBuf,
}

impl RunDir {
    /// Makes a new one below `runs`, for nobody else's eyes.
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

    /// One that is there already.
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

    /// Stand-ins for system files that name the machine's users.
    pub fn etc(&self) -> PathBuf {
        self.path.join("etc")
    }

    /// Removes it with all that the command left in it, however its modes were set.
    pub fn remove(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open_up(&self.path);
                fs::remove_dir_all(&self.path)
            }
            result => result,
        }
    }
}

fn open_up(directory: &Path) {
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
