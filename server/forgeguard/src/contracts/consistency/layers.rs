//! Checks layers, their imports, and the scopes of phases.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque, btree_map::Entry},
    iter::successors,
};

use domain::{contract::ContractType, phases};

use super::{
    finding::{Finding, Place, Rule},
    reading::Reading,
};
use crate::{contracts::boundaries::Boundaries, text::words::words};

/// Names of layers that require a part of the stack, and the words for it there.
const NEEDS: [(&[&str], &[&str]); 4] = [
    (
        &["storage", "store", "database", "db", "persistence", "repository"],
        &[
            "database",
            "storage",
            "sql",
            "sqlite",
            "postgresql",
            "postgre",
            "mysql",
            "mariadb",
            "mongodb",
            "redis",
        ],
    ),
    (
        &["frontend", "ui", "client", "page"],
        &[
            "frontend", "ui", "page", "html", "css", "react", "vue", "svelte", "angular",
            "browser", "desktop", "terminal",
        ],
    ),
    (
        &["web", "http", "api", "rest", "server"],
        &["web", "http", "api", "server", "framework", "rest", "backend"],
    ),
    (&["queue", "worker", "job"], &["queue", "worker", "job", "broker", "scheduler", "cron"]),
];

/// Paths outside all layers that phases may change.
const BESIDE: [&str; 10] =
    ["test", "tests", "spec", "docs", "doc", "scripts", "ci", "migrations", "examples", "static"];

pub(super) fn check(reading: &Reading<'_>) -> Vec<Finding> {
    let Some(boundaries) = &reading.boundaries else { return Vec::new() };
    let mut findings = imports(reading, boundaries);
    findings.extend(cycles(reading, boundaries));
    findings.extend(scopes(reading, boundaries));
    findings
}

fn imports(reading: &Reading<'_>, boundaries: &Boundaries) -> Vec<Finding> {
    let stack: BTreeSet<String> = words(reading.text(ContractType::Stack)).into_iter().collect();
    let text = reading.text(ContractType::Boundaries);
    let finding = |name: &str, text_of: String| Finding {
        rule: Rule::LayerInStack,
        at: Place { contract: ContractType::Boundaries, line: boundaries.line_of(text, name) },
        see: Some(Place { contract: ContractType::Stack, line: 1 }),
        text: text_of,
    };
    let names: BTreeSet<&str> = boundaries.layers.iter().map(|layer| layer.name.as_str()).collect();
    let mut findings = Vec::new();
    let mut reported = BTreeSet::new();
    for layer in &boundaries.layers {
        let words_of = words(&layer.name);
        let lacks = NEEDS.iter().any(|(of, need)| {
            words_of.iter().any(|word| of.contains(&word.as_str()))
                && !need.iter().any(|word| stack.contains(*word))
        });
        if lacks {
            let name = &layer.name;
            let why = format!("The layer `{name}` imports something that the stack does not list.");
            findings.push(finding(name, why));
        }
        for import in &layer.may_import {
            let is_known = names.contains(import.as_str())
                || words(import).iter().any(|word| stack.contains(word));
            if !is_known && reported.insert(import) {
                let why = format!("`{import}` is neither a layer nor in the stack.");
                findings.push(finding(import, why));
            }
        }
    }
    findings
}

/// The shortest cycle through each layer, unless it is part of a reported one.
fn cycles(reading: &Reading<'_>, boundaries: &Boundaries) -> Vec<Finding> {
    let mut reported = BTreeSet::new();
    let mut found = Vec::new();
    for start in 0..boundaries.layers.len() {
        if let Some(cycle) = cycle(boundaries, start).filter(|_| !reported.contains(&start)) {
            reported.extend(cycle.iter().copied());
            found.push(cycle);
        }
    }
    let text = reading.text(ContractType::Boundaries);
    let name = |index: &usize| boundaries.layers[*index].name.as_str();
    let finding = |cycle: &Vec<usize>| {
        let mut names: Vec<&str> = cycle.iter().map(name).collect();
        names.push(names[0]);
        Finding {
            rule: Rule::LayersInOrder,
            at: Place {
                contract: ContractType::Boundaries,
                line: boundaries.line_of(text, names[0]),
            },
            see: None,
            text: format!("These layers import each other in a cycle: {}.", names.join(" → ")),
        }
    };
    found.iter().map(finding).collect()
}

/// The shortest cycle through a layer.
fn cycle(boundaries: &Boundaries, start: usize) -> Option<Vec<usize>> {
    let layers = &boundaries.layers;
    let index = |name: &String| layers.iter().position(|layer| layer.name == *name);
    let mut came_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next = VecDeque::from([start]);
    while let Some(at) = next.pop_front() {
        for to in layers[at].may_import.iter().filter_map(index).filter(|to| *to != at) {
            if to == start {
                let back = |at: &usize| came_from.get(at).copied();
                let mut cycle: Vec<usize> = successors(Some(at), back).collect();
                cycle.reverse();
                return Some(cycle);
            }
            if let Entry::Vacant(new) = came_from.entry(to) {
                new.insert(at);
                next.push_back(to);
            }
        }
    }
    None
}

fn scopes(reading: &Reading<'_>, boundaries: &Boundaries) -> Vec<Finding> {
    let text = reading.text(ContractType::Phases);
    let Ok(phases) = phases::parse(text) else { return Vec::new() };
    let paths: Vec<&str> =
        boundaries.layers.iter().flat_map(|layer| &layer.paths).map(|glob| fixed(glob)).collect();
    let outside = |scope: &&String| {
        let place = fixed(scope);
        let folder = place.split('/').next().unwrap_or(place);
        let beside = !scope.contains('/') || BESIDE.contains(&folder) || folder.starts_with('.');
        !beside && !paths.iter().any(|path| path.starts_with(place) || place.starts_with(path))
    };
    let mut findings = Vec::new();
    for scope in phases.iter().flat_map(|phase| &phase.scope).filter(outside) {
        let place = text.find(scope.as_str()).unwrap_or(0);
        findings.push(Finding {
            rule: Rule::ScopeInLayers,
            at: Place {
                contract: ContractType::Phases,
                line: text[..place].matches('\n').count() + 1,
            },
            see: Some(Place { contract: ContractType::Boundaries, line: 1 }),
            text: format!("A phase works in `{scope}`, which belongs to no layer."),
        });
    }
    findings
}

/// The part of a glob before its first wildcard.
fn fixed(glob: &str) -> &str {
    glob.split(['*', '?', '[', '{']).next().unwrap_or_default()
}
