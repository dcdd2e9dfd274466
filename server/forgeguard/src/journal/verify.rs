//! A journal checked again, from the table or from an exported file: chain, rules and seal.
//!
//! - [`closing`]: what a seal depends on
//! - [`reading`]: record by record, up to the first that does not fit

mod closing;
mod reading;

use domain::{chain, ids::BuildId};
use serde::Deserialize;

use super::entry::AppendError;
use crate::store::{self, Db, builds::Build, events::EventRow, seals::Seal};

use reading::Reading;
pub use reading::{Problem, Verification};

/// Events read at once: few enough that the largest bodies fit in memory.
const PAGE: usize = 200;

/// Reads the journal of a build from its first event on, whatever its length in constant memory,
/// and compares what follows from it with what the other tables say.
pub async fn verify(db: &Db, build_id: BuildId) -> Result<Verification, AppendError> {
    let mut reading = Reading::new(build_id);
    // A snapshot held for a long journal would keep the database from tidying up: only the end is
    // read in one, together with the rows that must agree with it.
    loop {
        let mut conn = db.read().await?;
        let rows = page(&mut conn, build_id, &reading).await?;
        drop(conn);
        if !take_rows(&mut reading, &rows) || rows.len() < PAGE {
            break;
        }
    }
    let mut snapshot = db.snapshot().await?;
    while !reading.is_broken() {
        let rows = page(&mut snapshot, build_id, &reading).await?;
        if !take_rows(&mut reading, &rows) || rows.len() < PAGE {
            break;
        }
    }
    let build = store::builds::get(&mut snapshot, build_id).await?;
    let build = build.ok_or(AppendError::UnknownBuild)?;
    let seal = store::seals::get(&mut snapshot, build_id).await?;
    if !reading.is_broken() {
        compare_build(&mut reading, &build);
        compare_seal(&mut reading, seal.as_ref());
    }
    Ok(reading.finish())
}

/// The same for an exported journal, one event a line. Without a database there is nothing to
/// compare the end with: that the export is whole shows only where it ends with the seal.
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

/// The build that a line belongs to. Where it names none, the reading says why it does not fit.
fn build_of(line: &str) -> BuildId {
    #[derive(Deserialize)]
    struct Named {
        build_id: BuildId,
    }
    let nobody = domain::ids::Id::from_uuid(uuid::Uuid::nil());
    serde_json::from_str(line).map_or(nobody, |Named { build_id }| build_id)
}

async fn page(
    conn: &mut store::Conn,
    build_id: BuildId,
    reading: &Reading,
) -> store::Result<Vec<EventRow>> {
    store::events::after(conn, build_id, reading.seq(), PAGE as i64).await
}

/// False once a record does not fit.
fn take_rows(reading: &mut Reading, rows: &[EventRow]) -> bool {
    rows.iter().all(|row| {
        let record = chain::Link { body: row.body.clone(), hash: row.hash.clone() };
        let Some(event) = reading.take(&record) else { return false };
        let columns = (row.seq, row.kind.as_str(), row.at);
        if columns == (event.seq, event.body.type_name(), event.at) {
            return true;
        }
        let seq = Some(event.seq);
        let what = format!(
            "the columns beside event {} say that it is event {} of type {} at {}",
            event.seq, row.seq, row.kind, row.at
        );
        reading.add(Problem { seq, what });
        true
    })
}

fn compare_build(reading: &mut Reading, build: &Build) {
    let (seq, hash) = reading.head();
    if build.head_seq != seq {
        let last = build.head_seq;
        let what = format!("the build's row says that event {last} is the last, not event {seq}");
        reading.add(Problem { seq: Some(seq.min(last) + 1), what });
    } else if build.head_hash != hash {
        let what = "the build's row holds another hash for the last event".to_owned();
        reading.add(Problem { seq: Some(seq), what });
    }
    let Some(state) = reading.state() else {
        let what = "there is no event at all".to_owned();
        return reading.add(Problem { seq: Some(1), what });
    };
    let (status, verdict) = (state.status, state.sealed.as_ref().map(|sealed| sealed.verdict));
    if build.status != status {
        let (row, journal) = (build.status.name(), status.name());
        let what = format!("the build's row says {row}, its journal says {journal}");
        reading.add(Problem { seq: None, what });
    }
    if build.verdict != verdict {
        let what = "the build's row and its journal tell different verdicts".to_owned();
        reading.add(Problem { seq: None, what });
    }
}

fn compare_seal(reading: &mut Reading, seal: Option<&Seal>) {
    let sealed = reading.state().and_then(|state| state.sealed.as_ref());
    let agrees = match (sealed, seal) {
        (None, None) => true,
        (Some(sealed), Some(seal)) => {
            sealed.verdict == seal.verdict
                && f64::from(sealed.score) == seal.score
                && sealed.seal_commit == seal.seal_commit
                && sealed.journal_head == seal.journal_head
                && serde_json::from_str(&seal.evidence)
                    .is_ok_and(|it: domain::verdict::Evidence| it == sealed.evidence)
        }
        _ => false,
    };
    if !agrees {
        let what = "the stored seal is not the one in the journal".to_owned();
        reading.add(Problem { seq: None, what });
    }
}
