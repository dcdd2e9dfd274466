//! Runs the command of a gate and reads its output: whether it passed, its tests, and its errors.

use std::{path::Path, time::Duration};

use domain::{
    diagnostics,
    errors::Severity,
    gate::GateDefinition,
    gate_failure::{Resource, exhausted_resource},
    rounds,
    test_results::TestSummary,
    tracking::ObservedFailure,
};
use sandbox::Ending;
use serde_json::json;

use super::{
    super::{driver::Driver, error::EngineError, handle, handle::Engine},
    candidate::Candidate,
    log::MAX_LOG_BYTES,
    outcome::GateOutcome,
    printed_output::PrintedOutput,
    report,
};
use crate::tools::commands::{Commands, ShellLine, stopped};

impl Driver {
    /// `None` if it was interrupted.
    pub(super) async fn run_command(
        &self,
        candidate: &Candidate,
        gate: &GateDefinition,
        path: &Path,
        pointer: Vec<u8>,
    ) -> Result<Option<GateOutcome>, EngineError> {
        let git_dir = candidate.workspace.clone.path();
        let commands = self.commands(path, git_dir, pointer, "gate")?;
        self.engine.run_gate_command(commands, gate, path, &candidate.named_tests).await
    }
}

impl Engine {
    /// Runs a gate with these commands, which run in `path`. `None` if it was interrupted.
    pub(in super::super) async fn run_gate_command(
        &self,
        commands: Commands,
        gate: &GateDefinition,
        path: &Path,
        named_tests: &[String],
    ) -> Result<Option<GateOutcome>, EngineError> {
        let commands = commands.keeping(MAX_LOG_BYTES);
        let about = json!({ "gate": gate.name }).as_object().cloned().unwrap_or_default();
        let timeout = Duration::from_secs(gate.timeout_s.into());
        let line = ShellLine {
            line: gate.command.clone(),
            timeout,
            network: gate.network,
            label: rounds::gate_source(&gate.name),
            about,
        };
        let report = self.remove_report(gate, path).await?;
        let outcome = commands.run(line).await?;
        if outcome.ending == Ending::Cancelled {
            return Ok(None);
        }
        let printed = outcome.output.clone();
        let printed = self.blocking(move || Ok(PrintedOutput::of(printed))).await?;
        let PrintedOutput { text: mut output, log, sha256: output_sha256 } = printed;
        if let Some(why) = stopped(outcome.ending, timeout) {
            output += &format!("\n{why}");
        }
        for refusal in &outcome.network_refusals {
            output += &format!("\n{refusal}");
        }
        let passed = outcome.succeeded();
        let seen = if passed { Vec::new() } else { self.problems(gate, &output, path).await? };
        let tests = match report {
            None => {
                let (printed, names) = (output.clone(), named_tests.to_owned());
                let read = move || Ok(TestSummary::of_output(&printed, &names));
                self.blocking(read).await?
            }
            Some(removed) => {
                let read = match removed {
                    Ok(()) => self.read_report(gate, path, named_tests).await?,
                    Err(why) => Err(why),
                };
                read.unwrap_or_else(|why| {
                    let report = gate.report.as_deref().unwrap_or_default();
                    output += &format!(
                        "\n\nNo test of this gate counts: its report `{report}` could not be \
                         used: {why}. Let the command write a JUnit XML report there, or change \
                         the path in the project's gates."
                    );
                    TestSummary::default()
                })
            }
        };
        Ok(Some(GateOutcome {
            passed,
            seen,
            tests,
            is_stopped: is_stopped(outcome.ending),
            exhausted: if passed { None } else { exhausted(&outcome, &output) },
            exit_code: outcome.exit_code,
            output,
            log,
            output_sha256,
            sandbox: Some(handle::shown(outcome.level)),
        }))
    }

    /// Removes the report of an earlier run, so that only this one can have written it. `None` if the
    /// gate has no report; otherwise why it could not be removed.
    async fn remove_report(
        &self,
        gate: &GateDefinition,
        path: &Path,
    ) -> Result<Option<Result<(), String>>, EngineError> {
        let Some(report) = gate.report.clone() else { return Ok(None) };
        let path = path.to_owned();
        let remove = move || Ok(report::remove(&path, &report).map_err(|error| error.to_string()));
        self.blocking(remove).await.map(Some)
    }

    /// Reads the gate's report and removes it; why it cannot be used otherwise.
    async fn read_report(
        &self,
        gate: &GateDefinition,
        path: &Path,
        named_tests: &[String],
    ) -> Result<Result<TestSummary, String>, EngineError> {
        let names = named_tests.to_owned();
        let (path, report) = (path.to_owned(), gate.report.clone().unwrap_or_default());
        let read = move || {
            let cases = report::read(&path, &report);
            let removed = report::remove(&path, &report).map_err(|error| error.to_string());
            Ok(removed.and(cases).map(|cases| TestSummary::of_report(&cases, &names)))
        };
        self.blocking(read).await
    }

    /// The individual errors in a failed gate's output; only warnings if the gate is allowed to
    /// fail.
    async fn problems(
        &self,
        gate: &GateDefinition,
        output: &str,
        path: &Path,
    ) -> Result<Vec<ObservedFailure>, EngineError> {
        let path = path.to_owned();
        let (output, source) = (output.to_owned(), rounds::gate_source(&gate.name));
        let required = gate.required;
        let read = move || {
            // Tools print the real path of the folder.
            let root = path.canonicalize().unwrap_or(path);
            let found = diagnostics::of_failure(&output, &root.to_string_lossy());
            let seen = found.into_iter().map(|one| {
                let severity = if required { one.severity } else { Severity::Warning };
                ObservedFailure::diagnostic(&source, severity, one)
            });
            Ok::<_, EngineError>(seen.collect())
        };
        self.blocking(read).await
    }
}

/// Whether the command took too long, or more memory or processes than allowed.
fn is_stopped(ending: Ending) -> bool {
    matches!(ending, Ending::TimedOut | Ending::TooManyProcesses | Ending::TooMuchMemory)
}

/// What a failed command ran out of.
fn exhausted(outcome: &sandbox::Outcome, output: &str) -> Option<Resource> {
    match outcome.ending {
        Ending::TooMuchMemory => Some(Resource::Memory),
        Ending::DiskNearlyFull => Some(Resource::Disk),
        Ending::Exited => exhausted_resource(outcome.exit_code, output),
        Ending::TimedOut | Ending::Cancelled | Ending::TooManyProcesses => None,
    }
}
