//! The verdict of a seal, its clauses, and their proofs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::SandboxLevel;

/// The version of the rules for new seals.
pub const RULES: u32 = 5;

/// The verdict on a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Every clause holds.
    Certified,
    /// All gates pass, but a clause that does not block is open.
    Conditional,
    /// Any other case.
    Flagged,
}

impl Verdict {
    /// As in the seal commit.
    pub fn name(self) -> &'static str {
        match self {
            Self::Certified => "CERTIFIED",
            Self::Conditional => "CONDITIONAL",
            Self::Flagged => "FLAGGED",
        }
    }
}

/// Whether a clause of the seal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Holds,
    /// Open, but not blocking.
    Open,
    /// It does not hold.
    Broken,
}

/// The subject of a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClauseKind {
    /// Every phase is signed off.
    Phases,
    /// Every gate passes on the sealed head.
    Gates,
    /// Every pass criterion is verified.
    Criteria,
    /// Every requirement is proven, and every assumption confirmed.
    Requirements,
    /// No error is open.
    Errors,
    /// No finding is open.
    Findings,
    /// Every question was answered or left to the agent.
    Questions,
    /// The tests check the change. Seals by rules before version 4 lack it.
    Tests,
}

/// One fact that a clause is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Proof {
    pub what: String,
    /// Its effect on the clause.
    pub standing: Standing,
    /// The commit on which it was observed.
    pub commit: Option<String>,
    /// The git tree of that commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
    /// The command that showed it.
    pub command: Option<String>,
    pub exit_code: Option<i32>,
    /// SHA-256 of the command's output.
    pub output_sha256: Option<String>,
    pub sandbox: Option<SandboxLevel>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Clause {
    pub clause: ClauseKind,
    /// The worst of its proofs.
    pub standing: Standing,
    pub proofs: Vec<Proof>,
}

/// Everything that the verdict follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// The version of the rules by which it was gathered: 1 for seals that do not name one, 2 since
    /// a required gate must have run tests, 3 since named tests and commands prove criteria, 4 since
    /// tests must fail without the change, paths must show deliverables, and requirements are a clause,
    /// 5 since bundles contain attestations for other tools.
    #[serde(default = "first_rules", skip_serializing_if = "is_first")]
    pub rules: u32,
    /// The commit that the final gates checked.
    pub head_sha: String,
    /// Its git tree, which is also the seal commit's. Seals of older versions lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree_sha: Option<String>,
    pub clauses: Vec<Clause>,
}

fn first_rules() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first(rules: &u32) -> bool {
    *rules == first_rules()
}
