//! Dispatch to the sandbox's helper processes, which run the same executable.

use crate::confine::confine;
use crate::self_test::run_self_test;
use crate::supervisor::supervise;
use crate::wire::{CONFINE, SELF_TEST, SUPERVISE};

/// Runs the helper that the first argument requests and exits; returns if there is none.
///
/// It must be the first call in `main`, before threads start and arguments are parsed.
pub fn run_helper_if_requested() {
    let mut arguments = std::env::args().skip(1);
    let code = match arguments.next().as_deref() {
        Some(SUPERVISE) => supervise(),
        Some(CONFINE) => confine(),
        Some(SELF_TEST) => run_self_test(&arguments.next().unwrap_or_default()),
        _ => return,
    };
    std::process::exit(code);
}
