//! `forgeguard demo`: the bundled demo build from start to seal, without a browser.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::{
    event::{Event, EventBody, life::Actor},
    ids::{BuildId, UserId},
};
use tokio::task::JoinHandle;

use super::{
    build_outcome::{Following, Outcome, say},
    build_progress::narrate,
    failure::Failure,
};
use crate::{
    config::{Config, FirstAdmin, NodeRole},
    demo,
    engine::{Engine, StartOptions, build_worker},
    journal::Item,
    secret::Secret,
    server::Server,
    store::{projects, users},
};

const EMAIL: &str = "demo@localhost";

pub async fn demo(config: Config, json: bool) -> Result<ExitCode, Failure> {
    let password = Secret::new(crate::api::auth::token::opaque());
    let first_admin = Some(FirstAdmin { email: EMAIL.to_owned(), password });
    let config = Config { role: NodeRole::All, first_admin, ..config };
    let server = Server::start(&config).await?;
    let app = server.app().clone();
    let worker = tokio::spawn(build_worker::run(app.engine.clone()));
    let outcome = build(&app.engine).await;
    app.stopping.cancel();
    settle(worker).await;
    app.db.close().await;
    let (build, outcome) = outcome?;
    report(build, &outcome, json)
}

async fn settle(worker: JoinHandle<()>) {
    if let Err(error) = worker.await {
        tracing::error!(%error, "the worker failed");
    }
}

async fn build(engine: &Engine) -> Result<(BuildId, Outcome), Failure> {
    let mut conn = engine.db().read().await?;
    let owner = users::by_email(&mut conn, EMAIL).await?;
    let owner = owner.ok_or_else(|| {
        Failure::new(
            "the database has other accounts; choose an empty one with DATABASE_URL, or a data \
            directory of its own with --data-dir",
        )
    })?;
    let newest = projects::list(&mut conn, owner.id, false, None, 1).await?.pop();
    drop(conn);
    // The database may have been used with another data directory before.
    let project = match newest {
        Some(project) if engine.paths().hosted(project.id).is_dir() => project,
        _ => {
            let id = demo::create(engine, owner.id).await?;
            let project = projects::get(&mut engine.db().read().await?, id).await?;
            project.ok_or_else(|| Failure::new("the demo project was deleted"))?
        }
    };
    let build = engine.start_build(&project, owner.id, StartOptions::default()).await?;
    say(&format!("building {} in {}", project.name, engine.paths().root().display()));
    let outcome = follow(engine, build, owner.id).await?;
    Ok((build, outcome))
}

/// Follows the journal, answers questions and prints progress.
async fn follow(engine: &Engine, build: BuildId, owner: UserId) -> Result<Outcome, Failure> {
    let mut feed = engine.journal().feed().subscribe(build, 0).without_previews();
    let mut following = Following::until_after(0);
    loop {
        let Item::Events(events) = feed.next().await? else { continue };
        for event in events {
            let event: Event = serde_json::from_slice(&event.event())?;
            following.read(&event);
            if let Some(line) = narrate(&event.body) {
                say(&line);
            }
            if let Some(outcome) = following.outcome() {
                return Ok(outcome.clone());
            }
            if let EventBody::BuildClarificationRequest(asked) = event.body {
                let by = Actor::User { id: owner, name: "demo".to_owned() };
                let answer = asked.options.first().cloned();
                engine.answer(build, asked.question_id, by, answer).await?;
            }
        }
    }
}

fn report(build: BuildId, outcome: &Outcome, json: bool) -> Result<ExitCode, Failure> {
    let mut out = io::stdout();
    match outcome {
        Outcome::Sealed(sealed) if json => {
            let mut seal = serde_json::to_value(sealed)?;
            seal["build_id"] = build.to_string().into();
            writeln!(out, "{seal}")?;
        }
        Outcome::Sealed(sealed) => {
            writeln!(out, "{} {}", sealed.verdict.name(), sealed.seal_commit)?;
        }
        Outcome::Blocked(why) => say(why),
        Outcome::Abandoned | Outcome::Interrupted => {}
    }
    Ok(outcome.exit_code())
}
