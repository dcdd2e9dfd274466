//! Output that no reader understands: its first telling line.

use super::{
    output_reader::OutputReader,
    raw_diagnostic::RawDiagnostic,
    source_location::{self, SourceLocation},
};

/// Parts of words that tell of a failure.
const TELLING: [&str; 32] = [
    "error",
    "fail",
    "panic",
    "exception",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "not found",
    "no such",
    "invalid",
    "unknown",
    "unrecognized",
    "unrecognised",
    "denied",
    "fatal",
    "missing",
    "refused",
    "timed out",
    "undefined",
    "unexpected",
    "abort",
    "killed",
    "crash",
    "out of memory",
    "not set",
    "unable to",
    "not permitted",
    "conflict",
    "mismatch",
    "would reformat",
    "violation",
];

/// The line, or the last one where none tells.
pub fn read(reader: &OutputReader) -> RawDiagnostic {
    let lines = || reader.free().filter(|(_, line)| !line.trim().is_empty());
    let telling = lines().find(|(_, line)| tells(line)).or_else(|| lines().next_back());
    let Some((at, line)) = telling else {
        return RawDiagnostic::error(0..0, "other", "it failed without a word");
    };
    let line = line.trim();
    let found = RawDiagnostic::error(at..at + 1, "other", line);
    match location(line) {
        // The line's number is part of the text.
        Some(location) => found.at(Some(location)),
        None => found,
    }
}

fn tells(line: &str) -> bool {
    let line = line.to_lowercase();
    let fine =
        ["no error", "without error", "no fail", "0 error", "0 fail", "errors: 0", "failed: 0"];
    let mut rest = line.clone();
    for words in fine {
        let alone = |at: usize| !rest[..at].ends_with(|c: char| c.is_ascii_digit());
        if rest.find(words).is_some_and(alone) {
            rest = rest.replace(words, "");
        }
    }
    TELLING.iter().any(|word| rest.contains(word))
}

/// `path:3: …`, `script.sh: line 3: …`, `script.sh: 3: …`, ` … path:3:5`.
fn location(line: &str) -> Option<SourceLocation> {
    if let Some((location, _)) = source_location::leading(line) {
        return Some(location).filter(SourceLocation::is_own);
    }
    let (script, rest) = line.split_once(": ")?;
    let number = rest.strip_prefix("line ").unwrap_or(rest);
    let (number, rest) = source_location::number(number)?;
    let known = source_location::is_path(script) && rest.starts_with(": ");
    Some(SourceLocation::new(script, Some(number))).filter(|location| known && location.is_own())
}
