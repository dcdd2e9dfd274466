//! Rust: tests that failed, by cargo's own runner and by nextest, and panics elsewhere.

use std::{collections::HashSet, ops::Range};

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    source_location::{self, SourceLocation},
};

const TOOL: &str = "cargo test";
const OVERFLOWED: &str = "has overflowed its stack";

/// Tests that failed, and panics outside of tests.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut told = HashSet::new();
    let mut at = 0;
    while at < reader.len() {
        let line = reader.line(at);
        let one = match (section(line), status(line)) {
            (Some(name), _) => {
                let end = reader.until(at + 1, reader.len(), |_, line| {
                    section(line).is_some() || line == "failures:"
                });
                Some(failed(reader, at..end, name))
            }
            (None, Some(name)) => {
                let end = reader.until(at + 1, reader.len(), |_, line| {
                    passes_by(line) || status(line).is_some() || line.starts_with(|c| c != ' ')
                });
                // The summary names each once more.
                let again = told.contains(name);
                (end > at + 1 || !again).then(|| failed(reader, at..end, name))
            }
            (None, None) => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        told.extend(one.as_ref().and_then(|one| one.subject.clone()));
        found.extend(one);
    }
    let taken: Vec<Range<usize>> = found.iter().map(|one| one.lines.clone()).collect();
    found.extend(elsewhere(reader, &taken));
    found
}

/// `---- name stdout ----`.
fn section(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("---- ")?.strip_suffix(" ----")?;
    name.strip_suffix(" stdout").or_else(|| name.strip_suffix(" stderr"))
}

/// `FAIL [   0.005s] (1/2) binary name`, as nextest prints it: the name.
fn status(line: &str) -> Option<&str> {
    let (word, rest) = line.trim_start().split_once(" [")?;
    let word = word.rsplit(' ').next()?;
    let bad = matches!(word, "FAIL" | "TIMEOUT" | "ABORT") || word.starts_with("SIG");
    let (time, rest) = rest.split_once("] ")?;
    if !bad || !line.starts_with(' ') || !time.ends_with('s') {
        return None;
    }
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('(') {
        Some(rest) => rest.split_once(") ")?.1,
        None => rest,
    };
    rest.trim().split_once(' ').map(|(_, name)| name)
}

fn passes_by(line: &str) -> bool {
    let line = line.trim_start();
    ["PASS [", "SKIP [", "SLOW [", "Summary [", "TERMINATING [", "Canceling"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// One test and what it printed.
fn failed(reader: &OutputReader, lines: Range<usize>, name: &str) -> RawDiagnostic {
    let panics = panics(reader, lines.clone());
    let panic = panics.iter().find(|panic| panic.thread == name).or(panics.first());
    let notes = || reader.within(lines.clone()).map(|(_, line)| line.trim());
    let wrong = notes().find(|line| line.starts_with("note: panic did not contain expected"));
    if let Some(panic) = panic {
        let told = wrong.map_or(panic.message.as_str(), |note| note.trim_start_matches("note: "));
        let location = panic.location.clone();
        return RawDiagnostic::test(lines, TOOL, name, told, reason(told)).at(location);
    }
    let told = notes().skip(1).find_map(without_panic).unwrap_or("failed");
    let spot = notes().find_map(|line| line.strip_prefix("note: test did not panic"));
    let arrow = notes().find_map(|line| line.strip_prefix("--> "));
    let location = spot.or(arrow).and_then(source_location::trailing);
    RawDiagnostic::test(lines, TOOL, name, told, reason(told)).at(location)
}

/// Why a test failed that did not panic.
fn without_panic(line: &str) -> Option<&str> {
    if let Some(note) = line.strip_prefix("note: ") {
        return note.starts_with("test did not panic").then(|| note.split(" at ").next())?;
    }
    if line.starts_with("error[") {
        return line.split_once("]: ").map(|(_, message)| message);
    }
    if line.starts_with("thread '") && line.ends_with(OVERFLOWED) {
        return Some(OVERFLOWED);
    }
    let ended = line.strip_prefix("(test ").and_then(|rest| rest.strip_suffix(')'));
    ended.or_else(|| line.strip_prefix("Error: ")).or_else(|| line.strip_prefix("error: "))
}

/// What an assertion compares says nothing about which one it is.
fn reason(told: &str) -> &str {
    if told.starts_with("assertion") { "assertion" } else { told }
}

/// A panic as it is printed.
struct Panic {
    lines: Range<usize>,
    thread: String,
    message: String,
    location: Option<SourceLocation>,
}

fn panics(reader: &OutputReader, lines: Range<usize>) -> Vec<Panic> {
    let one = |(at, line): (usize, &str)| {
        let line = line.trim_start();
        let (thread, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
        let (_, rest) = rest.split_once("panicked at ")?;
        // Before Rust 1.73: 'message', path:line:column
        if let Some((message, location)) =
            rest.strip_prefix('\'').and_then(|r| r.rsplit_once("', "))
        {
            let (message, location) = (message.to_owned(), source_location::trailing(location));
            return Some(Panic { lines: at..at + 1, thread: thread.to_owned(), message, location });
        }
        let end = reader.until(at + 1, (at + 30).min(lines.end), |_, line| {
            let line = line.trim_start();
            line.is_empty() || line.starts_with("note: ") || line.starts_with("stack backtrace:")
        });
        let message = reader.line(at + 1).trim().to_owned();
        let location = source_location::trailing(rest).filter(SourceLocation::is_own);
        Some(Panic { lines: at..end.max(at + 2), thread: thread.to_owned(), message, location })
    };
    reader.within(lines.clone()).filter_map(one).collect()
}

/// Panics outside of what was read, and tests that are only named as failures.
fn elsewhere(reader: &OutputReader, taken: &[Range<usize>]) -> Vec<RawDiagnostic> {
    let mut free = vec![true; reader.len()];
    for range in taken {
        free[range.start..range.end.min(reader.len())].fill(false);
    }
    let is_free = |at: usize| free.get(at) == Some(&true) && reader.is_free(at);
    let failures = failures(reader);
    let mut found: Vec<RawDiagnostic> = Vec::new();
    for panic in panics(reader, 0..reader.len()).into_iter().filter(|p| is_free(p.lines.start)) {
        let one = if failures.contains(panic.thread.as_str()) {
            let reason = reason(&panic.message).to_owned();
            RawDiagnostic::test(panic.lines, TOOL, &panic.thread, &panic.message, reason)
        } else {
            // Among tests, it is one that was meant to, or a thread of one.
            let weight = if failures.is_empty() { Weight::Own } else { Weight::Ending };
            let told = format!("thread '{}' panicked: {}", panic.thread, panic.message);
            RawDiagnostic::error(panic.lines, "rust", told).weight(weight)
        };
        found.push(one.at(panic.location));
    }
    let overflows = reader.free().filter(|(at, _)| is_free(*at)).filter_map(|(at, line)| {
        let (thread, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
        let overflowed = rest.ends_with(OVERFLOWED);
        overflowed.then(|| RawDiagnostic::test(at..at + 2, TOOL, thread, OVERFLOWED, OVERFLOWED))
    });
    found.extend(overflows);
    found
}

/// The names that stand under `failures:`.
fn failures(reader: &OutputReader) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut within = false;
    for (_, line) in reader.within(0..reader.len()) {
        match line.strip_prefix("    ") {
            Some(name) if within && !name.starts_with(' ') => {
                names.insert(name);
            }
            _ => within = line == "failures:",
        }
    }
    names
}
