//! What a build still waits for before its seal, compared with what it does next.

use domain::{
    before_seal::{BeforeSeal, before_seal},
    decide::{Effect, decide},
    event::questions::ClarificationKind,
    state::Status,
};
use proptest::prelude::*;

use crate::{
    choices::{Choices, any_choices},
    confirmations, people,
    player::Life,
};

fn names(missing: &[BeforeSeal]) -> Vec<&'static str> {
    missing.iter().map(BeforeSeal::name).collect()
}

proptest! {
    #[test]
    fn nothing_is_missing_exactly_when_the_seal_comes_next_or_is_made(choices in any_choices()) {
        let mut life = Life::begin(choices, true);
        life.play();
        for state in &life.states {
            let is_next = matches!(decide(state, state.last_at), Effect::Seal);
            let is_sealed = state.status == Status::Sealed;
            let missing = before_seal(state);
            prop_assert_eq!(missing.is_empty(), is_next || is_sealed, "{:?}: {:?}", state.status, missing);
        }
    }
}

#[test]
fn queued_build_lists_its_phases_and_what_follows_them() {
    let life = Life::begin(Choices::kind(), false);
    let missing = names(&before_seal(life.state()));
    assert_eq!(missing[..2], ["worker", "phase"]);
    assert!(missing.ends_with(&["final_gates", "final_checks"]), "{missing:?}");
}

#[test]
fn build_that_asks_about_open_items_waits_only_for_its_user() {
    let asked = confirmations::asked(&confirmations::ready());
    let missing = before_seal(&asked);
    assert_eq!(missing, [BeforeSeal::OpenItems { count: 3 }]);
    assert!(missing[0].waits_for_user());
}

#[test]
fn question_is_listed_with_its_kind() {
    let mut state = confirmations::asked(&confirmations::ready());
    let asked = &mut state.questions[0].request;
    (asked.kind, asked.question) = (ClarificationKind::Plan, "Carry out the plan?".to_owned());
    let missing = before_seal(&state);
    assert_eq!(names(&missing)[0], "plan_approval");
    assert_eq!(missing[0].text(), "Carry out the plan?");
}

#[test]
fn cancelled_build_waits_for_nothing_else() {
    let mut life = Life::begin(Choices::kind(), false);
    life.append(vec![people::cancel()]).unwrap();
    let missing = before_seal(life.state());
    assert_eq!(missing, [BeforeSeal::Cancelled]);
    assert!(!missing[0].waits_for_user());
}
