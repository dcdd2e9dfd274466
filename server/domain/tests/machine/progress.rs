//! The progress of a build that nothing holds up.

use domain::progress::Progress;

use crate::{
    choices::Choices,
    player::{End, Life},
};

#[test]
fn progress_rises_from_step_to_step_until_the_seal() {
    let mut life = Life::begin(Choices::kind(), false);
    assert_eq!(life.play(), End::Sealed);
    let mut progress: Vec<Progress> = life.states.iter().map(Progress::of).collect();
    assert!(progress.is_sorted_by_key(|it| it.percent), "{progress:?}");
    progress.dedup_by(|next, earlier| next.step == earlier.step);
    let steps: Vec<&str> = progress.iter().map(|it| it.step.as_str()).collect();
    let expected = [
        "Queued",
        "Exploration",
        "Plan",
        "Implementation, step 1 of 2",
        "Implementation, step 2 of 2",
        "Implementation",
        "Gates",
        "Audit",
        "Commit",
        "Final gates",
        "Sealed",
    ];
    assert_eq!(steps, expected);
}
