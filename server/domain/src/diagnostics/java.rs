//! Java: the compiler, and programs that ended with an exception.

use std::ops::Range;

use super::{
    output_reader::OutputReader,
    raw_diagnostic::{RawDiagnostic, Weight},
    scan::scan,
    source_location::{self, SourceLocation},
};
use crate::errors::Severity;

const JAVAC: &str = "javac";

/// Diagnostics of the compiler.
pub fn compiler(reader: &OutputReader) -> Vec<RawDiagnostic> {
    scan(reader, |at| diagnostic(reader, at).or_else(|| own(reader, at)))
}

/// `path.java:3: error: message`, the code, and which symbol it is about.
fn diagnostic(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let (location, rest) =
        reader.located(at).filter(|(location, _)| location.file.ends_with(".java"))?;
    let (word, message) = rest.split_once(": ")?;
    let severity = match word {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let end = reader.until(at + 1, at + 40, |at, line| {
        reader.located(at).is_some() || !line.starts_with([' ', '\t']) && at_most_code(reader, at)
    });
    let (code, message) = match message.strip_prefix('[').and_then(|m| m.split_once("] ")) {
        Some((category, message)) => (Some(category.to_owned()), message),
        None => (None, message),
    };
    let reason = with_symbol(reader, at + 1..end, message);
    let one = RawDiagnostic::error(at..end, JAVAC, message).severity(severity).code(code);
    Some(one.at(Some(location)).known_by(reason))
}

/// A line that is not indented and is not code with a caret under it.
fn at_most_code(reader: &OutputReader, at: usize) -> bool {
    reader.line(at + 1).trim() != "^"
}

/// A message with the symbol named below it.
pub fn with_symbol(reader: &OutputReader, lines: Range<usize>, message: &str) -> String {
    let symbol = reader.within(lines).find_map(|(_, line)| {
        line.trim_start_matches("[ERROR]").trim_start().strip_prefix("symbol:")
    });
    symbol.map_or_else(|| message.to_owned(), |symbol| format!("{message}: {}", symbol.trim()))
}

fn own(reader: &OutputReader, at: usize) -> Option<RawDiagnostic> {
    let message = reader.line(at).strip_prefix("error: ")?;
    let weight = match message {
        "warnings found and -Werror specified" => Weight::Ending,
        "compilation failed" => Weight::Echo,
        _ => return None,
    };
    Some(RawDiagnostic::error(at..at + 1, JAVAC, message).weight(weight))
}

/// Uncaught exceptions.
pub fn programs(reader: &OutputReader) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    for (at, line) in reader.free() {
        let Some(rest) = line.strip_prefix("Exception in thread \"") else { continue };
        let Some((_, told)) = rest.split_once("\" ") else { continue };
        let end = stack_end(reader, at + 1);
        let location = own_frame(reader, at..end);
        let reason = if is_assertion(told) { "AssertionError" } else { told };
        found.push(RawDiagnostic::error(at..end, "java", told).known_by(reason).at(location));
    }
    found
}

/// Behind the frames and causes that follow.
pub fn stack_end(reader: &OutputReader, from: usize) -> usize {
    reader.until(from, from + 2_000, |_, line| {
        let line = line.trim_start();
        !(line.starts_with("at ") || line.starts_with("Caused by: ") || line.starts_with("... "))
    })
}

/// The first frame outside of Java itself and of test libraries.
pub fn own_frame(reader: &OutputReader, lines: Range<usize>) -> Option<SourceLocation> {
    reader.within(lines).find_map(|(_, line)| frame(line))
}

/// `\tat com.example.Shelf.open(Shelf.java:2)` as `com/example/Shelf.java`.
fn frame(line: &str) -> Option<SourceLocation> {
    let call = line.trim_start().strip_prefix("at ")?;
    let (function, spot) = call.strip_suffix(')')?.split_once('(')?;
    let library = ["java.", "jdk.", "sun.", "javax.", "org.junit.", "junit.", "java.base/"];
    if library.iter().any(|start| function.starts_with(start)) || function.contains('/') {
        return None;
    }
    let (file, line) = spot.split_once(':')?;
    let class = function.rsplit_once('.')?.0;
    let package = class.rsplit_once('.').map_or("", |(package, _)| package);
    let folder = if package.is_empty() { String::new() } else { package.replace('.', "/") + "/" };
    Some(SourceLocation::new(&format!("{folder}{file}"), Some(source_location::number(line)?.0)))
}

/// Whether an exception with its message is an assertion that did not hold.
pub fn is_assertion(told: &str) -> bool {
    let name = told.split(':').next().unwrap_or(told);
    super::normalisation::is_assertion(name.trim())
}
