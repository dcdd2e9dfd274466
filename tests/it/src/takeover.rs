//! Builds whose worker has ended are continued by another worker.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::event::{Event, EventBody};
use forgeguard::{
    demo,
    engine::{
        Engine, Node, Parts, Paths, StartOptions, build_worker,
        models::{Model, ModelSource, Models},
        seal_key::SealKey,
    },
    journal::Journal,
    store::{self, Db, projects, users, work_items},
};
use llm::{DeltaStream, ModelError, Provider, Request};
use model_server::Dialect;
use support::Postgres;
use tempfile::TempDir;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    greeting_project,
    outages::{WAITS, eventually},
    project_fixture::ProjectFixture,
    watched_build::WatchedBuild,
};

/// Between the death of a worker and the moment when another one continues.
const TAKEOVER_TIMEOUT: Duration = Duration::from_secs(20);
/// Longer than a lease lasts, on a busy machine.
const RECLAIM_TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn build_of_a_killed_node_is_continued_by_another_within_twenty_seconds() {
    let database = Postgres::create().await;
    let environment = [("DATABASE_URL", database.url()), ("FORGEGUARD_NODE", "first")];
    let fixture = ProjectFixture::with(Dialect::Anthropic, WAITS, &environment, None).await;
    greeting_project::prepare(&fixture).await;
    let ProjectFixture { server, model, project } = fixture;
    let mut watched = WatchedBuild::begin(server, project).await;
    let planned = |_, event: &Event| matches!(event.body, EventBody::BuildPlanUpdated(_));
    watched.run_until(planned).await.expect("the build begins");

    watched.server.fail_over_to("second").await;
    let killed = Instant::now();
    watched.follower.set_address(watched.server.address());
    let resumed = |_, event: &Event| matches!(&event.body, EventBody::BuildResumed(it) if it.node == "second");
    watched.run_until(resumed).await.expect("it is continued");
    println!("continued after {:?}", killed.elapsed());
    assert!(killed.elapsed() < TAKEOVER_TIMEOUT, "it took {:?}", killed.elapsed());
    watched.run_to_the_end().await;
    watched.assert_certified().await;
    model.finish();
    watched.server.stop().await;
    database.remove().await;
}

/// A provider with a defect.
struct Panicking;

#[async_trait]
impl Provider for Panicking {
    fn name(&self) -> &str {
        "panicking"
    }

    async fn stream(&self, _: &Request) -> Result<DeltaStream, ModelError> {
        panic!("a defect");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn build_of_a_panicked_worker_is_claimed_again() {
    let data = TempDir::with_prefix("forgeguard-it-").unwrap();
    let db = Db::open_file(&data.path().join("forgeguard.db"), 4).await.unwrap();
    db.migrate().await.unwrap();
    let stop = CancellationToken::new();
    let engine = engine(&db, data.path(), stop.clone()).await;
    let owner = users::User {
        id: store::new_id(),
        email: "ada@example.org".to_owned(),
        name: "Ada".to_owned(),
        role: domain::user_role::UserRole::User,
        password_hash: "$argon2id$".to_owned(),
        created_at: store::now(),
        disabled_at: None,
    };
    let mut tx = db.write().await.unwrap();
    users::insert(&mut tx, &owner).await.unwrap();
    tx.commit().await.unwrap();
    let project = demo::create(&engine, owner.id).await.unwrap();
    let project = projects::get(&mut db.read().await.unwrap(), project).await.unwrap().unwrap();
    let build = engine.start_build(&project, owner.id, StartOptions::default()).await.unwrap();

    let running = tokio::spawn(build_worker::run(engine));
    let claimed_again = eventually(async || {
        let item = work_items::get(&mut db.read().await.unwrap(), build).await.unwrap();
        item.is_some_and(|item| item.attempts >= 2)
    });
    timeout(RECLAIM_TIMEOUT, claimed_again).await.expect("its lease expires");
    stop.cancel();
    running.await.unwrap();
}

async fn engine(db: &Db, data: &std::path::Path, stop: CancellationToken) -> Engine {
    let paths = Paths::create(data).unwrap();
    let node = Node::alone(&paths, "node").await.unwrap();
    let model = Model::offline(Panicking, true);
    let source = ModelSource {
        fallback: Ok(model.clone()),
        fixed: BTreeMap::new(),
        open: Arc::new(|_| Err("there is no other".to_owned())),
        configured_providers: BTreeMap::new(),
        default_model: |provider| provider.name().to_owned(),
    };
    let parts = Parts {
        journal: Journal::start(db.clone()),
        seal_key: SealKey::load(&paths.seal_key()).unwrap(),
        runner: sandbox::Runner::new(node.runs()).unwrap(),
        paths,
        node,
        workers: 1,
        models: Arc::new(move |_| source.clone()),
        demo_models: Models::only(model),
        demo_delay: Duration::ZERO,
        waits: Default::default(),
        permissions: Arc::new([]),
        level: Ok(sandbox::Level::None),
        network: None,
        push_limits: Default::default(),
        toolchains: sandbox::Toolchains::default(),
        executor_command: None,
    };
    Engine::new(parts, stop)
}
