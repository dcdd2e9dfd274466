//! Benchmark of the process: startup time, idle memory, memory per idle connection.

use std::{path::Path, time::Duration};

use serde_json::json;

use crate::{
    Result,
    account::Account,
    binary::{self, Running},
    figures,
    options::Options,
    socket::Socket,
    table::Measure,
};

/// Time until memory has settled after startup.
const REST: Duration = Duration::from_secs(2);

/// Start-up and memory of the release binary.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let program = binary::build().await?;
    let data = tempfile::tempdir()?;
    // The first start makes the data directory, the database and an account.
    Running::start(&program, data.path(), "all").await?.stop().await?;
    let mut starts = Vec::new();
    for _ in 0..options.amount(11, 3) {
        let running = Running::start(&program, data.path(), "all").await?;
        starts.push(figures::ms(running.took));
        running.stop().await?;
    }
    let start = figures::median(&starts);
    let running = Running::start(&program, data.path(), "all").await?;
    rest().await;
    let idle = running.resident_kib()? as f64 / 1_024.0;
    running.stop().await?;
    let sockets = options.amount(1_000, 200);
    let each = per_socket(&program, data.path(), sockets).await?;
    Ok(vec![
        Measure::new("process: start to first answer", format!("{start:.0} ms"))
            .at_most(start, 100.0, " ms"),
        Measure::new("process: memory at rest", format!("{idle:.1} MiB"))
            .at_most(idle, 40.0, " MiB"),
        Measure::new(
            format!("process: memory for each of {sockets} idle sockets"),
            format!("{each:.1} KiB"),
        )
        .at_most(each, 10.0, " KiB"),
    ])
}

/// Waits until memory has settled.
#[expect(clippy::disallowed_methods, reason = "memory settles over time, without a signal")]
pub async fn rest() {
    tokio::time::sleep(REST).await;
}

/// KiB per socket that follows an idle build.
async fn per_socket(program: &Path, data: &Path, count: u64) -> Result<f64> {
    // A node that runs no builds, so that the followed build does not change.
    let running = Running::start(program, data, "web").await?;
    let account = Account::sign_in(&running.address).await?;
    let projects = account.get("/api/projects").await?;
    let project = projects["items"][0]["id"].as_str().ok_or("there is no demo project")?;
    let build = account
        .post(
            &format!("/api/projects/{project}/builds"),
            &json!({ "budgets": { "usd_micros": "unlimited" } }),
        )
        .await?;
    let build = build["id"].as_str().ok_or("the build has no id")?;
    let open = || async {
        let mut socket = Socket::open(&running.address, "/api/ws", Some(&account.token)).await?;
        socket.subscribe(build, 0).await?;
        let mut seen = false;
        while !seen {
            socket.read(|_| seen = true).await?;
        }
        Result::<Socket>::Ok(socket)
    };
    // The first ones allocate shared state.
    let mut sockets = Vec::new();
    for _ in 0..20 {
        sockets.push(open().await?);
    }
    rest().await;
    let before = running.resident_kib()?;
    for _ in 0..count {
        sockets.push(open().await?);
    }
    rest().await;
    let after = running.resident_kib()?;
    drop(sockets);
    running.stop().await?;
    Ok(after.saturating_sub(before) as f64 / count as f64)
}
