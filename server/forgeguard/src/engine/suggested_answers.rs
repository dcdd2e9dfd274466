//! Answers to the questionnaire suggested by a project's repository.

use std::path::Path;

use domain::suggested_answers::{SuggestedAnswer, suggest};
use git::{HostedRepository, Sha};

use super::{error::EngineError, handle::Engine, manifest_files};
use crate::store::projects::Project;

/// The suggestions for a commit.
#[derive(Clone, Debug, Default)]
pub struct SuggestedAnswers {
    /// `None` if the branch has no commit.
    pub sha: Option<Sha>,
    /// Never stored by themselves.
    pub answers: Vec<SuggestedAnswer>,
}

impl Engine {
    /// Reads manifests, CI files and the README of the default branch. Nothing is executed.
    pub async fn suggest_answers(
        &self,
        project: &Project,
    ) -> Result<SuggestedAnswers, EngineError> {
        let path = self.paths().hosted(project.id);
        let branch = project.default_branch.clone();
        self.blocking(move || of_branch(&path, &branch)).await
    }
}

fn of_branch(repository: &Path, branch: &str) -> Result<SuggestedAnswers, EngineError> {
    let repository = HostedRepository::open(repository)?;
    let Some(sha) = repository.head_of(branch)? else { return Ok(SuggestedAnswers::default()) };
    let found = manifest_files::read(&repository, sha)?;
    Ok(SuggestedAnswers { sha: Some(sha), answers: suggest(&found.files, &found.paths) })
}
