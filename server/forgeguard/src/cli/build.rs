//! `forgeguard build`: builds a spec in a repository on this machine, without a server.

use std::{
    io::{self, IsTerminal},
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
};

use clap::Args;
use domain::{
    budget_limits::Limit,
    event::{Event, EventBody, life::Actor},
    ids::{BuildId, UserId},
    spec::{self, ParsedSpec},
};
use serde_json::{Map, json};

use super::{
    answers::{Answers, Reply},
    build_outcome::{Following, Outcome, say},
    build_progress::narrate,
    command_line_user::command_line_user,
    failure::Failure,
    local_branch::ChosenBranch,
    shutdown,
    spec_files::SpecFiles,
};
use crate::{
    api::App,
    config::{Config, NodeRole},
    engine::{
        Engine, EngineError, StartChoices, StartOptions, build_worker, local_builds::LocalBranch,
    },
    journal::Item,
    server::{OwnSocket, Server},
    store::{builds, projects, users},
};

#[derive(Args, Debug)]
pub struct BuildArguments {
    /// The spec: a Markdown file, or a folder with spec.md, plan.md and tasks.md, or requirements.md,
    /// design.md and tasks.md
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "resume",
        conflicts_with = "resume"
    )]
    spec: Option<PathBuf>,
    /// The repository; it gets the result as a branch, and nothing else of it changes
    #[arg(long, value_name = "DIR", required_unless_present = "resume", conflicts_with = "resume")]
    repo: Option<PathBuf>,
    /// Branch to start from [default: the one that is checked out]
    #[arg(long, value_name = "BRANCH", conflicts_with = "resume")]
    base: Option<String>,
    /// Limit of the cost in US dollars
    #[arg(long, value_name = "N", conflicts_with = "resume")]
    budget_usd: Option<f64>,
    /// Answers to questions: a JSON object of parts of questions and their answers; "*" answers all
    /// others
    #[arg(long, value_name = "FILE")]
    answers: Option<PathBuf>,
    /// Let the agent decide questions without an answer, instead of waiting for one
    #[arg(long)]
    unattended: bool,
    /// Continue the build with this id, which was interrupted or is blocked
    #[arg(long, value_name = "ID")]
    resume: Option<BuildId>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// A build, and the repository that gets its branch.
struct Running {
    build: BuildId,
    repository: PathBuf,
    owner: UserId,
    /// Seq of the newest event before this process works on it.
    head: u64,
}

pub async fn build(config: Config, arguments: BuildArguments) -> Result<ExitCode, Failure> {
    let answers = Answers::read(arguments.answers.as_deref(), arguments.unattended)?;
    let input = match arguments.resume {
        Some(_) => None,
        None => Some(Input::read(&arguments)?),
    };
    let config = Config { role: NodeRole::All, first_admin: None, ..config };
    let server = Server::start(&config).await?;
    let app = server.app().clone();
    let result = run(&app, input, answers, &arguments).await;
    app.db.close().await;
    result
}

async fn run(
    app: &Arc<App>,
    input: Option<Input>,
    answers: Answers,
    arguments: &BuildArguments,
) -> Result<ExitCode, Failure> {
    let running = match (input, arguments.resume) {
        (Some(input), _) => start(app, input, arguments).await?,
        (None, Some(build)) => resume(app, build).await?,
        (None, None) => return Err(Failure::invalid_input("name a spec, or a build to resume")),
    };
    let owner = users::get(&mut app.db.read().await?, running.owner).await?;
    let owner = owner.ok_or_else(|| Failure::new("the account of the build was deleted"))?;
    let signals = shutdown::signals()?;
    // Before the socket's routes are made, which takes a while.
    let worker = tokio::spawn(build_worker::run(app.engine.clone()));
    let socket = OwnSocket::open(app, owner).inspect_err(|error| {
        tracing::warn!(%error, "other commands cannot reach this build");
    });
    say(&format!("build {}", running.build));
    let outcome = tokio::select! {
        outcome = follow(&app.engine, &running, answers) => outcome,
        () = signals => Ok(Outcome::Interrupted),
    };
    app.stopping.cancel();
    if let Err(error) = worker.await {
        tracing::error!(%error, "the worker failed");
    }
    if let Ok(socket) = socket {
        socket.closed().await;
    }
    let branch = app.engine.add_local_branch(running.build, &running.repository).await;
    let to_continue = format!("forgeguard build --resume {}", running.build);
    let repository = json!(running.repository.display().to_string());
    let details = arguments.json.then(|| Map::from_iter([("repository".to_owned(), repository)]));
    outcome?.report(running.build, branch?.as_deref(), &to_continue, details)
}

/// What a new build is made from.
struct Input {
    parsed: ParsedSpec,
    text: String,
    from: LocalBranch,
}

impl Input {
    fn read(arguments: &BuildArguments) -> Result<Self, Failure> {
        let (Some(file), Some(repository)) = (&arguments.spec, &arguments.repo) else {
            return Err(Failure::invalid_input("name a spec and a repository"));
        };
        if arguments.budget_usd.is_some_and(|usd| !usd.is_finite() || usd < 0.01) {
            return Err(Failure::invalid_input("--budget-usd must be at least 0.01"));
        }
        let files = SpecFiles::read(file)?;
        let parsed = spec::parse(files.text());
        if !parsed.is_valid() {
            let problems: Vec<String> =
                parsed.errors.iter().map(|problem| files.described(problem)).collect();
            return Err(Failure::invalid_input(format!(
                "{} cannot be built; nothing was started:\n{}",
                file.display(),
                problems.join("\n")
            )));
        }
        let ChosenBranch { path: repository, branch, .. } =
            ChosenBranch::find(repository, arguments.base.as_deref(), "--base")?;
        let from = LocalBranch { repository, branch };
        Ok(Self { parsed, text: files.text().to_owned(), from })
    }
}

