//! Working time of a build, independent of jumps of the nodes' system clocks.
//!
//! The journal contains wall-clock times, and the time between two events of a worker counts as
//! work. A worker also measures time with a monotonic clock; when the two differ, the journal is
//! corrected before the difference counts.

use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    event::{EventBody, life::ClockCorrected},
    state::BuildState,
};

/// The largest difference between wall clock and measured time that is not corrected.
pub const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(5);

/// Counts the time since the last event if the build was being worked on. The gap before a restart
/// is not work, and commands from other nodes do not measure the worker's time.
pub(crate) fn count(state: &mut BuildState, at: DateTime<Utc>, body: &EventBody) {
    match body {
        // The clock may have jumped while no worker measured it: counting restarts here.
        EventBody::BuildResumed(_) | EventBody::BuildClockCorrected(_) => state.last_at = at,
        body if body.is_command() && state.status.is_working() => {}
        _ => {
            state.spent.working_ms += gap_ms(state, at);
            state.last_at = state.last_at.max(at);
        }
    }
}

/// The correction that must precede an event at `at`, if the worker has measured `measured_ms` of
/// work in total. `None` if both clocks agree.
pub fn correction(
    state: &BuildState,
    at: DateTime<Utc>,
    measured_ms: i64,
) -> Option<ClockCorrected> {
    let counted_ms = state.spent.working_ms + gap_ms(state, at);
    let difference = counted_ms.abs_diff(measured_ms);
    let is_off = difference > CLOCK_TOLERANCE.num_milliseconds().unsigned_abs();
    (state.status.is_working() && is_off).then_some(ClockCorrected { working_ms: measured_ms })
}

fn gap_ms(state: &BuildState, at: DateTime<Utc>) -> i64 {
    if !state.status.is_working() {
        return 0;
    }
    (at - state.last_at).num_milliseconds().max(0)
}
