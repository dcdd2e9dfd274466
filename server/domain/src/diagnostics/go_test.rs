//! Go's tests: `--- FAIL: Name (0.00s)` and what was logged, before or below.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use super::{
    go, output_reader::OutputReader, raw_diagnostic::RawDiagnostic, source_location::SourceLocation,
};

const TOOL: &str = "go test";

/// A test that failed, until its package is known.
struct Failed<'a> {
    lines: Range<usize>,
    name: &'a str,
    /// What it logged: the first location, and the first line.
    logged: Option<(SourceLocation, &'a str)>,
    panic: Option<go::Panic<'a>>,
}

/// Tests that failed, packages that failed without one, and panics in tests.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut failed: Vec<Failed<'_>> = Vec::new();
    let mut logs: HashMap<&str, (SourceLocation, &str)> = HashMap::new();
    let mut running = "";
    let mut at = 0;
    while at < reader.len() {
        let line = reader.line(at);
        let mut next = at + 1;
        if let Some(name) = running_test(line) {
            running = name;
        } else if let Some((depth, name)) = failing(line) {
            running = "";
            next = reader.until(at + 1, at + 200, |_, line| ends(line, depth));
            let below = || reader.within(at + 1..next).find_map(|(_, line)| log(line));
            let logged = logs.remove(name).or_else(below);
            failed.push(Failed { lines: at..next, name, logged, panic: None });
        } else if let Some(panic) = go::panic(reader, at) {
            next = panic.lines.end;
            panicked(panic, &mut failed);
        } else if let Some((package, why)) = package_failed(line) {
            found.extend(told(reader, at, package, why, std::mem::take(&mut failed)));
            logs.clear();
        } else if !running.is_empty()
            && let Some(logged) = log(line)
        {
            logs.entry(running).or_insert(logged);
        }
        at = next.max(at + 1);
    }
    found.extend(told(reader, reader.len(), "", "", failed));
    found
}

/// `=== RUN   Name`, `=== CONT  Name`, `=== NAME  Name`.
fn running_test(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("=== ")?;
    let (word, name) = rest.split_once(' ')?;
    matches!(word, "RUN" | "CONT" | "NAME").then(|| name.trim())
}

/// Indentation and name of `--- FAIL: Name (0.00s)`.
fn failing(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start();
    let name = text.strip_prefix("--- FAIL: ")?;
    let name = name.rsplit_once(" (").map_or(name, |(name, _)| name);
    Some((line.len() - text.len(), name))
}

/// Where the log of a test ends: at what is not indented deeper, or at another test.
fn ends(line: &str, depth: usize) -> bool {
    let text = line.trim_start();
    line.len() - text.len() <= depth || text.starts_with("--- ")
}

/// `    path_test.go:7: message`.
fn log(line: &str) -> Option<(SourceLocation, &str)> {
    let text = line.strip_prefix("    ")?.trim_start();
    let (location, message) = super::source_location::leading(text)?;
    location.file.ends_with(".go").then_some((location, message))
}

/// `FAIL\tpackage\t0.002s`, `FAIL\tpackage [build failed]`.
fn package_failed(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("FAIL\t")?;
    Some(rest.split_once(['\t', ' ']).unwrap_or((rest, "")))
}

/// A panic belongs to the test that has just failed, or to the one in its stack.
fn panicked<'a>(panic: go::Panic<'a>, failed: &mut Vec<Failed<'a>>) {
    if let Some(last) = failed.last_mut().filter(|last| last.lines.end == panic.lines.start) {
        last.lines.end = panic.lines.end;
        last.panic = Some(panic);
        return;
    }
    let in_test = panic.frame.as_ref().filter(|(_, function)| function.starts_with("Test"));
    if let Some((_, name)) = in_test {
        failed.push(Failed { lines: panic.lines.clone(), name, logged: None, panic: Some(panic) });
    }
}

/// The tests of one package.
fn told(
    reader: &OutputReader,
    at: usize,
    package: &str,
    why: &str,
    failed: Vec<Failed<'_>>,
) -> Vec<RawDiagnostic> {
    if failed.is_empty() {
        let before = reader.line(at.saturating_sub(1));
        let silent = !package.is_empty() && !why.starts_with('[');
        let told = format!("{package}: {}", if silent { before } else { "" });
        let ended = silent && before.starts_with("exit status");
        return if ended {
            vec![RawDiagnostic::error(at - 1..at + 1, TOOL, told)]
        } else {
            Vec::new()
        };
    }
    // A test with parts fails with them.
    let whole = failed
        .iter()
        .flat_map(|one| one.name.match_indices('/').map(|(at, _)| one.name[..at].to_owned()));
    let whole: HashSet<String> = whole.collect();
    let own = failed
        .into_iter()
        .filter(|one| one.logged.is_some() || one.panic.is_some() || !whole.contains(one.name));
    own.map(|one| test(package, one)).collect()
}

fn test(package: &str, failed: Failed<'_>) -> RawDiagnostic {
    let Failed { lines, name, logged, panic } = failed;
    let (location, told, reason) = match (panic, logged) {
        (Some(panic), _) => {
            let told = format!("panic: {}", panic.message);
            (panic.frame.map(|(location, _)| location), told.clone(), told)
        }
        (None, Some((location, message))) => (Some(location), message.to_owned(), String::new()),
        (None, None) => (None, "failed".to_owned(), String::new()),
    };
    let found = RawDiagnostic::test(lines, TOOL, name, &told, reason).at(location);
    // The same name may stand in many packages.
    RawDiagnostic { subject: Some(format!("{package} {name}")), ..found }
}
