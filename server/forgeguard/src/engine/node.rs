//! Who this node is: one process at a time under one name, known by a lasting id.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    path::PathBuf,
    sync::Arc,
};

use uuid::Uuid;

use super::paths::Paths;

/// Why a node cannot start on a data directory.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Two processes would undo each other's work.
    #[error(
        "another ForgeGuard is running on the data directory {0}; stop it first, or choose another with --data-dir"
    )]
    InUse(String),
    /// The file cannot be read or written.
    #[error("the data directory cannot be used: {0}")]
    Io(#[from] io::Error),
}

/// The name under which a node that has the data directory for itself keeps its things.
const ONLY: &str = "only";

/// This node. Holds its lock for as long as any clone lives.
#[derive(Clone, Debug)]
pub struct Node {
    /// As shown to people.
    pub name: String,
    /// As written into leases: the name and an id that outlives restarts.
    pub owner: String,
    directory: PathBuf,
    _lock: Arc<File>,
}

impl Node {
    /// Takes the data directory for this process alone, as SQLite needs it.
    pub fn alone(paths: &Paths, name: &str) -> Result<Self, NodeError> {
        Self::take(paths, name, ONLY)
    }

    /// Takes this name on a data directory that nodes of other names may share.
    pub fn among_others(paths: &Paths, name: &str) -> Result<Self, NodeError> {
        Self::take(paths, name, name)
    }

    /// Records of commands that run on this node.
    pub fn runs(&self) -> PathBuf {
        self.directory.join("runs")
    }

    fn take(paths: &Paths, name: &str, place: &str) -> Result<Self, NodeError> {
        let directory = paths.node(place);
        fs::create_dir_all(directory.join("runs"))?;
        let mut options = OpenOptions::new();
        let mut file = options
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(directory.join("id"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(NodeError::InUse(paths.root().display().to_string()));
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
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

    #[test]
    fn one_process_at_a_time_and_the_same_id_again() {
        let data = tempfile::tempdir().unwrap();
        let paths = Paths::create(data.path()).unwrap();
        let first = Node::alone(&paths, "a").unwrap();
        assert!(matches!(Node::alone(&paths, "b"), Err(NodeError::InUse(_))));
        let owner = first.owner.clone();
        drop(first);
        assert_eq!(Node::alone(&paths, "a").unwrap().owner, owner);
    }

    #[test]
    fn nodes_of_different_names_share_a_directory() {
        let data = tempfile::tempdir().unwrap();
        let paths = Paths::create(data.path()).unwrap();
        let a = Node::among_others(&paths, "a").unwrap();
        let b = Node::among_others(&paths, "b/../a").unwrap();
        assert!(a.owner != b.owner && a.runs() != b.runs());
        assert!(matches!(Node::among_others(&paths, "a"), Err(NodeError::InUse(_))));
    }
}
