//! The files of a repository that suggest answers to the questionnaire, within limits.

use domain::suggested_answers::{RepositoryFile, is_relevant};
use git::{HostedRepository, Sha, TreeEntry};

use super::error::EngineError;

/// Those nearest to the root are read.
const MAX_FILES: usize = 50;
/// Larger files are ignored: most manifests cannot be read in part.
const MAX_FILE_BYTES: usize = 256 * 1024;
const MAX_TOTAL_BYTES: usize = 2 * 1024 * 1024;

/// The files of a commit that suggest answers, and the paths of all its files.
pub(super) struct ManifestFiles {
    pub files: Vec<RepositoryFile>,
    pub paths: Vec<String>,
}

/// Reads the files of a commit. Those that are too large or cannot be read are left out. Blocks.
///
/// # Errors
/// If the commit cannot be read.
pub(super) fn read(repository: &HostedRepository, sha: Sha) -> Result<ManifestFiles, EngineError> {
    let entries = repository.tree(sha)?.into_iter().filter(TreeEntry::is_file);
    let paths: Vec<String> = entries.map(|entry| entry.path).collect();
    let mut relevant: Vec<&String> = paths.iter().filter(|path| is_relevant(path)).collect();
    relevant.sort_by_key(|path| path.matches('/').count());
    let mut files = Vec::new();
    let mut remaining = MAX_TOTAL_BYTES;
    for path in relevant.into_iter().take(MAX_FILES) {
        let Ok(name) = path.parse() else { continue };
        let Ok(content) = repository.read_file(sha, &name, MAX_FILE_BYTES) else { continue };
        let Some(rest) = remaining.checked_sub(content.bytes.len()) else { break };
        if content.truncated {
            continue;
        }
        remaining = rest;
        let text = String::from_utf8_lossy(&content.bytes).into_owned();
        files.push(RepositoryFile { path: path.clone(), text });
    }
    Ok(ManifestFiles { files, paths })
}
