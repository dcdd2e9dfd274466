//! Conditions that several transitions share.

use crate::{
    ids::RunId,
    state::{BuildState, PhaseState, PhaseStatus, Status},
};

/// Reason an event is illegal, in plain words.
pub type Reason = &'static str;

pub fn ensure(holds: bool, why: Reason) -> Result<(), Reason> {
    if holds { Ok(()) } else { Err(why) }
}

pub const OTHER_TREE: Reason = "the gates of this round check another tree";

/// Journals of older versions do not record trees.
pub fn is_same_tree(one: &Option<String>, other: &Option<String>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

impl BuildState {
    pub(super) fn expect(&self, allowed: &[Status]) -> Result<(), Reason> {
        ensure(allowed.contains(&self.status), "it is not in a state for that")
    }

    /// An agent that has asked a question may still record the results of its other calls.
    pub(super) fn expect_at_work(&self) -> Result<(), Reason> {
        self.expect(&[Status::Running, Status::AwaitingInput])
    }

    pub(super) fn can_pause(&self) -> bool {
        matches!(self.status, Status::Running | Status::AwaitingInput | Status::Retrying)
    }

    /// The current phase, if it has this number and the build is not paused.
    pub(super) fn current(&mut self, number: u32) -> Result<&mut PhaseState, Reason> {
        self.expect_at_work()?;
        self.begun(number)
    }

    /// The current phase, if it has this number and was started.
    pub(super) fn begun(&mut self, number: u32) -> Result<&mut PhaseState, Reason> {
        self.phase_mut()
            .filter(|phase| phase.outline.number == number && phase.status == PhaseStatus::Running)
            .ok_or("that phase is not being worked on")
    }

    /// The phase whose agent has this run.
    pub(super) fn running(&mut self, run: RunId) -> Result<&mut PhaseState, Reason> {
        self.expect_at_work()?;
        self.phase_mut().filter(|phase| phase.run == Some(run)).ok_or("that agent is not running")
    }
}
