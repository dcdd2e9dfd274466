//! C and C++: gcc, clang and the linker.

use std::ops::Range;

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

const TOOL: &str = "cc";
const EXTENSIONS: [&str; 19] = [
    "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "inl", "ipp", "tcc", "m", "mm", "cu", "s",
    "S", "ixx", "cppm", "i",
];
/// Programs whose messages begin with their name.
const PROGRAMS: [&str; 14] = [
    "gcc",
    "g++",
    "cc",
    "c++",
    "clang",
    "clang++",
    "cc1",
    "cc1plus",
    "collect2",
    "ld",
    "ld.lld",
    "ld.gold",
    "/usr/bin/ld",
    "rust-lld",
];
const ECHOES: [&str; 5] = [
    "linker command failed",
    "ld returned",
    "warnings being treated as errors",
    "no input files",
    "compilation terminated",
];

/// Diagnostics of compilers and linkers.
pub fn read(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| {
        diagnostic(reader, at).or_else(|| linking(reader, at)).or_else(|| own(reader, at))
    })
}

fn is_source(file: &str) -> bool {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    EXTENSIONS.contains(&extension) || file.contains("/include/")
}

fn graveness(rest: &str) -> Option<(Severity, &str)> {
    [
        ("error: ", Severity::Error),
        ("fatal error: ", Severity::Error),
        ("internal compiler error: ", Severity::Error),
        ("warning: ", Severity::Warning),
    ]
    .into_iter()
    .find_map(|(word, severity)| Some((severity, rest.strip_prefix(word)?)))
}

/// `path:line:column: error: message [-Wflag]` with the code and the notes below it.
fn diagnostic(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) = reader.located(at).filter(|(location, _)| is_source(&location.file))?;
    let (severity, message) = graveness(rest)?;
    let (message, flag) = flagged(message);
    let end = reader.until(at + 1, at + 60, |at, line| ends(reader, at, line));
    let location =
        if location.is_own() { location } else { used(reader, at, end).unwrap_or(location) };
    let one = RawDiagnostic::error(at..end, TOOL, message).severity(severity).code(flag);
    Some(one.at(Some(location)))
}

/// Whether another diagnostic, or something else, begins here.
fn ends(reader: &OutputReader, at: usize, line: &str) -> bool {
    if let Some((_, rest)) = reader.located(at) {
        return !rest.starts_with("note: ");
    }
    let generated = line.ends_with(" generated.") && line.starts_with(|c: char| c.is_ascii_digit());
    let word = line.split([':', ' ']).next().unwrap_or(line);
    let location = line.ends_with(':') && (line.contains(": In ") || line.contains(": At "));
    line.is_empty()
        || generated
        || location
        || line.starts_with("In file included")
        || word.starts_with("make")
        || (PROGRAMS.contains(&word) && line.contains(": "))
}

/// A message without the flag behind it, and the flag.
fn flagged(message: &str) -> (&str, Option<String>) {
    let flag = message.strip_suffix(']').and_then(|rest| rest.rsplit_once(" [-W"));
    let Some((message, flag)) = flag else { return (message, None) };
    let last = flag.rsplit(",-W").next().unwrap_or(flag);
    (message, Some(format!("-W{}", last.trim_start_matches("error="))))
}

/// Where a library's code that does not compile is used: gcc says it before, clang behind.
fn used(reader: &OutputReader, at: usize, end: usize) -> Option<SourceLocation> {
    let spot = |at: usize| {
        let (location, rest) = reader.located(at)?;
        let here = rest.contains("required from here") || rest.contains("requested here");
        (here && location.is_own()).then_some(location)
    };
    let before = (at.saturating_sub(12)..at).rev().find_map(spot);
    before.or_else(|| (at..end).find_map(spot))
}

/// What the linker says of one object: `path:(.text+0x5): undefined reference to `name'`.
fn linking(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    let what = ["undefined reference to ", "multiple definition of "];
    let from = what.iter().find_map(|what| line.find(what));
    if let Some(from) = from {
        let message = line[from..].split(';').next().unwrap_or_default();
        let spot = line[..from].trim_end_matches(": ");
        let object = spot.rsplit(": ").next().and_then(|spot| spot.split(":(").next());
        let file = object.filter(|file| source_location::is_path(file) && is_source(file));
        let location = file.map(|file| SourceLocation::new(file, None));
        return Some(RawDiagnostic::error(at..at + 1, TOOL, message).at(location));
    }
    let missing = line.split_once("ld: cannot find ").map(|(_, what)| what);
    let undefined = line.split_once("error: undefined symbol: ").map(|(_, name)| name);
    let message = missing
        .map(|what| format!("cannot find {}", what.split(": ").next().unwrap_or(what)))
        .or_else(|| undefined.map(|name| format!("undefined symbol: {name}")))?;
    Some(RawDiagnostic::error(at..at + 1, TOOL, message))
}

/// `gcc: error: message`: no location, as it is about the call itself.
fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let line = reader.line(at);
    let (program, rest) = line.split_once(": ")?;
    if !PROGRAMS.contains(&program) {
        return None;
    }
    let echo = ECHOES.iter().any(|echo| rest.contains(echo));
    let message = graveness(rest).map(|(_, message)| message).or(echo.then_some(rest))?;
    let lines: Range<usize> = at..at + 1;
    let weight = if echo { Weight::Echo } else { Weight::Own };
    Some(RawDiagnostic::error(lines, TOOL, message).weight(weight))
}
