//! Runs gates and records their results. All gates of a round check one tree.
//!
//! - The built-in gates read the tree itself.
//! - The gates of a phase run in the build's worktree, one after another. Changes by a gate are
//!   undone before the next one starts.
//! - The final gates run on clean checkouts of the branch's head, each on its own.
//! - A gate that runs out of memory or disk has no result; it runs again after a wait.
//! - Gates that are detected in the checked tree run in the same round.

mod built_in;
mod candidate;
mod command;
mod contract_text;
mod file_problem;
mod log;
mod mutants;
mod outcome;
mod preflight;
mod printed_output;
mod red_check;
mod report;
mod requested;
mod scope;
mod validate;

use std::{path::Path, sync::Arc, time::Instant};

use domain::{
    detection,
    event::gates::{GateFinished, GateOutOfResources, GateStarted, GatesDetected},
    gate::{self, GateDefinition, TestNames},
    gate_failure::Resource,
    rounds,
    state::{BuildState, Status},
    tracking::{self, ObservedFailure},
};
use futures::future::{try_join, try_join_all};
use sandbox::Policy;

use super::{detected_gates::detect_in_tree, driver::Driver, error::EngineError, handle::Engine};
use crate::{journal::PreviewKind, store, tools::commands::Commands};
pub use requested::abandoned;

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
        if is_unchanged_fix(state, &candidate) {
            return self.append_with(rounds::finish_unchanged_round).await.map(drop);
        }
        if self.detect_new_gates(state, &candidate).await? {
            return Ok(());
        }
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
                let state = self.engine.journal().state(self.build()).await?;
                if state.wants_attention() || state.waits_for_resources() {
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
        let Some(mut outcome) = outcome else { return Ok(()) };
        if let Some(resource) = outcome.exhausted {
            return self.record_exhaustion(name, command, phase, resource, outcome, begun).await;
        }
        let log = self.store_log(&mut outcome).await?;
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
            log,
            test_names: test_names(phase, outcome.tests.names),
        };
        self.record(finished, outcome.seen).await
    }

    /// Whether the files to be checked suggest gates that the build does not have yet.
    async fn detect_new_gates(
        &self,
        state: &BuildState,
        candidate: &Candidate,
    ) -> Result<bool, EngineError> {
        let Some(known) = &state.queued.detection else { return Ok(false) };
        let (clone, tree) = (candidate.workspace.clone.clone(), candidate.tree);
        let proposed = self.engine.blocking(move || detect_in_tree(&clone, tree)).await?;
        let is_replaceable = |name: &str| {
            known.names.iter().any(|it| it == name)
                || state.found_gates.iter().any(|gate| gate.name == name)
        };
        let gates = detection::changes(&state.gates(), is_replaceable, proposed);
        if gates.is_empty() {
            return Ok(false);
        }
        let (phase, tree_sha) = (candidate.phase, tree.to_string());
        self.append(vec![GatesDetected { phase, tree_sha, gates }.into()]).await?;
        Ok(true)
    }

    /// Appends that a gate ran out of memory or disk.
    async fn record_exhaustion(
        &self,
        gate: String,
        command: String,
        phase: Option<u32>,
        resource: Resource,
        mut outcome: GateOutcome,
        begun: Instant,
    ) -> Result<(), EngineError> {
        let log = self.store_log(&mut outcome).await?;
        let event = GateOutOfResources {
            gate,
            command,
            phase,
            resource,
            exit_code: outcome.exit_code,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: outcome.output,
            output_sha256: outcome.output_sha256,
            sandbox: outcome.sandbox,
            log,
        };
        self.append(vec![event.into()]).await.map(drop)
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

    /// Runs a gate on its own checkout, which is removed afterwards.
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

    /// Runs shell lines in a directory with this build's files, whose `.git` file contains `pointer`;
    /// `kind` is shown in previews.
    pub(super) fn commands(
        &self,
        files: &Path,
        git_dir: &Path,
        pointer: Vec<u8>,
        kind: &'static str,
    ) -> Result<Commands, EngineError> {
        let journal = self.engine.parts.journal.clone();
        let build = self.build();
        let preview = move |mut payload: serde_json::Value| {
            payload["of"] = kind.into();
            journal.feed().preview(build, PreviewKind::Output, &payload);
        };
        let policy = self.engine.policy(files, git_dir, pointer)?;
        let runner = self.engine.parts.runner.metered_by(&self.meter);
        Ok(Commands::new(runner, policy, self.stop.clone(), Arc::new(preview)))
    }
}

impl Engine {
    /// The policy of commands in a directory whose `.git` file contains `pointer`.
    pub(super) fn policy(
        &self,
        files: &Path,
        git_dir: &Path,
        pointer: Vec<u8>,
    ) -> Result<Policy, EngineError> {
        let policy = Policy::new(self.level()?, files);
        let mut policy = policy.with_toolchains(&self.parts.toolchains);
        policy.hidden = vec![self.parts.paths.root().to_owned()];
        policy.network = self.parts.network.clone();
        policy.git_dir = Some(git_dir.to_owned());
        policy.git_pointer = Some(pointer);
        Ok(policy)
    }
}

/// Whether the gates of a round would check what they have rejected already. Built-in gates also
/// check files that are not in the tree.
fn is_unchanged_fix(state: &BuildState, candidate: &Candidate) -> bool {
    // A gate that is repeated after a wait has begun the round already.
    let begins = candidate.phase.is_some() && state.status == Status::Running;
    let Some(phase) = state.phase().filter(|_| begins) else { return false };
    let has_begun = phase.gate_tree.is_some() || !phase.gates.is_empty();
    let Some(fix) = phase.fix.as_ref().filter(|_| !has_begun) else { return false };
    let is_built_in = |cause: &String| gate::BUILT_IN.contains(&cause.as_str());
    !fix.causes.iter().any(is_built_in) && phase.checked_tree == Some(candidate.tree.to_string())
}

/// The names are recorded once, for the sealed commit.
fn test_names(phase: Option<u32>, names: TestNames) -> Option<Box<TestNames>> {
    (phase.is_none() && names != TestNames::default()).then(|| Box::new(names))
}
