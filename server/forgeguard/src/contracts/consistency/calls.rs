//! Checks that all called endpoints are in the API.

use std::{collections::BTreeSet, sync::LazyLock};

use domain::contract::ContractType;
use regex::Regex;

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};
use crate::contracts::physics::Physics;

static HTTP_CALL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(GET|POST|PUT|PATCH|DELETE)\s+(/[^\s`),;]*)")
        .unwrap_or_else(|e| unreachable!("a fixed pattern: {e}"))
});

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let Some(physics) = &reading.physics else { return Vec::new() };
    let mut findings = Vec::new();
    for (contract, blocks) in &reading.outlines {
        let mut reported = BTreeSet::new();
        for block in blocks {
            let http = HTTP_CALL.captures_iter(&block.text).filter_map(|call| {
                let path = call[2].trim_end_matches(['.', ':', '?', '!']);
                (!has_path(physics, &call[1], path)).then(|| format!("{} {path}", &call[1]))
            });
            let commands = block.codes.iter().filter(|code| is_unknown_command(physics, code));
            for call in http.chain(commands.cloned()) {
                if reported.insert(call.clone()) {
                    findings.push(finding(*contract, block.line, &call));
                }
            }
        }
    }
    findings
}

fn finding(contract: ContractType, line: usize, call: &str) -> Finding {
    Finding {
        rule: Rule::CallInPhysics,
        at: Place { contract, line },
        see: Some(Place { contract: ContractType::Physics, line: 1 }),
        text: format!("`{call}` is called here, but the API has no such endpoint."),
    }
}

fn has_path(physics: &Physics, method: &str, path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or(path);
    physics.endpoints().any(|(endpoint, _)| {
        let same_method =
            endpoint.method.as_deref().is_some_and(|m| m.eq_ignore_ascii_case(method));
        same_method && endpoint.path.as_deref().is_some_and(|known| same_path(known, path))
    })
}

/// Whether two paths match: a placeholder of either matches any one segment.
fn same_path(known: &str, path: &str) -> bool {
    let segments = |path: &str| -> Vec<String> {
        path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
    };
    let is_open = |segment: &str| segment.starts_with(['{', ':', '<']);
    let (known, path) = (segments(known), segments(path));
    known.len() == path.len()
        && known.iter().zip(&path).all(|(k, p)| k == p || is_open(k) || is_open(p))
}

/// A command such as `shelf lend`, if all endpoints are commands of `shelf` and none is `lend`.
fn is_unknown_command(physics: &Physics, code: &str) -> bool {
    let Some(program) = physics.program() else { return false };
    let mut said = code.split_whitespace();
    if said.next() != Some(program) {
        return false;
    }
    let Some(command) = said.next().filter(|word| word.chars().all(char::is_alphabetic)) else {
        return false;
    };
    // Capitals are placeholders.
    let is_word = command.chars().all(char::is_lowercase);
    is_word
        && !physics.endpoints().any(|(endpoint, _)| {
            endpoint.call.as_deref().and_then(|call| call.split_whitespace().nth(1))
                == Some(command)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::physics;

    #[test]
    fn paths_match_with_any_placeholder() {
        for (known, path, fits) in [
            ("/tasks/{task}", "/tasks/{id}", true),
            ("/tasks/{task}", "/tasks/:id", true),
            ("/tasks/{task}", "/tasks/7/", true),
            ("/tasks/{task}", "/tasks", false),
            ("/tasks", "/task", false),
        ] {
            assert_eq!(same_path(known, path), fits, "{known} {path}");
        }
    }

    #[test]
    fn commands_of_the_program_are_known_by_their_first_word() {
        let text =
            "endpoints:\n- {name: a, call: shelf add TITLE}\n- {name: l, call: shelf list}\n";
        let physics = physics::read(text).unwrap();
        for (code, unknown) in [
            ("shelf add BOOK", false),
            ("shelf list", false),
            ("shelf burn", true),
            ("shelf COMMAND", false),
            ("shelf", false),
            ("shelf --help", false),
            ("npm burn", false),
        ] {
            assert_eq!(is_unknown_command(&physics, code), unknown, "{code}");
        }
    }
}
