//! Programs that crashed or were stopped: assertions, sanitizers, signals, make.

use super::{
    found::{Found, Weight},
    place::{self, Place},
    sheet::Sheet,
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
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        let one = match sheet.is_free(at) {
            true => asserted(sheet, at)
                .or_else(|| sanitized(sheet, at))
                .or_else(|| undefined(sheet, at))
                .or_else(|| signalled(sheet, at))
                .or_else(|| make(sheet, at)),
            false => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        found.extend(one);
    }
    found
}

/// `app: path.c:5: main: Assertion `x' failed.`
fn asserted(sheet: &Sheet, at: usize) -> Option<Found> {
    let (before, assertion) = sheet.line(at).split_once(": Assertion `")?;
    let condition = assertion.strip_suffix("' failed.")?;
    let place = before
        .split(": ")
        .find_map(|part| place::trailing(part).filter(|place| place::is_path(&place.file)));
    Some(Found::error(at..at + 1, TOOL, format!("Assertion `{condition}' failed")).at(place))
}

/// A report of a sanitizer, from `==1==ERROR:` to `==1==ABORTING`.
fn sanitized(sheet: &Sheet, at: usize) -> Option<Found> {
    let (_, report) = sheet.line(at).split_once("==ERROR: ")?;
    let (sanitizer, kind) = report.split_once(": ")?;
    let kind = kind.split([' ', ':']).next().unwrap_or(kind);
    let end = sheet.until(at + 1, at + 300, |_, line| line.ends_with("==ABORTING"));
    let summary = sheet.within(at..end).find_map(|(_, line)| line.strip_prefix("SUMMARY: "));
    let (spot, function) = summary
        .and_then(|summary| summary.rsplit_once(" in "))
        .map_or((None, ""), |(spot, function)| (spot.rsplit(' ').next(), function));
    let place = spot.and_then(place::trailing).filter(Place::is_own);
    let message = format!("{sanitizer}: {kind}");
    let reason = format!("{message} in {function}");
    Some(Found::error(at..end + 1, TOOL, message).known_by(reason).at(place))
}

/// `path.c:6:11: runtime error: message`.
fn undefined(sheet: &Sheet, at: usize) -> Option<Found> {
    let (place, rest) = sheet.located(at)?;
    let message = rest.strip_prefix("runtime error: ")?;
    Some(Found::error(at..at + 1, TOOL, message).at(Some(place)))
}

/// The last line, where a limit ended the command.
pub fn stopped(sheet: &Sheet) -> Vec<Found> {
    let last = sheet.len().saturating_sub(1);
    let line = sheet.line(last);
    let limit = line.starts_with("stopped: it ");
    if limit { vec![Found::error(last..last + 1, TOOL, line)] } else { Vec::new() }
}

fn signalled(sheet: &Sheet, at: usize) -> Option<Found> {
    let line = sheet.line(at);
    let signal = SIGNALS.iter().find(|signal| {
        let rest = line.strip_prefix(**signal).or_else(|| {
            let (shell, rest) = line.split_once(*signal)?;
            shell.contains(": line ").then_some(rest)
        });
        rest.is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(" (core") || rest.starts_with("  ")
        })
    })?;
    Some(Found::error(at..at + 1, TOOL, *signal).weight(Weight::Ending))
}

/// `make: *** …`, `Makefile:2: *** …`.
fn make(sheet: &Sheet, at: usize) -> Option<Found> {
    let line = sheet.line(at);
    let (before, message) = line.split_once(": *** ")?;
    let place = place::trailing(before).filter(|place| place::is_path(&place.file));
    if place.is_none() && !before.starts_with("make") && !before.starts_with("gmake") {
        return None;
    }
    let echo = message.starts_with('[') || message.starts_with("Waiting for");
    let weight = if echo { Weight::Echo } else { Weight::Own };
    let message = message.trim_end_matches("  Stop.");
    Some(Found::error(at..at + 1, "make", message).at(place).weight(weight))
}
