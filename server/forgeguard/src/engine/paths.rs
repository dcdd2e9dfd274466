//! Paths in the data directory.

use std::{
    io,
    path::{Path, PathBuf},
};

use domain::ids::{BuildId, ProjectId};

/// The data directory of a node.
#[derive(Clone, Debug)]
pub struct Paths {
    root: PathBuf,
}

impl Paths {
    /// Creates the directory and its subdirectories, accessible only by its owner.
    pub fn create(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        let paths = Self { root: root.canonicalize()? };
        let inner = [paths.below("repos"), paths.below("work"), paths.incoming()];
        for directory in [paths.root.clone()].into_iter().chain(inner) {
            std::fs::create_dir_all(&directory)?;
            restrict(&directory)?;
        }
        std::fs::create_dir_all(paths.below("worktrees"))?;
        Ok(paths)
    }

    /// Absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Requests of git clients while they are received, in unnamed files.
    pub fn incoming(&self) -> PathBuf {
        self.below("incoming")
    }

    pub fn database(&self) -> PathBuf {
        self.below("forgeguard.db")
    }

    /// The key that signs seals.
    pub fn seal_key(&self) -> PathBuf {
        self.below("seal.key")
    }

    /// The key that encrypts secrets in the database.
    pub fn encryption_key(&self) -> PathBuf {
        self.below("encryption.key")
    }

    /// The keys of SSH servers that remotes were fetched from.
    pub fn known_hosts(&self) -> PathBuf {
        self.below("known_hosts")
    }

    /// The bare repository that users clone.
    pub fn hosted(&self, project: ProjectId) -> PathBuf {
        self.below("repos").join(format!("{project}.git"))
    }

    /// The bare clone that worktrees belong to.
    pub fn work(&self, project: ProjectId) -> PathBuf {
        self.below("work").join(format!("{project}.git"))
    }

    /// The files of one build.
    pub fn worktree(&self, build: BuildId) -> PathBuf {
        self.below("worktrees").join(build.to_string())
    }

    /// The files of one node, if several share the directory.
    pub fn node(&self, name: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        self.below("nodes").join(name.chars().map(plain).take(64).collect::<String>())
    }

    fn below(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

fn restrict(directory: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700))
}
