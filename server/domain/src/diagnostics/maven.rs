//! Maven: compilation, tests by surefire, and projects that cannot be built at all.

use std::ops::Range;

use super::{
    java,
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

const TOOL: &str = "maven";
/// Lines that say nothing by themselves.
const NOISE: [&str; 17] = [
    "COMPILATION ERROR",
    "COMPILATION WARNING",
    "To see the full stack trace",
    "Re-run Maven",
    "For more information",
    "After correcting the problems",
    "[Help",
    "-> [Help",
    "Tests run:",
    "Failures:",
    "Errors:",
    "Please refer to",
    "symbol:",
    "location:",
    "The build could not read",
    "The project ",
    "[ERROR] Some problems",
];

/// Diagnostics of Maven.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut class = "";
    scan(reader, |at| {
        let (severity, text) = tagged(reader.line(at))?;
        class = text.split_once("! - in ").map_or(class, |(_, class)| class.trim());
        compiled(reader, at, severity, text)
            .or_else(|| test(reader, at, text, class))
            .or_else(|| own(at, severity, text))
    })
}

fn tagged(line: &str) -> Option<(Severity, &str)> {
    [
        ("[ERROR] ", Severity::Error),
        ("[FATAL] ", Severity::Error),
        ("[WARNING] ", Severity::Warning),
    ]
    .into_iter()
    .find_map(|(tag, severity)| Some((severity, line.strip_prefix(tag)?)))
}

/// `path:[5,16] message`, and which symbol it is about.
fn compiled(
    reader: &OutputReader,
    at: usize,
    severity: Severity,
    text: &str,
) -> Option<RawDiagnostic> {
    let (path, rest) = text.split_once(":[")?;
    let (spot, message) = rest.split_once("] ")?;
    let line = source_location::number(spot)?.0;
    if !source_location::is_path(path) {
        return None;
    }
    let end = reader.until(at + 1, at + 12, |_, line| {
        let below = line.strip_prefix("[ERROR]").unwrap_or(line);
        !below.starts_with("  ")
    });
    let reason = java::with_symbol(reader, at + 1..end, message);
    let one = RawDiagnostic::error(at..end, TOOL, message).severity(severity).known_by(reason);
    Some(one.at(Some(SourceLocation::new(path, Some(line)))))
}

/// `adds(com.example.ShelfTest)  Time elapsed: 0.007 s  <<< FAILURE!`, in the forms of years.
fn test(reader: &OutputReader, at: usize, text: &str, class: &str) -> Option<RawDiagnostic> {
    let (head, mark) = text.split_once("<<< ")?;
    if !mark.starts_with("FAILURE!") && !mark.starts_with("ERROR!") || text.starts_with("Tests run")
    {
        return None;
    }
    let name = head.split("Time elapsed").next()?.trim().trim_end_matches(" --").trim();
    let name = match name.strip_suffix(')').and_then(|name| name.split_once('(')) {
        Some((method, class)) => format!("{class}.{method}"),
        None if name.contains('.') || class.is_empty() => name.to_owned(),
        None => format!("{class}.{name}"),
    };
    let told = reader.line(at + 1).trim();
    let told = if told.is_empty() || told.starts_with('[') { "failed" } else { told };
    let stack = reader.until(at + 1, at + 30, |_, line| {
        line.trim_start().starts_with("at ") || line.starts_with('[') || line.is_empty()
    });
    let end = java::stack_end(reader, stack);
    let location = java::own_frame(reader, at..end);
    let reason = if java::is_assertion(told) { "AssertionError" } else { told };
    Some(RawDiagnostic::test(at..end, TOOL, &name, told, reason).at(location))
}

/// What Maven says about the build as a whole.
fn own(at: usize, severity: Severity, text: &str) -> Option<RawDiagnostic> {
    let noise = text.is_empty() || text.starts_with(' ') || text.contains("<<< ");
    if severity == Severity::Warning || noise || NOISE.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    let message = text.split(" -> [Help").next().unwrap_or(text).trim();
    let echo =
        message.contains("Compilation failure") || message.contains("There are test failures");
    let lines: Range<usize> = at..at + 1;
    let pom = message.contains("pom.xml").then(|| SourceLocation::new("pom.xml", None));
    let weight = if echo { Weight::Echo } else { Weight::Own };
    Some(RawDiagnostic::error(lines, TOOL, message).at(pom).weight(weight))
}
