//! Errors tracked a second: counted in the journal and kept as one row for each kind.

use std::time::Instant;

use domain::{
    errors::Severity,
    tracking::{self, Seen},
};
use forgeguard::{
    journal::{Entry, Journal},
    store::{self, Db},
};
use support::{Postgres, Sqlite};
use tokio::task::JoinSet;

use crate::{Result, figures, ground::Ground, options::Options, table::Measure};

/// Appends under way at once.
const IN_FLIGHT: u64 = 64;
/// Kinds of errors that come again and again.
const KINDS: u64 = 40;

/// Rates on both databases.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let count = options.amount(10_000, 1_000);
    let sqlite = Sqlite::create();
    let on_sqlite = rate(&Db::connect(&sqlite.url(), Db::CONNECTIONS).await?, count).await?;
    let postgres = Postgres::create().await;
    let db = Db::connect(postgres.url(), Db::CONNECTIONS).await?;
    let on_postgres = rate(&db, count).await;
    db.close().await;
    postgres.remove().await;
    let measure = |on: &str, rate: f64| {
        Measure::new(format!("errors: upserts on {on}"), format!("{}/s", figures::grouped(rate)))
    };
    Ok(vec![measure("SQLite", on_sqlite), measure("PostgreSQL", on_postgres?)])
}

async fn rate(db: &Db, count: u64) -> Result<f64> {
    db.migrate().await?;
    let ground = Ground::new(&Journal::start(db.clone())).await?;
    let begun = Instant::now();
    let mut writers = JoinSet::<Result<()>>::new();
    for writer in 0..IN_FLIGHT {
        let ground = ground.clone();
        writers.spawn(async move {
            for number in (writer..count).step_by(IN_FLIGHT as usize) {
                track(&ground, number).await?;
            }
            Ok(())
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended??;
    }
    Ok(figures::per_second(count, begun.elapsed()))
}

async fn track(ground: &Ground, number: u64) -> Result<()> {
    // The line differs each time, which makes no other kind of error; the test's name does.
    let line = number % 90;
    let test = "x".repeat((number % KINDS) as usize + 1);
    let message = format!("src/report.js:{line}: expected '1 day', got '1 days' in test {test}");
    let seen = Seen::new("gate:test", Severity::Error, message);
    let (build, id) = (ground.build, store::new_id());
    let entry = Entry::derived(build, None, move |state, at| {
        Ok(vec![tracking::track(state, build, id, at, seen)])
    });
    ground.journal.append(entry).await?;
    Ok(())
}
