//! The built-in gates, which read only the checked tree.

use domain::{ids::SnapshotId, rounds, test_results::TestSummary};
use git::DiffTarget;
use sha2::{Digest, Sha256};

use super::{
    super::{driver::Driver, error::EngineError},
    candidate::Candidate,
    contract_text::ContractText,
    file_problem,
    outcome::GateOutcome,
    scope, validate,
};
use crate::contracts;

impl Driver {
    pub(super) async fn run_built_in(
        &self,
        candidate: &Candidate,
        name: &str,
    ) -> Result<GateOutcome, EngineError> {
        let (clone, since) = (candidate.workspace.clone.clone(), candidate.since);
        let (tree, globs) = (candidate.tree, candidate.scope.clone());
        let uncommittable = candidate.uncommittable.clone();
        let is_scope = name == "scope";
        let contract_text = if is_scope {
            ContractText::default()
        } else {
            self.contract_text(candidate.snapshot).await?
        };
        let problems = self
            .engine
            .blocking(move || {
                let changed = git::diff_files(&clone, since, DiffTarget::Tree(tree))?.files;
                if is_scope {
                    return Ok(scope::problems(&changed, &globs));
                }
                let mut found =
                    validate::problems(&changed, &clone, (since, tree), &contract_text)?;
                found.extend(uncommittable.into_iter().map(validate::uncommittable));
                Ok(found)
            })
            .await?;
        let passed = problems.is_empty();
        let lines: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        let output = if passed { "no problems found".into() } else { lines.join("\n") };
        let output_sha256 = hex::encode(Sha256::digest(output.as_bytes()));
        let seen = file_problem::observed_failures(problems, &rounds::gate_source(name));
        Ok(GateOutcome {
            passed,
            seen,
            exit_code: None,
            is_stopped: false,
            exhausted: None,
            output,
            log: None,
            output_sha256,
            sandbox: None,
            tests: TestSummary::default(),
        })
    }

    async fn contract_text(&self, batch: SnapshotId) -> Result<ContractText, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let contracts = contracts::of_snapshot(&mut conn, batch).await?;
        Ok(ContractText::of(&contracts, self.build().to_string()))
    }
}
