//! Finds diagnostics that may span several lines.

use super::{output_reader::OutputReader, raw_diagnostic::RawDiagnostic};

/// The diagnostics that `parse` finds at lines which no other parser has read. The search continues
/// below the lines of each.
pub fn scan(
    reader: &OutputReader,
    mut parse: impl FnMut(usize) -> Option<RawDiagnostic>,
) -> Vec<RawDiagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reader.len() {
        let one = if reader.is_free(at) { parse(at) } else { None };
        at = one.as_ref().map_or(at + 1, |one| one.lines.end.max(at + 1));
        found.extend(one);
    }
    found
}
