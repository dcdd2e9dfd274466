//! The names of builds' branches.

use domain::{ids::BuildId, slug::slug, state::BuildState};
use git::BuildBranchName;

use super::error::EngineError;
use crate::store::builds::Build;

/// Of the part made from the title.
const MAX_SLUG_LENGTH: usize = 40;

/// The branch of a build: as recorded, or as it will be when the build starts.
pub fn branch_name(build: BuildId, state: &BuildState) -> Result<BuildBranchName, EngineError> {
    let queued = &state.queued;
    Ok(match (&state.branch, queued.number) {
        (Some(branch), _) => branch.branch.parse()?,
        (None, Some(number)) => numbered(number, queued.title.as_deref())?,
        (None, None) => BuildBranchName::of_build(&build.to_string())?,
    })
}

/// The same from the build's row, for display.
pub fn displayed_branch(build: &Build) -> String {
    let recorded = build.branch.clone();
    recorded.unwrap_or_else(|| {
        numbered(build.number, build.title.as_deref())
            .map_or_else(|_| String::new(), |it| it.to_string())
    })
}

fn numbered(number: u32, title: Option<&str>) -> Result<BuildBranchName, git::GitError> {
    BuildBranchName::numbered(number, &slug(title.unwrap_or_default(), MAX_SLUG_LENGTH))
}
