//! Where things lie in the data directory.

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
    /// Makes the directory, with what belongs into it, readable for its owner alone.
    pub fn create(root: &Path) -> io::Result<Self> {
        std::fs::create_dir_all(root)?;
        let paths = Self { root: root.canonicalize()? };
        for directory in [paths.root.clone(), paths.below("repos"), paths.below("work")] {
            std::fs::create_dir_all(&directory)?;
            restrict(&directory)?;
        }
        std::fs::create_dir_all(paths.below("worktrees"))?;
        Ok(paths)
    }

    /// The directory itself, absolute.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The SQLite database.
    pub fn database(&self) -> PathBuf {
        self.below("forgeguard.db")
    }

    /// The key that signs seals.
    pub fn seal_key(&self) -> PathBuf {
        self.below("seal.key")
    }

    /// The bare repository that people clone.
    pub fn hosted(&self, project: ProjectId) -> PathBuf {
        self.below("repos").join(format!("{project}.git"))
    }

    /// The bare clone that worktrees hang from.
    pub fn work(&self, project: ProjectId) -> PathBuf {
        self.below("work").join(format!("{project}.git"))
    }

    /// The files of one build.
    pub fn worktree(&self, build: BuildId) -> PathBuf {
        self.below("worktrees").join(build.to_string())
    }

    /// What belongs to one node alone, where several share the directory.
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
