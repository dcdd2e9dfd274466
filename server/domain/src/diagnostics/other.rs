//! Output that no reader understands: its first telling line.

use super::{
    found::Found,
    place::{self, Place},
    sheet::Sheet,
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
pub fn read(sheet: &Sheet) -> Found {
    let lines = || sheet.free().filter(|(_, line)| !line.trim().is_empty());
    let telling = lines().find(|(_, line)| tells(line)).or_else(|| lines().next_back());
    let Some((at, line)) = telling else {
        return Found::error(0..0, "other", "it failed without a word");
    };
    let line = line.trim();
    let found = Found::error(at..at + 1, "other", line);
    match place(line) {
        // The line's number is part of the text.
        Some(place) => found.at(Some(place)),
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
fn place(line: &str) -> Option<Place> {
    if let Some((place, _)) = place::leading(line) {
        return Some(place).filter(Place::is_own);
    }
    let (script, rest) = line.split_once(": ")?;
    let number = rest.strip_prefix("line ").unwrap_or(rest);
    let (number, rest) = place::number(number)?;
    let known = place::is_path(script) && rest.starts_with(": ");
    Some(Place::new(script, Some(number))).filter(|place| known && place.is_own())
}
