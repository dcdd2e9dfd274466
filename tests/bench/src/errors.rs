//! Benchmark of error tracking: errors per second, aggregated by kind.

use std::time::Instant;

use domain::{
    errors::Severity,
    tracking::{self, ObservedFailure},
};
use forgeguard::{
    journal::{Entry, Journal},
    store::{self, Db},
};
use support::{Postgres, Sqlite};
use tokio::task::JoinSet;

use crate::{
    Result, bare_loop::BareLoop, figures, fixture::Fixture, options::Options, table::Measure,
};

/// Concurrent appends.
const IN_FLIGHT: u64 = 64;
/// Number of distinct errors.
const KINDS: u64 = 40;

/// Rates on both databases, each beside a bare loop of single-row upserts.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let sqlite = Sqlite::create();
    let on_sqlite = rates(&sqlite.url(), options).await?;
    let postgres = Postgres::create_durable().await;
    let on_postgres = rates(postgres.url(), options).await;
    postgres.remove().await;
    let on_postgres = on_postgres?;
    let measure = |on: &str, rates: &Rates| {
        let Rates { journal, bare_loop } = rates;
        let (journal, bare) = (figures::grouped(*journal), figures::grouped(*bare_loop));
        let value = format!("{journal}/s beside {bare}/s");
        Measure::new(format!("errors: upserts on {on}, beside a bare loop"), value)
            .ratio(rates.ratio())
    };
    Ok(vec![
        measure("SQLite", &on_sqlite).at_least(on_sqlite.journal, 20_000.0, "/s"),
        measure("PostgreSQL", &on_postgres).at_least(on_postgres.ratio(), 8.0, ""),
    ])
}

/// Errors tracked a second.
struct Rates {
    /// Through the journal, with [`IN_FLIGHT`] appends at once.
    journal: f64,
    /// One upsert after another on one connection, and nothing else.
    bare_loop: f64,
}

impl Rates {
    fn ratio(&self) -> f64 {
        self.journal / self.bare_loop
    }
}

/// Both rates, measured in turns on one database.
async fn rates(url: &str, options: &Options) -> Result<Rates> {
    let db = Db::connect(url, Db::DEFAULT_CONNECTIONS).await?;
    db.migrate().await?;
    let fixture = Fixture::new(&Journal::start(db.clone())).await?;
    let mut bare = BareLoop::connect(url).await?;
    let (mut through_journal, mut in_loop) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(15, 1) {
        in_loop.push(bare.rate(fixture.build, options.amount(2_000, 300)).await?);
        through_journal.push(rate(&fixture, options.amount(20_000, 2_000)).await?);
    }
    bare.close().await?;
    db.close().await;
    let (journal, bare_loop) = (figures::median(&through_journal), figures::median(&in_loop));
    Ok(Rates { journal, bare_loop })
}

async fn rate(fixture: &Fixture, count: u64) -> Result<f64> {
    let begun = Instant::now();
    let mut writers = JoinSet::<Result<()>>::new();
    for writer in 0..IN_FLIGHT {
        let fixture = fixture.clone();
        writers.spawn(async move {
            for number in (writer..count).step_by(IN_FLIGHT as usize) {
                track(&fixture, number).await?;
            }
            Ok(())
        });
    }
    while let Some(ended) = writers.join_next().await {
        ended??;
    }
    Ok(figures::per_second(count, begun.elapsed()))
}

async fn track(fixture: &Fixture, number: u64) -> Result<()> {
    // The line number differs each time, which does not change the error's fingerprint; the test's
    // name does.
    let line = number % 90;
    let test = "x".repeat((number % KINDS) as usize + 1);
    let message = format!("src/report.js:{line}: expected '1 day', got '1 days' in test {test}");
    let seen = ObservedFailure::new("gate:test", Severity::Error, message);
    let (build, id) = (fixture.build, store::new_id());
    let entry = Entry::derived(build, None, move |state, at| {
        Ok(vec![tracking::track(state, build, id, at, seen)])
    });
    fixture.journal.append(entry).await?;
    Ok(())
}
