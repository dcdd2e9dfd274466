//! The label of a run, under which scenarios store its replies.

use domain::event::agents::Task;

/// The label of the `number`th run for this task in this phase, from 1.
pub(super) fn of_run(phase: u32, task: Task, number: u32) -> String {
    let task = match task {
        Task::Scout => "scout",
        Task::Plan => "plan",
        Task::Execute => "execute",
        Task::Audit => "audit",
        Task::Fix => "fix",
    };
    llm::run_label(&format!("phase-{phase}/{task}"), number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_phase_have_different_labels() {
        assert_eq!(of_run(2, Task::Audit, 1), "phase-2/audit");
        assert_eq!(of_run(2, Task::Audit, 2), "phase-2/audit#2");
    }
}
