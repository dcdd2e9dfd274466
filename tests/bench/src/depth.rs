//! Benchmark of appending to builds with many events.

use std::time::Instant;

use forgeguard::{journal::Journal, store::Db};
use tempfile::TempDir;

use crate::{Result, figures, fixture::Fixture, options::Options, table::Measure};

/// Concurrent appends.
const IN_FLIGHT: u64 = 64;
/// Events of one round.
const ROUND: u64 = 1_000;
/// Small depth, recreated for each round because a round changes it too much.
const SHALLOW: u64 = 1_000;

/// A build in a separate database.
struct Deep {
    depth: u64,
    fixture: Fixture,
    micros: Vec<f64>,
    _data: TempDir,
}

/// Microseconds per event at each depth.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let mut builds = Vec::new();
    for depth in options.amount(vec![SHALLOW, 100_000, 1_000_000], vec![SHALLOW, 20_000]) {
        builds.push(dig(depth).await?);
    }
    // Interleaved, so that slow periods of the machine affect all depths.
    for _ in 0..options.amount(15, 5) {
        for build in &mut builds {
            if build.depth == SHALLOW {
                build.fixture = Fixture::new(&build.fixture.journal).await?;
                build.fixture.fill(SHALLOW).await?;
            }
            let begun = Instant::now();
            build.fixture.append_each(ROUND, IN_FLIGHT).await?;
            build.micros.push(figures::ms(begun.elapsed()) * 1_000.0 / ROUND as f64);
        }
    }
    let first = builds.first().map_or(1.0, |build| figures::median(&build.micros));
    Ok(builds
        .iter()
        .map(|build| {
            let micros = figures::median(&build.micros);
            let name = format!("depth: one event after {}", figures::grouped(build.depth as f64));
            let measure = Measure::new(name, format!("{micros:.0} µs")).ratio(micros / first);
            if build.depth == SHALLOW { measure } else { measure.at_most(micros / first, 1.3, "") }
        })
        .collect())
}

async fn dig(depth: u64) -> Result<Deep> {
    let data = tempfile::tempdir()?;
    let db = Db::open_file(&data.path().join("bench.db"), Db::DEFAULT_CONNECTIONS).await?;
    db.migrate().await?;
    let fixture = Fixture::new(&Journal::start(db)).await?;
    fixture.fill(depth).await?;
    Ok(Deep { depth, fixture, micros: Vec::new(), _data: data })
}
