//! Runs gates and records their results. All gates of a round check one tree.
//!
//! - The built-in gates read the tree itself.
//! - The gates of a phase run in the build's worktree, one after another. Changes by a gate are
//!   undone before the next one starts.
//! - The final gates run on clean checkouts of the branch's head, each on its own.

mod built_in;
mod candidate;
mod file_problem;
mod mutants;
mod outcome;
mod red_check;
mod report;
mod scope;
mod validate;

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    diagnostics,
    errors::Severity,
    event::gates::{GateFinished, GateStarted},
    gate::{GateDefinition, TestNames},
    ids::BuildId,
    rounds,
    state::BuildState,
    test_results::TestSummary,
    tracking::{self, ObservedFailure},
};
use futures::future::{try_join, try_join_all};
use serde_json::json;

use super::{driver::Driver, error::EngineError, handle};
use crate::{
    journal::PreviewKind,
    store,
    tools::commands::{Commands, ShellLine, stopped},
};
use candidate::Candidate;
use outcome::GateOutcome;

/// A gate to run.
struct Gate {
    name: String,
    /// `None` for a built-in one.
    definition: Option<GateDefinition>,
}

impl Driver {
    /// Runs these gates; `phase` is `None` for the final ones. A gate that was interrupted by the end
    /// of the build or a shutdown counts as not run.
    pub(super) async fn run_gates(
        &self,
        state: &BuildState,
        phase: Option<u32>,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let candidate = self.candidate(state, phase).await?;
        let gates = names.into_iter().map(|name| {
            let definition = state.gate(&name);
            Gate { name, definition }
        });
        let (own, built_in): (Vec<Gate>, Vec<Gate>) =
            gates.partition(|gate| gate.definition.is_some());
        let built_in = try_join_all(built_in.iter().map(|gate| self.run_gate(&candidate, gate)));
        let own = async {
            if phase.is_none() {
                return try_join_all(own.iter().map(|gate| self.run_gate(&candidate, gate)))
                    .await
                    .map(drop);
            }
            for gate in &own {
                self.run_gate(&candidate, gate).await?;
                if self.engine.journal().state(self.build()).await?.wants_attention() {
                    break;
                }
            }
            Ok(())
        };
        try_join(built_in, own).await.map(drop)
    }

    async fn run_gate(&self, candidate: &Candidate, gate: &Gate) -> Result<(), EngineError> {
        let definition = gate.definition.as_ref();
        let command = definition.map_or(String::new(), |gate| gate.command.clone());
        let (name, phase) = (gate.name.clone(), candidate.phase);
        let tree_sha = Some(candidate.tree.to_string());
        let started = GateStarted {
            gate: name.clone(),
            command: command.clone(),
            phase,
            tree_sha: tree_sha.clone(),
        };
        self.append(vec![started.into()]).await?;
        let begun = Instant::now();
        let outcome = match definition {
            Some(definition) if phase.is_some() => {
                self.run_in_worktree(candidate, definition).await?
            }
            Some(definition) => self.run_on_checkout(candidate, definition).await?,
            None => Some(self.run_built_in(candidate, &name).await?),
        };
        let Some(outcome) = outcome else { return Ok(()) };
        let finished = GateFinished {
            gate: name,
            command,
            phase,
            required: definition.is_none_or(|gate| gate.required),
            passed: outcome.passed,
            exit_code: outcome.exit_code,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: outcome.output,
            output_sha256: outcome.output_sha256,
            head_sha: candidate.head.to_string(),
            tree_sha,
            sandbox: outcome.sandbox,
            tests: outcome.tests.counts,
            named_tests: outcome.tests.named,
            failed_tests: outcome.tests.failed,
            test_names: test_names(phase, outcome.tests.names),
        };
        self.record(finished, outcome.seen).await
    }

    /// Appends the result together with the errors that were found.
    async fn record(
        &self,
        finished: GateFinished,
        seen: Vec<ObservedFailure>,
    ) -> Result<(), EngineError> {
        let build = self.build();
        self.append_with(move |state| {
            let tracked = tracking::track_all(state, build, store::new_id, store::now(), seen);
            std::iter::once(finished.into()).chain(tracked).collect()
        })
        .await
        .map(drop)
    }

    /// Runs a phase's gate in the agents' worktree, and undoes its changes there.
    async fn run_in_worktree(
        &self,
        candidate: &Candidate,
        gate: &GateDefinition,
    ) -> Result<Option<GateOutcome>, EngineError> {
        let worktree = &candidate.workspace.worktree;
        let outcome = self.run_command(candidate, gate, worktree.path(), worktree.pointer()).await;
        let undone = self.restore_candidate(candidate).await?;
        let Some(mut outcome) = outcome? else { return Ok(None) };
        outcome.judge_changes(gate, &undone);
        Ok(Some(outcome))
    }

