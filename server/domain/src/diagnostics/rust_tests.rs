//! Rust: tests that failed, by cargo's own runner and by nextest, and panics elsewhere.

use std::{collections::HashSet, ops::Range};

use super::{
    found::{Found, Weight},
    place::{self, Place},
    sheet::Sheet,
};

const TOOL: &str = "cargo test";
const OVERFLOWED: &str = "has overflowed its stack";

/// Tests that failed, and panics outside of tests.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut told = HashSet::new();
    let mut at = 0;
    while at < sheet.len() {
        let line = sheet.line(at);
        let one = match (section(line), status(line)) {
            (Some(name), _) => {
                let end = sheet.until(at + 1, sheet.len(), |_, line| {
                    section(line).is_some() || line == "failures:"
                });
                Some(failed(sheet, at..end, name))
            }
            (None, Some(name)) => {
                let end = sheet.until(at + 1, sheet.len(), |_, line| {
                    passes_by(line) || status(line).is_some() || line.starts_with(|c| c != ' ')
                });
                // The summary names each once more.
                let again = told.contains(name);
                (end > at + 1 || !again).then(|| failed(sheet, at..end, name))
            }
            (None, None) => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        told.extend(one.as_ref().and_then(|one| one.subject.clone()));
        found.extend(one);
    }
    let taken: Vec<Range<usize>> = found.iter().map(|one| one.lines.clone()).collect();
    found.extend(elsewhere(sheet, &taken));
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
fn failed(sheet: &Sheet, lines: Range<usize>, name: &str) -> Found {
    let panics = panics(sheet, lines.clone());
    let panic = panics.iter().find(|panic| panic.thread == name).or(panics.first());
    let notes = || sheet.within(lines.clone()).map(|(_, line)| line.trim());
    let wrong = notes().find(|line| line.starts_with("note: panic did not contain expected"));
    if let Some(panic) = panic {
        let told = wrong.map_or(panic.message.as_str(), |note| note.trim_start_matches("note: "));
        let place = panic.place.clone();
        return Found::test(lines, TOOL, name, told, reason(told)).at(place);
    }
    let told = notes().skip(1).find_map(without_panic).unwrap_or("failed");
    let spot = notes().find_map(|line| line.strip_prefix("note: test did not panic"));
    let arrow = notes().find_map(|line| line.strip_prefix("--> "));
    let place = spot.or(arrow).and_then(place::trailing);
    Found::test(lines, TOOL, name, told, reason(told)).at(place)
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
    place: Option<Place>,
}

fn panics(sheet: &Sheet, lines: Range<usize>) -> Vec<Panic> {
    let one = |(at, line): (usize, &str)| {
        let line = line.trim_start();
        let (thread, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
        let (_, rest) = rest.split_once("panicked at ")?;
        // Before Rust 1.73: 'message', path:line:column
        if let Some((message, place)) = rest.strip_prefix('\'').and_then(|r| r.rsplit_once("', ")) {
            let (message, place) = (message.to_owned(), place::trailing(place));
            return Some(Panic { lines: at..at + 1, thread: thread.to_owned(), message, place });
        }
        let end = sheet.until(at + 1, (at + 30).min(lines.end), |_, line| {
            let line = line.trim_start();
            line.is_empty() || line.starts_with("note: ") || line.starts_with("stack backtrace:")
        });
        let message = sheet.line(at + 1).trim().to_owned();
        let place = place::trailing(rest).filter(Place::is_own);
        Some(Panic { lines: at..end.max(at + 2), thread: thread.to_owned(), message, place })
    };
    sheet.within(lines.clone()).filter_map(one).collect()
}

/// Panics outside of what was read, and tests that are only named as failures.
fn elsewhere(sheet: &Sheet, taken: &[Range<usize>]) -> Vec<Found> {
    let mut free = vec![true; sheet.len()];
    for range in taken {
        free[range.start..range.end.min(sheet.len())].fill(false);
    }
    let is_free = |at: usize| free.get(at) == Some(&true) && sheet.is_free(at);
    let failures = failures(sheet);
    let mut found: Vec<Found> = Vec::new();
    for panic in panics(sheet, 0..sheet.len()).into_iter().filter(|p| is_free(p.lines.start)) {
        let one = if failures.contains(panic.thread.as_str()) {
            let reason = reason(&panic.message).to_owned();
            Found::test(panic.lines, TOOL, &panic.thread, &panic.message, reason)
        } else {
            // Among tests, it is one that was meant to, or a thread of one.
            let weight = if failures.is_empty() { Weight::Own } else { Weight::Ending };
            let told = format!("thread '{}' panicked: {}", panic.thread, panic.message);
            Found::error(panic.lines, "rust", told).weight(weight)
        };
        found.push(one.at(panic.place));
    }
    let overflows = sheet.free().filter(|(at, _)| is_free(*at)).filter_map(|(at, line)| {
        let (thread, rest) = line.strip_prefix("thread '")?.split_once('\'')?;
        let overflowed = rest.ends_with(OVERFLOWED);
        overflowed.then(|| Found::test(at..at + 2, TOOL, thread, OVERFLOWED, OVERFLOWED))
    });
    found.extend(overflows);
    found
}

/// The names that stand under `failures:`.
fn failures(sheet: &Sheet) -> HashSet<&str> {
    let mut names = HashSet::new();
    let mut within = false;
    for (_, line) in sheet.within(0..sheet.len()) {
        match line.strip_prefix("    ") {
            Some(name) if within && !name.starts_with(' ') => {
                names.insert(name);
            }
            _ => within = line == "failures:",
        }
    }
    names
}
