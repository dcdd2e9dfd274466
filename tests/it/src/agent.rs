//! Which of a build's agents sent a request to the model.

use model_server::Seen;

#[derive(Clone, Copy, PartialEq)]
pub enum Agent {
    Scout,
    Planner,
    Coder,
    Auditor,
    /// The coder or the fixer, after a rejection.
    Fixer,
}

impl Agent {
    pub fn of(request: &Seen) -> Self {
        let system = request.system();
        match () {
            () if system.contains("You are the scout") => Self::Scout,
            () if system.contains("You are the auditor") => Self::Auditor,
            () if request.is_fixing() => Self::Fixer,
            () if request.is_planning() => Self::Planner,
            () => Self::Coder,
        }
    }
}
