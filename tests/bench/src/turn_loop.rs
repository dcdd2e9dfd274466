//! What the loop of an agent costs beside its model: for each tool call, with journal and
//! transcript on SQLite.
//!
//! Counted is the time from the model's reply to its next request, as the model's server sees it.
//! In it are: the reply read from the stream and recorded in one transaction, the call made and its
//! result recorded in another, the whole conversation written out again, and HTTP both ways. The
//! call itself, `read_file` of a page of text, is in it too: it is no command.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use model_server::{Seen, Turn};
use serde_json::json;

use crate::{Result, builds::Site, figures, options::Options, table::Measure};

/// Replies of one run; a run may have 60.
const REPLIES: usize = 50;
/// Calls of a reply that has many.
const MANY: usize = 8;

/// Milliseconds between a reply and the next request: after one call, and after many.
#[derive(Debug, Default)]
struct Gaps {
    one: Vec<f64>,
    many: Vec<f64>,
    /// How often the files were written.
    writes: usize,
    /// The last reply, and how many calls it had.
    replied: Option<(Instant, usize)>,
}

/// The loop's own time for each tool call.
pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let gaps: Arc<Mutex<Gaps>> = Arc::default();
    let taken = gaps.clone();
    let work = move |seen: &Seen| taken.lock().unwrap_or_else(PoisonError::into_inner).turn(seen);
    let site = Site::start(1, work).await?;
    let phases = options.amount(8, 2);
    let titles: Vec<String> = (0..phases).map(|n| format!("Part {n}")).collect();
    site.sealed(&site.build(&titles).await?).await?;
    site.stop().await?;
    let gaps = gaps.lock().unwrap_or_else(PoisonError::into_inner);
    let (one, slow) = (figures::median(&gaps.one), figures::percentile(&gaps.one, 99.0));
    let many = figures::median(&gaps.many) / MANY as f64;
    Ok(vec![
        Measure::new("loop: own time for a tool call, p50", format!("{one:.1} ms"))
            .at_most(one, 5.0, " ms"),
        Measure::new("loop: the same, p99", format!("{slow:.1} ms")).at_most(slow, 15.0, " ms"),
        Measure::new(
            format!("loop: the same, where a reply has {MANY} calls"),
            format!("p50 {many:.1} ms"),
        ),
    ])
}

impl Gaps {
    fn turn(&mut self, seen: &Seen) -> Option<Turn> {
        let turn = seen.turn();
        if let Some((replied, calls)) = self.replied.take().filter(|_| turn > 1) {
            let gap = figures::ms(seen.at.duration_since(replied));
            if calls == 1 { self.one.push(gap) } else { self.many.push(gap) }
        }
        let (reply, calls) = match turn {
            0 => {
                self.writes += 1;
                (write(self.writes), 2)
            }
            1..REPLIES if turn.is_multiple_of(5) => (read(turn, MANY), MANY),
            1..REPLIES => (read(turn, 1), 1),
            _ => return None,
        };
        self.replied = Some((Instant::now(), calls));
        Some(reply)
    }
}

/// Different text each time, because a phase has to change something.
fn write(nth: usize) -> Turn {
    let line = "export const place = (shelf, book) => shelf.places.get(book.id);\n";
    let page = format!("// Version {nth}\n{}", line.repeat(60));
    let file = |name: &str| json!({ "path": name, "content": page });
    Turn::reply().calls("write_file", file("a.js")).calls("write_file", file("b.js"))
}

/// Never the same call twice in a row.
fn read(turn: usize, calls: usize) -> Turn {
    let call = |reply: Turn, n: usize| {
        let path = if (turn + n).is_multiple_of(2) { "a.js" } else { "b.js" };
        reply.calls("read_file", json!({ "path": path, "offset": n + 1 }))
    };
    (0..calls).fold(Turn::says("I look at it."), call)
}
