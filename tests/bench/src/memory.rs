//! What a running build takes in memory beside its children, while it waits for a model or a
//! command.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use model_server::{Seen, Turn};
use serde_json::json;

use crate::{Result, builds::Site, options::Options, process, table::Measure};

/// Replies before a build waits; each reads a page of text, which stays in its conversation.
const REPLIES: usize = 40;
/// Bytes of that page: the most that a tool shows.
const PAGE: usize = 16 * 1024;
/// The title of a build that waits in a command; others wait in a model's reply.
const COMMAND: &str = "In a command";

/// MiB that each of so many builds takes.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let count = options.amount(8, 4);
    let waiting = Arc::new(AtomicUsize::new(0));
    let begun = waiting.clone();
    let site = Site::start(count, move |seen| Some(turn(seen, &begun))).await?;
    process::rest().await;
    let before = site.running.resident_kib()?;
    for number in 0..count {
        let title = if number % 2 == 0 { COMMAND } else { "In a reply" };
        site.build(&[title.to_owned()]).await?;
    }
    while waiting.load(Ordering::SeqCst) < count {
        process::rest().await;
    }
    process::rest().await;
    let after = site.running.resident_kib()?;
    site.stop().await?;
    let each = after.saturating_sub(before) as f64 / 1_024.0 / count as f64;
    let name = format!("memory: for each of {count} builds at work");
    Ok(vec![Measure::new(name, format!("{each:.1} MiB")).at_most(each, 64.0, " MiB")])
}

fn turn(seen: &Seen, waiting: &AtomicUsize) -> Turn {
    match seen.turn() {
        0 => {
            let content = "A line of the page that is read again and again.\n".repeat(PAGE / 49);
            Turn::reply().calls("write_file", json!({ "path": "page.txt", "content": content }))
        }
        turn @ 1..REPLIES => {
            let input = json!({ "path": "page.txt", "offset": turn % 3 + 1 });
            Turn::says("I read on.").calls("read_file", input)
        }
        _ => {
            waiting.fetch_add(1, Ordering::SeqCst);
            if seen.json["messages"][0].to_string().contains(COMMAND) {
                Turn::reply()
                    .calls("run_command", json!({ "command": "sleep 600", "timeout_s": 600 }))
            } else {
                Turn::says("I think about all of this. ".repeat(20)).silent_after(2)
            }
        }
    }
}
