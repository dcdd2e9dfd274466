//! The events of merges of the base branch.

use domain::{
    errors::ResolutionMethod,
    event::{
        EventBody,
        base::{BaseCompared, BaseMerged, RebaseConflict},
        branch::BranchStatus,
    },
    rounds::REBASE_CONFLICT,
    state::{BuildState, OpenConflict},
    tracking,
};
use git::Sha;

/// The trailer with the commit of the base branch.
pub const MERGED_TRAILER: &str = "Merged-Base";

/// The events of a comparison after which nothing is left to merge.
pub fn contained(state: &BuildState, compared: BaseCompared) -> Vec<EventBody> {
    let moved = compared.base_sha.clone();
    let branch = state.branch.clone().zip(moved);
    let mut events = resolved(state, &compared.branch);
    events.push(compared.into());
    events.extend(
        branch.map(|(branch, baseline_sha)| BranchStatus { baseline_sha, ..branch }.into()),
    );
    events
}

/// The events of a merge commit. From the merge on, the branch is compared with another commit.
pub fn with_merge(state: &BuildState, made: Vec<EventBody>, merged: BaseMerged) -> Vec<EventBody> {
    let mut events = resolved(state, &merged.branch);
    let baseline_sha = merged.base_sha.clone();
    let mut merged = Some(merged);
    for event in made {
        match event {
            EventBody::BuildBranchStatus(status) => {
                events.extend(merged.take().map(EventBody::from));
                let baseline_sha = baseline_sha.clone();
                events.push(BranchStatus { baseline_sha, ..status }.into());
            }
            event => events.push(event),
        }
    }
    events
}

/// Resolves the errors about earlier conflicts with the base branch are resolved.
fn resolved(state: &BuildState, base_name: &str) -> Vec<EventBody> {
    tracking::resolve(state, ResolutionMethod::AutoFix, |error| {
        let summary = || format!("{base_name} is merged into the branch.");
        (error.source == REBASE_CONFLICT).then(summary)
    })
}

/// The merge that the commit of a phase finishes.
pub fn finished_merge(open: &OpenConflict, commit: Sha) -> BaseMerged {
    let RebaseConflict { branch, tip_sha, base_sha, paths, .. } = open.found.clone();
    BaseMerged {
        branch,
        tip_sha,
        base_sha,
        commit_sha: commit.to_string(),
        paths: Vec::new(),
        path_count: 0,
        conflicts: paths,
        fetch_error: None,
    }
}
