//! The result of a gate, and the effect of files that it changed or left.

use domain::{
    errors::Severity,
    gate::{GateDefinition, SandboxLevel},
    gate_failure::Resource,
    rounds,
    test_results::TestSummary,
    tracking::ObservedFailure,
};
use git::ChangedPath;

use super::printed_output::PrintedLog;

/// Paths listed individually.
const MAX_LISTED: usize = 20;

/// The result of a gate.
pub struct GateOutcome {
    pub passed: bool,
    /// The individual errors.
    pub seen: Vec<ObservedFailure>,
    pub exit_code: Option<i32>,
    /// The command took too long, or more memory or processes than allowed.
    pub is_stopped: bool,
    /// Why it failed, if it ran out of memory or disk.
    pub exhausted: Option<Resource>,
    pub output: String,
    /// All output of a command, if it is longer than what an event should contain.
    pub log: Option<PrintedLog>,
    /// Of the complete output, or of what is stored if it contained a secret.
    pub output_sha256: String,
    pub sandbox: Option<SandboxLevel>,
    pub tests: TestSummary,
}

impl GateOutcome {
    /// Fails a phase's gate that changed files which the phase commits, and warns about files that it
    /// left behind. All changes were undone.
    pub fn judge_changes(&mut self, gate: &GateDefinition, undone: &[ChangedPath]) {
        let changed = undone.iter().filter(|path| !path.is_new);
        let changed: Vec<&str> = changed.map(|change| change.path.as_str()).collect();
        if !changed.is_empty() {
            let message = format!(
                "The gate {} changed files that belong to the commit. A gate may only check; its \
                 changes were undone: {}",
                gate.name,
                list(&changed)
            );
            self.passed = false;
            self.note(&message);
            let severity = if gate.required { Severity::Error } else { Severity::Warning };
            self.track(gate, severity, "changed files of the commit", message);
        }
        let left = undone.iter().filter(|path| path.is_new);
        self.warn_of(gate, &left.map(|change| change.path.as_str()).collect::<Vec<_>>());
    }

    /// Warns about changes of a final gate to its checkout.
    pub fn warn_of_leftovers(&mut self, gate: &GateDefinition, left: &[ChangedPath]) {
        self.warn_of(gate, &left.iter().map(|change| change.path.as_str()).collect::<Vec<_>>());
    }

    /// Notes that the same command passed on the same files when ignored files were present.
    pub fn explain_missing_ignored_files(&mut self) {
        self.note(
            "The same command passes in the build's worktree and fails on a clean checkout of the \
             same commit: files that git ignores are missing here, such as installed dependencies \
             or build output. Let the gate's command create what it needs.",
        );
    }

    fn warn_of(&mut self, gate: &GateDefinition, left: &[&str]) {
        if left.is_empty() {
            return;
        }
        let message = format!(
            "The gate {} left files changed or behind that git does not ignore. They are not \
             committed: {}",
            gate.name,
            list(left)
        );
        self.track(gate, Severity::Warning, "left files behind", message);
    }

    fn note(&mut self, text: &str) {
        self.output = format!("{}\n\n{text}", self.output.trim_end());
    }

    fn track(&mut self, gate: &GateDefinition, severity: Severity, kind: &str, message: String) {
        let source = rounds::gate_source(&gate.name);
        self.seen.push(ObservedFailure::identified(source, severity, message, kind));
    }
}

/// The first of many paths, in one line.
pub fn list(paths: &[&str]) -> String {
    let shown = paths.iter().take(MAX_LISTED).map(|path| path.escape_debug().to_string());
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if paths.len() > MAX_LISTED {
        text += &format!(" and {} more", paths.len() - MAX_LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome() -> GateOutcome {
        GateOutcome {
            passed: true,
            seen: Vec::new(),
            exit_code: Some(0),
            is_stopped: false,
            exhausted: None,
            output: "ok\n".to_owned(),
            log: None,
            output_sha256: String::new(),
            sandbox: None,
            tests: TestSummary::default(),
        }
    }

    fn gate(required: bool) -> GateDefinition {
        let (name, command) = ("test".to_owned(), "true".to_owned());
        GateDefinition {
            name,
            command,
            timeout_s: 1,
            required,
            network: false,
            report: None,
            runs_tests: false,
        }
    }

    fn change(path: &str, is_new: bool) -> ChangedPath {
        ChangedPath { path: path.to_owned(), is_new }
    }

    #[test]
    fn gate_that_changes_tracked_files_fails_and_new_files_are_a_warning() {
        let mut both = outcome();
        both.judge_changes(&gate(true), &[change("a.js", false), change("out.txt", true)]);
        assert!(!both.passed && both.output.ends_with("undone: a.js"), "{}", both.output);
        let severities: Vec<_> = both.seen.iter().map(|seen| seen.severity).collect();
        assert_eq!(severities, [Severity::Error, Severity::Warning]);
        assert!(both.seen[1].message.ends_with("not committed: out.txt"), "{:?}", both.seen);

        let mut new = outcome();
        new.judge_changes(&gate(true), &[change("out.txt", true)]);
        assert!(new.passed && new.seen.len() == 1);
        let mut optional = outcome();
        optional.judge_changes(&gate(false), &[change("a.js", false)]);
        assert_eq!((optional.passed, optional.seen[0].severity), (false, Severity::Warning));
        let mut clean = outcome();
        clean.judge_changes(&gate(true), &[]);
        assert!(clean.passed && clean.seen.is_empty());
    }

    #[test]
    fn long_lists_are_cut_and_control_characters_are_escaped() {
        let paths: Vec<String> = (0..25).map(|n| format!("f{n}")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert!(list(&paths).ends_with("f19 and 5 more"));
        assert_eq!(list(&["a\nb"]), "a\\nb");
    }
}
