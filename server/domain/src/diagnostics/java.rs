//! Java: the compiler, and programs that ended with an exception.

use std::ops::Range;

use super::{
    found::{Found, Weight},
    place::{self, Place},
    sheet::Sheet,
};
use crate::errors::Severity;

const JAVAC: &str = "javac";

/// What the compiler complains of.
pub fn compiler(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < sheet.len() {
        let one = match sheet.is_free(at) {
            true => complaint(sheet, at).or_else(|| own(sheet, at)),
            false => None,
        };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        found.extend(one);
    }
    found
}

/// `path.java:3: error: message`, the code, and which symbol it is about.
fn complaint(sheet: &Sheet, at: usize) -> Option<Found> {
    let (place, rest) = sheet.located(at).filter(|(place, _)| place.file.ends_with(".java"))?;
    let (word, message) = rest.split_once(": ")?;
    let severity = match word {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let end = sheet.until(at + 1, at + 40, |at, line| {
        sheet.located(at).is_some() || !line.starts_with([' ', '\t']) && at_most_code(sheet, at)
    });
    let (code, message) = match message.strip_prefix('[').and_then(|m| m.split_once("] ")) {
        Some((category, message)) => (Some(category.to_owned()), message),
        None => (None, message),
    };
    let reason = with_symbol(sheet, at + 1..end, message);
    let one = Found::error(at..end, JAVAC, message).severity(severity).code(code);
    Some(one.at(Some(place)).known_by(reason))
}

/// A line that is not indented and is not code with a caret under it.
fn at_most_code(sheet: &Sheet, at: usize) -> bool {
    sheet.line(at + 1).trim() != "^"
}

/// A message with the symbol named below it.
pub fn with_symbol(sheet: &Sheet, lines: Range<usize>, message: &str) -> String {
    let symbol = sheet.within(lines).find_map(|(_, line)| {
        line.trim_start_matches("[ERROR]").trim_start().strip_prefix("symbol:")
    });
    symbol.map_or_else(|| message.to_owned(), |symbol| format!("{message}: {}", symbol.trim()))
}

fn own(sheet: &Sheet, at: usize) -> Option<Found> {
    let message = sheet.line(at).strip_prefix("error: ")?;
    let weight = match message {
        "warnings found and -Werror specified" => Weight::Ending,
        "compilation failed" => Weight::Echo,
        _ => return None,
    };
    Some(Found::error(at..at + 1, JAVAC, message).weight(weight))
}

/// Exceptions that nobody caught.
pub fn programs(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, line) in sheet.free() {
        let Some(rest) = line.strip_prefix("Exception in thread \"") else { continue };
        let Some((_, told)) = rest.split_once("\" ") else { continue };
        let end = stack_end(sheet, at + 1);
        let place = own_frame(sheet, at..end);
        let reason = if is_assertion(told) { "AssertionError" } else { told };
        found.push(Found::error(at..end, "java", told).known_by(reason).at(place));
    }
    found
}

/// Behind the frames and causes that follow.
pub fn stack_end(sheet: &Sheet, from: usize) -> usize {
    sheet.until(from, from + 2_000, |_, line| {
        let line = line.trim_start();
        !(line.starts_with("at ") || line.starts_with("Caused by: ") || line.starts_with("... "))
    })
}

/// The first frame outside of Java itself and of test libraries.
pub fn own_frame(sheet: &Sheet, lines: Range<usize>) -> Option<Place> {
    sheet.within(lines).find_map(|(_, line)| frame(line))
}

/// `\tat com.example.Shelf.open(Shelf.java:2)` as `com/example/Shelf.java`.
fn frame(line: &str) -> Option<Place> {
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
    Some(Place::new(&format!("{folder}{file}"), Some(place::number(line)?.0)))
}

/// Whether an exception with its message is an assertion that did not hold.
pub fn is_assertion(told: &str) -> bool {
    let name = told.split(':').next().unwrap_or(told);
    super::wording::is_assertion(name.trim())
}
