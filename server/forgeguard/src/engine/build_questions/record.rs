//! The record of a build, as the tools read it: journal, report, contracts and files. Secrets are
//! removed.

use domain::contract::{ContractSource, ContractType};
use git::GitError;
use serde_json::Value;

use super::{
    branch_files::{BranchFiles, MAX_RESULT_BYTES},
    calls::{ReadCall, ReadContract, SearchEvents},
    conversation::CallResult,
    redacted,
};
use crate::{
    contracts,
    engine::{error::EngineError, handle::Engine},
    store::{
        self, Conn,
        builds::Build,
        events::{self, EventRow},
        projects::Project,
    },
    text::{ends, head},
};

/// Events per query.
const PAGE: i64 = 500;
/// Events that one search reads.
const MAX_SCANNED_EVENTS: usize = 20_000;
/// Events that one search lists.
const MAX_LISTED_EVENTS: usize = 40;
/// Size limit of an event in a list, in bytes.
const MAX_EXCERPT_BYTES: usize = 240;

pub(super) struct Record {
    engine: Engine,
    build: Build,
    project: Project,
    /// None before the build has a branch.
    files: Option<BranchFiles>,
}

impl Record {
    pub async fn open(
        engine: &Engine,
        build: Build,
        project: Project,
    ) -> Result<Self, EngineError> {
        let files = match (&build.baseline_sha, &build.head_sha) {
            (Some(baseline), Some(head)) => Some(BranchFiles {
                clone: engine.working_clone(build.project_id).await?,
                baseline: baseline.parse().map_err(GitError::from)?,
                head: head.parse().map_err(GitError::from)?,
            }),
            _ => None,
        };
        Ok(Self { engine: engine.clone(), build, project, files })
    }

    /// What the model knows from the start.
    pub fn facts(&self) -> String {
        let Build { id, title, status, verdict, head_seq, head_sha, .. } = &self.build;
        let verdict = verdict.map_or("none yet", |verdict| verdict.name());
        redacted::text(&format!(
            "Facts about the build:\nproject: {}\nbuild: {id}\ntitle: {}\nstatus: {}\n\
             verdict: {verdict}\nevents: 1 to {head_seq}\nnewest commit: {}",
            self.project.name,
            title.as_deref().unwrap_or("none"),
            status.name(),
            head_sha.as_deref().unwrap_or("none yet"),
        ))
    }

    /// Runs a call that reads.
    pub async fn run(&self, call: ReadCall) -> Result<CallResult, EngineError> {
        Ok(match call {
            ReadCall::Report(call) => {
                let report =
                    self.engine.report(self.build.clone(), &self.project.name).await?.markdown()?;
                page(&redacted::text(&report), call.offset)
            }
            ReadCall::SearchEvents(call) => self.search_events(&call).await?,
            ReadCall::Event(call) => match self.event(call.seq).await? {
                Some(row) => {
                    Ok(ends(&format!("{}\n{}", heading(&row), payload(&row)), MAX_RESULT_BYTES))
                }
                None => Err(no_event(call.seq)),
            },
            ReadCall::Changes(call) => self.read_files(move |files| files.changes(&call)).await?,
            ReadCall::File(call) => self.read_files(move |files| files.read(&call)).await?,
            ReadCall::SearchFiles(call) => {
                self.read_files(move |files| files.search(&call)).await?
            }
            ReadCall::Contract(call) => self.read_contract(&call).await?,
        })
    }

    /// An event of the journal.
    pub async fn event(&self, seq: u64) -> Result<Option<EventRow>, EngineError> {
        let mut conn = self.engine.db().read().await?;
        let after = seq.saturating_sub(1);
        let row = events::after(&mut conn, self.build.id, after, 1).await?.pop();
        Ok(row.filter(|row| row.seq == seq))
    }

