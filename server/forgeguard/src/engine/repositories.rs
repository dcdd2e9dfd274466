//! Hosted repositories and working clones of projects.

use domain::ids::ProjectId;
use git::{HostedRepository, NewFile, WorkingClone};

use super::{error::EngineError, handle::Engine};
use crate::store;

impl Engine {
    /// Creates a project's hosted repository with these files as its first commit. Idempotent, for
    /// repetition after a crash.
    pub async fn create_repository(
        &self,
        project: ProjectId,
        default_branch: &str,
        files: Vec<(String, Vec<u8>)>,
    ) -> Result<(), EngineError> {
        let path = self.paths().hosted(project);
        let branch = default_branch.to_owned();
        let at = store::now().timestamp();
        self.blocking(move || {
            let repository = match HostedRepository::open(&path) {
                Ok(repository) => repository,
                Err(_) => HostedRepository::create(&path, &branch)?,
            };
            if repository.head_of(&branch)?.is_none() {
                let files: Vec<_> = files
                    .iter()
                    .map(|(path, content)| NewFile { path, bytes: content, executable: false })
                    .collect();
                repository.import_tree(&files, "Begin the project", at)?;
            }
            Ok(())
        })
        .await
    }

    /// The clone that a project's worktrees belong to, created if missing.
    pub(super) async fn working_clone(
        &self,
        project: ProjectId,
    ) -> Result<WorkingClone, EngineError> {
        let (work, origin) = (self.paths().work(project), self.paths().hosted(project));
        self.blocking(move || {
            Ok(WorkingClone::open_or_create(&work, &origin.display().to_string())?)
        })
        .await
    }
}
