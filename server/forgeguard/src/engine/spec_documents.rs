//! Specs in a project's repository.

use domain::spec_documents::{self, SpecDocuments};
use git::{HostedRepository, Sha, TreeEntry};

use super::{error::EngineError, handle::Engine};
use crate::store::projects::Project;

/// Of each file; a spec has at most 500,000 characters.
const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// What may be a spec at the head of the default branch.
#[derive(Clone, Debug, Default)]
pub struct FoundSpecs {
    /// `None` if the branch has no commit.
    pub sha: Option<Sha>,
    pub specs: Vec<SpecDocuments>,
}

/// The text of a spec, with its documents one after the other.
#[derive(Clone, Debug)]
pub struct SpecText {
    pub sha: Sha,
    pub files: Vec<String>,
    pub text: String,
}

impl Engine {
    /// Lists what may be a spec on the default branch.
    pub async fn list_spec_documents(&self, project: &Project) -> Result<FoundSpecs, EngineError> {
        let (path, branch) = (self.paths().hosted(project.id), project.default_branch.clone());
        let list = move || {
            let repository = HostedRepository::open(&path)?;
            let Some(sha) = repository.head_of(&branch)? else { return Ok(FoundSpecs::default()) };
            let specs = spec_documents::candidates(&files(&repository, sha)?);
            Ok(FoundSpecs { sha: Some(sha), specs })
        };
        self.blocking(list).await
    }

    /// Reads a file, or the documents of a folder, on the default branch. `None` if there is no such
    /// file or folder, or a file is too large.
    pub async fn read_spec_documents(
        &self,
        project: &Project,
        path: String,
    ) -> Result<Option<SpecText>, EngineError> {
        let (hosted, branch) = (self.paths().hosted(project.id), project.default_branch.clone());
        let read = move || {
            let repository = HostedRepository::open(&hosted)?;
            let Some(sha) = repository.head_of(&branch)? else { return Ok(None) };
            let Some(found) = spec_documents::at(&files(&repository, sha)?, &path) else {
                return Ok(None);
            };
            let mut text = String::new();
            for file in &found.files {
                let Ok(name) = file.parse() else { return Ok(None) };
                let content = repository.read_file(sha, &name, MAX_FILE_BYTES)?;
                if content.truncated {
                    return Ok(None);
                }
                spec_documents::append(&mut text, &String::from_utf8_lossy(&content.bytes));
            }
            Ok(Some(SpecText { sha, files: found.files, text }))
        };
        self.blocking(read).await
    }
}

fn files(repository: &HostedRepository, sha: Sha) -> Result<Vec<String>, EngineError> {
    let entries = repository.tree(sha)?.into_iter().filter(TreeEntry::is_file);
    Ok(entries.map(|entry| entry.path).collect())
}
