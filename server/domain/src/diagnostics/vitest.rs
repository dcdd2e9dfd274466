//! Vitest: tests that failed, suites that could not be loaded, errors outside of tests.

use std::ops::Range;

use super::{
    found::Found,
    js_stack,
    place::{self, Place},
    sheet::Sheet,
    wording,
};

const TOOL: &str = "vitest";
/// Titles over errors that belong to no test.
const OUTSIDE: [&str; 4] =
    [" Unhandled Rejection ", " Unhandled Error ", " Uncaught Exception ", " Startup Error "];

/// A line such as ` FAIL  path > suite > test`: the path and the test, if it is one.
struct Head<'a> {
    file: &'a str,
    test: Option<&'a str>,
}

/// Everything between the rules that vitest draws.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        let line = sheet.line(at);
        let from = at;
        at += 1;
        if let Some(first) = head(line) {
            let mut heads = vec![first];
            while let Some(head) = head(sheet.line(at)) {
                heads.push(head);
                at += 1;
            }
            let end = sheet.until(at, sheet.len(), |_, line| is_rule(line) || head(line).is_some());
            found.extend(heads.iter().map(|head| failure(sheet, from..end, at, head)));
            at = end;
        } else if is_rule(line) && OUTSIDE.iter().any(|title| line.contains(title)) {
            let end = sheet.until(at, sheet.len(), |_, line| is_rule(line));
            let told = js_stack::plain(&js_stack::opening(sheet, at..end));
            let place = js_stack::own(sheet, at..end);
            found.push(Found::error(from..end, TOOL, told).at(place));
            at = end;
        } else if line.starts_with("No test files found, exiting with code") {
            found.push(Found::error(from..at, TOOL, line));
        }
    }
    found
}

fn head(line: &str) -> Option<Head<'_>> {
    let rest = line.trim_start().strip_prefix("FAIL  ")?;
    let rest = match rest.strip_prefix('|') {
        Some(project) => project.split_once("| ")?.1,
        None => rest,
    };
    if let Some((file, test)) = rest.split_once(" > ") {
        return place::is_path(file).then_some(Head { file, test: Some(test.trim()) });
    }
    let (file, _) = rest.trim_end().strip_suffix(']')?.split_once(" [ ")?;
    place::is_path(file).then_some(Head { file, test: None })
}

fn is_rule(line: &str) -> bool {
    line.starts_with('⎯')
}

/// `body`: the first line below the heads.
fn failure(sheet: &Sheet, lines: Range<usize>, body: usize, head: &Head<'_>) -> Found {
    let told = js_stack::plain(&js_stack::opening(sheet, body..lines.end));
    let place = js_stack::within(sheet, body..lines.end, head.file);
    let place = place.or_else(|| Some(Place::new(head.file, None)));
    let Some(test) = head.test else {
        return Found::error(lines, TOOL, told).at(place);
    };
    let asserts = wording::exception(&told).is_some_and(|(name, _)| wording::is_assertion(name));
    let reason = if asserts { "AssertionError".to_owned() } else { told.clone() };
    Found::test(lines, TOOL, test, &told, reason).at(place)
}
