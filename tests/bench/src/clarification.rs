//! From an answer posted to the worker that resumes the build: through HTTP, journal and queue,
//! beside a request that does nothing, whose time shows how soon this machine answers after a pause.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{
    Result,
    account::Account,
    binary::{self, Running},
    figures,
    options::Options,
    socket::Socket,
    table::Measure,
};

/// How often to look whether the build asks.
const LOOK: Duration = Duration::from_millis(20);

/// The round trip of so many questions, each of a build of its own.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let program = binary::build().await?;
    let data = tempfile::tempdir()?;
    let running = Running::start(&program, data.path(), "all").await?;
    let account = Account::sign_in(&running.address).await?;
    let projects = account.get("/api/projects").await?;
    let project = projects["items"][0]["id"].as_str().ok_or("there is no demo project")?;
    let (mut trips, mut empty) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(30, 4) {
        trips.push(figures::ms(round_trip(&account, project).await?));
        empty.push(figures::ms(empty_request(&account).await?));
    }
    running.stop().await?;
    let (middle, slow) = (figures::median(&trips), figures::percentile(&trips, 99.0));
    let bare = figures::median(&empty);
    let value = format!("p50 {middle:.2} ms beside {bare:.2} ms, p99 {slow:.2} ms");
    Ok(vec![
        Measure::new("clarification: answer posted to build resumed", value)
            .ratio(middle / bare)
            .at_most(middle, 1.5, " ms"),
    ])
}

/// Starts a build, answers its question, and ends it.
async fn round_trip(account: &Account, project: &str) -> Result<Duration> {
    let build = account
        .post(
            &format!("/api/projects/{project}/builds"),
            &json!({ "budgets": { "usd_micros": "unlimited" } }),
        )
        .await?;
    let build = format!("/api/builds/{}", build["id"].as_str().ok_or("the build has no id")?);
    let (head, question) = asked(account, &build).await?;
    let mut socket = Socket::open(&account.address, "/api/ws", Some(&account.token)).await?;
    // A user who answers has followed the build for a while: wait until the socket follows it.
    socket.subscribe(build.trim_start_matches("/api/builds/"), head - 1).await?;
    let mut last = head - 1;
    while last < head {
        socket.read(|seq| last = seq).await?;
    }
    let begun = Instant::now();
    let answer = json!({ "question_id": question, "answer": "Two weeks" });
    account.post(&format!("{build}/clarify"), &answer).await?;
    // The first new event is the answer; the one after it is the worker's.
    while last < head + 2 {
        socket.read(|seq| last = seq).await?;
    }
    let took = begun.elapsed();
    account.post(&format!("{build}/cancel"), &json!({})).await?;
    while account.get(&build).await?["status"] != "abandoned" {
        wait().await;
    }
    Ok(took)
}

/// A request that reads and writes nothing, after a pause.
async fn empty_request(account: &Account) -> Result<Duration> {
    wait().await;
    let begun = Instant::now();
    account.get("/healthz").await?;
    Ok(begun.elapsed())
}

/// Waits until the build asks; the seq of its last event, and the question.
async fn asked(account: &Account, build: &str) -> Result<(u64, Value)> {
    loop {
        let now = account.get(build).await?;
        if now["status"] == "awaiting_input" {
            let head = now["head_seq"].as_u64().ok_or("the build has no head")?;
            return Ok((head, now["open_clarifications"][0]["id"].clone()));
        }
        wait().await;
    }
}

#[expect(clippy::disallowed_methods, reason = "this is before and after what is measured")]
async fn wait() {
    tokio::time::sleep(LOOK).await;
}