async fn start(app: &App, input: Input, arguments: &BuildArguments) -> Result<Running, Failure> {
    let engine = &app.engine;
    let owner = command_line_user(app).await?.id;
    let Input { parsed, text, from } = input;
    let project = engine.submit_local_spec(&from, owner, &parsed, &text).await?;
    let project = project.ok_or_else(|| {
        Failure::invalid_input(format!(
            "{} has no branch {} any more",
            from.repository.display(),
            from.branch
        ))
    })?;
    let mut options = StartOptions {
        title: Some(title(&parsed)),
        choices: StartChoices { baseline_branch: Some(from.branch), ..StartChoices::default() },
        ..StartOptions::default()
    };
    // Cents, so that rounding errors of decimal fractions do not matter.
    options.limits.usd_micros =
        arguments.budget_usd.map(|usd| Limit::AtMost((usd * 100.0).round() as u64 * 10_000));
    let started = engine.start_build(&project, owner, options).await;
    let build = started.map_err(|error| match error {
        EngineError::NoCostLimit(suggested) => {
            let suggested = suggested.map_or(String::new(), |micros| {
                format!("; about {:.2} is expected", micros as f64 / 1_000_000.0)
            });
            Failure::invalid_input(format!("limit the cost of the build with --budget-usd{suggested}"))
        }
        EngineError::BuildLimit(name) => Failure::invalid_input(format!(
            "{name} of this repository is unfinished: continue it with `forgeguard build --resume ID`; \
            `forgeguard list` shows the ids"
        )),
        error => error.into(),
    })?;
    Ok(Running { build, repository: from.repository, owner, head: 0 })
}

fn title(parsed: &ParsedSpec) -> String {
    let title = parsed.spec.title.trim();
    let title = if title.is_empty() { "Spec" } else { title };
    title.chars().filter(|c| !c.is_control()).take(80).collect()
}

/// Continues a build that was interrupted; one that is paused or blocked is resumed.
async fn resume(app: &App, build: BuildId) -> Result<Running, Failure> {
    let engine = &app.engine;
    let mut conn = engine.db().read().await?;
    let row = builds::get(&mut conn, build).await?;
    let row = row.ok_or_else(|| {
        Failure::invalid_input(format!(
            "there is no build {build} in {}; name its data directory with --data-dir",
            engine.paths().root().display()
        ))
    })?;
    let project = projects::get(&mut conn, row.project_id).await?;
    drop(conn);
    let project = project.ok_or_else(|| Failure::new("the project of the build was deleted"))?;
    let repository = engine.local_repository(project.id).await?.ok_or_else(|| {
        Failure::invalid_input(
            "this build was not started with `forgeguard build`; resume it in the app",
        )
    })?;
    let owner = project.owner_id;
    // Refused for a build that is running or has ended, which is then followed as it is.
    let resumed = engine.resume(build, actor(owner), None).await;
    if let Err(error) = &resumed {
        tracing::debug!(%error, "the build needs no request to resume");
    }
    let (head, _) = engine.journal().folded(build).await?;
    Ok(Running { build, repository, owner, head })
}

fn actor(id: UserId) -> Actor {
    Actor::User { id, name: "command line".to_owned() }
}

/// Follows the journal, answers questions and prints progress.
async fn follow(
    engine: &Engine,
    running: &Running,
    mut answers: Answers,
) -> Result<Outcome, Failure> {
    let is_shown = io::stderr().is_terminal();
    let mut feed = engine.journal().feed().subscribe(running.build, 0).without_previews();
    let mut following = Following::until_after(running.head);
    loop {
        let Item::Events(events) = feed.next().await? else { continue };
        for event in events {
            let event: Event = serde_json::from_slice(&event.event())?;
            following.read(&event);
            if is_shown && let Some(line) = narrate(&event.body) {
                say(&line);
            }
            match event.body {
                EventBody::BuildClarificationRequest(asked) => answers.asked(asked),
                EventBody::BuildClarificationResolved(resolved) => {
                    answers.resolved(resolved.question_id);
                }
                _ => {}
            }
        }
        if let Some(outcome) = following.outcome() {
            return Ok(outcome.clone());
        }
        // Earlier events of a resumed build come first: questions that are settled are not asked.
        if following.is_past() {
            continue;
        }
        for asked in answers.take_open() {
            let answer = match answers.reply(&asked).await? {
                Reply::Answer(answer) => Some(answer),
                Reply::Skip => None,
                Reply::Wait => {
                    let build = running.build;
                    say(&format!("question: {}", asked.question));
                    say(&format!("answer it with `forgeguard answer {build} ANSWER`"));
                    continue;
                }
            };
            let by = actor(running.owner);
            match engine.answer(running.build, asked.question_id, by, answer).await {
                Err(EngineError::AlreadySettled) => {}
                answered => drop(answered?),
            }
        }
    }
}
