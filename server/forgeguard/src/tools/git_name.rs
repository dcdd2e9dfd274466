//! Detects names that some file system treats as `.git`.

use unicode_normalization::UnicodeNormalization;

/// Covers other case or width, trailing dots or spaces, streams and short names (NTFS), and characters
/// that file systems ignore (HFS+, ext4 with `casefold`).
pub(super) fn is_git(name: &str) -> bool {
    let folded = name.nfkc().flat_map(char::to_lowercase);
    let plain: String = folded.filter(|c| !is_ignored(*c)).collect();
    let plain = plain.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(plain, ".git" | "git~1")
}

/// Invisible characters, and the combining dot that `İ` has in lower case.
fn is_ignored(c: char) -> bool {
    matches!(c,
        '\u{ad}'
        | '\u{307}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::is_git;

    #[test]
    fn every_spelling_of_git_is_recognised() {
        for name in [
            ".git",
            ".GIT",
            ".gIt",
            ".git.",
            ".git ",
            ".git . .",
            "git~1",
            "GIT~1",
            ".git::$INDEX_ALLOCATION",
            ".git:stream",
            ".g\u{200c}it",
            "\u{feff}.git",
            ".git\u{ad}",
            ".gi\u{fe0f}t",
            ".g\u{e0101}it",
            ".g\u{130}t",
            "．ｇｉｔ",
            "．ＧＩＴ",
            "\u{2024}git",
            ".g\u{2170}t",
            ".\u{1d420}\u{1d422}\u{1d42d}",
        ] {
            assert!(is_git(name), "{name:?}");
        }
    }

    #[test]
    fn similar_names_are_allowed() {
        for name in [
            ".gitignore",
            ".gitattributes",
            ".github",
            ".gitlab-ci.yml",
            "git",
            "a.git",
            ".git2",
            "..git",
            ".gıt",
            ".gït",
            "git~2",
            "",
            "...",
        ] {
            assert!(!is_git(name), "{name:?}");
        }
    }
}
