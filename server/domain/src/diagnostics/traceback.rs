//! Python's tracebacks, wherever they are printed.

use std::ops::Range;

use super::{
    normalisation,
    output_reader::OutputReader,
    source_location::{self, SourceLocation},
};

/// Lines that a traceback has at most.
const MAX_BLOCK_LINES: usize = 400;

/// An exception with its frames.
pub struct Traceback<'a> {
    /// From the head to the exception's line.
    pub lines: Range<usize>,
    /// The exception's line: `ValueError: no title`.
    pub exception: &'a str,
    /// The first frame in a file of the project.
    pub outermost: Option<SourceLocation>,
    /// The last one.
    pub innermost: Option<SourceLocation>,
}

/// The last of a chain of tracebacks that begins between these lines: it is what ended the program.
pub fn last(reader: &OutputReader, lines: Range<usize>) -> Option<Traceback<'_>> {
    let begins = |from: usize| {
        let begin = reader.within(from..lines.end).find(|(_, line)| is_head(line));
        begin.and_then(|(at, _)| one(reader, at, lines.end))
    };
    let mut last = begins(lines.start)?;
    let first = last.lines.start;
    while chained(reader, last.lines.end) {
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

fn one(reader: &OutputReader, head: usize, end: usize) -> Option<Traceback<'_>> {
    let mut outermost = None;
    let mut innermost: Option<SourceLocation> = None;
    let end = end.min(head + MAX_BLOCK_LINES);
    for (at, line) in reader.within(head + 1..end) {
        let line = plain(line);
        if let Some(location) = frame(line) {
            if location.is_own() {
                outermost = outermost.or_else(|| Some(location.clone()));
                innermost = Some(location);
            }
        } else if !line.is_empty() && !line.starts_with(' ') {
            let lines = head..group_end(reader, at + 1, end);
            return Some(Traceback { lines, exception: line, outermost, innermost });
        }
    }
    None
}

/// A group is followed by the exceptions in it.
fn group_end(reader: &OutputReader, from: usize, end: usize) -> usize {
    reader.until(from, end, |_, line| !line.trim_start().starts_with(['|', '+']))
}

/// `File "path", line 3, in name`.
pub fn frame(line: &str) -> Option<SourceLocation> {
    let (path, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    Some(SourceLocation::new(path, Some(source_location::number(rest)?.0)))
}

fn chained(reader: &OutputReader, at: usize) -> bool {
    let mut next = reader.within(at..at + 4).filter(|(_, line)| !line.trim().is_empty());
    next.next().is_some_and(|(_, line)| {
        line.contains("direct cause of the following exception")
            || line.contains("another exception occurred")
    })
}

/// A file that does not parse, told without a traceback: the location, the exception, its line.
pub fn broken_syntax(reader: &OutputReader, at: usize) -> Option<(SourceLocation, &str, usize)> {
    let line = reader.line(at);
    let location =
        frame(line).filter(|_| line.starts_with("  File ") && !line.contains(", in "))?;
    let (below, exception) =
        reader.within(at + 1..at + 5).find(|(_, line)| !line.starts_with(' '))?;
    let (name, _) = normalisation::exception(exception)?;
    matches!(name, "SyntaxError" | "IndentationError" | "TabError")
        .then_some((location, exception, below))
}
