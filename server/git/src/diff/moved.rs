//! Tracks the positions of lines across a change.

use super::{
    texts::diff_texts,
    types::{FileDiff, LineKind},
};
use crate::{clone::WorkingClone, error::GitError, path::RepoPath, sha::Sha};

const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;

/// The new numbers of these lines, counted from 1, in another commit; `None` for each that was
/// removed, alone or with its file.
pub fn find_lines(
    clone: &WorkingClone,
    from: Sha,
    to: Sha,
    path: &RepoPath,
    lines: &[u32],
) -> Result<Vec<Option<u32>>, GitError> {
    let read = |sha| match clone.read_file(sha, path, MAX_FILE_BYTES) {
        Ok(content) => Ok(Some(String::from_utf8_lossy(&content.bytes).into_owned())),
        Err(GitError::NoSuchFile(_)) => Ok(None),
        Err(error) => Err(error),
    };
    let (Some(old), Some(new)) = (read(from)?, read(to)?) else {
        return Ok(vec![None; lines.len()]);
    };
    let diff = diff_texts(path.as_str(), &old, &new)?;
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let text = |all: &[&str], line: u32| {
        all.get((line as usize).checked_sub(1)?).map(|text| (*text).to_owned())
    };
    let find = |line: &u32| {
        let found = line_after(&diff, *line)?;
        // In a truncated diff, later positions are unknown.
        (text(&old, *line)? == text(&new, found)?).then_some(found)
    };
    Ok(lines.iter().map(find).collect())
}

/// The new number of a line of the old file; `None` if it was removed.
fn line_after(diff: &FileDiff, line: u32) -> Option<u32> {
    let mut shift = 0;
    for hunk in &diff.hunks {
        // A hunk without old lines follows the line that it names.
        let first = hunk.lines.iter().find_map(|line| line.old_line);
        if line < first.unwrap_or(hunk.old_start + 1) {
            break;
        }
        if let Some(found) = hunk.lines.iter().find(|found| found.old_line == Some(line)) {
            return found.new_line;
        }
        let count = |kind| hunk.lines.iter().filter(|line| line.kind == kind).count() as i64;
        shift += count(LineKind::Insert) - count(LineKind::Delete);
    }
    u32::try_from(i64::from(line) + shift).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(lines: impl IntoIterator<Item = u32>) -> String {
        lines.into_iter().map(|n| format!("line {n}\n")).collect()
    }

    /// The numbers in `new` of lines 1, 2, … of `old`.
    fn places(old: &str, new: &str) -> Vec<Option<u32>> {
        let diff = diff_texts("a.js", old, new).unwrap();
        (1..=old.lines().count() as u32).map(|line| line_after(&diff, line)).collect()
    }

    #[test]
    fn unchanged_lines_shift_by_the_lines_added_and_removed_above() {
        let old = numbered(1..=30);
        assert_eq!(places(&old, &old)[29], Some(30));
        // Two added above, one removed in the middle.
        let new = format!("new\nnew\n{}{}", numbered(1..=14), numbered(16..=30));
        let places = places(&old, &new);
        assert_eq!((places[0], places[13]), (Some(3), Some(16)));
        assert_eq!((places[14], places[15], places[29]), (None, Some(17), Some(31)));
    }

    #[test]
    fn rewritten_lines_are_not_found() {
        assert_eq!(places("a\nb\nc\n", "a\nB\nc\n"), [Some(1), None, Some(3)]);
        assert_eq!(places("a\nb\n", ""), [None, None]);
    }

    #[test]
    fn found_lines_have_the_same_text() {
        // All pairs of files of at most four lines of two kinds.
        let files: Vec<String> = (0..5u32)
            .flat_map(|count| (0..1u32 << count).map(move |bits| (count, bits)))
            .map(|(count, bits)| {
                (0..count).map(|at| if bits >> at & 1 == 0 { "a\n" } else { "b\n" }).collect()
            })
            .collect();
        for (old, new) in files.iter().flat_map(|old| files.iter().map(move |new| (old, new))) {
            for (at, place) in places(old, new).into_iter().enumerate() {
                let Some(place) = place else { continue };
                let (was, is) = (old.lines().nth(at), new.lines().nth(place as usize - 1));
                assert_eq!(was, is, "{old:?} {new:?}: {} to {place}", at + 1);
            }
        }
    }
}
