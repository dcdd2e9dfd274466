//! Whether several builds at once share two cores, or one waits for the others; and whether it matters
//! that they are of one project.
//!
//! Five builds have the same to do, so each should be nearly done when the first is; that some
//! began a moment later is all that may keep them apart. One that got nothing while another worked
//! would have done less than half.

use std::time::Instant;

use chrono::{DateTime, Utc};
use model_server::{Seen, Turn};
use serde_json::{Value, json};

use crate::{
    Result,
    builds::{Site, phases},
    figures,
    options::Options,
    table::Measure,
};

/// As many as a node runs unless it is told otherwise.
const BUILDS: usize = 5;
/// Percent that the slowest has to have done when the first is done.
const SHARE: f64 = 75.0;
/// How much longer builds of one project may take than those of several.
const ONE_PROJECT: f64 = 1.3;

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
    let beside = one_project(&site, options).await?;
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
        beside,
    ])
}

/// How long builds of one project take beside as many of different projects, in turns.
async fn one_project(site: &Site, options: &Options) -> Result<Measure> {
    let contract = phases(&["Everything".to_owned()]);
    let contracts = [("phases", contract.as_str())];
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(3, 1) {
        let settings = json!({ "gates": [], "max_concurrent_builds": BUILDS });
        let shared = site.project(&contracts, Some(settings)).await?;
        together.push(time_of(site, &vec![shared; BUILDS]).await?);
        let mut projects = Vec::new();
        for _ in 0..BUILDS {
            projects.push(site.project(&contracts, None).await?);
        }
        apart.push(time_of(site, &projects).await?);
    }
    let (together, apart) = (figures::median(&together), figures::median(&apart));
    let ratio = together / apart;
    let value = format!("{together:.1} s beside {apart:.1} s in {BUILDS} projects");
    Ok(Measure::new(format!("fairness: {BUILDS} builds of one project"), value)
        .ratio(ratio)
        .at_most(ratio, ONE_PROJECT, ""))
}

/// Seconds until a build of each of these projects is sealed.
async fn time_of(site: &Site, projects: &[String]) -> Result<f64> {
    let begun = Instant::now();
    let mut builds = Vec::new();
    for project in projects {
        builds.push(site.start_build(project).await?);
    }
    for build in &builds {
        site.sealed(build).await?;
    }
    Ok(begun.elapsed().as_secs_f64())
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
