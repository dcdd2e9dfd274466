//! Builds of repositories on this machine, started without a server.

use std::path::{Path, PathBuf};

use domain::{
    event::life::Origin,
    ids::{BuildId, ProjectId, UserId},
    spec::ParsedSpec,
};
use git::{BuildBranchName, GitError, HostedRepository, LocalRepository};

use super::{
    branch_name::displayed_branch,
    error::EngineError,
    handle::Engine,
    settings::ProjectSettings,
    specs::{self, SpecError},
};
use crate::store::{
    self, builds, local_repositories,
    projects::{self, NewProject, Project},
};

/// In characters, as in the app.
const MAX_NAME_LENGTH: usize = 120;

/// Where a build starts.
#[derive(Clone, Debug)]
pub struct LocalBranch {
    /// An absolute path.
    pub repository: PathBuf,
    pub branch: String,
}

impl LocalBranch {
    fn path(&self) -> String {
        self.repository.to_string_lossy().into_owned()
    }
}

impl Engine {
    /// Copies the branch and submits a spec to the project of the repository, which is created for its
    /// first spec. `None` if there is no such branch.
    pub async fn submit_local_spec(
        &self,
        from: &LocalBranch,
        owner: UserId,
        parsed: &ParsedSpec,
        text: &str,
    ) -> Result<Option<Project>, SpecError> {
        let known = local_repositories::project(&mut self.db().read().await?, &from.path()).await?;
        let id = known.unwrap_or_else(store::new_id);
        if !self.copy_local_branch(id, from).await? {
            return Ok(None);
        }
        let submitted = self.submit_to(id, known.is_none(), from, owner, parsed, text).await;
        if submitted.is_err() && known.is_none() {
            self.remove_hosted(id).await;
        }
        submitted.map(Some)
    }

    async fn submit_to(
        &self,
        id: ProjectId,
        is_new: bool,
        from: &LocalBranch,
        owner: UserId,
        parsed: &ParsedSpec,
        text: &str,
    ) -> Result<Project, SpecError> {
        let mut tx = self.db().write().await?;
        if is_new {
            let name = from.repository.file_name().unwrap_or_default().to_string_lossy();
            let new = NewProject {
                id,
                owner_id: owner,
                name: name.chars().take(MAX_NAME_LENGTH).collect(),
                description: format!("Builds of the command line in {}", from.path()),
                origin: Origin::Questionnaire,
                default_branch: from.branch.clone(),
                settings: ProjectSettings::default().text(),
                created_at: store::now(),
            };
            projects::insert(&mut tx, &new).await?;
            local_repositories::insert(&mut tx, id, &from.path()).await?;
        }
        let missing = || EngineError::NotFound("project");
        let project = projects::get(&mut tx, id).await?.ok_or_else(missing)?;
        specs::apply(&mut tx, &project, owner, parsed, text).await?;
        // With the settings that the spec requires.
        let project = projects::get(&mut tx, id).await?.ok_or_else(missing)?;
        tx.commit().await?;
        Ok(project)
    }

    async fn copy_local_branch(
        &self,
        project: ProjectId,
        from: &LocalBranch,
    ) -> Result<bool, EngineError> {
        let (hosted, LocalBranch { repository, branch }) =
            (self.paths().hosted(project), from.clone());
        self.blocking(move || {
            let local = LocalRepository::open(&repository)?;
            if local.head_of(&branch)?.is_none() {
                return Ok(false);
            }
            let hosted = match HostedRepository::open(&hosted) {
                Ok(hosted) => hosted,
                Err(_) => HostedRepository::create(&hosted, &branch)?,
            };
            Ok(local.copy_branch(&hosted, &branch)?.is_some())
        })
        .await
    }

    async fn remove_hosted(&self, project: ProjectId) {
        let hosted = self.paths().hosted(project);
        if let Err(error) = tokio::fs::remove_dir_all(&hosted).await {
            tracing::warn!(%error, "cannot remove the copy of a repository without a project");
        }
    }

    /// The repository on this machine that a build changes, if it was started for one.
    pub async fn local_repository(
        &self,
        project: ProjectId,
    ) -> Result<Option<PathBuf>, EngineError> {
        let path = local_repositories::path(&mut self.db().read().await?, project).await?;
        Ok(path.map(PathBuf::from))
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
