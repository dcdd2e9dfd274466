//! The words of a seal: verdict, clauses, and what they rest on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::SandboxLevel;

/// The final judgement on a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// Everything that was promised is shown.
    Certified,
    /// All gates are green, but something that does not block is open.
    Conditional,
    /// Anything else.
    Flagged,
}

impl Verdict {
    /// The word in the seal commit.
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
    /// It holds.
    Holds,
    /// Something that does not block is open.
    Open,
    /// It does not hold.
    Broken,
}

/// What a clause is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClauseKind {
    /// Every phase is signed off.
    Phases,
    /// Every gate is green on the sealed head.
    Gates,
    /// Every pass criterion is verified.
    Criteria,
    /// No error is open.
    Errors,
    /// No finding is open.
    Findings,
    /// Every question was answered or left to the builder.
    Questions,
}

/// One thing that a clause rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Proof {
    /// In plain words.
    pub what: String,
    /// What it means for the clause.
    pub standing: Standing,
    /// The commit it was shown on.
    pub commit: Option<String>,
    /// The command that showed it.
    pub command: Option<String>,
    /// The command's exit code.
    pub exit_code: Option<i32>,
    /// Hash of what the command printed.
    pub output_sha256: Option<String>,
    /// How the command was confined.
    pub sandbox: Option<SandboxLevel>,
}

/// One promise of the seal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Clause {
    /// What it is about.
    pub clause: ClauseKind,
    /// The worst of its proofs.
    pub standing: Standing,
    /// What it rests on.
    pub proofs: Vec<Proof>,
}

/// Everything the verdict follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Evidence {
    /// The commit that the final gates judged.
    pub head_sha: String,
    /// All clauses.
    pub clauses: Vec<Clause>,
}
