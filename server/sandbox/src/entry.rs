//! How one program plays three parts.

use crate::confine::confine;
use crate::supervisor::supervise;
use crate::trial::attempt;
use crate::wire::{CONFINE, SUPERVISE, TRY};

/// Takes over the process if it was started as a part of the sandbox, and does not return then.
///
/// It has to be the first thing in `main`, before threads and anything that reads arguments.
pub fn supervise_if_asked() {
    let mut arguments = std::env::args().skip(1);
    let code = match arguments.next().as_deref() {
        Some(SUPERVISE) => supervise(),
        Some(CONFINE) => confine(),
        Some(TRY) => attempt(&arguments.next().unwrap_or_default()),
        _ => return,
    };
    std::process::exit(code);
}
