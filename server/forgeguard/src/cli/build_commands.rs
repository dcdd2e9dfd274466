//! Commands about builds, of a server or of the data directory: list, report, logs, watch, answer,
//! pause, resume and cancel.

use std::{
    io::{self, Write},
    process::ExitCode,
    time::Duration,
};

use clap::{Args, Subcommand};
use domain::ids::BuildId;
use serde_json::{Map, Value, json};
use tokio::time::sleep;

use super::{
    api_client::Api,
    build_outcome::{Following, Outcome, say},
    build_progress::narrate,
    failure::Failure,
};
use crate::config::Config;

/// Between attempts to reach a server again.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);
/// After this many attempts in a row, `watch` gives up.
const MAX_RECONNECTS: u32 = 60;

/// Where builds are.
#[derive(Args, Debug)]
pub struct Place {
    /// Address of a server, with the forge key of `forgeguard login` or in FORGEGUARD_KEY [default: the
    /// data directory, with the builds of `forgeguard build`]
    #[arg(long, value_name = "URL", env = "FORGEGUARD_SERVER")]
    server: Option<String>,
}

#[derive(Subcommand, Debug)]
pub enum BuildCommand {
    /// List builds
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Print the report on a build: verdict, evidence, files, errors, costs
    Report {
        build: BuildId,
        /// Print JSON instead of Markdown
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Print the events of a build so far
    Logs {
        build: BuildId,
        /// Print the events as lines of JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Follow a build until it is sealed, blocked or cancelled
    ///
    /// Exit code 0: certified or conditional; 2: flagged; 3: blocked.
    Watch {
        build: BuildId,
        /// Print the events as lines of JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Answer a question of a build
    Answer {
        build: BuildId,
        #[arg(required_unless_present = "skip", conflicts_with = "skip")]
        answer: Option<String>,
        /// Which question, if there are several
        #[arg(long, value_name = "ID")]
        question: Option<String>,
        /// Let the agent decide
        #[arg(long)]
        skip: bool,
        #[command(flatten)]
        place: Place,
    },
    /// Pause a build at its next step
    Pause {
        build: BuildId,
        #[command(flatten)]
        place: Place,
    },
    /// Let a paused or blocked build continue
    Resume {
        build: BuildId,
        #[command(flatten)]
        place: Place,
    },
    /// Cancel a build; its branch is kept
    Cancel {
        build: BuildId,
        /// Recorded with the build
        #[arg(long)]
        reason: Option<String>,
        #[command(flatten)]
        place: Place,
    },
}

impl BuildCommand {
    fn server(&self) -> Option<&str> {
        match self {
            Self::List { place, .. }
            | Self::Report { place, .. }
            | Self::Logs { place, .. }
            | Self::Watch { place, .. }
            | Self::Answer { place, .. }
            | Self::Pause { place, .. }
            | Self::Resume { place, .. }
            | Self::Cancel { place, .. } => place.server.as_deref(),
        }
    }
}

pub async fn run(config: &Config, command: BuildCommand) -> Result<ExitCode, Failure> {
    let mut api = Api::open(config, command.server()).await?;
    let result = perform(&mut api, command).await;
    api.close().await;
    result
}

async fn perform(api: &mut Api, command: BuildCommand) -> Result<ExitCode, Failure> {
    match command {
        BuildCommand::List { json, .. } => list(api, json).await,
        BuildCommand::Report { build, json, .. } => {
            let media_type = if json { "application/json" } else { "text/markdown" };
            let report = api.get_text(&format!("/api/builds/{build}/report"), media_type).await?;
            writeln!(io::stdout(), "{}", report.trim_end())?;
            Ok(ExitCode::SUCCESS)
        }
        BuildCommand::Logs { build, json, .. } => logs(api, build, json).await,
        BuildCommand::Watch { build, json, .. } => watch(api, build, json).await,
        BuildCommand::Answer { build, answer, question, .. } => {
            respond(api, build, answer, question).await
        }
        BuildCommand::Pause { build, .. } => request(api, build, "pause", json!({})).await,
        BuildCommand::Resume { build, .. } => request(api, build, "resume", json!({})).await,
        BuildCommand::Cancel { build, reason, .. } => {
            request(api, build, "cancel", json!({ "reason": reason })).await
        }
    }
}

async fn request(
    api: &mut Api,
    build: BuildId,
    command: &str,
    body: Value,
) -> Result<ExitCode, Failure> {
    api.post(&format!("/api/builds/{build}/{command}"), &body).await?;
    say(&format!("requested: {command}"));
    Ok(ExitCode::SUCCESS)
}

async fn list(api: &mut Api, is_json: bool) -> Result<ExitCode, Failure> {
    let (mut builds, mut after) = (Vec::new(), None::<String>);
    loop {
        let cursor = after.map_or(String::new(), |after| format!("&after={after}"));
        let mut page: Value = api.get(&format!("/api/builds?limit=100{cursor}")).await?;
        if let Value::Array(items) = page["items"].take() {
            builds.extend(items);
        }
        match page["next"].as_str() {
            Some(next) => after = Some(next.to_owned()),
            None => break,
        }
    }
    let mut out = io::stdout().lock();
    if is_json {
        writeln!(out, "{}", Value::Array(builds))?;
        return Ok(ExitCode::SUCCESS);
    }
    if builds.is_empty() {
        say("there are no builds");
    }
    for build in builds {
        let text = |name: &str| build[name].as_str().unwrap_or_default().to_owned();
        let verdict = text("verdict");
        let status = if verdict.is_empty() { text("status") } else { verdict };
        let phases = format!("{}/{}", build["phases_done"], build["phase_count"]);
        let (id, project) = (text("id"), text("project_name"));
        let heartbeat = match build["heartbeat"]["step"].as_str() {
            Some(step) => format!("  [{step}, {}%]", build["heartbeat"]["progress_percent"]),
            None => String::new(),
        };
        writeln!(
            out,
            "{id}  {status:<12} {phases:>5}  {project} #{} {}{heartbeat}",
            build["number"],
            text("title")
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// How far a journal reaches, and the branch of its build.
async fn head(api: &mut Api, build: BuildId) -> Result<(u64, String), Failure> {
    let found: Value = api.get(&format!("/api/builds/{build}")).await?;
    let branch = found["branch"].as_str().unwrap_or_default().to_owned();
    Ok((found["head_seq"].as_u64().unwrap_or_default(), branch))
}

async fn logs(api: &mut Api, build: BuildId, is_json: bool) -> Result<ExitCode, Failure> {
    let (head, _) = head(api, build).await?;
    let mut events = api.events(build, 0).await?;
    while let Some((line, event)) = events.next().await? {
        show(&line, &event, is_json)?;
        if event.seq >= head {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn watch(api: &mut Api, build: BuildId, is_json: bool) -> Result<ExitCode, Failure> {
    let (head, branch) = head(api, build).await?;
    let (mut following, mut failures) = (Following::until_after(head), 0);
    let outcome = loop {
        let seen = following.seen();
        let failure = match follow(api, build, &mut following, is_json).await {
            Ok(Followed::Ended(outcome)) => break outcome,
            Ok(Followed::NotRunning) => {
                return Err(Failure::new(format!(
                    "no process runs the build; continue it with \
                     `forgeguard build --resume {build}`"
                )));
            }
            Ok(Followed::Disconnected) => Failure::new("the server has ended the connection"),
            Err(failure) => failure,
        };
        // A reply shows that the server is reachable.
        failures = if following.seen() > seen { 1 } else { failures + 1 };
        if failures > MAX_RECONNECTS {
            return Err(failure);
        }
        sleep(RECONNECT_INTERVAL).await;
    };
    let details = is_json.then(Map::new);
    outcome.report(build, Some(&branch), &format!("forgeguard resume {build}"), details)
}

enum Followed {
    Ended(Outcome),
    /// Nothing adds events to a directory that only this process uses.
    NotRunning,
    Disconnected,
}

async fn follow(
    api: &mut Api,
    build: BuildId,
    following: &mut Following,
    is_json: bool,
) -> Result<Followed, Failure> {
    let mut events = api.events(build, following.seen()).await?;
    let last = if api.is_served() { None } else { Some(head(api, build).await?.0) };
    loop {
        if let Some(outcome) = following.outcome() {
            return Ok(Followed::Ended(outcome.clone()));
        }
        if last.is_some_and(|last| following.seen() >= last) {
            return Ok(Followed::NotRunning);
        }
        let Some((line, event)) = events.next().await? else {
            return Ok(Followed::Disconnected);
        };
        following.read(&event);
        show(&line, &event, is_json)?;
    }
}

fn show(line: &str, event: &domain::event::Event, is_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout();
    if is_json {
        writeln!(out, "{line}")?;
    } else if let Some(words) = narrate(&event.body) {
        writeln!(out, "{} {words}", event.at.format("%H:%M:%S"))?;
    }
    Ok(())
}

async fn respond(
    api: &mut Api,
    build: BuildId,
    answer: Option<String>,
    question: Option<String>,
) -> Result<ExitCode, Failure> {
    let found: Value = api.get(&format!("/api/builds/{build}")).await?;
    let open = found["open_clarifications"].as_array().cloned().unwrap_or_default();
    let id = |open: &Value| open["id"].as_str().unwrap_or_default().to_owned();
    let chosen = match (&question, open.as_slice()) {
        (Some(chosen), _) => open.iter().map(id).find(|id| id == chosen),
        (None, [only]) => Some(id(only)),
        (None, _) => None,
    };
    let Some(chosen) = chosen else {
        let listed = open.iter().map(|open| {
            format!("\n{}  {}", id(open), open["question"].as_str().unwrap_or_default())
        });
        return Err(Failure::invalid_input(match open.len() {
            0 => "the build has no open question".to_owned(),
            _ => format!("choose one with --question:{}", listed.collect::<String>()),
        }));
    };
    let body = json!({ "question_id": chosen, "answer": answer, "skip": answer.is_none() });
    api.post(&format!("/api/builds/{build}/clarify"), &body).await?;
    say(if answer.is_some() { "answered" } else { "left to the agent" });
    Ok(ExitCode::SUCCESS)
}
