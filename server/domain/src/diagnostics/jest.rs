//! Jest: tests that failed, suites that could not run.

use std::ops::Range;

use super::{
    found::Found,
    js_stack,
    place::{self, Place},
    sheet::Sheet,
};

const TOOL: &str = "jest";
const NO_SUITE: &str = "Test suite failed to run";

/// Failures under each `FAIL path`, and what jest says of itself.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in sheet.free() {
        if let Some(path) = failing(line) {
            file = Some(path);
        } else if line.trim_start().starts_with("PASS ") {
            file = None;
        } else if let Some(name) = bullet(line) {
            let end = sheet.until(at + 1, sheet.len(), |_, line| ends(line));
            found.extend(failure(sheet, at..end, name, file));
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
    (place::is_path(path) && !rest.contains(" > ") && !rest.ends_with(']')).then_some(path)
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

fn failure(sheet: &Sheet, lines: Range<usize>, name: &str, file: Option<&str>) -> Option<Found> {
    let told = told(sheet, lines.start + 1..lines.end);
    if name == "Validation Error:" {
        return Some(Found::error(lines, TOOL, format!("{name} {told}")));
    }
    let Some(file) = file else {
        let exits = name.starts_with("process.exit called");
        let place = js_stack::own(sheet, lines.clone());
        return exits.then(|| Found::error(lines, TOOL, name).at(place));
    };
    let place = js_stack::within(sheet, lines.clone(), file);
    let place = place.or_else(|| Some(Place::new(file, None)));
    if name == NO_SUITE {
        return Some(Found::error(lines, TOOL, told).at(place));
    }
    let asserts = told.starts_with("expect(") || told.starts_with("AssertionError");
    let reason = if asserts { "expect" } else { told };
    Some(Found::test(lines, TOOL, name, told, reason).at(place))
}

/// The line that says why: the first, or what stands behind pages of advice.
fn told(sheet: &Sheet, lines: Range<usize>) -> &str {
    let mut lines = sheet.within(lines).map(|(_, line)| line.trim()).filter(|l| !l.is_empty());
    match lines.next() {
        Some("Jest encountered an unexpected token") => {
            lines.find(|line| *line == "Details:");
            lines.next().unwrap_or("Jest encountered an unexpected token")
        }
        told => told.unwrap_or("failed"),
    }
}

fn own(at: usize, line: &str) -> Option<Found> {
    let threshold = line.starts_with("Jest: ") && line.contains("threshold");
    let none = line.starts_with("No tests found, exiting with code");
    (threshold || none).then(|| Found::error(at..at + 1, TOOL, line.trim_start_matches("Jest: ")))
}
