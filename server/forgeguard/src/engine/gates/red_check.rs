//! Runs a gate on an earlier commit with the tests of the branch: tests that the build added must
//! fail without its change.

use std::{collections::BTreeSet, time::Instant};

use domain::{
    event::test_checks::{RedCheckFinished, TestChange},
    state::BuildState,
};
use git::{GitError, Sha};

use super::super::{driver::Driver, error::EngineError, test_comparison::changed_test_files};

/// Files that the event lists.
const MAX_LISTED: usize = 200;

impl Driver {
    /// Counts as not run if it was interrupted by the end of the build or a shutdown.
    pub(in super::super) async fn run_red_check(
        &self,
        state: &BuildState,
        base_sha: String,
        gate: String,
    ) -> Result<(), EngineError> {
        let candidate = self.candidate(state, None).await?;
        let definition = state.gate(&gate).ok_or(EngineError::NotFound("gate"))?;
        let base: Sha = base_sha.parse().map_err(GitError::from)?;
        let head = candidate.head;
        let clone = candidate.workspace.clone.clone();
        let command = definition.command.clone();
        let read = move || changed_test_files(&clone, base, head, &command);
        let changed = self.engine.blocking(read).await?;
        let with_tests = files_with_tests(state, &base_sha);
        let files: BTreeSet<String> = changed.into_iter().chain(with_tests).collect();
        let files: Vec<String> = files.into_iter().collect();
        let clone = candidate.workspace.clone.clone();
        let checkout = self.engine.check_out_with(clone, base, head, files.clone()).await?;
        let begun = Instant::now();
        let pointer = checkout.pointer.clone();
        let outcome = self.run_command(&candidate, &definition, &checkout.path, pointer).await;
        self.engine.remove_checkout(checkout);
        let Some(outcome) = outcome? else { return Ok(()) };
        if let Some(resource) = outcome.exhausted {
            let command = definition.command;
            return self.record_exhaustion(gate, command, None, resource, outcome, begun).await;
        }
        let finished = RedCheckFinished {
            gate,
            command: definition.command,
            base_sha,
            head_sha: head.to_string(),
            test_file_count: files.len() as u32,
            test_files: files.into_iter().take(MAX_LISTED).collect(),
            named_tests: outcome.tests.named,
            exit_code: outcome.exit_code,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: outcome.output,
            output_sha256: outcome.output_sha256,
            sandbox: outcome.sandbox,
        };
        self.append(vec![finished.into()]).await.map(drop)
    }
}

/// Files that are no test files, but define tests that changed since a commit.
fn files_with_tests(state: &BuildState, since: &str) -> Vec<String> {
    let compared = state.test_evidence.compared.iter();
    let files =
        compared.flat_map(|compared| &compared.origins).filter_map(|origin| match &origin.change {
            TestChange::Changed { base_sha, file } if base_sha == since => file.clone(),
            _ => None,
        });
    files.collect()
}
