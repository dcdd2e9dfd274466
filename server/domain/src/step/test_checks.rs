//! Checks of the tests, between the final gates and the seal.

use super::guards::{Reason, ensure};
use crate::{
    event::test_checks::{MutantsTested, RedCheckFinished, TestsCompared},
    next_test_check::TestCheck,
    state::{BuildState, RedCheck, Status},
};

impl BuildState {
    pub(super) fn compare_tests(&mut self, compared: &TestsCompared) -> Result<(), Reason> {
        self.check_may_run(&TestCheck::Compare, &compared.head_sha)?;
        self.test_evidence.compared = Some(compared.clone());
        Ok(())
    }

    pub(super) fn finish_red_check(&mut self, check: &RedCheckFinished) -> Result<(), Reason> {
        let (base_sha, gate) = (check.base_sha.clone(), check.gate.clone());
        self.check_may_run(&TestCheck::Red { base_sha, gate }, &check.head_sha)?;
        self.forget_exhaustion_of(&check.gate);
        self.test_evidence.red_checks.push(RedCheck::from(check));
        Ok(())
    }

    pub(super) fn test_mutants(&mut self, tested: &MutantsTested) -> Result<(), Reason> {
        self.check_may_run(&TestCheck::Mutants, &tested.head_sha)?;
        self.test_evidence.mutants = Some(tested.clone());
        Ok(())
    }

    fn check_may_run(&self, check: &TestCheck, head_sha: &str) -> Result<(), Reason> {
        self.expect(&[Status::Sealing])?;
        ensure(self.due_final_gates().is_empty(), "a final gate has not run")?;
        ensure(self.next_test_check().as_ref() == Some(check), "that check does not come next")?;
        let is_head = self.branch.as_ref().is_some_and(|branch| branch.head_sha == head_sha);
        ensure(is_head, "it checked another commit")
    }
}
