//! Gates that a project's repository suggests, read from the newest commit of its default branch.

use domain::detection::{self, ProposedGate};
use git::{EntryKind, HostedRepository, RepoPath, Sha};

use super::{error::EngineError, handle::Engine};
use crate::store::projects::Project;

/// Bytes of a manifest that are read at the most.
const MOST_OF_A_MANIFEST: usize = 256 * 1024;

/// What a commit suggests.
#[derive(Clone, Debug, Default)]
pub struct DetectedGates {
    /// The commit; `None` where the branch has none.
    pub sha: Option<Sha>,
    /// Cheap to explain and never saved by themselves.
    pub gates: Vec<ProposedGate>,
}

impl Engine {
    /// Looks at the paths and manifests of the default branch. Nothing is executed.
    pub async fn detect_gates(&self, project: &Project) -> Result<DetectedGates, EngineError> {
        let path = self.paths().hosted(project.id);
        let branch = project.default_branch.clone();
        self.blocking(move || {
            let repository = HostedRepository::open(&path)?;
            match repository.head_of(&branch)? {
                Some(sha) => detect(&repository, sha),
                None => Ok(DetectedGates::default()),
            }
        })
        .await
    }

    /// The same of one commit.
    pub(super) async fn detect_gates_at(
        &self,
        project: &Project,
        sha: Sha,
    ) -> Result<DetectedGates, EngineError> {
        let path = self.paths().hosted(project.id);
        self.blocking(move || detect(&HostedRepository::open(&path)?, sha)).await
    }
}

fn detect(repository: &HostedRepository, sha: Sha) -> Result<DetectedGates, EngineError> {
    let is_file = |kind| matches!(kind, EntryKind::File | EntryKind::Executable);
    let entries = repository.tree(sha)?.into_iter().filter(|entry| is_file(entry.kind));
    let paths: Vec<String> = entries.map(|entry| entry.path).collect();
    // A manifest that cannot be read suggests nothing.
    let read = |path: &str| {
        let path: RepoPath = path.parse().ok()?;
        let content = repository.read_file(sha, &path, MOST_OF_A_MANIFEST).ok()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    };
    Ok(DetectedGates { sha: Some(sha), gates: detection::propose(&paths, read) })
}
