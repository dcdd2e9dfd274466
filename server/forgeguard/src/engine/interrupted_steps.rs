//! Steps that end the worker process. Each step is recorded before it is performed; after a step has
//! ended two workers, the build is blocked instead of repeating it.

use domain::{
    decide::{Effect, decide},
    event::EventBody,
    state::BuildState,
};

use super::{blocking, driver::Driver, error::EngineError, gates};
use crate::store::{self, work_items};

/// Workers that may end during one step.
const MAX_INTERRUPTIONS: u32 = 2;
/// Events searched for the last one that is not repeated after a crash.
const MAX_LOOK_BACK: i64 = 64;

impl Driver {
    /// Records the step that begins, in words that follow "while it".
    pub(super) async fn begin_step(&self, effect: &Effect) -> Result<(), EngineError> {
        let Some(step) = described(effect) else { return Ok(()) };
        let mut tx = self.engine.db().write().await?;
        work_items::begin_step(&mut tx, &self.lease, &step).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Counts the end of the previous worker, if it ended during a step, and blocks the build if that
    /// happened too often.
    pub(super) async fn settle_interrupted_step(
        &self,
        state: &BuildState,
    ) -> Result<(), EngineError> {
        let item = work_items::get(&mut self.engine.db().read().await?, self.build()).await?;
        let Some(item) = item else { return Ok(()) };
        let Some(step) = item.step else { return Ok(()) };
        // The same step again, without progress in between.
        let place = format!("{step} after event {}", self.last_achieved().await?);
        let is_same = item.interrupted_step.as_ref() == Some(&place);
        let interruptions = if is_same { item.interruptions + 1 } else { 1 };
        tracing::warn!(build_id = %self.build(), step, interruptions, "a worker ended in a step");
        let next = decide(state, store::now());
        if interruptions >= MAX_INTERRUPTIONS
            && let Effect::RunRequestedGates { names } = &next
        {
            self.append(gates::abandoned(state, names.clone())).await?;
        } else if interruptions >= MAX_INTERRUPTIONS && blocking::can_block(state) {
            let words = match next {
                Effect::RunGates { names, .. } | Effect::RunPreflight { names } => {
                    format!("{step} ({})", names.join(", "))
                }
                _ => step,
            };
            self.append(vec![blocking::worker_ended(state, &words).into()]).await?;
        }
        let mut tx = self.engine.db().write().await?;
        work_items::count_interruption(&mut tx, &self.lease, &place, interruptions).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Seq of the newest event that a worker does not append again when it repeats a step.
    async fn last_achieved(&self) -> Result<u64, EngineError> {
        let rows = self.newest(MAX_LOOK_BACK).await?;
        let achieved = rows.iter().rev().find(|row| {
            serde_json::from_str::<EventBody>(&row.body)
                .is_ok_and(|body| !body.is_repeated_after_crash())
        });
        Ok(achieved.map_or(0, |row| row.seq))
    }
}

/// Steps that do more than append, in words that follow "while it".
fn described(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Start => "looked up the commit to start from".to_owned(),
        Effect::CreateBranch => "created the branch and its worktree".to_owned(),
        Effect::RunAgent { phase, task, .. } => {
            format!("ran the {} of phase {phase}", task.role().name())
        }
        Effect::RunPreflight { .. } => "ran the gates on the baseline".to_owned(),
        Effect::RunRequestedGates { .. } => "ran the requested gates".to_owned(),
        Effect::ControlPhase { .. } => "saved the changes of a phase".to_owned(),
        // Without their names: as they finish, fewer are left.
        Effect::RunGates { phase: Some(phase), .. } => format!("ran the gates of phase {phase}"),
        Effect::RunGates { phase: None, .. } => "ran the final gates".to_owned(),
        Effect::Commit { phase } => format!("committed phase {phase}"),
        Effect::Push => "pushed the branch".to_owned(),
        Effect::CompareBase => "merged the base branch".to_owned(),
        Effect::CompareTests => "compared the tests with those before the build".to_owned(),
        Effect::RunRedCheck { gate, .. } => format!("ran the gate {gate} without the change"),
        Effect::TestMutants => "ran the gates on mutants of the new code".to_owned(),
        Effect::Seal => "sealed the build".to_owned(),
        _ => return None,
    })
}
