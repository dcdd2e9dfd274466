//! Jest: tests that failed, suites that could not run.

use std::ops::Range;

use super::{
    js_stack,
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    source_location::{self, SourceLocation},
};

const TOOL: &str = "jest";
const NO_SUITE: &str = "Test suite failed to run";

/// Failures under each `FAIL path`, and what jest says of itself.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in reader.free() {
        if let Some(path) = failing(line) {
            file = Some(path);
        } else if line.trim_start().starts_with("PASS ") {
            file = None;
        } else if let Some(name) = bullet(line) {
            let end = reader.until(at + 1, reader.len(), |_, line| ends(line));
            found.extend(failure(reader, at..end, name, file));
        } else {
            found.extend(own(at, line));
        }
    }
    found
}

/// The path in `FAIL path (5.2 s)`.
fn failing(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("FAIL ")?.trim();
    let path = match rest.rsplit_once(" (") {
        Some((path, time)) if time.ends_with("s)") => path,
        _ => rest,
    };
    let path = path.rsplit(' ').next()?;
    (source_location::is_path(path) && !rest.contains(" > ") && !rest.ends_with(']'))
        .then_some(path)
}

/// The name in `  ● name`.
fn bullet(line: &str) -> Option<&str> {
    let name = line.trim_start().strip_prefix("● ")?.trim();
    (!name.is_empty() && !name.starts_with("Console")).then_some(name)
}

fn ends(line: &str) -> bool {
    bullet(line).is_some()
        || failing(line).is_some()
        || line.trim_start().starts_with("PASS ")
        || line.starts_with("Test Suites: ")
        || line.starts_with("Summary of all failing tests")
        || line.starts_with("-----")
        || line.trim_start().starts_with("› ")
}

fn failure(
    reader: &OutputReader,
    lines: Range<usize>,
    name: &str,
    file: Option<&str>,
) -> Option<RawDiagnostic> {
    let told = told(reader, lines.start + 1..lines.end);
    if name == "Validation Error:" {
        return Some(RawDiagnostic::error(lines, TOOL, format!("{name} {told}")));
    }
    let Some(file) = file else {
        let exits = name.starts_with("process.exit called");
        let location = js_stack::own(reader, lines.clone());
        return exits.then(|| RawDiagnostic::error(lines, TOOL, name).at(location));
    };
    let location = js_stack::within(reader, lines.clone(), file);
    let location = location.or_else(|| Some(SourceLocation::new(file, None)));
    if name == NO_SUITE {
        return Some(RawDiagnostic::error(lines, TOOL, told).at(location));
    }
    let asserts = told.starts_with("expect(") || told.starts_with("AssertionError");
    let reason = if asserts { "expect" } else { told };
    Some(RawDiagnostic::test(lines, TOOL, name, told, reason).at(location))
}

/// The line that says why: the first, or what stands behind pages of advice.
fn told(reader: &OutputReader, lines: Range<usize>) -> &str {
    let mut lines = reader.within(lines).map(|(_, line)| line.trim()).filter(|l| !l.is_empty());
    match lines.next() {
        Some("Jest encountered an unexpected token") => {
            lines.find(|line| *line == "Details:");
            lines.next().unwrap_or("Jest encountered an unexpected token")
        }
        told => told.unwrap_or("failed"),
    }
}

fn own(at: usize, line: &str) -> Option<RawDiagnostic> {
    let threshold = line.starts_with("Jest: ") && line.contains("threshold");
    let none = line.starts_with("No tests found, exiting with code");
    (threshold || none)
        .then(|| RawDiagnostic::error(at..at + 1, TOOL, line.trim_start_matches("Jest: ")))
}