    /// Runs a final gate on its own checkout, which is removed afterwards.
    async fn run_on_checkout(
        &self,
        candidate: &Candidate,
        gate: &GateDefinition,
    ) -> Result<Option<GateOutcome>, EngineError> {
        let clone = candidate.workspace.clone.clone();
        let checkout = self.engine.check_out(clone.clone(), candidate.head).await?;
        let pointer = checkout.pointer.clone();
        let outcome = self.run_command(candidate, gate, &checkout.path, pointer).await;
        let (tree, path) = (candidate.tree, checkout.path.clone());
        let left = self.engine.blocking(move || Ok(clone.changes_in_export(tree, &path)?)).await;
        self.engine.remove_checkout(checkout);
        let Some(mut outcome) = outcome? else { return Ok(None) };
        outcome.warn_of_leftovers(gate, &left?);
        if !outcome.passed && candidate.passed_in_worktree(gate) {
            outcome.explain_missing_ignored_files();
        }
        Ok(Some(outcome))
    }

    /// `None` if it was interrupted.
    async fn run_command(
        &self,
        candidate: &Candidate,
        gate: &GateDefinition,
        path: &Path,
        pointer: Vec<u8>,
    ) -> Result<Option<GateOutcome>, EngineError> {
        let git_dir = candidate.workspace.clone.path();
        let commands = self.commands(path, git_dir, pointer, "gate")?;
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
        if outcome.ending == sandbox::Ending::Cancelled {
            return Ok(None);
        }
        let mut output = outcome.output.text();
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
                let (printed, names) = (output.clone(), candidate.named_tests.clone());
                let read = move || Ok(TestSummary::of_output(&printed, &names));
                self.engine.blocking(read).await?
            }
            Some(removed) => {
                let read = match removed {
                    Ok(()) => self.read_report(candidate, gate, path).await?,
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
            exit_code: outcome.exit_code,
            output,
            output_sha256: outcome.output.sha256,
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
        self.engine.blocking(remove).await.map(Some)
    }

    /// Reads the gate's report and removes it; why it cannot be used otherwise.
    async fn read_report(
        &self,
        candidate: &Candidate,
        gate: &GateDefinition,
        path: &Path,
    ) -> Result<Result<TestSummary, String>, EngineError> {
        let names = candidate.named_tests.clone();
        let (path, report) = (path.to_owned(), gate.report.clone().unwrap_or_default());
        let read = move || {
            let cases = report::read(&path, &report);
            let removed = report::remove(&path, &report).map_err(|error| error.to_string());
            Ok(removed.and(cases).map(|cases| TestSummary::of_report(&cases, &names)))
        };
        self.engine.blocking(read).await
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
        self.engine.blocking(read).await
    }

    /// Runs shell lines in a directory with this build's files, whose `.git` file contains `pointer`;
    /// `kind` is shown in previews.
    pub(super) fn commands(
        &self,
        files: &Path,
        git_dir: &Path,
        pointer: Vec<u8>,
        kind: &'static str,
    ) -> Result<Commands, EngineError> {
        let parts = &self.engine.parts;
        let mut policy = sandbox::Policy::new(self.engine.level()?, files);
        policy.path = parts.tool_path.clone();
        policy.hidden = vec![parts.paths.root().to_owned()];
        policy.network = parts.network.clone();
        policy.git_dir = Some(git_dir.to_owned());
        policy.git_pointer = Some(pointer);
        let journal = parts.journal.clone();
        let build: BuildId = self.build();
        let preview = move |mut payload: serde_json::Value| {
            payload["of"] = kind.into();
            journal.feed().preview(build, PreviewKind::Output, &payload);
        };
        let runner = parts.runner.clone();
        Ok(Commands::new(runner, policy, self.stop.clone(), Arc::new(preview)))
    }
}

/// The names are recorded once, for the sealed commit.
fn test_names(phase: Option<u32>, names: TestNames) -> Option<Box<TestNames>> {
    (phase.is_none() && names != TestNames::default()).then(|| Box::new(names))
}

/// Whether the command took too long, or more memory or processes than allowed.
fn is_stopped(ending: sandbox::Ending) -> bool {
    use sandbox::Ending::{TimedOut, TooManyProcesses, TooMuchMemory};
    matches!(ending, TimedOut | TooManyProcesses | TooMuchMemory)
}
