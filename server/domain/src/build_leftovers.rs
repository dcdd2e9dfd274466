//! What build tools leave behind in a folder: it belongs to no commit.

/// By stack. Names that many projects also use for sources, such as `build`, `dist` and `bin`, are
/// left out.
const STACKS: [(&str, &[&str]); 6] = [
    (
        "Python",
        &[
            "__pycache__/",
            "*.py[co]",
            ".pytest_cache/",
            ".mypy_cache/",
            ".ruff_cache/",
            ".venv/",
            "*.egg-info/",
        ],
    ),
    ("JavaScript, TypeScript", &["node_modules/", "*.tsbuildinfo"]),
    ("Rust, Maven", &["target/"]),
    ("Gradle", &[".gradle/"]),
    (".NET", &["obj/", "bin/Debug/", "bin/Release/"]),
    ("macOS", &[".DS_Store"]),
];

/// The `.gitignore` of a new project.
pub fn gitignore() -> String {
    let stacks = STACKS.iter().map(|(stack, patterns)| {
        let lines: String = patterns.iter().map(|pattern| format!("{pattern}\n")).collect();
        format!("# {stack}\n{lines}")
    });
    stacks.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_is_a_line_and_none_ignores_everything() {
        let text = gitignore();
        let mut patterns: Vec<&str> =
            text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        for expected in ["__pycache__/", "target/", "node_modules/", ".pytest_cache/"] {
            assert!(patterns.contains(&expected), "{expected}");
        }
        assert!(patterns.iter().all(|pattern| pattern.len() > 3 && !pattern.starts_with('!')));
        assert!(text.ends_with('\n'));
        let count = patterns.len();
        patterns.sort_unstable();
        patterns.dedup();
        assert_eq!(patterns.len(), count);
    }
}
