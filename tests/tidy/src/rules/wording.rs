//! Names and words that CONTRIBUTING.md rules out, in code, comments and strings.

use std::sync::LazyLock;

use regex::Regex;

use crate::{Tree, Violation};

pub(super) const NAME: &str = "wording";

/// Folders to which the rule applies. Others are added once they are clean.
const FOLDERS: [&str; 44] = [
    "docs/",
    "server/archive/",
    "server/domain/",
    "server/forgeguard/src/agent",
    "server/forgeguard/src/api",
    "server/forgeguard/src/cli",
    "server/forgeguard/src/config",
    "server/forgeguard/src/contract_set.rs",
    "server/forgeguard/src/contracts",
    "server/forgeguard/src/demo.rs",
    "server/forgeguard/src/engine",
    "server/forgeguard/src/journal",
    "server/forgeguard/src/secret.rs",
    "server/forgeguard/src/server",
    "server/forgeguard/src/store",
    "server/forgeguard/src/supervision.rs",
    "server/forgeguard/src/telemetry.rs",
    "server/forgeguard/src/text.rs",
    "server/forgeguard/src/threads.rs",
    "server/forgeguard/src/tools",
    "server/forgeguard/tests/agent/",
    "server/forgeguard/tests/journal/",
    "server/forgeguard/tests/query_plans.rs",
    "server/forgeguard/tests/store/",
    "server/git/",
    "server/llm/",
    "server/rootdir/",
    "server/sandbox/",
    "static/demo/",
    "static/example/",
    "static/templates/",
    "tests/bench/",
    "tests/e2e/",
    "tests/it/",
    "tests/model/",
    "tests/support/",
    "tests/tidy/",
    "web/dev/",
    "web/src/app/",
    "web/src/components/",
    "web/src/domain/",
    "web/src/features/",
    "web/src/lib/",
    "web/src/testing/",
];

/// Endings of the files to which the rule applies.
const ENDINGS: [&str; 6] = [".rs", ".ts", ".tsx", ".mjs", ".json", ".md"];

/// Contains the denied words.
const THIS_FILE: &str = "tests/tidy/src/rules/wording.rs";

/// Constants that state neither quantity nor unit.
static CONSTANT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"\b(?:\w+_)?(?:PATIENCE|AT_ONCE|MOST|LONGEST|LARGEST|LEAST|USUAL|TOLD|KEPT|FEW|ENOUGH|ALIKE)(?:_[A-Z]\w*)?\b";
    Regex::new(pattern).expect("it is a literal")
});

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?i)\b(?:anew|for ever|goes on|lest|nobody|somebody|whoever)\b";
    Regex::new(pattern).expect("it is a literal")
});

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = FOLDERS.iter().flat_map(|folder| tree.under(folder, &ENDINGS));
    let files = files.filter(|(path, _)| *path != THIS_FILE);
    files.flat_map(|(path, text)| check_file(path, text)).collect()
}

fn check_file(path: &str, text: &str) -> Vec<Violation> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let mut report = |what: String| found.push(Violation::at(path, at + 1, NAME, what));
        for name in CONSTANT.find_iter(line) {
            let name = name.as_str();
            report(format!(
                "`{name}` states no quantity or unit, such as MAX_…_BYTES or …_TIMEOUT"
            ));
        }
        for word in WORD.find_iter(line) {
            report(format!("replace “{}” by plain English", word.as_str()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denied_names_and_words_are_found_in_the_listed_folders() {
        let text = "const OUTPUT_PATIENCE: u64 = 1;\nconst MOST_WORDS: u64 = 1;\n\
                    // Whoever waits, waits For ever.\nconst S: &str = \"nobody is here\";\n";
        for path in ["server/git/src/a.rs", "web/src/lib/a.tsx"] {
            let found = check(&Tree::of(&[(path, text), ("server/x/src/b.rs", text)]));
            let lines: Vec<usize> = found.iter().map(|violation| violation.line).collect();
            assert_eq!(lines, [1, 2, 3, 3, 4]);
            assert!(found.iter().all(|violation| violation.file == path));
        }
    }

    #[test]
    fn longer_names_and_words_are_allowed() {
        let text = "const MAX_FEWEST: u64 = 1; // almost, the newest\nlet most = 1;\n";
        assert_eq!(check(&Tree::of(&[("server/llm/src/a.rs", text)])), []);
    }
}
