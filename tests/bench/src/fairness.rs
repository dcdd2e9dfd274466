//! Whether several builds at once share two cores, or one waits for the others.
//!
//! Five builds have the same to do, so each should be nearly done when the first is; that some
//! began a moment later is all that may keep them apart. One that got nothing while another worked
//! would have done less than half.

use chrono::{DateTime, Utc};
use model_server::{Seen, Turn};
use serde_json::{Value, json};

use crate::{Result, builds::Site, options::Options, table::Measure};

/// As many as a node runs unless it is told otherwise.
const BUILDS: usize = 5;
/// Percent that the slowest has to have done when the first is done.
const SHARE: f64 = 75.0;

/// How far the slowest build is when the first one is done, and how long the two take.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let replies = options.amount(50, 15);
    let site = Site::start(BUILDS, move |seen| work(seen, replies)).await?;
    let titles: Vec<String> = (0..options.amount(4, 1)).map(|n| format!("Part {n}")).collect();
    let mut builds = Vec::new();
    for _ in 0..BUILDS {
        builds.push(site.build(&titles).await?);
    }
    let mut times = Vec::new();
    for build in &builds {
        site.sealed(build).await?;
        times.push(times_of(&site.events(build).await?)?);
    }
    site.stop().await?;
    let ended = |times: &Vec<DateTime<Utc>>| times.last().copied().unwrap_or_default();
    let first = times.iter().map(ended).min().unwrap_or_default();
    let done = |times: &Vec<DateTime<Utc>>| {
        let so_far = times.iter().filter(|at| **at <= first).count();
        so_far as f64 * 100.0 / times.len() as f64
    };
    let slowest = times.iter().map(done).fold(100.0, f64::min);
    let took = |times: &Vec<DateTime<Utc>>| {
        let begun = times.first().copied().unwrap_or_default();
        (ended(times) - begun).num_milliseconds() as f64 / 1_000.0
    };
    let fastest_s = times.iter().map(took).fold(f64::INFINITY, f64::min);
    let slowest_s = times.iter().map(took).fold(0.0, f64::max);
    Ok(vec![
        Measure::new(
            format!("fairness: slowest of {BUILDS} builds, when the first is done"),
            format!("{slowest:.0} %"),
        )
        .at_least(slowest, SHARE, " %"),
        Measure::new(
            format!("fairness: slowest of {BUILDS} builds beside the fastest"),
            format!("{slowest_s:.1} s beside {fastest_s:.1} s"),
        )
        .ratio(slowest_s / fastest_s),
    ])
}

fn times_of(events: &[Value]) -> Result<Vec<DateTime<Utc>>> {
    let time = |event: &Value| {
        let at = event["at"].as_str().ok_or("an event has no time")?;
        Ok(at.parse::<DateTime<Utc>>()?)
    };
    events.iter().map(time).collect()
}

/// Writes a program part by part, and looks at what it has written.
fn work(seen: &Seen, replies: usize) -> Option<Turn> {
    let turn = seen.turn();
    let path = format!("src/part-{}.js", turn / 3);
    (turn < replies).then(|| match turn % 3 {
        0 => {
            let content = format!("export const part = () => {turn};\n").repeat(100);
            Turn::says("The next part.")
                .calls("write_file", json!({ "path": path, "content": content }))
        }
        1 => Turn::reply().calls("check_syntax", json!({ "path": path })),
        _ => Turn::reply().calls("read_file", json!({ "path": path })),
    })
}
