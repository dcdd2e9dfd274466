//! Code quoted with bars and carets, as rustc and ruff do it.

use std::ops::Range;

use super::output_reader::OutputReader;

/// ` --> path:line:column`.
pub fn is_arrow(line: &str) -> bool {
    line.trim_start().starts_with("--> ")
}

/// A message with the label that stands at the first carets under it: `mismatched types: expected
/// `u32`, found `usize``. The short formats of the same tools print both in one line.
pub fn with_label(reader: &OutputReader, lines: Range<usize>, message: &str) -> String {
    match reader.within(lines).find_map(|(_, line)| label(line)) {
        Some(label) => format!("{message}: {label}"),
        None => message.to_owned(),
    }
}

/// The text behind the carets of a line that has nothing else before it.
fn label(line: &str) -> Option<&str> {
    let (gutter, marks) = line.split_once('|')?;
    if !gutter.trim().is_empty() {
        return None;
    }
    let (before, label) = marks.rsplit_once('^')?;
    let only_marks = before.chars().all(|mark| " ^-_|~".contains(mark));
    let label = label.strip_prefix(' ')?;
    let whole = !label.is_empty() && !label.starts_with([' ', '-', '|', '^']);
    (only_marks && whole && !label.starts_with("help:")).then_some(label.trim_end())
}
