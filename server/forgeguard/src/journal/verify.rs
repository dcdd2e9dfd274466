//! Verification of a journal, from the table or from an exported file: its chain, rules and seal, and
//! the rows derived from it.
//!
//! - [`problem`]: the results
//! - [`closing`]: the part of a journal that a seal depends on
//! - [`reading`]: record by record, up to the first invalid one
//! - [`replay`]: the rows derived from events, derived again
//! - [`stored_texts`]: full texts and checkpoints

mod closing;
mod problem;
mod reading;
mod replay;
mod stored_texts;

use domain::{chain, event::Event, ids::BuildId};
use serde::Deserialize;

use super::entry::AppendError;
use crate::store::{self, Conn, Db, checkpoints::Checkpoint, events::EventRow};

use reading::Reading;
use replay::Replay;
use stored_texts::StoredTexts;

pub use problem::{Problem, Verification, shorten};

/// Events per query: few enough that bodies of the maximum size fit in memory.
const PAGE: usize = 200;

/// Verifies the journal of a build from its first event on, page by page, and compares the rows
/// derived from it with the stored ones.
pub async fn verify(db: &Db, build_id: BuildId) -> Result<Verification, AppendError> {
    let mut check = Check::start(db, build_id).await?;
    // A long-lived snapshot would prevent the database from cleaning up: only the end is read in
    // one, together with the rows that must be consistent with it.
    loop {
        let mut conn = db.read().await?;
        let rows = check.page(&mut conn).await?;
        drop(conn);
        if !check.take(rows).await? {
            break;
        }
    }
    let mut snapshot = db.snapshot().await?;
    while !check.reading.is_broken() {
        let rows = check.page(&mut snapshot).await?;
        if !check.take(rows).await? {
            break;
        }
    }
    check.finish(&mut snapshot).await
}

/// A verification in progress.
struct Check {
    build_id: BuildId,
    reading: Reading,
    replay: Replay,
    texts: StoredTexts,
    checkpoint: Option<Checkpoint>,
}

impl Check {
    async fn start(db: &Db, build_id: BuildId) -> Result<Self, AppendError> {
        let checkpoint = store::checkpoints::get(&mut db.read().await?, build_id).await?;
        Ok(Self {
            build_id,
            reading: Reading::new(build_id),
            replay: Replay::start(build_id).await?,
            texts: StoredTexts::default(),
            checkpoint,
        })
    }

    async fn page(&self, conn: &mut Conn) -> store::Result<Vec<EventRow>> {
        store::events::after(conn, self.build_id, self.reading.seq(), PAGE as i64).await
    }

    /// False after an invalid record, or at the end.
    async fn take(&mut self, rows: Vec<EventRow>) -> Result<bool, AppendError> {
        let is_full = rows.len() == PAGE;
        let mut events = Vec::with_capacity(rows.len());
        for row in rows {
            let record = chain::Link { body: row.body.clone(), hash: row.hash.clone() };
            let Some(event) = self.reading.take(&record) else { break };
            self.compare_columns(&event, &row);
            self.texts.note(&row.body, &event.body);
            if let (Some(checkpoint), Some(state)) = (&self.checkpoint, self.reading.state())
                && checkpoint.seq == event.seq
            {
                let problem = stored_texts::compare_checkpoint(checkpoint, state);
                problem.into_iter().for_each(|problem| self.reading.add(problem));
            }
            events.push((event, row));
        }
        // After an invalid record the derived rows are unknown, and are not compared.
        if let Some(state) = self.reading.state() {
            self.replay.take(&events, state).await?;
        }
        Ok(is_full && !self.reading.is_broken())
    }

    fn compare_columns(&mut self, event: &Event, row: &EventRow) {
        let columns = (row.seq, row.kind.as_str(), row.at);
        if columns != (event.seq, event.body.type_name(), event.at) {
            let what = format!(
                "the columns beside event {} say that it is event {} of type {} at {}",
                event.seq, row.seq, row.kind, row.at
            );
            self.reading.add(Problem { seq: Some(event.seq), what });
        }
    }

    async fn finish(mut self, conn: &mut Conn) -> Result<Verification, AppendError> {
        let head = store::builds::head(conn, self.build_id).await?;
        let head = head.ok_or(AppendError::UnknownBuild)?;
        if self.reading.is_broken() {
            return Ok(self.reading.finish());
        }
        compare_head(&mut self.reading, head);
        let Some(state) = self.reading.state() else { return Ok(self.reading.finish()) };
        let is_complete = state.queued.contracts.is_some();
        let last = self.reading.seq();
        if let Some(checkpoint) = self.checkpoint.filter(|checkpoint| checkpoint.seq > last) {
            let seq = checkpoint.seq;
            let what = format!("build_checkpoints.seq is {seq}, but the last event is {last}");
            self.reading.add(Problem::of(what));
        }
        let mut problems = self.replay.compare(conn).await?;
        problems.extend(self.texts.compare(conn, is_complete).await?);
        problems.into_iter().for_each(|problem| self.reading.add(problem));
        Ok(self.reading.finish())
    }
}

/// Verifies an exported journal, one event per line. Without a database, a missing end is only
/// noticed if there is no seal.
pub fn verify_lines<L: AsRef<str>>(lines: impl IntoIterator<Item = L>) -> Verification {
    let mut reading: Option<Reading> = None;
    for line in lines {
        let line = line.as_ref().trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            continue;
        }
        let reading = reading.get_or_insert_with(|| Reading::new(build_of(line)));
        let fits = match chain::without_hash(line) {
            Some(record) => reading.take(&record).is_some(),
            None => {
                reading.refuse("the line is not an event with a hash".to_owned());
                false
            }
        };
        if !fits {
            break;
        }
    }
    let mut reading = reading.unwrap_or_else(|| Reading::new(build_of("")));
    if !reading.is_broken() && reading.seq() == 0 {
        reading.refuse("there is no event at all".to_owned());
    }
    reading.finish()
}

/// The build that a line belongs to; nil if it names none, which reading then reports.
fn build_of(line: &str) -> BuildId {
    #[derive(Deserialize)]
    struct Named {
        build_id: BuildId,
    }
    let nil = domain::ids::Id::from_uuid(uuid::Uuid::nil());
    serde_json::from_str(line).map_or(nil, |Named { build_id }| build_id)
}

fn compare_head(reading: &mut Reading, (head_seq, head_hash): (u64, String)) {
    let (seq, hash) = reading.head();
    if head_seq != seq {
        let what =
            format!("the build's row says that event {head_seq} is the last, not event {seq}");
        reading.add(Problem { seq: Some(seq.min(head_seq) + 1), what });
    } else if head_hash != hash {
        let what = "the build's row holds another hash for the last event".to_owned();
        reading.add(Problem { seq: Some(seq), what });
    }
    if seq == 0 {
        let what = "there is no event at all".to_owned();
        reading.add(Problem { seq: Some(1), what });
    }
}
