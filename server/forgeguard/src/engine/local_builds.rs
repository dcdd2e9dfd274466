//! Builds of repositories on this machine, started without a server.

use std::path::{Path, PathBuf};

use domain::{
    event::life::Origin,
    ids::{BuildId, ProjectId, UserId},
};
use git::{BuildBranchName, GitError, HostedRepository, LocalRepository};

use super::{
    branch_name::displayed_branch, error::EngineError, handle::Engine, settings::ProjectSettings,
};
use crate::store::{
    self, builds,
    projects::{self, NewProject, Project},
};

/// What the description of such a project begins with; the path follows.
const DESCRIPTION: &str = "Builds of the command line in ";

/// Projects that are searched for one of the same repository.
const MAX_PROJECTS: i64 = 500;

/// The repository of a project that was created for it.
pub fn repository_of(project: &Project) -> Option<PathBuf> {
    project.description.strip_prefix(DESCRIPTION).map(PathBuf::from)
}

impl Engine {
    /// The project of a repository, created for its first build, with the current commits of `branch`.
    /// `None` if it has no such branch.
    pub async fn local_project(
        &self,
        repository: &Path,
        branch: &str,
        owner: UserId,
    ) -> Result<Option<Project>, EngineError> {
        let description = format!("{DESCRIPTION}{}", repository.display());
        let mut conn = self.db().read().await?;
        let known = projects::list(&mut conn, owner, false, None, MAX_PROJECTS).await?;
        drop(conn);
        let known = known.into_iter().find(|project| project.description == description);
        let id: ProjectId = known.as_ref().map_or_else(store::new_id, |project| project.id);
        if !self.copy_branch(id, repository, branch).await? {
            return Ok(None);
        }
        if known.is_some() {
            return Ok(known);
        }
        let name = repository.file_name().map_or("project".into(), |name| name.to_string_lossy());
        let new = NewProject {
            id,
            owner_id: owner,
            name: name.chars().take(120).collect(),
            description,
            origin: Origin::Questionnaire,
            default_branch: branch.to_owned(),
            settings: ProjectSettings::default().text(),
            created_at: store::now(),
        };
        let mut tx = self.db().write().await?;
        let project = projects::insert(&mut tx, &new).await?;
        tx.commit().await?;
        Ok(Some(project))
    }

    async fn copy_branch(
        &self,
        project: ProjectId,
        repository: &Path,
        branch: &str,
    ) -> Result<bool, EngineError> {
        let (hosted, local) = (self.paths().hosted(project), repository.to_owned());
        let branch = branch.to_owned();
        self.blocking(move || {
            let hosted = match HostedRepository::open(&hosted) {
                Ok(hosted) => hosted,
                Err(_) => HostedRepository::create(&hosted, &branch)?,
            };
            Ok(LocalRepository::open(&local)?.copy_branch(&hosted, &branch)?.is_some())
        })
        .await
    }

    /// Adds the branch of a build to the repository, under another name if its own is in use. `None`
    /// if the build has no branch yet.
    pub async fn add_local_branch(
        &self,
        build: BuildId,
        repository: &Path,
    ) -> Result<Option<String>, EngineError> {
        let row = builds::get(&mut self.db().read().await?, build).await?;
        let Some(row) = row else { return Ok(None) };
        let branch: BuildBranchName = displayed_branch(&row).parse().map_err(EngineError::from)?;
        let id = build.to_string();
        let unique = format!("{branch}-{}", &id[id.len() - 12..]);
        let (hosted, local) = (self.paths().hosted(row.project_id), repository.to_owned());
        self.blocking(move || {
            let hosted = HostedRepository::open(&hosted)?;
            let local = LocalRepository::open(&local)?;
            let (added, name) = match local.add_build_branch(&hosted, &branch, &branch) {
                Err(GitError::BranchExists { .. }) => {
                    let unique: BuildBranchName = unique.parse()?;
                    (local.add_build_branch(&hosted, &branch, &unique)?, unique)
                }
                added => (added?, branch),
            };
            Ok(added.map(|_| name.as_str().to_owned()))
        })
        .await
    }
}
