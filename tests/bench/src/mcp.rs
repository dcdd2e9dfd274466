//! How long a read takes over MCP, beside the same read over REST, and how many there are per second.

use std::time::{Duration, Instant};

use reqwest::{Client, RequestBuilder};
use serde_json::json;
use tokio::{runtime::Handle, task::JoinSet};

use crate::{Result, figures, options::Options, service::Service, table::Measure};

/// Clients of the second measurement, each with one call at a time.
const CLIENTS: usize = 16;
const CONTRACT: &str = "# Stack\n\nPython 3.13\n";

/// `clients` is the runtime of the clients.
pub async fn measure(options: &Options, clients: &Handle) -> Result<Vec<Measure>> {
    let service = Service::start(None).await?;
    let account = service.account();
    let project = account.post("/api/projects", &json!({ "name": "Rope shop" })).await?;
    let project = project["id"].as_str().ok_or("no project")?.to_owned();
    let path = format!("/api/projects/{project}/contracts/stack");
    account.put(&path, &json!({ "content": CONTRACT })).await?;
    let key =
        account.post("/api/forge-keys", &json!({ "name": "bench", "scopes": ["read"] })).await?;
    let reads = Reads {
        client: support::http_client().build()?,
        base: format!("http://{}", service.address()),
        key: key["key"].as_str().ok_or("no key")?.to_owned(),
        project,
    };
    let (calls, seconds) = (options.amount(2_000, 100), options.amount(5, 1));
    let pairs = clients.spawn(pairs(reads.clone(), calls));
    let (mcp, rest) = pairs.await??;
    let count = clients.spawn(calls_per_second(reads, Duration::from_secs(seconds)));
    let per_second = count.await??;
    service.stop().await?;
    let (mcp, rest) = (figures::median(&mcp), figures::median(&rest));
    Ok(vec![
        Measure::new("mcp: read of a contract, p50", format!("{mcp:.2} ms, REST {rest:.2} ms"))
            .ratio(mcp / rest)
            .at_most(mcp, 3.0, " ms"),
        Measure::new("mcp: reads per second", figures::grouped(per_second))
            .at_least(per_second, 2_000.0, ""),
    ])
}

#[derive(Clone)]
struct Reads {
    client: Client,
    base: String,
    key: String,
    project: String,
}

impl Reads {
    /// In the revision without sessions.
    fn mcp(&self) -> RequestBuilder {
        const TOOL: &str = "forge_get_project_contract";
        let arguments = json!({ "project_id": self.project, "contract_type": "stack" });
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": TOOL, "arguments": arguments, "_meta": meta });
        self.client
            .post(format!("{}/mcp", self.base))
            .bearer_auth(&self.key)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", TOOL)
            .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }))
    }

    fn rest(&self) -> RequestBuilder {
        let url = format!("{}/api/mcp/context/{}/stack", self.base, self.project);
        self.client.get(url).bearer_auth(&self.key)
    }
}

/// Milliseconds of each.
async fn pairs(reads: Reads, calls: usize) -> Result<(Vec<f64>, Vec<f64>)> {
    let (mut mcp, mut rest) = (Vec::new(), Vec::new());
    for _ in 0..calls {
        mcp.push(timed(reads.mcp()).await?);
        rest.push(timed(reads.rest()).await?);
    }
    Ok((mcp, rest))
}

async fn timed(request: RequestBuilder) -> Result<f64> {
    let begun = Instant::now();
    let text = request.send().await?.error_for_status()?.text().await?;
    let took = figures::ms(begun.elapsed());
    if !text.contains("Python 3.13") {
        return Err(format!("this is not the contract: {text}").into());
    }
    Ok(took)
}

async fn calls_per_second(reads: Reads, duration: Duration) -> Result<f64> {
    let begun = Instant::now();
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let reads = reads.clone();
        clients.spawn(async move {
            let mut calls = 0_u64;
            while begun.elapsed() < duration {
                timed(reads.mcp()).await?;
                calls += 1;
            }
            Ok::<u64, crate::Error>(calls)
        });
    }
    let mut calls = 0;
    while let Some(client) = clients.join_next().await {
        calls += client??;
    }
    Ok(figures::per_second(calls, begun.elapsed()))
}
