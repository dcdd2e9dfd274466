//! The sealed branch in the hosted repository, and in the clone that diffs are read from.

use std::{collections::HashSet, path::Path};

use domain::{
    event::{branch::CommitCreated, life::Sealed},
    ids::BuildId,
};
use git::{GitError, SealedBranch, Sha};

use crate::{
    engine::{branch::BUILD_TRAILER, error::EngineError, paths::Paths, sealing::HEAD_TRAILER},
    journal::verify::Problem,
    store::builds::Build,
};

/// Compares the branch with the seal and the commits recorded in the journal. The hosted repository
/// must exist; a clone may be missing on this node.
pub async fn compare(
    paths: &Paths,
    build: &Build,
    sealed: &Sealed,
    recorded: Vec<CommitCreated>,
) -> Result<Vec<Problem>, EngineError> {
    let (hosted, clone) = (paths.hosted(build.project_id), paths.work(build.project_id));
    let expected = Expected {
        build_id: build.id,
        branch: build.branch.clone().unwrap_or_default(),
        baseline: build.baseline_sha.clone().unwrap_or_default(),
        seal_commit: sealed.seal_commit.clone(),
        journal_head: sealed.journal_head.clone(),
        recorded: recorded.into_iter().map(|commit| commit.sha).collect(),
    };
    let work = move || {
        let mut places = vec![("the hosted repository", hosted)];
        if clone.exists() {
            places.push(("the working clone", clone));
        }
        let problems = places.into_iter().filter_map(|(place, path)| {
            let problem = match expected.problem(&path) {
                Ok(problem) => problem?,
                Err(error) => error.to_string(),
            };
            Some(Problem::of(format!("{place}: {problem}")))
        });
        Ok(problems.collect())
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(EngineError::Closed),
    }
}

struct Expected {
    build_id: BuildId,
    branch: String,
    baseline: String,
    seal_commit: String,
    journal_head: String,
    recorded: HashSet<String>,
}

impl Expected {
    fn problem(&self, path: &Path) -> Result<Option<String>, EngineError> {
        let branch = SealedBranch::open(path, &self.branch.parse()?)?;
        let (head, seal_commit) = (branch.head().to_string(), &self.seal_commit);
        if head != *seal_commit {
            return Ok(Some(format!(
                "the branch ends in {head}, not in the seal commit {seal_commit}"
            )));
        }
        let id = self.build_id.to_string();
        let trailers = [(BUILD_TRAILER, id.as_str()), (HEAD_TRAILER, self.journal_head.as_str())];
        if !branch.head_carries(&trailers)? {
            return Ok(Some("the seal commit does not carry the journal's head".to_owned()));
        }
        let baseline: Sha = self.baseline.parse().map_err(GitError::from)?;
        let commits = branch.commits_since(baseline)?.into_iter().map(|sha| sha.to_string());
        if let Some(unknown) = commits.into_iter().find(|sha| !self.recorded.contains(sha)) {
            return Ok(Some(format!("the branch has commit {unknown}, which is not recorded")));
        }
        branch.read_objects(baseline)?;
        Ok(None)
    }
}
