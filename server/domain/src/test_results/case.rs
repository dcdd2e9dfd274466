//! One test and its outcome.

use crate::gate::TestOutcome;

/// A test that ran, or was skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// With its suites, as far as the runner prints them.
    pub name: String,
    pub outcome: TestOutcome,
}
