//! `forgeguard demo`: the bundled build from start to seal, without a browser.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use domain::{
    event::{Event, EventBody, life::Actor},
    ids::{BuildId, UserId},
    verdict::Verdict,
};
use tokio::task::JoinHandle;

use super::failure::Failure;
use crate::{
    config::{Config, FirstAdmin},
    engine::{Engine, queue},
    journal::Item,
    secret::Secret,
    server::Server,
    store::{projects, users},
};

const EMAIL: &str = "demo@localhost";

/// How the build ended.
enum Outcome {
    Sealed(Box<domain::event::life::Sealed>),
    Blocked(String),
    Abandoned,
}

pub async fn demo(config: Config, json: bool, keep: Option<PathBuf>) -> Result<ExitCode, Failure> {
    let temporary = tempfile::Builder::new().prefix("forgeguard-demo-").tempdir()?;
    let data_dir = keep.unwrap_or_else(|| temporary.path().to_owned());
    let password = Secret::new(crate::api::auth::token::opaque());
    let first_admin = Some(FirstAdmin { email: EMAIL.to_owned(), password });
    let config = Config { data_dir, database_url: None, first_admin, ..config };
    let server = Server::start(&config).await?;
    let app = server.app().clone();
    let worker = tokio::spawn(queue::run(app.engine.clone()));
    let outcome = build(&app.engine).await;
    app.stopping.cancel();
    settle(worker).await;
    app.db.close().await;
    let (build, outcome) = outcome?;
    report(build, outcome, json)
}

async fn settle(worker: JoinHandle<()>) {
    if let Err(error) = worker.await {
        tracing::error!(%error, "the worker did not end well");
    }
}

async fn build(engine: &Engine) -> Result<(BuildId, Outcome), Failure> {
    let mut conn = engine.db().read().await?;
    let owner = users::by_email(&mut conn, EMAIL).await?;
    let owner = owner.ok_or_else(|| Failure::new("this data directory has other accounts"))?;
    let project = projects::list(&mut conn, owner.id, None, 1).await?.pop();
    drop(conn);
    let project = project.ok_or_else(|| Failure::new("the demo project is gone"))?;
    let build = engine.start_build(&project, owner.id).await?;
    say(&format!("building {} in {}", project.name, engine.paths().root().display()));
    let outcome = follow(engine, build, owner.id).await?;
    Ok((build, outcome))
}

/// Watches the journal, answers its questions, and says what happens.
async fn follow(engine: &Engine, build: BuildId, owner: UserId) -> Result<Outcome, Failure> {
    let mut feed = engine.journal().feed().subscribe(build, 0).without_previews();
    loop {
        let Item::Events(events) = feed.next().await? else { continue };
        for event in events {
            let event: Event = serde_json::from_slice(&event.event())?;
            narrate(&event.body);
            match event.body {
                EventBody::BuildClarificationRequest(asked) => {
                    let by = Actor::User { id: owner, name: "demo".to_owned() };
                    let answer = asked.options.first().cloned();
                    engine.answer(build, asked.question_id, by, answer).await?;
                }
                EventBody::BuildSealed(sealed) => return Ok(Outcome::Sealed(Box::new(sealed))),
                EventBody::BuildBlocked(blocked) => return Ok(Outcome::Blocked(blocked.report)),
                EventBody::BuildAbandoned(_) => return Ok(Outcome::Abandoned),
                _ => {}
            }
        }
    }
}

fn narrate(body: &EventBody) {
    match body {
        EventBody::BuildPhaseStarted(phase) => {
            say(&format!("phase {}: {}", phase.phase, phase.title));
        }
        EventBody::BuildGateFinished(gate) => {
            let word = if gate.passed { "passed" } else { "failed" };
            say(&format!("gate {}: {word}", gate.gate));
        }
        EventBody::BuildErrorTracked(error) => {
            let first = error.record.message.lines().next().unwrap_or_default();
            say(&format!("error: {first}"));
        }
        EventBody::BuildClarificationRequest(asked) => say(&format!("asked: {}", asked.question)),
        EventBody::BuildClarificationResolved(settled) => {
            say(&format!("answered: {}", settled.answer.as_deref().unwrap_or("decide yourself")));
        }
        EventBody::BuildCommitCreated(commit) => say(&format!("commit: {}", commit.title)),
        EventBody::BuildSealed(sealed) => say(&format!("sealed: {}", sealed.verdict.name())),
        _ => {}
    }
}

fn report(build: BuildId, outcome: Outcome, json: bool) -> Result<ExitCode, Failure> {
    let mut out = io::stdout();
    match outcome {
        Outcome::Sealed(sealed) => {
            if json {
                let mut seal = serde_json::to_value(&sealed)?;
                seal["build_id"] = build.to_string().into();
                writeln!(out, "{seal}")?;
            } else {
                writeln!(out, "{} {}", sealed.verdict.name(), sealed.seal_commit)?;
            }
            Ok(match sealed.verdict {
                Verdict::Certified | Verdict::Conditional => ExitCode::SUCCESS,
                Verdict::Flagged => ExitCode::from(2),
            })
        }
        Outcome::Blocked(why) => {
            say(&why);
            Ok(ExitCode::from(3))
        }
        Outcome::Abandoned => Ok(ExitCode::FAILURE),
    }
}

fn say(words: &str) {
    // Nobody to tell means nobody to tell that either.
    let _ = writeln!(io::stderr(), "{words}");
}
