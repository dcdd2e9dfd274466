//! `forgeguard build`: builds a spec in a repository on this machine, without a server.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;
use domain::{
    budget_limits::Limit,
    event::{
        Event, EventBody,
        life::{Actor, Sealed},
    },
    ids::{BuildId, UserId},
    spec::{self, ParsedSpec},
    user_role::UserRole,
    verdict::Verdict,
};
use git::LocalRepository;
use serde_json::{Value, json};

use super::{
    answers::Answers, build_progress::narrate, failure::Failure, spec_files::SpecFiles,
    validate::INVALID,
};
use crate::{
    api::{
        App,
        accounts::{self, AccountCreator, NewAccount},
        auth::token,
    },
    config::{Config, FirstAdmin, NodeRole},
    engine::{Engine, EngineError, StartChoices, StartOptions, build_worker, local_builds, specs},
    journal::Item,
    secret::Secret,
    server::Server,
    store::{builds, projects, users},
};

/// The account that owns builds of the command line.
const EMAIL: &str = "command-line@localhost";

const FLAGGED: u8 = 2;
const BLOCKED: u8 = 3;

/// As shells report an interrupted command.
const INTERRUPTED: u8 = 130;

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
    /// Continue the build with this id, which was interrupted or is blocked
    #[arg(long, value_name = "ID")]
    resume: Option<BuildId>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// How the process stops following a build.
enum Outcome {
    Sealed(Box<Sealed>),
    Blocked(String),
    Abandoned,
    Interrupted,
}

/// A build, and the repository that gets its branch.
struct Running {
    build: BuildId,
    repository: PathBuf,
    owner: UserId,
}

pub async fn build(config: Config, arguments: BuildArguments) -> Result<ExitCode, Failure> {
    let answers = match &arguments.answers {
        Some(file) => match Answers::read(file) {
            Ok(answers) => answers,
            Err(failure) => return Ok(failure.report(INVALID)),
        },
        None => Answers::default(),
    };
    let input = match arguments.resume {
        Some(_) => None,
        None => match Input::read(&arguments) {
            Ok(input) => Some(input),
            Err(failure) => return Ok(failure.report(INVALID)),
        },
    };
    let password = Secret::new(token::opaque());
    let first_admin = Some(FirstAdmin { email: EMAIL.to_owned(), password });
    let config = Config { role: NodeRole::All, first_admin, ..config };
    let server = Server::start(&config).await?;
    let app = server.app().clone();
    let started = match (input, arguments.resume) {
        (Some(input), _) => start(&app, input, &arguments).await,
        (None, Some(build)) => resume(&app, build).await,
        (None, None) => Err(Failure::new("name a spec, or a build to resume")),
    };
    let running = match started {
        Ok(running) => running,
        Err(failure) => {
            app.db.close().await;
            return Ok(failure.report(INVALID));
        }
    };
    let worker = tokio::spawn(build_worker::run(app.engine.clone()));
    say(&format!("build {}", running.build));
    let outcome = tokio::select! {
        outcome = follow(&app.engine, &running, answers) => outcome,
        interrupted = tokio::signal::ctrl_c() => interrupted.map(|()| Outcome::Interrupted).map_err(Into::into),
    };
    app.stopping.cancel();
    if let Err(error) = worker.await {
        tracing::error!(%error, "the worker failed");
    }
    let branch = app.engine.add_local_branch(running.build, &running.repository).await;
    app.db.close().await;
    report(&running, outcome?, branch?, arguments.json)
}

/// What a new build is made from.
struct Input {
    parsed: ParsedSpec,
    text: String,
    repository: PathBuf,
    branch: String,
}

impl Input {
    fn read(arguments: &BuildArguments) -> Result<Self, Failure> {
        let (Some(file), Some(repository)) = (&arguments.spec, &arguments.repo) else {
            return Err(Failure::new("name a spec and a repository"));
        };
        if arguments.budget_usd.is_some_and(|usd| !usd.is_finite() || usd < 0.01) {
            return Err(Failure::new("--budget-usd must be at least 0.01"));
        }
        let files = SpecFiles::read(file)?;
        let parsed = spec::parse(files.text());
        if !parsed.is_valid() {
            let problems: Vec<String> =
                parsed.errors.iter().map(|problem| files.described(problem)).collect();
            return Err(Failure::new(format!(
                "{} cannot be built; nothing was started:\n{}",
                file.display(),
                problems.join("\n")
            )));
        }
        let not_readable = |error: &dyn std::fmt::Display| {
            Failure::new(format!("{}: {error}", repository.display()))
        };
        let repository = repository.canonicalize().map_err(|error| not_readable(&error))?;
        let local = LocalRepository::open(&repository).map_err(|error| not_readable(&error))?;
        let head = local.head_branch().map_err(|error| not_readable(&error))?;
        let branch = arguments.base.clone().or(head).ok_or_else(|| {
            Failure::new("no branch is checked out; name the branch to start from with --base")
        })?;
        Ok(Self { parsed, text: files.text().to_owned(), repository, branch })
    }
}

