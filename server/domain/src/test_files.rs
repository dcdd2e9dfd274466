//! Which files of a repository contain tests, by their paths.

/// Folders of tests, fixtures and snapshots.
const FOLDERS: [&str; 10] = [
    "test",
    "tests",
    "__tests__",
    "__mocks__",
    "__snapshots__",
    "spec",
    "specs",
    "e2e",
    "testdata",
    "cypress",
];

/// Whether the file belongs to the tests, and not to the code that they check.
pub fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|folder| FOLDERS.contains(&folder)) {
        return true;
    }
    let Some((stem, extension)) = name.split_once('.') else { return false };
    // As in `list.test.ts` and `list.spec.js`.
    if extension.split('.').rev().skip(1).any(|part| matches!(part, "test" | "tests" | "spec")) {
        return true;
    }
    if stem == "conftest" && extension == "py" {
        return true;
    }
    let words: Vec<&str> = stem.split(['_', '-']).collect();
    let is_word = |word: Option<&&str>| matches!(word, Some(&("test" | "tests" | "spec")));
    if is_code(extension) && (is_word(words.first()) || is_word(words.last())) {
        return true;
    }
    // As in `FinesTest.java`, `FinesTests.cs` and `TestFines.java`.
    let is_camel_case = matches!(
        extension,
        "java" | "kt" | "kts" | "groovy" | "scala" | "cs" | "fs" | "vb" | "php" | "swift"
    );
    let ends = ["Test", "Tests", "TestCase", "Spec", "IT"].iter().any(|end| stem.ends_with(end));
    let starts = stem
        .strip_prefix("Test")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    is_camel_case && (ends || starts)
}

/// Whether a file with this extension contains code or a script.
fn is_code(extension: &str) -> bool {
    const EXTENSIONS: [&str; 36] = [
        "bash", "bats", "c", "cc", "cjs", "clj", "cpp", "cs", "cts", "cxx", "dart", "ex", "exs",
        "fs", "go", "groovy", "h", "hpp", "hs", "java", "js", "jsx", "kt", "lua", "mjs", "ml",
        "mts", "php", "pl", "py", "rb", "rs", "scala", "sh", "swift", "ts",
    ];
    EXTENSIONS.contains(&extension) || matches!(extension, "tsx" | "zig" | "vb" | "t")
}

/// Whether a path that is not a test file's contains code or a script.
pub fn is_code_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    // A file without an extension may be a script.
    name.rsplit_once('.').is_none_or(|(_, extension)| is_code(extension))
}

/// The line, from 1, at which the tests of a source file begin that also contains the code, so that
/// they cannot be separated from it.
pub fn inline_tests_start(path: &str, text: &str) -> Option<u32> {
    if !path.ends_with(".rs") || is_test_file(path) {
        return None;
    }
    (1..).zip(text.lines()).find(|(_, line)| line.contains("#[cfg(test)]")).map(|(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_files_are_recognised_by_path() {
        for path in [
            "tests/fines.rs",
            "test/a.js",
            "src/test/java/a/Fines.java",
            "src/__tests__/a.tsx",
            "src/__snapshots__/a.snap",
            "spec/fines_spec.rb",
            "test_fines.py",
            "pkg/test_fines.py",
            "fines_test.go",
            "src/fines/tests.rs",
            "list.test.ts",
            "list.spec.js",
            "list.test.d.ts",
            "test.js",
            "test-list.mjs",
            "list-test.js",
            "conftest.py",
            "FinesTest.java",
            "FinesTests.cs",
            "TestFines.java",
            "FinesIT.java",
            "lib/FinesTest.php",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in [
            "src/fines.rs",
            "src/contest.py",
            "src/latest.js",
            "src/Latest.java",
            "src/Testament.java",
            "src/testing/fines.py",
            "attest.go",
            "README.md",
            "Makefile",
            "package.json",
            "test.md",
            "docs/test-plan.md",
        ] {
            assert!(!is_test_file(path), "{path}");
        }
    }

    #[test]
    fn inline_tests_are_found_in_rust_sources_only() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {}\n";
        assert_eq!(inline_tests_start("src/lib.rs", text), Some(2));
        assert_eq!(inline_tests_start("src/lib.rs", "fn f() {}"), None);
        assert_eq!(inline_tests_start("tests/lib.rs", text), None);
        assert_eq!(inline_tests_start("lib.py", text), None);
    }
}
