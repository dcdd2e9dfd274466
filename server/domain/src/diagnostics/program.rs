//! Programs that crashed or were stopped: assertions, sanitizers, signals, make.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    source_location::{self, SourceLocation},
};

const TOOL: &str = "program";
/// What a shell says of a program that a signal ended.
const SIGNALS: [&str; 8] = [
    "Segmentation fault",
    "Aborted",
    "Killed",
    "Bus error",
    "Illegal instruction",
    "Floating point exception",
    "Terminated",
    "Trace/breakpoint trap",
];

/// How programs ended.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| {
        asserted(reader, at)
            .or_else(|| sanitized(reader, at))
            .or_else(|| undefined(reader, at))
            .or_else(|| signalled(reader, at))
            .or_else(|| make(reader, at))
    })
}

/// `app: path.c:5: main: Assertion `x' failed.`
fn asserted(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (before, assertion) = reader.line(at).split_once(": Assertion `")?;
    let condition = assertion.strip_suffix("' failed.")?;
    let location = before.split(": ").find_map(|part| {
        source_location::trailing(part).filter(|location| source_location::is_path(&location.file))
    });
    Some(
        RawDiagnostic::error(at..at + 1, TOOL, format!("Assertion `{condition}' failed"))
            .at(location),
    )
}

/// A report of a sanitizer, from `==1==ERROR:` to `==1==ABORTING`.
fn sanitized(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (_, report) = reader.line(at).split_once("==ERROR: ")?;
    let (sanitizer, kind) = report.split_once(": ")?;
    let kind = kind.split([' ', ':']).next().unwrap_or(kind);
    let end = reader.until(at + 1, at + 300, |_, line| line.ends_with("==ABORTING"));
    let summary = reader.within(at..end).find_map(|(_, line)| line.strip_prefix("SUMMARY: "));
    let (spot, function) = summary
        .and_then(|summary| summary.rsplit_once(" in "))
        .map_or((None, ""), |(spot, function)| (spot.rsplit(' ').next(), function));
    let location = spot.and_then(source_location::trailing).filter(SourceLocation::is_own);
    let message = format!("{sanitizer}: {kind}");
    let reason = format!("{message} in {function}");
    Some(RawDiagnostic::error(at..end + 1, TOOL, message).known_by(reason).at(location))
}

/// `path.c:6:11: runtime error: message`.
fn undefined(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) = reader.located(at)?;
    let message = rest.strip_prefix("runtime error: ")?;
    Some(RawDiagnostic::error(at..at + 1, TOOL, message).at(Some(location)))
}

/// The last line, where a limit ended the command.
pub fn stopped(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let last = reader.len().saturating_sub(1);
    let line = reader.line(last);
    let limit = line.starts_with("stopped: it ");
    if limit { vec![RawDiagnostic::error(last..last + 1, TOOL, line)] } else { Vec::new() }
}

fn signalled(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    let signal = SIGNALS.iter().find(|signal| {
        let rest = line.strip_prefix(**signal).or_else(|| {
            let (shell, rest) = line.split_once(*signal)?;
            shell.contains(": line ").then_some(rest)
        });
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(" (core") || rest.starts_with("  ")
        })
    })?;
    Some(RawDiagnostic::error(at..at + 1, TOOL, *signal).weight(Weight::Ending))
}

/// `make: *** …`, `Makefile:2: *** …`.
fn make(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    let (before, message) = line.split_once(": *** ")?;
    let location = source_location::trailing(before)
        .filter(|location| source_location::is_path(&location.file));
    if location.is_none() && !before.starts_with("make") && !before.starts_with("gmake") {
        return None;
    }
    let echo = message.starts_with('[') || message.starts_with("Waiting for");
    let weight = if echo { Weight::Echo } else { Weight::Own };
    let message = message.trim_end_matches("  Stop.");
    Some(RawDiagnostic::error(at..at + 1, "make", message).at(location).weight(weight))
}
