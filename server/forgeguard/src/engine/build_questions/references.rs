//! Checks the references of an answer: the events exist, and so do the lines at the newest commit.

use domain::build_question::{MAX_REFERENCES, Reference, lines_problem};

use super::{
    calls::GivenReference,
    record::{Record, no_event},
};
use crate::engine::error::EngineError;

/// The references that hold, and what is wrong with the others.
pub(super) struct CheckedReferences {
    pub valid: Vec<Reference>,
    pub problems: Vec<String>,
}

pub(super) async fn check(
    record: &Record,
    given: Vec<GivenReference>,
) -> Result<CheckedReferences, EngineError> {
    let mut checked = CheckedReferences { valid: Vec::new(), problems: Vec::new() };
    for (place, given) in (1..).zip(given) {
        let found = match place <= MAX_REFERENCES {
            true => find(record, given).await?,
            false => Err(format!("give at most {MAX_REFERENCES}")),
        };
        match found {
            Ok(reference) if checked.valid.contains(&reference) => {}
            Ok(reference) => checked.valid.push(reference),
            Err(problem) => checked.problems.push(format!("Reference {place}: {problem}")),
        }
    }
    Ok(checked)
}

async fn find(
    record: &Record,
    given: GivenReference,
) -> Result<Result<Reference, String>, EngineError> {
    match given {
        GivenReference { event: Some(seq), path: None, .. } => {
            let event = record.event(seq).await?;
            Ok(event.map(|event| Reference::Event { seq: event.seq }).ok_or_else(|| no_event(seq)))
        }
        GivenReference { event: None, path: Some(path), first_line: Some(first), last_line } => {
            find_lines(record, path, first, last_line.unwrap_or(first)).await
        }
        _ => Ok(Err("give either an event, or a path with first_line.".to_owned())),
    }
}

async fn find_lines(
    record: &Record,
    path: String,
    first_line: u32,
    last_line: u32,
) -> Result<Result<Reference, String>, EngineError> {
    record
        .read_files(move |files| {
            let lines = match files.lines(&path)? {
                Ok(lines) => lines,
                Err(problem) => return Ok(Err(problem)),
            };
            if let Some(problem) = lines_problem(first_line, last_line, lines.len()) {
                return Ok(Err(format!("`{path}`: {problem}.")));
            }
            let changed = files.changed_paths()?.contains(&path);
            let commit = files.head.to_string();
            Ok(Ok(Reference::Lines { path, first_line, last_line, commit, changed }))
        })
        .await
}
