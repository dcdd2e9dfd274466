//! Vitest: tests that failed, suites that could not be loaded, errors outside of tests.

use std::ops::Range;

use super::{
    js_stack, normalisation,
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    source_location::{self, SourceLocation},
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
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reader.len() {
        let line = reader.line(at);
        let from = at;
        at += 1;
        if let Some(first) = head(line) {
            let mut heads = vec![first];
            while let Some(head) = head(reader.line(at)) {
                heads.push(head);
                at += 1;
            }
            let end =
                reader.until(at, reader.len(), |_, line| is_rule(line) || head(line).is_some());
            found.extend(heads.iter().map(|head| failure(reader, from..end, at, head)));
            at = end;
        } else if is_rule(line) && OUTSIDE.iter().any(|title| line.contains(title)) {
            let end = reader.until(at, reader.len(), |_, line| is_rule(line));
            let told = js_stack::plain(&js_stack::opening(reader, at..end));
            let location = js_stack::own(reader, at..end);
            found.push(RawDiagnostic::error(from..end, TOOL, told).at(location));
            at = end;
        } else if line.starts_with("No test files found, exiting with code") {
            found.push(RawDiagnostic::error(from..at, TOOL, line));
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
        return source_location::is_path(file).then_some(Head { file, test: Some(test.trim()) });
    }
    let (file, _) = rest.trim_end().strip_suffix(']')?.split_once(" [ ")?;
    source_location::is_path(file).then_some(Head { file, test: None })
}

fn is_rule(line: &str) -> bool {
    line.starts_with('⎯')
}

/// `body`: the first line below the heads.
fn failure(
    reader: &OutputReader,
    lines: Range<usize>,
    body: usize,
    head: &Head<'_>,
) -> RawDiagnostic {
    let told = js_stack::plain(&js_stack::opening(reader, body..lines.end));
    let location = js_stack::within(reader, body..lines.end, head.file);
    let location = location.or_else(|| Some(SourceLocation::new(head.file, None)));
    let Some(test) = head.test else {
        return RawDiagnostic::error(lines, TOOL, told).at(location);
    };
    let asserts =
        normalisation::exception(&told).is_some_and(|(name, _)| normalisation::is_assertion(name));
    let reason = if asserts { "AssertionError".to_owned() } else { told.clone() };
    RawDiagnostic::test(lines, TOOL, test, &told, reason).at(location)
}
