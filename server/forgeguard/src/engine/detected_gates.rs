//! Gates suggested by a project's repository, from the newest commit of its default branch.

use domain::detection::{self, ProposedGate};
use git::{EntryKind, HostedRepository, RepoPath, Sha};

use super::{error::EngineError, handle::Engine};
use crate::store::projects::Project;

/// Larger manifests are ignored.
const MAX_MANIFEST_BYTES: usize = 256 * 1024;

/// The suggestions for a commit.
#[derive(Clone, Debug, Default)]
pub struct DetectedGates {
    /// `None` if the branch has no commit.
    pub sha: Option<Sha>,
    /// Never stored by themselves.
    pub gates: Vec<ProposedGate>,
}

impl Engine {
    /// Reads paths and manifests of the default branch. Nothing is executed.
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

    /// The suggestions for a given commit.
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
    // A manifest that cannot be read is ignored.
    let read = |path: &str| {
        let path: RepoPath = path.parse().ok()?;
        let content = repository.read_file(sha, &path, MAX_MANIFEST_BYTES).ok()?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    };
    Ok(DetectedGates { sha: Some(sha), gates: detection::propose(&paths, read) })
}
