//! The identity of this node: one process at a time under one name, with a persistent id.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::paths::Paths;

/// Why a node cannot use a data directory.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Another process uses the directory.
    #[error(
        "another ForgeGuard is running on the data directory {0}; stop it first, or choose another with --data-dir"
    )]
    InUse(String),
    #[error("the data directory cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// The name of a node that has the data directory for itself.
const ONLY: &str = "only";
/// How long to wait for the lock of a killed process: it belongs to the open file, which programs that
/// the process was starting hold until they are executed.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const LOCK_INTERVAL: Duration = Duration::from_millis(20);

/// This node. Its lock is held as long as a clone exists.
#[derive(Clone, Debug)]
pub struct Node {
    /// The display name.
    pub name: String,
    /// In leases: the name and an id that survives restarts.
    pub owner: String,
    directory: PathBuf,
    _lock: Arc<File>,
}

impl Node {
    /// Locks the data directory for this process, as SQLite requires.
    pub async fn alone(paths: &Paths, name: &str) -> Result<Self, NodeError> {
        Self::take(paths, name, ONLY).await
    }

    /// Locks this name on a data directory that nodes with other names may share.
    pub async fn among_others(paths: &Paths, name: &str) -> Result<Self, NodeError> {
        Self::take(paths, name, name).await
    }

    /// Records of commands that run on this node.
    pub fn runs(&self) -> PathBuf {
        self.directory.join("runs")
    }

    /// Clean checkouts for gates. Its content is obsolete when the node starts.
    pub fn checkouts(&self) -> PathBuf {
        self.directory.join("checkouts")
    }

    /// Home directories of external agents, by build.
    pub fn agent_homes(&self) -> PathBuf {
        self.directory.join("agents")
    }

    /// Files of SSH keys while they are used. Its content is obsolete when the node starts.
    pub fn keys(&self) -> PathBuf {
        self.directory.join("keys")
    }

    async fn take(paths: &Paths, name: &str, place: &str) -> Result<Self, NodeError> {
        let directory = paths.node(place);
        fs::create_dir_all(directory.join("runs"))?;
        fs::create_dir_all(directory.join("checkouts"))?;
        fs::create_dir_all(directory.join("agents"))?;
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(directory.join("id"))?;
        let give_up_at = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < give_up_at => {
                    sleep(LOCK_INTERVAL).await;
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(NodeError::InUse(paths.root().display().to_string()));
                }
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        match fs::remove_dir_all(directory.join("keys")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let id = match text.trim().parse::<Uuid>() {
            Ok(id) => id,
            Err(_) => {
                let id = Uuid::now_v7();
                file.set_len(0)?;
                file.rewind()?;
                writeln!(file, "{id}")?;
                file.sync_all()?;
                id
            }
        };
        let (name, owner) = (name.to_owned(), format!("{name}/{id}"));
        Ok(Self { name, owner, directory, _lock: Arc::new(file) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_process_at_a_time_and_the_same_id_again() {
        let data = tempfile::tempdir().unwrap();
        let paths = Paths::create(data.path()).unwrap();
        let first = Node::alone(&paths, "a").await.unwrap();
        assert!(matches!(Node::alone(&paths, "b").await, Err(NodeError::InUse(_))));
        let owner = first.owner.clone();
        drop(first);
        assert_eq!(Node::alone(&paths, "a").await.unwrap().owner, owner);
    }

    #[tokio::test(start_paused = true)]
    async fn lock_that_is_released_soon_is_awaited() {
        let data = tempfile::tempdir().unwrap();
        let paths = Paths::create(data.path()).unwrap();
        let first = Node::alone(&paths, "a").await.unwrap();
        // The second has tried once when the first is dropped.
        let (second, ()) = tokio::join!(Node::alone(&paths, "a"), async { drop(first) });
        second.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_of_different_names_share_a_directory() {
        let data = tempfile::tempdir().unwrap();
        let paths = Paths::create(data.path()).unwrap();
        let a = Node::among_others(&paths, "a").await.unwrap();
        let b = Node::among_others(&paths, "b/../a").await.unwrap();
        assert!(a.owner != b.owner && a.runs() != b.runs());
        assert!(matches!(Node::among_others(&paths, "a").await, Err(NodeError::InUse(_))));
    }
}
