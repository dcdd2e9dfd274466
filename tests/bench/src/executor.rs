//! An external agent: what its gateway adds until the first byte of a reply, and the time from a line
//! of its output to the event that a client of the feed receives.

use std::{
    collections::HashMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use model_server::{KEY, Turn};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    Result,
    builds::{Site, phases, player},
    figures,
    options::Options,
    socket::Socket,
    table::Measure,
};

/// Defines `firstBytes`: the milliseconds until the first byte of each of so many replies. Without
/// single quotes, as it becomes an argument of a shell.
const REQUESTS: &str = r#"
const body = JSON.stringify({
  model: process.env.FORGEGUARD_MODEL, max_tokens: 100, stream: true,
  messages: [{ role: "user", content: [
    { type: "text", text: "Go on.", cache_control: { type: "ephemeral" } },
  ] }],
});
const headers = {
  "content-type": "application/json", "anthropic-version": "2023-06-01",
  "x-api-key": process.env.ANTHROPIC_API_KEY,
};
const firstBytes = async (count) => {
  const times = [];
  for (let n = 0; n < count; n++) {
    const begun = performance.now();
    const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages";
    const response = await fetch(url, { method: "POST", headers, body });
    const reader = response.body.getReader();
    await reader.read();
    times.push(performance.now() - begun);
    while (!(await reader.read()).done);
  }
  return times;
};
"#;

/// Prints calls of a tool with the time of their lines, as Claude Code prints its calls.
const LINES: &str = r#"
const call = (id, input) => {
  const content = [{ type: "tool_use", id, name: "Bash", input }];
  console.log(JSON.stringify({ type: "assistant", message: { content } }));
};
(async () => {
  await firstBytes(10);
  call("first-bytes", { times: await firstBytes(REQUESTS) });
  for (let n = 0; n < LINES; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    call("line-" + n, { sent: performance.timeOrigin + performance.now() });
  }
  call("end", {});
  await new Promise((resolve) => setTimeout(resolve, 60000));
})();
"#;

/// Longer than the agent waits between its lines.
const QUIET: Duration = Duration::from_millis(500);
/// How long the agent may take for all of it.
const LIMIT: Duration = Duration::from_secs(120);

pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let (requests, lines) = (options.amount(200, 20), options.amount(200, 20));
    let script = format!("{REQUESTS}{LINES}")
        .replace("REQUESTS", &requests.to_string())
        .replace("LINES", &lines.to_string());
    let reply = |seen: &model_server::Seen| seen.system().is_empty().then(|| Turn::says("Good."));
    let command = format!("node -e '{script}'");
    let environment = [("FORGEGUARD_EXECUTOR_COMMAND", command.as_str())];
    let site = Site::start_in(&environment, player(reply)).await?;
    let before = direct(&site, requests).await?;
    let (through_gateway, delays) = tokio::time::timeout(LIMIT, run(&site)).await??;
    let after = direct(&site, requests).await?;
    site.stop().await?;
    let direct = figures::median(&[before, after].concat());
    let added = figures::median(&through_gateway) - direct;
    let (delay, slow) = (figures::median(&delays), figures::percentile(&delays, 99.0));
    Ok(vec![
        Measure::new(
            "executor: what the gateway adds to the first byte, p50",
            format!("{added:.2} ms to {direct:.2} ms"),
        )
        .at_most(added, 2.0, " ms"),
        Measure::new(
            "executor: line of output to event at a client, p50",
            format!("{delay:.1} ms, p99 {slow:.1} ms"),
        )
        .at_most(delay, 10.0, " ms"),
    ])
}

/// Milliseconds until the first bytes, without a gateway.
async fn direct(site: &Site, requests: usize) -> Result<Vec<f64>> {
    let print = "firstBytes(REQUESTS).then((times) => console.log(JSON.stringify(times)))";
    let script = format!("{REQUESTS}firstBytes(10).then(() => {print});")
        .replace("REQUESTS", &requests.to_string());
    let output = Command::new("node")
        .args(["-e", &script])
        .env("ANTHROPIC_BASE_URL", site.model_url())
        .env("ANTHROPIC_API_KEY", KEY)
        .env("FORGEGUARD_MODEL", "direct")
        .output()
        .await?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Milliseconds until the first bytes through the gateway, and from lines to events.
async fn run(site: &Site) -> Result<(Vec<f64>, Vec<f64>)> {
    let phases = phases(&["Work".to_owned()]);
    let settings = json!({ "gates": [], "clarification_timeout_s": null, "executor": "custom" });
    let project = site.project(&[("phases", &phases)], Some(settings)).await?;
    let build = site.start_build(&project).await?;
    let account = &site.account;
    let mut socket = Socket::open(&account.address, "/api/ws", Some(&account.token)).await?;
    socket.subscribe(build.trim_start_matches("/api/builds/"), 0).await?;
    let mut arrivals = HashMap::new();
    loop {
        // Its time only, so that reading keeps up.
        let note = |seq| {
            arrivals.insert(seq, now());
        };
        match tokio::time::timeout(QUIET, socket.read(note)).await {
            Ok(read) => read?,
            Err(_) => {
                if let Some(found) = evaluate(&site.events(&build).await?, &arrivals) {
                    return Ok(found);
                }
            }
        }
    }
}

/// `None` until the agent has printed its last line.
fn evaluate(events: &[Value], arrivals: &HashMap<u64, f64>) -> Option<(Vec<f64>, Vec<f64>)> {
    let calls = events.iter().filter(|event| event["type"] == "build_tool_call_started");
    let (mut first_bytes, mut delays, mut has_ended) = (Vec::new(), Vec::new(), false);
    for call in calls {
        let (input, call_id) = (&call["payload"]["input"], &call["payload"]["call_id"]);
        if let Some(times) = input["times"].as_array() {
            first_bytes.extend(times.iter().filter_map(Value::as_f64));
        } else if let Some(sent) = input["sent"].as_f64() {
            delays.extend(arrivals.get(&call["seq"].as_u64()?).map(|arrived| arrived - sent));
        } else {
            has_ended |= call_id.as_str().is_some_and(|id| id.ends_with("-end"));
        }
    }
    has_ended.then_some((first_bytes, delays))
}

/// Milliseconds since 1970.
fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map(figures::ms).unwrap_or_default()
}
