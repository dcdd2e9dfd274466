//! Puts the floors on top of each other.

use std::{io, path::PathBuf, sync::Arc};

use llm::{InvalidScenario, Offline, Pace};
use sandbox::{Level, Runner, SandboxError};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::models::{self, NoModel};
use crate::{
    api::{
        App,
        accounts::{self, Maker, NewAccount},
        auth::{
            origin::OwnAddress,
            password::Passwords,
            setup_token::SetupToken,
            token::{self, Tokens},
            tries::Tries,
        },
        problem::Problem,
    },
    config::{Config, Database, SandboxChoice},
    demo,
    engine::{
        Engine, Node, Parts, Paths,
        models::{Model, Models},
        node::NodeError,
        seal_key::SealKey,
    },
    journal::Journal,
    store::{self, Db, users},
};

/// Why a node cannot start, in words that say what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data directory, a key or a socket.
    #[error("the data directory or a file in it cannot be used: {0}")]
    Io(#[from] io::Error),
    /// Somebody else is using the data directory.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The database cannot be opened or brought up to date.
    #[error("the database cannot be used: {0}")]
    Store(#[from] store::Error),
    /// Commands cannot be run at all.
    #[error("the sandbox cannot be set up: {0}")]
    Sandbox(#[from] SandboxError),
    /// The program was built with a broken demo.
    #[error("the bundled demo cannot be read: {0}")]
    Demo(#[from] InvalidScenario),
    /// A model that the settings name cannot be had.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// The settings name a first admin that cannot be made.
    #[error("the first admin cannot be made: {0}")]
    FirstAdmin(String),
}

/// Everything of a node, and the token of the setup link while there is no account.
pub async fn wire(config: &Config) -> Result<(Arc<App>, Option<String>), StartError> {
    let paths = Paths::create(&config.data_dir)?;
    let node = match config.database() {
        Database::Address(url) if !url.expose().starts_with("sqlite:") => {
            Node::among_others(&paths, &config.node)?
        }
        Database::Address(_) | Database::File(_) => Node::alone(&paths, &config.node)?,
    };
    let db = open_database(config).await?;
    let journal = Journal::start(db.clone());
    let stopping = CancellationToken::new();
    let parts = parts(config, journal.clone(), paths.clone(), node).await?;
    let engine = Engine::new(parts, stopping.clone());
    let key = token::signing_key(&paths.root().join("secret.key"))?;
    let app = Arc::new(App {
        db,
        journal,
        engine,
        passwords: Passwords::new(),
        tokens: Tokens::new(&key),
        tries: Tries::default(),
        setup: SetupToken::default(),
        own_address: OwnAddress::new(config.public_url.clone()),
        stream: config.stream,
        clarification_timeout_s: config.clarification_timeout_s,
        stopping,
        sockets: TaskTracker::new(),
    });
    let setup_token = welcome(config, &app).await?;
    Ok((app, setup_token))
}

/// The database of these settings, brought up to date.
pub async fn open_database(config: &Config) -> Result<Db, StartError> {
    let db = match config.database() {
        Database::Address(url) => Db::connect(url.expose(), Db::CONNECTIONS).await?,
        Database::File(file) => Db::open_file(&file, Db::CONNECTIONS).await?,
    };
    db.migrate().await?;
    Ok(db)
}

async fn parts(
    config: &Config,
    journal: Journal,
    paths: Paths,
    node: Node,
) -> Result<Parts, StartError> {
    for leftover in sandbox::end_leftovers(&node.runs())? {
        tracing::warn!(label = leftover.label, "ended a command that an earlier run left behind");
    }
    let runner = runner(config, node.runs())?;
    let level = level(config.sandbox, &runner).await;
    if let Err(why) = &level {
        tracing::warn!("builds cannot run commands: {why}");
    }
    let pace = Pace::ms(config.demo_pace.as_millis().try_into().unwrap_or(u64::MAX));
    Ok(Parts {
        journal,
        seal_key: SealKey::load(&paths.seal_key())?,
        paths,
        node,
        workers: config.workers,
        models: models::models(&config.models, pace)?,
        demo_models: Models::only(Model::offline(Offline::playing(demo::scenario()?, pace))),
        waits: config.waits.clone(),
        permissions: config.permissions.clone().into(),
        runner,
        level,
        tool_path: config.tool_path.clone(),
    })
}

/// What runs commands here.
pub fn runner(config: &Config, runs: PathBuf) -> Result<Runner, SandboxError> {
    let runner = Runner::new(runs)?;
    Ok(match &config.supervisor {
        Some(program) => runner.with_supervisor(program),
        None => runner,
    })
}

async fn level(choice: SandboxChoice, runner: &Runner) -> Result<Level, String> {
    let wanted = match choice {
        SandboxChoice::None => return Ok(Level::None),
        SandboxChoice::Auto => None,
        SandboxChoice::Strict => Some(Level::Strict),
        SandboxChoice::Landlock => Some(Level::Landlock),
    };
    let report = sandbox::probe(runner).await;
    sandbox::choose(wanted, &report).map_err(|none| format!("{} {}", none.seen, none.remedy))
}

/// While nobody has an account: makes the one that the settings name, or the token to make one.
async fn welcome(config: &Config, app: &App) -> Result<Option<String>, StartError> {
    if !users::is_empty(&mut app.db.read().await?).await? {
        return Ok(None);
    }
    let Some(admin) = &config.first_admin else { return Ok(Some(app.setup.make())) };
    let name = admin.email.split('@').next().unwrap_or_default().to_owned();
    let (email, password) = (admin.email.clone(), admin.password.clone());
    let new = NewAccount { email, name, password, role: "admin" };
    let failed = |problem: Problem| StartError::FirstAdmin(problem.detail().to_owned());
    let user = accounts::create(&app.db, &app.passwords, new, Maker::Settings).await;
    let user = user.map_err(failed)?;
    let made = demo::create(&app.engine, user.id).await;
    made.map_err(|error| StartError::FirstAdmin(error.to_string()))?;
    Ok(None)
}
