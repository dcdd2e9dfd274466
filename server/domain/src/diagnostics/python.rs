//! Python programs that ended with an exception, and its own test runner.

use std::ops::Range;

use super::{
    normalisation, output_reader::OutputReader, raw_diagnostic::RawDiagnostic, scan::scan,
    traceback,
};

const UNITTEST: &str = "unittest";
const PYTHON: &str = "python";

/// Tests that failed by unittest.
pub fn tests(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    for (at, line) in reader.free() {
        let ruled = at > 0 && is_rule(reader.line(at - 1), '=');
        let Some((_, name)) = ruled.then(|| head(line)).flatten() else { continue };
        let end = reader.until(at + 1, reader.len(), |below, line| {
            is_rule(line, '=') || (below > at + 3 && is_rule(line, '-'))
        });
        let name = qualified(name);
        let Some(trace) = traceback::last(reader, at..end) else {
            let told = if line.starts_with("UNEXPECTED") { "unexpected success" } else { "failed" };
            found.push(RawDiagnostic::test(at..end, UNITTEST, &name, told, told));
            continue;
        };
        let location = trace.outermost;
        found.push(
            RawDiagnostic::test(at..end, UNITTEST, &name, trace.exception, reason(trace.exception))
                .at(location),
        );
    }
    found
}

/// `FAIL: test_adds (test_shelf.ShelfTest.test_adds)`.
fn head(line: &str) -> Option<(&str, &str)> {
    let (word, name) = line.split_once(": ")?;
    matches!(word, "FAIL" | "ERROR" | "UNEXPECTED SUCCESS").then_some((word, name))
}

fn is_rule(line: &str, character: char) -> bool {
    line.len() >= 30 && line.chars().all(|c| c == character)
}

/// The name with its class and module, in the same form for all versions of Python.
fn qualified(name: &str) -> String {
    let Some((short, rest)) = name.split_once(" (") else { return name.to_owned() };
    let Some((class, more)) = rest.split_once(')') else { return name.to_owned() };
    let class = class.strip_prefix("unittest.loader._FailedTest").unwrap_or(class);
    let class = class.trim_start_matches('.');
    let last = class.rsplit('.').next();
    let name = match class {
        "" => short.to_owned(),
        _ if last == Some(short) => class.to_owned(),
        _ => format!("{class}.{short}"),
    };
    format!("{name}{more}")
}

/// An assertion is known by its test alone, anything else also by what it says.
pub fn reason(exception: &str) -> &str {
    match normalisation::exception(exception) {
        Some((name, _)) if normalisation::is_assertion(name) => "AssertionError",
        _ => exception,
    }
}

/// Tracebacks, and files that do not parse.
pub fn programs(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| program(reader, at..reader.len()))
}

fn program(reader: &OutputReader, lines: Range<usize>) -> Option<RawDiagnostic> {
    let at = lines.start;
    if traceback::is_head(reader.line(at)) {
        let trace = traceback::last(reader, lines)?;
        let found = RawDiagnostic::error(trace.lines, PYTHON, trace.exception);
        return Some(found.at(trace.innermost).known_by(reason(trace.exception)));
    }
    let (location, exception, below) = traceback::broken_syntax(reader, at)?;
    Some(RawDiagnostic::error(at..below + 1, PYTHON, exception).at(Some(location)))
}
