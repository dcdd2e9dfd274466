//! How the run of an external agent ends. Pure. Neither its exit code nor what it says proves that
//! the work is done: gates decide that. They show only that it is not.

use domain::{event::agents::Task, failure::ErrorClass, markers};
use sandbox::{Ending as ProcessEnding, Outcome};

use super::super::ending::Ending;
use crate::text;

/// Bytes of an explanation.
const MAX_REASON_BYTES: usize = 1_000;

/// What is known about a process that has ended.
pub struct Observations<'a> {
    pub task: Task,
    /// The agent's name, for users.
    pub label: &'a str,
    pub outcome: &'a Outcome,
    /// The agent's last text.
    pub last_text: &'a str,
    /// Why the agent says that it failed.
    pub failure: Option<&'a str>,
    /// What it reported besides, such as denied calls.
    pub notes: &'a [String],
    /// Whether the phase has changed files.
    pub has_changes: bool,
    /// Whether it has explained that there is nothing to do.
    pub is_already_done: bool,
}

/// The end of a run whose process was not stopped.
pub fn conclude(seen: &Observations<'_>) -> Ending {
    let failed = |error_class, message: String| Ending::Failed {
        error_class,
        source: "agent:coder".to_owned(),
        message: text::ends(&format!("{}: {message}", seen.label), MAX_REASON_BYTES),
        retry_after_s: None,
    };
    let resource = match seen.outcome.ending {
        ProcessEnding::TimedOut => Some("it ran too long"),
        ProcessEnding::TooManyProcesses => Some("it started too many processes"),
        ProcessEnding::TooMuchMemory => Some("it used too much memory"),
        ProcessEnding::DiskNearlyFull => Some("the disk is nearly full"),
        ProcessEnding::Exited | ProcessEnding::Cancelled => None,
    };
    if let Some(why) = resource {
        return failed(ErrorClass::Resource, why.to_owned());
    }
    if let Some(why) = seen.failure {
        return failed(ErrorClass::Unknown, with_notes(format!("it failed: {why}"), seen.notes));
    }
    let last_text = seen.last_text.trim();
    if let Some(code) = markers::stop_code(last_text) {
        return Ending::Stopped { code, text: last_text.to_owned() };
    }
    if !seen.outcome.succeeded() {
        let code = seen.outcome.exit_code.map_or("none".to_owned(), |code| code.to_string());
        let output = seen.outcome.output.text();
        let end = text::ends(output.trim(), MAX_REASON_BYTES / 2);
        let why = format!("it ended with exit code {code}: {end}");
        return failed(ErrorClass::Unknown, with_notes(why, seen.notes));
    }
    if seen.task == Task::Execute && !seen.has_changes && !seen.is_already_done {
        let why =
            "it ended without having changed a file, or having said why nothing is to be done";
        return failed(ErrorClass::Unknown, with_notes(why.to_owned(), seen.notes));
    }
    let summary = if last_text.is_empty() { "It ended without a summary." } else { last_text };
    Ending::Completed { summary: with_notes(summary.to_owned(), seen.notes) }
}

fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        text.push_str(&format!("\n[{note}]"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::stop_code::StopCode;
    use sandbox::{CappedOutput, Level};

    use super::*;

    fn outcome(ending: ProcessEnding, exit_code: Option<i32>) -> Outcome {
        Outcome {
            ending,
            exit_code,
            output: CappedOutput {
                head: b"no such model\n".to_vec(),
                tail: Vec::new(),
                cut_bytes: 0,
                total_bytes: 14,
                sha256: String::new(),
            },
            duration: Duration::ZERO,
            level: Level::Strict,
            landlock_abi: None,
            network_refusals: Vec::new(),
            git_pointer_restored: false,
        }
    }

    fn seen<'a>(outcome: &'a Outcome, last_text: &'a str) -> Observations<'a> {
        Observations {
            task: Task::Execute,
            label: "Claude Code",
            outcome,
            last_text,
            failure: None,
            notes: &[],
            has_changes: true,
            is_already_done: false,
        }
    }

    fn message(ending: Ending) -> String {
        match ending {
            Ending::Failed { message, .. } => message,
            other => panic!("{other:?} is not a failure"),
        }
    }

    #[test]
    fn success_that_changed_nothing_is_a_failure_unless_it_is_explained() {
        let exited = outcome(ProcessEnding::Exited, Some(0));
        let lie = Observations { has_changes: false, ..seen(&exited, "All done, tests pass.") };
        assert!(message(conclude(&lie)).contains("without having changed a file"));
        let denied = ["calls were denied: Write".to_owned()];
        let lie = Observations { notes: &denied, ..lie };
        assert!(message(conclude(&lie)).contains("denied: Write"));
        let explained = Observations { is_already_done: true, ..lie };
        assert!(matches!(conclude(&explained), Ending::Completed { .. }));
        let fix = Observations { task: Task::Fix, ..lie };
        assert!(matches!(conclude(&fix), Ending::Completed { .. }), "its gates run again");
    }

    #[test]
    fn reported_failure_counts_even_with_exit_code_0() {
        let exited = outcome(ProcessEnding::Exited, Some(0));
        let failed = Observations { failure: Some("API Error: 402"), ..seen(&exited, "Done.") };
        assert_eq!(message(conclude(&failed)), "Claude Code: it failed: API Error: 402");
    }

    #[test]
    fn exit_code_limits_and_stop_codes_end_the_run() {
        let exited = outcome(ProcessEnding::Exited, Some(1));
        let why = message(conclude(&seen(&exited, "Done.")));
        assert_eq!(why, "Claude Code: it ended with exit code 1: no such model");
        let stopped = outcome(ProcessEnding::TooMuchMemory, None);
        assert!(message(conclude(&seen(&stopped, ""))).contains("too much memory"));
        let exited = outcome(ProcessEnding::Exited, Some(0));
        let text = "I looked.\nAMBIGUOUS_INTENT: two ways";
        let expected = Ending::Stopped { code: StopCode::AmbiguousIntent, text: text.into() };
        assert_eq!(conclude(&seen(&exited, text)), expected);
    }
}
