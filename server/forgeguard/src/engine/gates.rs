//! Runs gates: the built-in ones and the project's own, concurrently, and records what they said.

mod complaint;
mod scope;
mod validate;

use std::time::{Duration, Instant};

use domain::{
    diagnostics,
    errors::Severity,
    event::gates::{GateFinished, GateStarted},
    gate::{GateDefinition, SandboxLevel},
    ids::BuildId,
    rounds,
    state::BuildState,
    tracking::{self, Seen},
};
use futures::future::try_join_all;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{
    branch::{self, Workspace},
    driver::Driver,
    error::EngineError,
    handle,
};
use crate::{
    store,
    tools::{
        commands::{Commands, ShellLine, stopped},
        worktree,
    },
};

/// What a gate said.
struct Said {
    passed: bool,
    /// What it complains of, each error by itself.
    seen: Vec<Seen>,
    exit_code: Option<i32>,
    output: String,
    output_sha256: String,
    sandbox: Option<SandboxLevel>,
}

impl Driver {
    /// Runs these gates at once; `phase` is `None` for the final ones. A gate that was cut off by
    /// a pause or an end has not run.
    pub(super) async fn run_gates(
        &self,
        state: &BuildState,
        phase: Option<u32>,
        names: Vec<String>,
    ) -> Result<(), EngineError> {
        let commands = self.commands(&self.workspace().await?, "gate")?;
        let runs = names.iter().map(|name| self.run_gate(state, phase, name, &commands));
        try_join_all(runs).await.map(drop)
    }

    async fn run_gate(
        &self,
        state: &BuildState,
        phase: Option<u32>,
        name: &str,
        commands: &Commands,
    ) -> Result<(), EngineError> {
        let own = state.queued.gates.iter().find(|gate| gate.name == name);
        let command = own.map_or(String::new(), |gate| gate.command.clone());
        let gate = name.to_owned();
        let started = GateStarted { gate: gate.clone(), command: command.clone(), phase };
        self.append(vec![started.into()]).await?;
        let begun = Instant::now();
        let said = match own {
            Some(definition) => self.run_command(definition, commands).await?,
            None => Some(self.run_built_in(state, phase, name).await?),
        };
        let Some(said) = said else { return Ok(()) };
        let finished = GateFinished {
            gate,
            command,
            phase,
            required: own.is_none_or(|gate| gate.required),
            passed: said.passed,
            exit_code: said.exit_code,
            duration_ms: begun.elapsed().as_millis() as u64,
            output: said.output,
            output_sha256: said.output_sha256,
            head_sha: branch::head(state)?.to_string(),
            sandbox: said.sandbox,
        };
        self.record(finished, said.seen).await
    }

    /// What a failed gate complains of are errors of the build, counted in the same append.
    async fn record(&self, finished: GateFinished, seen: Vec<Seen>) -> Result<(), EngineError> {
        let build = self.build();
        self.append_with(move |state| {
            let tracked = tracking::track_all(state, build, store::new_id, store::now(), seen);
            std::iter::once(finished.into()).chain(tracked).collect()
        })
        .await
        .map(drop)
    }

    /// `None` when it was cut off.
    async fn run_command(
        &self,
        gate: &GateDefinition,
        commands: &Commands,
    ) -> Result<Option<Said>, EngineError> {
        let about = json!({ "gate": gate.name }).as_object().cloned().unwrap_or_default();
        let line = ShellLine {
            line: gate.command.clone(),
            timeout: Duration::from_secs(gate.timeout_s.into()),
            network: gate.network,
            label: rounds::gate_source(&gate.name),
            about,
        };
        let outcome = commands.run(line).await?;
        if outcome.ending == sandbox::Ending::Cancelled {
            return Ok(None);
        }
        let mut output = outcome.output.text();
        let timeout = Duration::from_secs(gate.timeout_s.into());
        if let Some(why) = stopped(outcome.ending, timeout) {
            output += &format!("\n{why}");
        }
        let passed = outcome.succeeded();
        let seen = if passed { Vec::new() } else { self.complaints(gate, &output).await? };
        Ok(Some(Said {
            passed,
            seen,
            exit_code: outcome.exit_code,
            output,
            output_sha256: outcome.output.sha256,
            sandbox: Some(handle::shown(outcome.level)),
        }))
    }

    /// The single errors in what a failed gate printed; none of them is grave where the gate may
    /// fail.
    async fn complaints(
        &self,
        gate: &GateDefinition,
        output: &str,
    ) -> Result<Vec<Seen>, EngineError> {
        let path = self.workspace().await?.worktree.path().to_owned();
        let (output, source) = (output.to_owned(), rounds::gate_source(&gate.name));
        let required = gate.required;
        let read = move || {
            // Tools name the folder as the system does, without links on the way.
            let root = path.canonicalize().unwrap_or(path);
            let found = diagnostics::of_failure(&output, &root.to_string_lossy());
            let seen = found.into_iter().map(|one| {
                let severity = if required { one.severity } else { Severity::Warning };
                Seen::diagnostic(&source, severity, one)
            });
            Ok::<_, EngineError>(seen.collect())
        };
        self.engine.blocking(read).await
    }

    async fn run_built_in(
        &self,
        state: &BuildState,
        phase: Option<u32>,
        name: &str,
    ) -> Result<Said, EngineError> {
        let workspace = self.workspace().await?;
        let since = branch::baseline(state)?;
        // A phase answers for what it changed itself; earlier phases are committed.
        let since = if phase.is_some() { branch::head(state)? } else { since };
        let globs = match phase {
            Some(_) => state.phase().map_or(Vec::new(), |phase| phase.outline.scope.clone()),
            None => Vec::new(),
        };
        let scope = name == "scope";
        let complaints = self
            .engine
            .blocking(move || {
                let changed = workspace.branch.changed_files(&workspace.worktree, since)?;
                if scope {
                    return Ok(scope::complaints(&changed, &globs));
                }
                let files =
                    worktree::Worktree::open(workspace.worktree.path()).map_err(|source| {
                        git::GitError::Io { what: "open the worktree".into(), source }
                    })?;
                Ok(validate::complaints(&changed, &files))
            })
            .await?;
        let passed = complaints.is_empty();
        let lines: Vec<&str> = complaints.iter().map(|complaint| complaint.text.as_str()).collect();
        let output = if passed { "nothing to complain about".into() } else { lines.join("\n") };
        let output_sha256 = hex::encode(Sha256::digest(output.as_bytes()));
        let seen = complaint::seen(complaints, &rounds::gate_source(name));
        Ok(Said { passed, seen, exit_code: None, output, output_sha256, sandbox: None })
    }

    /// Runs shell lines in this build's worktree; `kind` tells previews what they are.
    pub(super) fn commands(
        &self,
        workspace: &Workspace,
        kind: &'static str,
    ) -> Result<Commands, EngineError> {
        let parts = &self.engine.parts;
        let mut policy = sandbox::Policy::new(self.engine.level()?, workspace.worktree.path());
        policy.path = parts.tool_path.clone();
        policy.hidden = vec![parts.paths.root().to_owned()];
        policy.git_dir = Some(workspace.clone.path().to_owned());
        let journal = parts.journal.clone();
        let build: BuildId = self.build();
        let preview = move |mut payload: serde_json::Value| {
            payload["of"] = kind.into();
            journal.feed().preview(build, crate::journal::PreviewKind::Output, &payload);
        };
        let runner = parts.runner.clone();
        Ok(Commands::new(runner, policy, self.stop.clone(), std::sync::Arc::new(preview)))
    }
}
