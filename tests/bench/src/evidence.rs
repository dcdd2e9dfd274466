//! What proving a build costs: the checks of its tests and citations, its requirements matrix, and
//! verifying a long journal.
//!
//! A build's own time is the time between its first and its last event without that of commands,
//! whose length depends on the project. The model answers immediately, so that a real build has a
//! smaller share of checks.

use std::time::Instant;

use chrono::{DateTime, Utc};
use domain::{
    event::{Event, EventBody},
    seal::matrix::matrix as requirements_matrix,
    step::step,
};
use forgeguard::{
    journal::{self, Journal},
    store::Db,
};
use model_server::{Seen, Turn};
use serde_json::json;

use crate::{Result, builds::Site, figures, fixture::Fixture, options::Options, table::Measure};

const PHASES: usize = 4;
/// Calls with which a phase is carried out.
const CALLS: usize = 20;
const EVENTS: u64 = 100_000;

/// The share of the checks in a build's own time, and the time of a verification.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let mut measures = vec![checks(options).await?];
    measures.push(verification(options).await?);
    Ok(measures)
}

async fn checks(options: &Options) -> Result<Measure> {
    let site = Site::start_with(1, play).await?;
    let mut shares = Vec::new();
    let mut values = Vec::new();
    for _ in 0..options.amount(5, 1) {
        let build = site.build_of(&contracts(), &[gate()]).await?;
        site.sealed(&build).await?;
        let events: Vec<Event> = site
            .events(&build)
            .await?
            .into_iter()
            .map(serde_json::from_value)
            .collect::<Result<_, _>>()?;
        let times = Times::of(&events)?;
        shares.push(100.0 * times.checks / times.own);
        values.push(times.checks);
    }
    site.stop().await?;
    let (share, ms) = (figures::median(&shares), figures::median(&values));
    Ok(Measure::new(
        "evidence: checks of tests and citations, and the matrix",
        format!("{share:.1} % of the build's own time, {ms:.0} ms"),
    )
    .at_most(share, 5.0, " %"))
}

/// Milliseconds.
struct Times {
    own: f64,
    checks: f64,
}

impl Times {
    fn of(events: &[Event]) -> Result<Self> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else {
            return Err("the build has no events".into());
        };
        let (mut commands, mut checks) = (0.0, 0.0);
        for [before, event] in events.array_windows() {
            let took = between(before.at, event.at);
            match &event.body {
                EventBody::BuildGateFinished(gate) => commands += gate.duration_ms as f64,
                EventBody::BuildMutantsTested(mutants) => commands += mutants.duration_ms as f64,
                EventBody::BuildRedCheckFinished(red) => {
                    commands += red.duration_ms as f64;
                    checks += took - red.duration_ms as f64;
                }
                EventBody::BuildTestsCompared(_) => checks += took,
                EventBody::BuildToolCallFinished(call) if call.tool == "sign_off" => {
                    checks += call.duration_ms as f64;
                }
                _ => {}
            }
        }
        checks += matrix(events)?;
        Ok(Self { own: between(first.at, last.at) - commands, checks })
    }
}

fn between(from: DateTime<Utc>, to: DateTime<Utc>) -> f64 {
    (to - from).num_microseconds().unwrap_or(0) as f64 / 1_000.0
}

/// Milliseconds for the requirements matrix of the build.
fn matrix(events: &[Event]) -> Result<f64> {
    let mut state = None;
    for event in events {
        state = Some(step(state.take(), event.seq, event.at, &event.body)?);
    }
    let state = state.ok_or("the build has no events")?;
    let begun = Instant::now();
    let rows = requirements_matrix(&state);
    let took = figures::ms(begun.elapsed());
    if rows.len() != PHASES { Err("the matrix misses requirements".into()) } else { Ok(took) }
}

