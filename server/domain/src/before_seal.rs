//! What a build still waits for before its seal, for programs that ask why it is not sealed.

use chrono::{DateTime, Utc};

use crate::{
    event::{life::BlockReason, questions::ClarificationKind},
    state::{BuildState, Status},
};

/// Something that has to happen before a build is sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BeforeSeal {
    /// It never happens: the build is cancelled.
    Cancelled,
    /// A worker has to start the build.
    Worker,
    Paused,
    Blocked(BlockReason),
    Retry {
        at: DateTime<Utc>,
    },
    Question {
        kind: ClarificationKind,
        text: String,
    },
    Phase {
        number: u32,
        title: String,
    },
    /// The comparison with the base branch, with the paths that conflict.
    BaseBranch {
        conflicts: Vec<String>,
    },
    /// Gates that have not run on the branch's head since the last phase.
    FinalGates {
        names: Vec<String>,
    },
    /// The checks of deliverables and tests that follow the final gates.
    FinalChecks,
    /// What users can settle, or leave open.
    OpenItems {
        count: usize,
    },
}

impl BeforeSeal {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Worker => "worker",
            Self::Paused => "paused",
            Self::Blocked(_) => "blocked",
            Self::Retry { .. } => "retry",
            Self::Question { kind: ClarificationKind::Permission, .. } => "permission",
            Self::Question { kind: ClarificationKind::Assumption, .. } => "assumption",
            Self::Question { kind: ClarificationKind::Plan, .. } => "plan_approval",
            Self::Question { kind: ClarificationKind::Work, .. } => "work",
            Self::Question { .. } => "question",
            Self::Phase { .. } => "phase",
            Self::BaseBranch { .. } => "base_branch",
            Self::FinalGates { .. } => "final_gates",
            Self::FinalChecks => "final_checks",
            Self::OpenItems { .. } => "open_items",
        }
    }

    /// Whether nothing happens until a user acts.
    pub fn waits_for_user(&self) -> bool {
        matches!(
            self,
            Self::Paused | Self::Blocked(_) | Self::Question { .. } | Self::OpenItems { .. }
        )
    }

    /// One sentence for users.
    pub fn text(&self) -> String {
        match self {
            Self::Cancelled => "The build was cancelled and will not be sealed.".to_owned(),
            Self::Worker => "The build waits for a worker.".to_owned(),
            Self::Paused => "The build is paused. Resume it.".to_owned(),
            Self::Blocked(reason) => format!("The build is blocked. {}", reason.explanation()),
            Self::Retry { at } => format!("The build continues at {}.", at.to_rfc3339()),
            Self::Question { text, .. } => text.clone(),
            Self::Phase { number, title } => format!("Phase {number} ({title}) is not complete."),
            Self::BaseBranch { conflicts } if conflicts.is_empty() => {
                "The branch has not been compared with the branch that it started from.".to_owned()
            }
            Self::BaseBranch { conflicts } => {
                format!("Conflicts with the branch that it started from: {}.", conflicts.join(", "))
            }
            Self::FinalGates { names } => {
                format!("Gates have to run on the finished branch: {}.", names.join(", "))
            }
            Self::FinalChecks => "Deliverables and tests have to be checked.".to_owned(),
            Self::OpenItems { count: 1 } => {
                "1 item is open. Settle it, or let the build be sealed as it is.".to_owned()
            }
            Self::OpenItems { count } => {
                format!("{count} items are open. Settle them, or let the build be sealed as it is.")
            }
        }
    }
}

/// What has to happen before the build is sealed, first what stops it now. Empty once the seal is the
/// next step, and after it.
pub fn before_seal(state: &BuildState) -> Vec<BeforeSeal> {
    if state.status == Status::Abandoned || state.cancel_requested.is_some() {
        return vec![BeforeSeal::Cancelled];
    }
    if state.status == Status::Sealed {
        return Vec::new();
    }
    let mut missing = Vec::new();
    missing.extend(obstacle(state));
    let questions = state.questions.iter().map(|open| &open.request);
    let questions = questions.filter(|asked| asked.kind != ClarificationKind::Confirmation);
    missing.extend(
        questions
            .map(|asked| BeforeSeal::Question { kind: asked.kind, text: asked.question.clone() }),
    );
    let phases = state.phases.iter().filter(|phase| !phase.status.is_over());
    missing.extend(phases.map(|phase| BeforeSeal::Phase {
        number: phase.outline.number,
        title: phase.outline.title.clone(),
    }));
    let is_sealing = state.status == Status::Sealing || state.is_being_confirmed();
    if !is_sealing && !state.is_base_compared() {
        let conflict = state.base.conflict.as_ref();
        let conflicts = conflict.map(|open| open.found.paths.clone()).unwrap_or_default();
        missing.push(BeforeSeal::BaseBranch { conflicts });
    }
    let names = if is_sealing { state.due_final_gates() } else { state.gate_names(None) };
    if !names.is_empty() {
        missing.push(BeforeSeal::FinalGates { names });
    }
    if !is_sealing || !state.deliverables_checked() || state.next_test_check().is_some() {
        missing.push(BeforeSeal::FinalChecks);
    }
    if is_sealing && (state.is_being_confirmed() || state.needs_confirmation()) {
        missing.push(BeforeSeal::OpenItems { count: state.open_items().count() });
    }
    missing
}

/// What keeps the build from continuing now, other than questions.
fn obstacle(state: &BuildState) -> Option<BeforeSeal> {
    let retry = state.retry.as_ref();
    match state.status {
        Status::Queued => Some(BeforeSeal::Worker),
        Status::Paused => Some(BeforeSeal::Paused),
        Status::Blocked => state.blocked.map(BeforeSeal::Blocked),
        Status::Retrying => retry.map(|retry| BeforeSeal::Retry { at: retry.retry_at }),
        _ => None,
    }
}
