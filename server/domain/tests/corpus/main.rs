//! Real outputs of real tools, and which errors are in them.
//!
//! `tests/corpus/` at the top of the repository says how the outputs were made. For each there is
//! the list of its records, written by hand: a record has a name, and the same name in two outputs
//! means that they must have the same fingerprint, another name that they must not.

#![allow(clippy::unwrap_used, reason = "the setting in clippy.toml reaches test functions only")]

mod corpus;
mod cuts;

use std::collections::BTreeMap;

use corpus::{Expectation, Output, Record};
use domain::{
    diagnostics::{self, Diagnostic},
    errors,
};

const TOOLS: [&str; 17] = [
    "cargo_test",
    "cc",
    "dotnet",
    "eslint",
    "go",
    "java",
    "jest",
    "maven",
    "mypy",
    "node",
    "other",
    "pytest",
    "python",
    "ruff",
    "rustc",
    "tsc",
    "vitest",
];

fn read(output: &Output) -> Vec<Diagnostic> {
    match output.exit_code {
        0 => diagnostics::read(&output.text, &output.root),
        _ => diagnostics::of_failure(&output.text, &output.root),
    }
}

fn fingerprint(diagnostic: &Diagnostic) -> String {
    errors::fingerprint_of("gate:test", diagnostic.severity, &diagnostic.identity)
}

/// Finds the diagnostic of each expected record: which comes first is left to the tools. `None`
/// where one has no match, or is left.
fn matched<'a>(
    expected: &[(&str, &Record)],
    found: &'a [Diagnostic],
    prints: &BTreeMap<&str, String>,
) -> Option<Vec<&'a Diagnostic>> {
    let mut left: Vec<&Diagnostic> = found.iter().collect();
    let mut order = Vec::new();
    for (name, record) in expected {
        let fits = |one: &&&Diagnostic| record.fits(one);
        let known = |one: &&&Diagnostic| prints.get(name) == Some(&fingerprint(one));
        let one = left.iter().filter(fits).find(known).or_else(|| left.iter().find(fits))?;
        let one = *one;
        left.retain(|other| !std::ptr::eq(*other, one));
        order.push(one);
    }
    left.is_empty().then_some(order)
}

/// What was expected and what was found, in words.
fn difference(output: &Output, expected: &[(&str, &Record)], found: &[Diagnostic]) -> String {
    let line = |record: &Record| format!("    {record}\n");
    let meant: String = expected.iter().map(|(_, record)| line(record)).collect();
    let told: String = found.iter().map(|one| line(&Record::of(one))).collect();
    format!("{}\n  expected\n{meant}  found\n{told}", output.name)
}

/// Checks one tool's outputs; returns how many there are and what is wrong.
fn check(tool: &str) -> (usize, Vec<String>) {
    let outputs = corpus::outputs(tool);
    let Expectation { records, lists } = corpus::expected(tool);
    let mut wrong = Vec::new();
    let mut prints: BTreeMap<&str, String> = BTreeMap::new();
    for output in &outputs {
        let Some(names) = lists.get(&output.name) else {
            wrong.push(format!("{}: nothing is expected of it\n", output.name));
            continue;
        };
        let expected: Vec<(&str, &Record)> =
            names.iter().map(|name| (name.as_str(), &records[name])).collect();
        let found = read(output);
        let Some(matched) = matched(&expected, &found, &prints) else {
            wrong.push(difference(output, &expected, &found));
            continue;
        };
        for ((name, _), diagnostic) in expected.iter().zip(matched) {
            let print = fingerprint(diagnostic);
            let known = prints.entry(name).or_insert_with(|| print.clone());
            if *known != print {
                let identity = &diagnostic.identity;
                wrong.push(format!("{}: `{name}` is another: {identity:?}\n", output.name));
            }
        }
    }
    wrong.extend(confused(&prints));
    for name in lists.keys().filter(|name| outputs.iter().all(|output| output.name != **name)) {
        wrong.push(format!("{name}: there is no such output\n"));
    }
    (outputs.len(), wrong)
}

/// Records with different names that have the same fingerprint.
fn confused(prints: &BTreeMap<&str, String>) -> Vec<String> {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (name, print) in prints {
        if let Some(other) = names.insert(print, name) {
            wrong.push(format!("`{other}` and `{name}` are one error\n"));
        }
    }
    wrong
}

macro_rules! tools {
    ($($tool:ident)*) => {$(
        #[test]
        fn $tool() {
            let (count, wrong) = check(stringify!($tool));
            assert!(wrong.is_empty(), "{} of {count} are wrong:\n{}", wrong.len(), wrong.concat());
        }
    )*};
}

tools! { cargo_test cc dotnet eslint go java jest maven mypy node other pytest python ruff rustc tsc vitest }

#[test]
fn corpus_covers_every_tool() {
    let count: usize = TOOLS.iter().map(|tool| corpus::outputs(tool).len()).sum();
    assert!(count >= 300, "{count}");
    assert_eq!(corpus::tools(), TOOLS);
}
