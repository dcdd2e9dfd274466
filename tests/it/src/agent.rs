//! Which of a build's agents sent a request to the model.

use model_server::Seen;

#[derive(Clone, Copy, PartialEq)]
pub enum Agent {
    Scout,
    Planner,
    Coder,
    Auditor,
    Fixer,
}

impl Agent {
    pub fn of(request: &Seen) -> Self {
        let system = request.system();
        match () {
            () if system.contains("You are the scout") => Self::Scout,
            () if system.contains("You are the auditor") => Self::Auditor,
            () if system.contains("You are the fixer") => Self::Fixer,
            () if request.tools().contains(&"write_file") => Self::Coder,
            () => Self::Planner,
        }
    }
}
