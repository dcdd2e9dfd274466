//! Builds by a scripted model over HTTP, in the program as a process of its own.

use std::{path::Path, thread::available_parallelism, time::Duration};

use model_server::{Dialect, KEY, ModelServer, Seen, Turn};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

use crate::{
    Result,
    account::Account,
    binary::{self, Running},
};

/// How often to look whether a build has ended.
const LOOK: Duration = Duration::from_millis(50);
/// The machine that targets are set for.
const CORES: usize = 2;

/// A server that builds, on two cores, and the model that its builds talk to.
pub struct Site {
    /// The server.
    pub running: Running,
    /// Its first admin.
    pub account: Account,
    model: ModelServer,
    _data: TempDir,
}

impl Site {
    /// A server for so many builds at once. `work` is what the model does when a plan is carried
    /// out, until it gives nothing more; for the rest it does as little as it may.
    pub async fn start(
        builds: usize,
        work: impl FnMut(&Seen) -> Option<Turn> + Send + 'static,
    ) -> Result<Self> {
        Self::start_with(builds, player(work)).await
    }

    /// A server for so many builds at once, whose model gives these replies.
    pub async fn start_with(
        builds: usize,
        play: impl FnMut(&Seen) -> Turn + Send + 'static,
    ) -> Result<Self> {
        Self::start_in(&[("FORGEGUARD_WORKERS", &builds.to_string())], play).await
    }

    /// A server with these environment variables, whose model gives these replies.
    pub async fn start_in(
        environment: &[(&str, &str)],
        play: impl FnMut(&Seen) -> Turn + Send + 'static,
    ) -> Result<Self> {
        let program = binary::build().await?;
        let model = ModelServer::start(Dialect::Anthropic).await;
        model.play(play);
        let data = tempfile::tempdir()?;
        let mut command = on_two_cores(&program);
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", model.base_url())
            .envs(environment.iter().copied());
        let running = Running::start_with(command, data.path(), "all").await?;
        let account = Account::sign_in(&running.address).await?;
        Ok(Self { running, model, account, _data: data })
    }

    /// Starts a build of a new project whose phases have these titles; gives its path.
    pub async fn build(&self, titles: &[String]) -> Result<String> {
        self.start_build(&self.project(&[("phases", &phases(titles))], None).await?).await
    }

    /// Starts a build of a new project with these contracts and gates; gives its path.
    pub async fn build_of(&self, contracts: &[(&str, &str)], gates: &[Value]) -> Result<String> {
        let settings =
            (!gates.is_empty()).then(|| json!({ "gates": gates, "clarification_timeout_s": null }));
        self.start_build(&self.project(contracts, settings).await?).await
    }

    /// A new project with these contracts; gives its path.
    pub async fn project(
        &self,
        contracts: &[(&str, &str)],
        settings: Option<Value>,
    ) -> Result<String> {
        let new = json!({ "name": "Measured", "description": "" });
        let project = self.account.post("/api/projects", &new).await?;
        let project = project["id"].as_str().ok_or("the project has no id")?;
        let project = format!("/api/projects/{project}");
        for (kind, content) in contracts {
            let contract = json!({ "content": content });
            self.account.put(&format!("{project}/contracts/{kind}"), &contract).await?;
        }
        if let Some(settings) = settings {
            self.account.put(&format!("{project}/settings"), &settings).await?;
        }
        Ok(project)
    }

    /// Starts a build of a project; gives its path.
    pub async fn start_build(&self, project: &str) -> Result<String> {
        let limits = json!({ "budgets": { "usd_micros": "unlimited" } });
        let build = self.account.post(&format!("{project}/builds"), &limits).await?;
        Ok(format!("/api/builds/{}", build["id"].as_str().ok_or("the build has no id")?))
    }

    /// The address of the model.
    pub fn model_url(&self) -> String {
        self.model.base_url()
    }

    /// Waits until a build is sealed.
    pub async fn sealed(&self, build: &str) -> Result<()> {
        loop {
            let now = self.account.get(build).await?;
            match now["status"].as_str() {
                Some("sealed") => return Ok(()),
                // Nothing proves the criteria of most benchmarks, so that a build asks before its seal.
                Some("awaiting_input") => self.skip_questions(build).await?,
                Some("blocked" | "abandoned") => {
                    return Err(format!("{build} did not get to its seal: {now}").into());
                }
                _ => wait().await,
            }
        }
    }

    async fn skip_questions(&self, build: &str) -> Result<()> {
        let asked = self.account.get(&format!("{build}/clarifications")).await?;
        for asked in asked["items"].as_array().into_iter().flatten() {
            if asked["status"] == "open" {
                let skip = json!({ "question_id": asked["id"], "skip": true });
                self.account.post(&format!("{build}/clarify"), &skip).await?;
            }
        }
        Ok(())
    }

    /// All events of a build.
    pub async fn events(&self, build: &str) -> Result<Vec<Value>> {
        let mut events = Vec::new();
        let mut after = "0".to_owned();
        loop {
            let page = self.account.get(&format!("{build}/events?after={after}")).await?;
            events.extend(page["items"].as_array().cloned().unwrap_or_default());
            match page["next"].as_str() {
                Some(next) => after = next.to_owned(),
                None => return Ok(events),
            }
        }
    }

    /// Stops the server, whatever it is doing, and then the model.
    pub async fn stop(self) -> Result<()> {
        self.running.stop().await?;
        self.model.finish();
        Ok(())
    }
}

/// Phases with these titles, as a contract.
pub fn phases(titles: &[String]) -> String {
    let phase = |(number, title): (usize, &String)| {
        format!(
            "## Phase {number} — {title}\n**Deliverables:**\n- phase-{number}.txt\n\n**Exit criteria:** it exists\n\n"
        )
    };
    let phases: String = titles.iter().enumerate().map(phase).collect();
    format!("# Phases\n\n{phases}")
}

fn on_two_cores(program: &Path) -> Command {
    if available_parallelism().is_ok_and(|cores| cores.get() <= CORES) {
        return Command::new(program);
    }
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "0,1"]).arg(program);
    command
}

/// What every phase changes, whatever work is measured: else it would not be signed off.
const PHASE_FILE: &str = "phase.txt";
const CHANGE: &str = "echo one more >> phase.txt";

/// The replies of a model that does this `work`, as for [`Site::start`].
pub fn player(
    mut work: impl FnMut(&Seen) -> Option<Turn> + Send,
) -> impl FnMut(&Seen) -> Turn + Send {
    move |seen| {
        let system = seen.system();
        if system.contains("You are the auditor") {
            return match seen.turn() {
                0 => Turn::reply().calls("search_code", json!({ "pattern": PHASE_FILE })),
                _ => Turn::says("=== PHASE SIGN-OFF: PASS ===\n=== END PHASE SIGN-OFF ==="),
            };
        }
        if system.contains("You are the scout") {
            return Turn::says("Nothing of note.");
        }
        if !seen.is_planning() {
            // The command of this phase; the file is there from the first phase on.
            let has_changes = seen.json.to_string().contains(CHANGE);
            return work(seen).unwrap_or_else(|| match has_changes {
                true => Turn::says("=== TASK DONE: 1 ==="),
                false => Turn::reply().calls("run_command", json!({ "command": CHANGE })),
            });
        }
        match seen.turn() {
            0 => Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 })),
            _ => Turn::says("=== PLAN ===\n1. Work\nGates: validate\n=== END PLAN ==="),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "what is measured stands in the journal")]
async fn wait() {
    tokio::time::sleep(LOOK).await;
}
