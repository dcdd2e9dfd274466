//! Frames of JavaScript's stacks.

use std::ops::Range;

use super::{
    output_reader::OutputReader,
    source_location::{self, SourceLocation},
};

/// The location in `at name (path:line:column)`.
pub fn frame(line: &str) -> Option<SourceLocation> {
    let line = line.trim_start();
    let spot = line.strip_prefix("at ").or_else(|| line.strip_prefix("❯ "))?;
    source_location::trailing(spot)
}

/// The first frame in a file of the project.
pub fn own(reader: &OutputReader, lines: Range<usize>) -> Option<SourceLocation> {
    reader.within(lines).filter_map(|(_, line)| frame(line)).find(SourceLocation::is_own)
}

/// The first frame in this file.
pub fn within(reader: &OutputReader, lines: Range<usize>, file: &str) -> Option<SourceLocation> {
    let file = source_location::normalised_path(file);
    reader.within(lines).filter_map(|(_, line)| frame(line)).find(|location| location.file == file)
}

/// The first line of an error, with the next one where it ends in a colon.
pub fn opening(reader: &OutputReader, lines: Range<usize>) -> String {
    let mut lines = reader.within(lines).map(|(_, line)| line.trim()).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or("failed");
    // Over the lines of a comparison stands how to read them.
    let next = lines.next().filter(|next| first.ends_with(':') && !next.starts_with("+ actual"));
    next.map_or_else(|| first.to_owned(), |next| format!("{first} {next}"))
}

/// A message without `Error: ` before it and without `[CODE]` behind the exception's name.
pub fn plain(message: &str) -> String {
    let message = message.trim();
    let message = match message.split_once("]: ") {
        Some((name, rest)) if name.len() < 60 && name.contains(" [") && !name.contains(": ") => {
            let name = name.split(" [").next().unwrap_or(name);
            format!("{name}: {rest}")
        }
        _ => message.to_owned(),
    };
    match message.strip_prefix("Error: ") {
        Some(rest) => rest.to_owned(),
        None => message,
    }
}
