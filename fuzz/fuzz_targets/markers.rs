//! The markers that agents write into their text.
#![no_main]

use domain::markers;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(plan) = markers::plan(text) {
        assert!(!plan.steps.is_empty());
    }
    assert!(markers::tasks_done(text).len() <= text.lines().count());
    let _ = markers::stop_code(text);
    if let Some(sign_off) = markers::sign_off(text) {
        assert!(sign_off.criteria.len() + sign_off.findings.len() <= text.lines().count());
    }
});
