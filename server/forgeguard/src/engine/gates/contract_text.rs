//! Contract text and traces of ForgeGuard in files that a build commits.

use std::collections::HashSet;

use super::file_problem::FileProblem;
use crate::contract_set::ContractSet;
use domain::contract::ContractSource;

/// Shorter lines may be the same by chance.
const MIN_LETTERS: usize = 40;
const MIN_WORDS: usize = 7;

/// The sentences of a build's contracts, and words that only ForgeGuard writes.
#[derive(Clone, Debug, Default)]
pub struct ContractText {
    lines: HashSet<String>,
    /// The id of the build, which its branch and its trailers contain.
    build_id: String,
}

impl ContractText {
    pub fn of(contracts: &ContractSet, build_id: String) -> Self {
        let own = contracts.iter().filter(|it| it.source != ContractSource::Template);
        let lines = own.flat_map(|contract| prose(&contract.content)).collect();
        Self { lines, build_id }
    }

    /// Problems of a changed file; `old` is its text before the change, which is not the build's.
    pub fn problems(&self, path: &str, old: &str, text: &str) -> Vec<FileProblem> {
        let before: HashSet<&str> = old.lines().map(str::trim).collect();
        let new = (1..).zip(text.lines()).filter(|(_, line)| !before.contains(line.trim()));
        let (mut copied, mut found) = (Vec::new(), Vec::new());
        for (number, line) in new {
            if !self.build_id.is_empty() && line.contains(&self.build_id) {
                let why = "the id of the build: ForgeGuard's own data is never committed";
                found.push(FileProblem::at(path, number, why));
            }
            if sentence(line).is_some_and(|sentence| self.lines.contains(&sentence)) {
                copied.push(number);
            }
        }
        if let [first, .., last] = copied.as_slice() {
            let why = format!(
                "lines {first} to {last} contain {} lines of contract text; one is allowed: write \
                 it in your own words, or remove it",
                copied.len()
            );
            found.push(FileProblem::about(path, why));
        }
        found
    }
}

/// The sentences of a contract outside code blocks, which are meant to be used.
fn prose(content: &str) -> impl Iterator<Item = String> + '_ {
    let mut is_code = false;
    content.lines().filter_map(move |line| {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            is_code = !is_code;
            return None;
        }
        if is_code { None } else { sentence(line) }
    })
}

/// The words of a line, without markup, list markers and comment characters; `None` if they may be
/// the same in any other text.
fn sentence(line: &str) -> Option<String> {
    let words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    let letters: usize = words.iter().map(|word| word.chars().count()).sum();
    (letters >= MIN_LETTERS && words.len() >= MIN_WORDS).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUEPRINT: &str = "# Rental shop\n\n\
        - **R-1** (must, stated) A late return costs one euro for each day, at most twenty euros.\n\
        - **R-2** (must, stated) Every item that is lent has exactly one borrower at any time.\n\
        - Members\n- email\n\n\
        ```sql\nCREATE TABLE loans (id INTEGER PRIMARY KEY, member_id INTEGER NOT NULL, due TEXT);\n\
        CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price INTEGER);\n```\n";
    const BUILD: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

    fn found(old: &str, text: &str) -> Vec<String> {
        let (lines, build_id) = (prose(BLUEPRINT).collect(), BUILD.to_owned());
        let contracts = ContractText { lines, build_id };
        contracts.problems("README.md", old, text).into_iter().map(|it| it.text).collect()
    }

    const ONE: &str = "// R-1 (must, stated): A late return costs one euro for each day, at most \
        twenty euros.\n";
    const OTHER: &str =
        "* R-2 (must, stated) Every item that is lent has exactly one borrower at any time\n";

    #[test]
    fn second_line_of_contract_text_in_a_file_is_a_problem() {
        assert!(found("", ONE).is_empty());
        let found = found("", &format!("{ONE}fine\n{OTHER}"));
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("README.md: lines 1 to 3 contain 2 lines"), "{found:?}");
    }

    #[test]
    fn honest_files_may_share_short_lines_and_code_with_contracts() {
        let code = BLUEPRINT.split("```").nth(1).unwrap();
        assert!(found("", &format!("# Rental shop\n- Members\n- email\n{code}\n{ONE}")).is_empty());
    }

    #[test]
    fn lines_from_before_the_build_are_not_its_own() {
        let old = format!("{ONE}{OTHER}");
        assert!(found(&old, &format!("{old}new\n")).is_empty());
    }

    #[test]
    fn id_of_the_build_is_not_committed() {
        let found = found("", &format!("built by {BUILD}\n"));
        assert!(found[0].starts_with("README.md:1: the id of the build"), "{found:?}");
    }
}
