//! Python's tracebacks, wherever they are printed.

use std::ops::Range;

use super::{
    place::{self, Place},
    sheet::Sheet,
    wording,
};

/// Lines that a traceback has at most.
const LONGEST: usize = 400;

/// An exception with its frames.
pub struct Traceback<'a> {
    /// From the head to the exception's line.
    pub lines: Range<usize>,
    /// The exception's line: `ValueError: no title`.
    pub exception: &'a str,
    /// The first frame in a file of the project.
    pub outermost: Option<Place>,
    /// The last one.
    pub innermost: Option<Place>,
}

/// The last of a chain of tracebacks that begins between these lines: it is what ended the program.
pub fn last(sheet: &Sheet, lines: Range<usize>) -> Option<Traceback<'_>> {
    let begins = |from: usize| {
        let begin = sheet.within(from..lines.end).find(|(_, line)| is_head(line));
        begin.and_then(|(at, _)| one(sheet, at, lines.end))
    };
    let mut last = begins(lines.start)?;
    let first = last.lines.start;
    while chained(sheet, last.lines.end) {
        let Some(next) = begins(last.lines.end) else { break };
        last = next;
    }
    last.lines.start = first;
    Some(last)
}

/// `Traceback (most recent call last):`, also in the frame of a group.
pub fn is_head(line: &str) -> bool {
    line.ends_with("Traceback (most recent call last):")
}

/// Without the bars that a group of exceptions draws.
fn plain(line: &str) -> &str {
    let trimmed = line.trim_start_matches([' ', '+', '-']);
    match trimmed.strip_prefix("| ") {
        Some(rest) => rest,
        None => line,
    }
}

fn one(sheet: &Sheet, head: usize, end: usize) -> Option<Traceback<'_>> {
    let mut outermost = None;
    let mut innermost: Option<Place> = None;
    let end = end.min(head + LONGEST);
    for (at, line) in sheet.within(head + 1..end) {
        let line = plain(line);
        if let Some(place) = frame(line) {
            if place.is_own() {
                outermost = outermost.or_else(|| Some(place.clone()));
                innermost = Some(place);
            }
        } else if !line.is_empty() && !line.starts_with(' ') {
            let lines = head..group_end(sheet, at + 1, end);
            return Some(Traceback { lines, exception: line, outermost, innermost });
        }
    }
    None
}

/// A group goes on with what it holds.
fn group_end(sheet: &Sheet, from: usize, end: usize) -> usize {
    sheet.until(from, end, |_, line| !line.trim_start().starts_with(['|', '+']))
}

/// `File "path", line 3, in name`.
pub fn frame(line: &str) -> Option<Place> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    Some(Place::new(path, Some(place::number(rest)?.0)))
}

fn chained(sheet: &Sheet, at: usize) -> bool {
    let mut next = sheet.within(at..at + 4).filter(|(_, line)| !line.trim().is_empty());
    next.next().is_some_and(|(_, line)| {
        line.contains("direct cause of the following exception")
            || line.contains("another exception occurred")
    })
}

/// A file that does not parse, told without a traceback: the place, the exception, its line.
pub fn broken_syntax(sheet: &Sheet, at: usize) -> Option<(Place, &str, usize)> {
    let line = sheet.line(at);
    let place = frame(line).filter(|_| line.starts_with("  File ") && !line.contains(", in "))?;
    let (below, exception) =
        sheet.within(at + 1..at + 5).find(|(_, line)| !line.starts_with(' '))?;
    let (name, _) = wording::exception(exception)?;
    matches!(name, "SyntaxError" | "IndentationError" | "TabError")
        .then_some((place, exception, below))
}
