//! Both databases must have the same migrations: the same files with the same tables and indexes.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;

use crate::{Tree, Violation};

pub(super) const NAME: &str = "migrations";

const SIDES: [(&str, &str); 2] = [
    ("migrations/sqlite/", "migrations/postgres/"),
    ("migrations/postgres/", "migrations/sqlite/"),
];

static CREATE_STATEMENT: LazyLock<Regex> = LazyLock::new(|| {
    let made = r"(?i)^\s*(CREATE|DROP|ALTER)\s+(?:UNIQUE\s+)?(TABLE|INDEX)\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)";
    Regex::new(made).expect("it is a literal")
});

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (side, other) in SIDES {
        for (path, text) in tree.under(side, &[".sql"]) {
            let counterpart = format!("{other}{}", &path[side.len()..]);
            let Some(twin_text) = tree.text(&counterpart) else {
                found.push(Violation::at(
                    path,
                    1,
                    NAME,
                    format!("has no counterpart at {counterpart}"),
                ));
                continue;
            };
            let there = statements(twin_text);
            for (statement, line) in statements(text) {
                if !there.contains_key(&statement) {
                    let what = format!("`{statement}` is missing in {counterpart}");
                    found.push(Violation::at(path, line, NAME, what));
                }
            }
        }
    }
    found
}

/// Statements such as `CREATE TABLE users`, with their lines. SQLite cannot drop a constraint.
fn statements(text: &str) -> BTreeMap<String, usize> {
    let found = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.contains("DROP CONSTRAINT"))
        .filter_map(|(at, line)| Some((at, CREATE_STATEMENT.captures(line)?)));
    found.map(|(at, made)| (format!("{} {} {}", &made[1], &made[2], &made[3]), at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn difference_between_databases_is_reported() {
        let found = check(&Tree::of(&[
            ("migrations/sqlite/0001_a.sql", "CREATE TABLE a (\n);\nCREATE TABLE b (\n);"),
            (
                "migrations/postgres/0001_a.sql",
                "CREATE TABLE a (\n);\nCREATE UNIQUE INDEX c ON a (x);",
            ),
            ("migrations/postgres/0002_b.sql", ""),
            ("migrations/sqlite/0003_c.sql", ""),
            ("migrations/postgres/0003_c.sql", "ALTER TABLE a DROP CONSTRAINT d;"),
        ]));
        let places: Vec<_> = found.iter().map(|v| (v.file.as_str(), v.line)).collect();
        let expected = [
            ("migrations/sqlite/0001_a.sql", 3),
            ("migrations/postgres/0001_a.sql", 3),
            ("migrations/postgres/0002_b.sql", 1),
        ];
        assert_eq!(places, expected);
    }
}
