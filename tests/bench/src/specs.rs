//! How long reading a spec takes: the command on a large one, and whether the time grows linearly.

use std::time::{Duration, Instant};

use domain::spec;
use tokio::process::Command;

use crate::{Result, binary, figures, options::Options, table::Measure};

const SIZE: usize = 1_000_000;
/// How much longer the large texts are than the small ones.
const FACTOR: usize = 8;

/// What every spec needs; the number of requirements is limited.
const HEAD: &str = "# Sort\n\n## Requirements\n\n- **FR-1**: System MUST sort by name\n\n\
    ## Pass Criteria\n\n- **FR-1**: `cargo test` passes\n\n## Technical Design\n\n";

/// Repeated up to the size.
const PART: &str = "### Sort\n\n**Goal:** it sorts\n\n- It sorts `a` and *b* by name\n  - detail\n\n\
    | a | b |\n|---|---|\n| `x` | y |\n\n```sh\ncargo test\n```\n\n";

/// Text that a careless reader needs quadratic time for.
const UNITS: [&str; 9] = [
    "- **FR-1**: it sorts `a` and *b*\n",
    "> - > quote\n",
    "| a | b |\n|---|---|\n| `x` | y |\n\n",
    "### Phase 1: a\n- step\n",
    "*a **b `c [d](e \n",
    "## Pass Criteria\n- `cargo test` passes\n  - detail\n",
    "**Tasks:** a\n",
    "<div><!-- \n",
    "```\n",
];

pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let program = binary::build().await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("spec.md");
    std::fs::write(&file, HEAD.to_owned() + &PART.repeat(SIZE / PART.len()))?;
    let mut took = Vec::new();
    for _ in 0..options.amount(15, 3) {
        let begun = Instant::now();
        let output =
            Command::new(&program).arg("validate").arg("--spec").arg(&file).output().await?;
        took.push(figures::ms(begun.elapsed()));
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
    }
    let validate = figures::median(&took);
    let repeats = options.amount(2_000, 500);
    let growth = UNITS.map(|unit| (growth(unit, repeats), unit));
    let (worst, unit) = growth.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, ""));
    Ok(vec![
        Measure::new("specs: forgeguard validate, 1 MB", format!("{validate:.0} ms"))
            .at_most(validate, 50.0, " ms"),
        Measure::new(
            format!("specs: time for {FACTOR} times the text"),
            format!("{worst:.1} times ({:?})", unit.lines().next().unwrap_or_default()),
        )
        .ratio(worst)
        .at_most(worst, 1.5 * FACTOR as f64, ""),
    ])
}

fn growth(unit: &str, repeats: usize) -> f64 {
    let (small, large) = (unit.repeat(repeats), unit.repeat(FACTOR * repeats));
    fastest(&large).as_secs_f64() / fastest(&small).as_secs_f64()
}

fn fastest(text: &str) -> Duration {
    let times = (0..5).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(spec::parse(text));
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}
