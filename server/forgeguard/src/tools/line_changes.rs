//! Counts the lines that a change adds and removes.

use similar::{ChangeTag, TextDiff};

/// Files above this size, in bytes, are changed without counting their lines.
pub const MAX_COUNTED: u64 = 8 * 1024 * 1024;

/// Lines added and lines removed. Binary content has no lines.
pub fn line_changes(before: &[u8], after: &[u8]) -> (u32, u32) {
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let diff = TextDiff::from_lines(text(before), text(after));
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let count = |tag| u32::try_from(count(tag)).unwrap_or(u32::MAX);
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

#[cfg(test)]
mod tests {
    use super::line_changes;

    #[test]
    fn counts_lines_added_and_removed() {
        for (before, after, expected) in [
            ("", "", (0, 0)),
            ("", "a\nb\n", (2, 0)),
            ("a\nb\n", "a\n", (0, 1)),
            ("a\nb\nc\n", "a\nB\nc\nd\n", (2, 1)),
        ] {
            assert_eq!(line_changes(before.as_bytes(), after.as_bytes()), expected, "{after:?}");
        }
        assert_eq!(line_changes(&[0xff, b'\n'], b"a\n"), (1, 0));
    }
}
