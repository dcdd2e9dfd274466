//! Creates the components of a node from its configuration.

use std::{io, path::PathBuf, sync::Arc};

use domain::user_role::UserRole;
use git::GitError;
use llm::{InvalidScenario, Offline};
use sandbox::{Level, Runner, SandboxError};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::models::{self, NoModel};
use crate::{
    api::{
        App,
        accounts::{self, AccountCreator, NewAccount},
        api_error::ApiError,
        auth::{
            failed_sign_ins::FailedSignIns,
            origin::OwnAddress,
            password::Passwords,
            rate_limiter::LoginRateLimiter,
            setup_token::SetupToken,
            token::{self, Tokens},
        },
        readiness::Readiness,
    },
    config::{Config, Database, NodeRole, SandboxChoice},
    demo,
    engine::{
        Engine, Node, Parts, Paths,
        models::{Model, Models},
        node::NodeError,
        seal_key::SealKey,
    },
    journal::Journal,
    store::{self, Db, audit_log, users},
};

/// Why a node cannot start; the messages say what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("the data directory or a file in it cannot be used: {0}")]
    Io(#[from] io::Error),
    #[error(
        "there is no data directory {}; it is created when the service starts, or name another with \
        --data-dir",
        .0.display()
    )]
    NoDataDirectory(PathBuf),
    /// Another process uses the data directory.
    #[error(transparent)]
    Node(#[from] NodeError),
    #[error("the database cannot be used: {0}")]
    Store(#[from] store::Error),
    /// No command can be run.
    #[error("the sandbox cannot be set up: {0}")]
    Sandbox(#[from] SandboxError),
    /// The embedded demo is invalid.
    #[error("the bundled demo is invalid: {0}")]
    Demo(#[from] InvalidScenario),
    /// There is no working `git`.
    #[error(
        "git is needed and cannot be run ({0}); install git with your system's packages, or add its \
        directory to PATH"
    )]
    Git(GitError),
    /// A configured model is unavailable.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// The configured first administrator is invalid.
    #[error("the first administrator cannot be created: {0}")]
    FirstAdmin(String),
}

/// The state of a node, and the setup token if there is no account.
pub async fn wire(config: &Config) -> Result<(Arc<App>, Option<String>), StartError> {
    git::program::set_search_path(&config.search_path).map_err(StartError::Git)?;
    let version = tokio::task::spawn_blocking(git::program::version).await;
    let version = version.map_err(io::Error::other)?.map_err(StartError::Git)?;
    tracing::debug!(version, "found git");
    let paths = Paths::create(&config.data_dir)?;
    let node = match config.database() {
        Database::Address(url) if !url.expose().starts_with("sqlite:") => {
            Node::among_others(&paths, &config.node).await?
        }
        Database::Address(_) | Database::File(_) => Node::alone(&paths, &config.node).await?,
    };
    for leftover in sandbox::end_leftovers(&node.runs()) {
        tracing::warn!(
            label = leftover.label,
            "terminated a command left behind by an earlier run"
        );
    }
    let runner = runner(config, node.runs())?.with_control_groups();
    let (db, level) = tokio::join!(open_database(config), level(config.sandbox, &runner));
    let db = db?;
    let journal = Journal::start(db.clone());
    let stopping = CancellationToken::new();
    let parts = parts(config, journal.clone(), paths.clone(), node, runner, level)?;
    let engine = Engine::new(parts, stopping.clone());
    let key = token::signing_key(&paths.root().join("secret.key"))?;
    let app = Arc::new(App {
        db,
        journal,
        engine,
        passwords: Passwords::new(),
        tokens: Tokens::new(&key),
        login_rate_limiter: LoginRateLimiter::default(),
        failed_sign_ins: FailedSignIns::default(),
        access: Arc::default(),
        setup: SetupToken::default(),
        trusted_proxies: config.trusted_proxies.clone(),
        approval: config.approval,
        own_address: OwnAddress::new(config.public_url.clone(), &config.listen),
        stream: config.stream,
        clarification_timeout_s: config.clarification_timeout_s,
        readiness: Readiness::default(),
        stopping,
        sockets: TaskTracker::new(),
    });
    let setup_token = ensure_first_admin(config, &app).await?;
    Ok((app, setup_token))
}

/// Opens the configured database and migrates it.
pub async fn open_database(config: &Config) -> Result<Db, StartError> {
    let db = match config.database() {
        Database::Address(url) => Db::connect(url.expose(), Db::DEFAULT_CONNECTIONS).await?,
        Database::File(file) => {
            if let Some(directory) = file.parent().filter(|directory| !directory.is_dir()) {
                return Err(StartError::NoDataDirectory(directory.to_owned()));
            }
            Db::open_file(&file, Db::DEFAULT_CONNECTIONS).await?
        }
    };
    db.migrate().await?;
    if audit_log::is_unchained(&mut db.read().await?).await? {
        let mut tx = db.write().await?;
        audit_log::start_chain(&mut tx, store::now()).await?;
        tx.commit().await?;
    }
    Ok(db)
}

fn parts(
    config: &Config,
    journal: Journal,
    paths: Paths,
    node: Node,
    runner: Runner,
    level: Result<Level, String>,
) -> Result<Parts, StartError> {
    if let Err(why) = &level {
        tracing::warn!("builds cannot run commands: {why}");
    }
    Ok(Parts {
        journal,
        seal_key: SealKey::load(&paths.seal_key())?,
        paths,
        node,
        workers: config.workers,
        models: models::models(&config.models)?,
        demo_models: Models::only(Model::offline(Offline::playing(demo::scenario()?), true)),
        demo_delay: config.demo_pace,
        waits: config.waits.clone(),
        permissions: config.permissions.clone().into(),
        push_limits: config.push_limits,
        runner,
        level,
        toolchains: config.toolchains.clone(),
        executor_command: config.executor_command.clone(),
        network: config.network.clone(),
    })
}

/// The runner of sandboxed commands.
pub fn runner(config: &Config, runs: PathBuf) -> Result<Runner, SandboxError> {
    let mut runner = Runner::new(runs)?;
    if let Some(bytes) = config.sandbox_total_memory_bytes {
        runner = runner.with_total_memory(bytes);
    }
    Ok(match &config.supervisor {
        Some(program) => runner.with_supervisor(program),
        None => runner,
    })
}

async fn level(choice: SandboxChoice, runner: &Runner) -> Result<Level, String> {
    let checked = sandbox::check(runner, choice.level()).await;
    checked.map_err(|none| format!("{} {}", none.seen, none.remedy))
}

/// If there is no account: creates the configured administrator, or returns a setup token. Workers
/// serve no setup page.
async fn ensure_first_admin(config: &Config, app: &App) -> Result<Option<String>, StartError> {
    if config.role == NodeRole::Worker {
        return Ok(None);
    }
    if !users::is_empty(&mut app.db.read().await?).await? {
        return Ok(None);
    }
    let Some(admin) = &config.first_admin else { return Ok(Some(app.setup.generate())) };
    let name = admin.email.split('@').next().unwrap_or_default().to_owned();
    let (email, password) = (admin.email.clone(), Some(admin.password.clone()));
    let new = NewAccount { email, name, password, role: UserRole::Admin };
    let failed = |error: ApiError| StartError::FirstAdmin(error.detail().to_owned());
    let user = accounts::create(&app.db, &app.passwords, new, AccountCreator::Settings).await;
    let user = user.map_err(failed)?;
    let made = demo::create(&app.engine, user.id).await;
    made.map_err(|error| StartError::FirstAdmin(error.to_string()))?;
    Ok(None)
}