async fn start(app: &App, input: Input, arguments: &BuildArguments) -> Result<Running, Failure> {
    let engine = &app.engine;
    let owner = owner(app).await?;
    let Input { parsed, text, repository, branch } = input;
    let project = engine.local_project(&repository, &branch, owner).await?;
    let project = project.ok_or_else(|| {
        Failure::new(format!(
            "{} has no branch {branch} with a commit; commit something first, or choose another branch with --base",
            repository.display()
        ))
    })?;
    let mut tx = engine.db().write().await?;
    let applied = specs::apply(&mut tx, &project, owner, &parsed, &text).await;
    applied.map_err(|error| Failure::new(error.to_string()))?;
    let project = projects::get(&mut tx, project.id).await?;
    tx.commit().await?;
    let project = project.ok_or_else(|| Failure::new("the project was deleted meanwhile"))?;
    let mut options = StartOptions {
        title: Some(title(&parsed)),
        choices: StartChoices { baseline_branch: Some(branch), ..StartChoices::default() },
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
            Failure::new(format!("limit the cost of the build with --budget-usd{suggested}"))
        }
        EngineError::UnfinishedBuild(name) => Failure::new(format!(
            "{name} of this repository is unfinished: continue it with `forgeguard build --resume ID`"
        )),
        error => error.into(),
    })?;
    Ok(Running { build, repository, owner })
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
        Failure::new(format!(
            "there is no build {build} in {}; name its data directory with --data-dir",
            engine.paths().root().display()
        ))
    })?;
    let project = projects::get(&mut conn, row.project_id).await?;
    drop(conn);
    let project = project.ok_or_else(|| Failure::new("the project of the build was deleted"))?;
    let repository = local_builds::repository_of(&project).ok_or_else(|| {
        Failure::new("this build was not started with `forgeguard build`; resume it in the app")
    })?;
    let owner = project.owner_id;
    // Refused for a build that is running or has ended, which is then followed as it is.
    let resumed =
        engine.resume(build, Actor::User { id: owner, name: "command line".to_owned() }, None);
    if let Err(error) = resumed.await {
        tracing::debug!(%error, "the build needs no request to resume");
    }
    Ok(Running { build, repository, owner })
}

async fn owner(app: &App) -> Result<UserId, Failure> {
    if let Some(user) = users::by_email(&mut app.db.read().await?, EMAIL).await? {
        return Ok(user.id);
    }
    let new = NewAccount {
        email: EMAIL.to_owned(),
        name: "command line".to_owned(),
        password: Secret::new(token::opaque()),
        role: UserRole::User,
    };
    let by = AccountCreator::CommandLine;
    Ok(accounts::create(&app.db, &app.passwords, new, by).await?.id)
}

/// Follows the journal, answers questions and prints progress.
async fn follow(
    engine: &Engine,
    running: &Running,
    mut answers: Answers,
) -> Result<Outcome, Failure> {
    let is_shown = io::stderr().is_terminal();
    let mut feed = engine.journal().feed().subscribe(running.build, 0).without_previews();
    loop {
        let Item::Events(events) = feed.next().await? else { continue };
        let mut ended = None;
        for event in events {
            let event: Event = serde_json::from_slice(&event.event())?;
            if is_shown && let Some(line) = narrate(&event.body) {
                say(&line);
            }
            match event.body {
                EventBody::BuildClarificationRequest(asked) => answers.asked(asked),
                EventBody::BuildClarificationResolved(resolved) => {
                    answers.resolved(resolved.question_id);
                }
                EventBody::BuildSealed(sealed) => ended = Some(Outcome::Sealed(Box::new(sealed))),
                EventBody::BuildBlocked(blocked) => ended = Some(Outcome::Blocked(blocked.report)),
                EventBody::BuildAbandoned(_) => ended = Some(Outcome::Abandoned),
                EventBody::BuildResumed(_) | EventBody::BuildUnpaused(_) => ended = None,
                _ => {}
            }
        }
        // Earlier events of a resumed build come first: questions that are settled are not asked.
        if let Some(ended) = ended {
            return Ok(ended);
        }
        for asked in answers.take_open() {
            let question = asked.question_id;
            let answer = answers.answer(&asked).await?;
            let by = Actor::User { id: running.owner, name: "command line".to_owned() };
            match engine.answer(running.build, question, by, answer).await {
                Err(EngineError::AlreadySettled) => {}
                answered => drop(answered?),
            }
        }
    }
}

fn report(
    running: &Running,
    outcome: Outcome,
    branch: Option<String>,
    is_json: bool,
) -> Result<ExitCode, Failure> {
    let build = running.build;
    let (name, code, seal) = match &outcome {
        Outcome::Sealed(sealed) => {
            let code = match sealed.verdict {
                Verdict::Certified | Verdict::Conditional => ExitCode::SUCCESS,
                Verdict::Flagged => ExitCode::from(FLAGGED),
            };
            (sealed.verdict.name(), code, Some(serde_json::to_value(sealed)?))
        }
        Outcome::Blocked(why) => {
            say(why);
            say(&format!("continue with `forgeguard build --resume {build}`"));
            ("BLOCKED", ExitCode::from(BLOCKED), None)
        }
        Outcome::Abandoned => ("ABANDONED", ExitCode::FAILURE, None),
        Outcome::Interrupted => {
            say(&format!("interrupted; continue with `forgeguard build --resume {build}`"));
            ("INTERRUPTED", ExitCode::from(INTERRUPTED), None)
        }
    };
    let mut out = io::stdout();
    if is_json {
        let result: Value = json!({
            "build_id": build.to_string(),
            "result": name,
            "branch": branch,
            "repository": running.repository.display().to_string(),
            "seal": seal,
        });
        writeln!(out, "{result}")?;
    } else {
        writeln!(out, "{name} {}", branch.unwrap_or_default())?;
    }
    Ok(code)
}

fn say(words: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr(), "{words}");
}
