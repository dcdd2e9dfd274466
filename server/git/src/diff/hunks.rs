//! Converts a patch to hunks with numbered lines.

use git2::Patch;

use super::{
    types::{Hunk, Line, LineKind, Span},
    words,
};
use crate::error::GitError;

/// Limit on the lines of one file.
pub const MAX_LINES: usize = 5_000;
/// Limit on the characters of one line.
const MAX_LINE: usize = 2_000;

/// Returns the hunks, and whether they were truncated.
pub(crate) fn read(patch: &Patch<'_>) -> Result<(Vec<Hunk>, bool), GitError> {
    let mut hunks = Vec::new();
    let (mut count, mut truncated) = (0, false);
    for at in 0..patch.num_hunks() {
        let (header, lines_there) = patch.hunk(at)?;
        let mut raw = Vec::new();
        for line_at in 0..lines_there {
            let line = patch.line_in_hunk(at, line_at)?;
            let kind = match line.origin() {
                ' ' => LineKind::Context,
                '+' => LineKind::Insert,
                '-' => LineKind::Delete,
                // Notes about a missing newline at end of file.
                _ => continue,
            };
            if count == MAX_LINES {
                truncated = true;
                break;
            }
            count += 1;
            let (text, cut) = text_of(line.content());
            truncated |= cut;
            raw.push(Raw { kind, old_line: line.old_lineno(), new_line: line.new_lineno(), text });
        }
        if raw.is_empty() {
            break;
        }
        hunks.push(Hunk {
            old_start: header.old_start(),
            new_start: header.new_start(),
            header: String::from_utf8_lossy(header.header()).trim_end().to_owned(),
            lines: mark(&raw),
        });
    }
    Ok((hunks, truncated))
}

struct Raw {
    kind: LineKind,
    old_line: Option<u32>,
    new_line: Option<u32>,
    text: String,
}

impl Raw {
    fn with(&self, spans: Vec<Span>) -> Line {
        Line { kind: self.kind, old_line: self.old_line, new_line: self.new_line, spans }
    }
}

/// Marks changed words where deleted lines are followed by inserted ones.
fn mark(raw: &[Raw]) -> Vec<Line> {
    let mut lines = Vec::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(first) = rest.first() {
        if first.kind == LineKind::Context {
            lines.push(first.with(words::whole(&first.text)));
            rest = &rest[1..];
            continue;
        }
        let deleted = run(rest, LineKind::Delete);
        let inserted = run(&rest[deleted..], LineKind::Insert);
        let block = &rest[..deleted + inserted];
        let texts: Vec<&str> = block.iter().map(|line| line.text.as_str()).collect();
        let (old, new) = words::compare(&texts[..deleted], &texts[deleted..]);
        lines.extend(block.iter().zip(old.into_iter().chain(new)).map(|(l, spans)| l.with(spans)));
        rest = &rest[block.len()..];
    }
    lines
}

fn run(lines: &[Raw], kind: LineKind) -> usize {
    lines.iter().take_while(|line| line.kind == kind).count()
}

fn text_of(content: &[u8]) -> (String, bool) {
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    let text = String::from_utf8_lossy(content);
    match text.char_indices().nth(MAX_LINE) {
        Some((end, _)) => (text[..end].to_owned(), true),
        None => (text.into_owned(), false),
    }
}