/// The verification of a build with many events.
async fn verification(options: &Options) -> Result<Measure> {
    let data = tempfile::tempdir()?;
    let db = Db::open_file(&data.path().join("bench.db"), Db::DEFAULT_CONNECTIONS).await?;
    db.migrate().await?;
    let fixture = Fixture::new(&Journal::start(db.clone())).await?;
    let count = options.amount(EVENTS, EVENTS / 10);
    fixture.fill(count).await?;
    let mut seconds = Vec::new();
    for _ in 0..options.amount(5, 1) {
        let begun = Instant::now();
        let found = journal::verify::verify(&db, fixture.build).await?;
        seconds.push(begun.elapsed().as_secs_f64());
        if !found.ok {
            return Err("the journal does not verify".into());
        }
    }
    let seconds = figures::median(&seconds);
    let name = format!("evidence: verify a build with {} events", figures::grouped(count as f64));
    Ok(Measure::new(name, format!("{seconds:.2} s")).at_most(seconds, 2.0, " s"))
}

fn contracts() -> [(&'static str, &'static str); 2] {
    const BLUEPRINT: &str = "# Blueprint\n\n## Requirements\n\n- **R-1** (must, stated) It adds.\n\
        - **R-2** (must, stated) It subtracts.\n- **R-3** (must, stated) It multiplies.\n\
        - **R-4** (must, stated) It negates.\n";
    const OUTLINES: &str = "# Phases\n\n\
        ## Phase 0 — Part 0\n**Covers:** R-1\n**Deliverables:**\n- src/part0.js\n\n\
        **Exit criteria:**\n- R-1 — test: part 0\n\n\
        ## Phase 1 — Part 1\n**Covers:** R-2\n**Deliverables:**\n- src/part1.js\n\n\
        **Exit criteria:**\n- R-2 — test: part 1\n\n\
        ## Phase 2 — Part 2\n**Covers:** R-3\n**Deliverables:**\n- src/part2.js\n\n\
        **Exit criteria:**\n- R-3 — test: part 2\n\n\
        ## Phase 3 — Part 3\n**Covers:** R-4\n**Deliverables:**\n- src/part3.js\n\n\
        **Exit criteria:**\n- R-4 — test: part 3\n";
    [("blueprint", BLUEPRINT), ("phases", OUTLINES)]
}

fn gate() -> serde_json::Value {
    json!({
        "name": "test", "command": "node --test", "timeout_s": 60, "required": true, "network": false
    })
}

/// A model that writes the code and the test of each phase, looks at them, and signs off.
fn play(seen: &Seen) -> Turn {
    let (system, turn) = (seen.system(), seen.turn());
    let phase =
        (0..PHASES).find(|n| seen.task().contains(&format!("Part {n}"))).unwrap_or_default();
    let file = format!("src/part{phase}.js");
    if system.contains("You are the scout") {
        return Turn::says("Nothing of note.");
    }
    if system.contains("You are the auditor") {
        let citation = json!({ "path": file, "first_line": 1 });
        let criterion = json!({
            "index": 1, "result": "passed", "evidence": "it computes", "citations": [citation]
        });
        return match turn {
            0 => Turn::reply().calls("read_file", json!({ "path": file })),
            _ => Turn::reply()
                .calls("sign_off", json!({ "verdict": "pass", "criteria": [criterion] })),
        };
    }
    if seen.is_planning() {
        let brief = json!({ "phase_number": phase });
        return match turn {
            0 => Turn::reply().calls("forge_get_phase_brief", brief),
            _ => Turn::reply().calls("submit_plan", json!({ "steps": ["Write it and its test"] })),
        };
    }
    match turn {
        0 => {
            let code = "exports.compute = (a, b) => a + b;\n";
            let test = format!(
                "const assert = require('node:assert');\nconst test = require('node:test');\n\
                 const {{ compute }} = require('../src/part{phase}.js');\n\n\
                 test('part {phase}', () => assert.strictEqual(compute(1, 2), 3));\n"
            );
            let test_file = format!("test/part{phase}.test.js");
            Turn::reply()
                .calls("write_file", json!({ "path": file, "content": code }))
                .calls("write_file", json!({ "path": test_file, "content": test }))
        }
        1..CALLS => {
            Turn::reply().calls("search_code", json!({ "pattern": format!("a.{{0,{turn}}}b") }))
        }
        _ => Turn::reply()
            .calls("finish_step", json!({ "step": 1 }))
            .calls("finish_phase", json!({ "summary": "It computes." })),
    }
}