    /// Reads files off the async threads; an error for the model before there are any.
    pub async fn read_files<T: Send + 'static>(
        &self,
        read: impl FnOnce(&BranchFiles) -> Result<Result<T, String>, GitError> + Send + 'static,
    ) -> Result<Result<T, String>, EngineError> {
        let Some(files) = self.files.clone() else {
            return Ok(Err("The build has no commit yet.".to_owned()));
        };
        self.engine.blocking(move || Ok(read(&files)?)).await
    }

    async fn search_events(&self, call: &SearchEvents) -> Result<CallResult, EngineError> {
        let wanted = call.text.as_deref().unwrap_or_default().trim().to_lowercase();
        let (mut after, to) = (call.from_seq.unwrap_or(1).saturating_sub(1), call.to_seq);
        let mut conn = self.engine.db().read().await?;
        let (mut lines, mut scanned) = (Vec::new(), 0);
        loop {
            let rows = self.events_after(&mut conn, after, to).await?;
            let Some(last) = rows.last() else { break };
            after = last.seq;
            scanned += rows.len();
            for row in rows {
                let is_kind = call.kind.as_ref().is_none_or(|kind| row.kind.contains(kind.trim()));
                if !is_kind || !row.body.to_lowercase().contains(&wanted) {
                    continue;
                }
                if lines.len() == MAX_LISTED_EVENTS {
                    lines.push(format!("[more; continue with from_seq {}]", row.seq));
                    return Ok(Ok(lines.join("\n")));
                }
                lines.push(format!("{} {}", heading(&row), excerpt(&payload(&row), &wanted)));
            }
            if scanned >= MAX_SCANNED_EVENTS {
                lines.push(format!("[more to search; continue with from_seq {}]", after + 1));
                break;
            }
        }
        let nothing = || "No event matches.".to_owned();
        Ok(Ok(if lines.is_empty() { nothing() } else { lines.join("\n") }))
    }

    async fn events_after(
        &self,
        conn: &mut Conn,
        after: u64,
        to: Option<u64>,
    ) -> store::Result<Vec<EventRow>> {
        let mut rows = events::after(conn, self.build.id, after, PAGE).await?;
        rows.retain(|row| to.is_none_or(|to| row.seq <= to));
        Ok(rows)
    }

    async fn read_contract(&self, call: &ReadContract) -> Result<CallResult, EngineError> {
        let kind = ContractType::ALL.into_iter().find(|kind| kind.name() == call.name.trim());
        let Some(kind) = kind else {
            let names = ContractType::ALL.map(ContractType::name).join(", ");
            return Ok(Err(format!("`name`: the contracts are {names}.")));
        };
        let state = self.engine.journal().state(self.build.id).await?;
        let mut conn = self.engine.db().read().await?;
        let set = contracts::of_snapshot(&mut conn, state.queued.snapshot_batch).await?;
        let text = set.get(kind);
        Ok(match text.source {
            ContractSource::Template => Err(format!("The build has no {kind} contract.")),
            _ => page(&redacted::text(&text.content), call.offset),
        })
    }
}

/// The error for an event that does not exist.
pub(super) fn no_event(seq: u64) -> String {
    format!("There is no event {seq}.")
}

/// A part of a text from byte `offset`.
fn page(text: &str, offset: Option<usize>) -> CallResult {
    let offset = text.floor_char_boundary(offset.unwrap_or(0));
    let rest = &text[offset..];
    if rest.is_empty() {
        return Err(format!("`offset`: the text has {} bytes.", text.len()));
    }
    let shown = head(rest, MAX_RESULT_BYTES);
    Ok(match shown.len() == rest.len() {
        true => shown.to_owned(),
        false => format!("{shown}\n[cut; continue with offset {}]", offset + shown.len()),
    })
}

fn heading(row: &EventRow) -> String {
    let kind = row.kind.strip_prefix("build_").unwrap_or(&row.kind);
    format!("event {} {} {kind}", row.seq, row.at.format("%Y-%m-%d %H:%M:%S"))
}

fn payload(row: &EventRow) -> String {
    let body: Value = serde_json::from_str(&row.body).unwrap_or_default();
    redacted::text(&body.get("payload").map(Value::to_string).unwrap_or_default())
}

/// The part of a text around the words that were searched for.
fn excerpt(text: &str, wanted: &str) -> String {
    if text.len() <= MAX_EXCERPT_BYTES {
        return text.to_owned();
    }
    // Positions in the lower-case text can differ by a few bytes.
    let found = text.to_lowercase().find(wanted).unwrap_or(0);
    let start =
        text.floor_char_boundary(found.saturating_sub(MAX_EXCERPT_BYTES / 3).min(text.len()));
    let shown = head(&text[start..], MAX_EXCERPT_BYTES);
    let before = if start > 0 { "…" } else { "" };
    let after = if start + shown.len() < text.len() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_shows_the_words_that_were_searched_for() {
        let text = format!("{}Needle{}", "é".repeat(400), "x".repeat(400));
        let shown = excerpt(&text, "needle");
        assert!(shown.contains("Needle") && shown.len() < 300, "{shown}");
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert_eq!(excerpt("short", ""), "short");
    }

    #[test]
    fn pages_continue_where_the_last_one_ended() {
        let text = "äb".repeat(MAX_RESULT_BYTES);
        let first = page(&text, None).unwrap();
        let next = first.rsplit("offset ").next().unwrap().trim_end_matches(']').parse().unwrap();
        assert!(page(&text, Some(next)).unwrap().contains("äb"));
        assert!(page(&text, Some(text.len())).is_err());
    }
}
