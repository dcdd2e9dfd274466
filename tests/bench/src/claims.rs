//! How long a worker takes to claim a build while many are queued.

use std::time::Instant;

use chrono::TimeDelta;
use domain::ids::UserId;
use forgeguard::{
    journal::Journal,
    store::{self, Db, leases, work_items::BuildQueue},
};
use support::{Postgres, Sqlite};
use tokio::task::JoinSet;

use crate::{Result, figures, fixture, options::Options, table::Measure};

/// Builds that are opened at once while the queue is filled.
const IN_FLIGHT: usize = 64;
/// Milliseconds.
const TARGET: f64 = 20.0;

pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let queued = options.amount(10_000, 500);
    let sqlite = Sqlite::create();
    let on_sqlite = claims(&sqlite.url(), queued, options).await?;
    let postgres = Postgres::create_durable().await;
    let on_postgres = claims(postgres.url(), queued, options).await;
    postgres.remove().await;
    let measure = |on: &str, times: &[f64]| {
        let (p50, p99) = (figures::median(times), figures::percentile(times, 99.0));
        let queued = figures::grouped(queued as f64);
        let name = format!("claims: a build out of {queued} on {on}");
        Measure::new(name, format!("{p50:.1} ms, p99 {p99:.1} ms")).at_most(p99, TARGET, " ms")
    };
    Ok(vec![measure("SQLite", &on_sqlite), measure("PostgreSQL", &on_postgres?)])
}

/// Milliseconds per claim.
async fn claims(url: &str, queued: usize, options: &Options) -> Result<Vec<f64>> {
    let db = Db::connect(url, Db::DEFAULT_CONNECTIONS).await?;
    db.migrate().await?;
    let journal = Journal::start(db.clone());
    fill(&journal, queued).await?;
    let mut times = Vec::new();
    for _ in 0..options.amount(500, 50) {
        let (begun, now) = (Instant::now(), store::now());
        let until = now + TimeDelta::minutes(1);
        let mut tx = db.write().await?;
        let claimed = leases::claim::<BuildQueue>(&mut tx, "bench", now, until).await?;
        tx.commit().await?;
        times.push(figures::ms(begun.elapsed()));
        claimed.ok_or("no build is queued")?;
    }
    db.close().await;
    Ok(times)
}

/// Queues builds, each of a project of its own.
async fn fill(journal: &Journal, count: usize) -> Result<()> {
    let owner: UserId = fixture::person(journal).await?;
    let mut opening = JoinSet::<Result<()>>::new();
    for _ in 0..count {
        if opening.len() >= IN_FLIGHT
            && let Some(opened) = opening.join_next().await
        {
            opened??;
        }
        let journal = journal.clone();
        opening.spawn(async move { fixture::queue_build(&journal, owner).await.map(drop) });
    }
    while let Some(opened) = opening.join_next().await {
        opened??;
    }
    Ok(())
}
