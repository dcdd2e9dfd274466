//! Measures ForgeGuard and prints one table: `cargo run --release -p bench`.
//!
//! What is compared is measured in the same run and in turns, so that ratios mean the same on any
//! machine. `--only NAME` measures a part, `--quick` takes a short look, `--strict` fails where a
//! target is missed.

mod account;
mod bare_loop;
mod binary;
mod broadcaster;
mod builds;
mod claims;
mod clarification;
mod contracts;
mod delivery;
mod depth;
mod errors;
mod evidence;
mod executor;
mod fairness;
mod figures;
mod fixture;
mod git_step;
mod headless;
mod mcp;
mod memory;
mod options;
mod process;
mod remotes;
mod sample;
mod search;
mod service;
mod socket;
mod specs;
mod table;
mod turn_loop;
mod window;

use std::process::ExitCode;

use clap::Parser;
use options::Options;
use table::Measure;
use tokio::runtime::{Builder, Handle};

/// Whatever goes wrong ends the measurement.
type Error = Box<dyn std::error::Error + Send + Sync>;
type Result<T, E = Error> = std::result::Result<T, E>;

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    // Clients have a thread of their own, as if they were another process.
    let clients = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let service = Builder::new_multi_thread().enable_all().build()?;
    let measures = service.block_on(measure(&options, clients.handle()))?;
    show(&format!("\n{}", table::render(&measures)));
    let missed = measures.iter().any(Measure::is_missed);
    Ok(if missed && options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

async fn measure(options: &Options, clients: &Handle) -> Result<Vec<Measure>> {
    let mut measures = Vec::new();
    const PARTS: [&str; 18] = [
        "process",
        "contracts",
        "memory",
        "loop",
        "evidence",
        "fairness",
        "search",
        "git",
        "errors",
        "claims",
        "clarification",
        "depth",
        "deliver",
        "specs",
        "headless",
        "mcp",
        "executor",
        "remotes",
    ];
    for part in PARTS {
        if !options.wants(part) {
            continue;
        }
        show(&format!("measuring {part} …"));
        measures.extend(match part {
            "process" => process::measure(options).await?,
            "contracts" => contracts::measure(options).await?,
            "memory" => memory::measure(options).await?,
            "loop" => turn_loop::measure(options).await?,
            "evidence" => evidence::measure(options).await?,
            "fairness" => fairness::measure(options).await?,
            "search" => search::measure(options).await?,
            "git" => {
                let options = options.clone();
                tokio::task::spawn_blocking(move || git_step::measure(&options)).await??
            }
            "errors" => errors::measure(options).await?,
            "claims" => claims::measure(options).await?,
            "clarification" => clarification::measure(options).await?,
            "depth" => depth::measure(options).await?,
            "deliver" => delivery::measure(options, clients).await?,
            "specs" => specs::measure(options).await?,
            "headless" => headless::measure(options).await?,
            "mcp" => mcp::measure(options, clients).await?,
            "executor" => executor::measure(options).await?,
            _ => remotes::measure(options).await?,
        });
    }
    Ok(measures)
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn show(text: &str) {
    println!("{text}");
}
