//! Gates that a repository itself asks for: read from its paths and manifests, nothing is executed.
//!
//! Every stack looks at one folder and drafts what would check it; here the drafts become gates
//! with names that differ. The root is looked at first, then the folders right below it.

mod cargo;
mod dotnet;
mod folder;
mod go;
mod jvm;
mod make;
mod node;
mod python;

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::gate::{GateDefinition, MAX_GATES};
use folder::{Draft, Folder, Kind, Repository};

/// A gate that a project has not asked for, but its repository suggests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProposedGate {
    /// As it could be taken over.
    #[serde(flatten)]
    pub gate: GateDefinition,
    /// What was found that suggests it, in plain words.
    pub reason: String,
}

/// A tool chain: what it would check in a folder, and whether that takes in the folders below.
type Stack = (&'static str, fn(&Folder<'_>) -> Vec<Draft>, fn(&Folder<'_>) -> bool);

const STACKS: [Stack; 6] = [
    ("cargo", cargo::drafts, cargo::takes_in_below),
    ("node", node::drafts, node::takes_in_below),
    ("python", python::drafts, python::takes_in_below),
    ("go", go::drafts, go::takes_in_below),
    ("jvm", jvm::drafts, jvm::takes_in_below),
    ("dotnet", dotnet::drafts, dotnet::takes_in_below),
];

/// Folders that hold what others wrote, what was made, or what only shows something.
pub(crate) const PASSED_OVER: [&str; 14] = [
    "build",
    "dist",
    "doc",
    "docs",
    "e2e",
    "example",
    "examples",
    "fixtures",
    "node_modules",
    "samples",
    "target",
    "testdata",
    "third_party",
    "vendor",
];

/// Proposes gates for a repository with these files. `read` gives the text of one of them; it is
/// asked for few manifests only.
pub fn propose(paths: &[String], read: impl Fn(&str) -> Option<String>) -> Vec<ProposedGate> {
    let files: HashSet<&str> = paths.iter().map(String::as_str).collect();
    let repository = Repository { paths, files, read: &read };
    let root = Folder::root(&repository);
    let mut gates = Gates::default();
    let mut taken_in = BTreeSet::new();
    if gates.look_at(&root, &mut taken_in, true) {
        return gates.found;
    }
    for name in below(paths) {
        gates.look_at(&root.below(name), &mut taken_in, false);
    }
    gates.found
}

/// What detection changes about the gates of a build: commands that are new, under a free name, and
/// new commands of gates that were detected earlier (`replaceable`) and are no longer proposed. A
/// gate that a person has defined takes the place of a proposal of the same name.
pub fn changes(
    gates: &[&GateDefinition],
    replaceable: impl Fn(&str) -> bool,
    proposed: Vec<ProposedGate>,
) -> Vec<ProposedGate> {
    let commands: HashSet<String> =
        proposed.iter().map(|proposal| proposal.gate.command.trim().to_owned()).collect();
    let known: HashSet<&str> = gates.iter().map(|gate| gate.command.trim()).collect();
    let mut names: HashSet<String> = gates.iter().map(|gate| gate.name.clone()).collect();
    let mut changes = Vec::new();
    for mut proposal in proposed {
        let gate = &mut proposal.gate;
        if known.contains(gate.command.trim()) {
            continue;
        }
        let named = gates.iter().find(|known| known.name == gate.name);
        if named.is_some_and(|known| !replaceable(&known.name)) {
            continue;
        }
        match named.filter(|known| !commands.contains(known.command.trim())) {
            Some(replaced) => {
                gate.required |= replaced.required;
                gate.runs_tests |= replaced.runs_tests;
            }
            None if names.len() >= MAX_GATES => continue,
            None => {
                let numbered = (2..).map(|number: usize| format!("{}-{number}", gate.name));
                let mut free = std::iter::once(gate.name.clone()).chain(numbered);
                gate.name = free.find(|name| !names.contains(name)).unwrap_or_default();
                names.insert(gate.name.clone());
            }
        }
        changes.push(proposal);
    }
    changes
}

/// Folders right below the root that may be looked at, by name. A name goes into a shell line, so
/// only plain ones are followed.
fn below(paths: &[String]) -> BTreeSet<&str> {
    let plain = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    let folders = paths.iter().filter_map(|path| Some(path.split_once('/')?.0));
    folders.filter(|name| plain(name) && !PASSED_OVER.contains(name)).collect()
}

#[derive(Default)]
struct Gates {
    found: Vec<ProposedGate>,
}

impl Gates {
    /// Adds what one folder suggests. True where its Makefile speaks for everything.
    fn look_at(
        &mut self,
        folder: &Folder<'_>,
        taken_in: &mut BTreeSet<&'static str>,
        is_root: bool,
    ) -> bool {
        let mut tested = false;
        for (stack, drafts, takes_in_below) in STACKS {
            if !is_root && taken_in.contains(stack) {
                continue;
            }
            let drafts = drafts(folder);
            tested |= drafts.iter().any(|draft| draft.kind == Kind::Test);
            if is_root && takes_in_below(folder) {
                taken_in.insert(stack);
            }
            for draft in drafts {
                self.add(folder, stack, draft);
            }
        }
        let made = if tested { None } else { make::draft(folder) };
        let speaks_for_all = is_root && made.is_some();
        if let Some(draft) = made {
            self.add(folder, "make", draft);
        }
        speaks_for_all
    }

    fn add(&mut self, folder: &Folder<'_>, stack: &str, draft: Draft) {
        if self.found.len() == MAX_GATES {
            return;
        }
        let command = match folder.name() {
            "" => draft.command,
            name => format!("cd {name} && {}", draft.command),
        };
        let gate = GateDefinition {
            name: self.free_name(folder.name(), stack, draft.kind),
            command,
            timeout_s: draft.kind.timeout_s(),
            required: draft.required,
            network: draft.network,
            report: None,
            runs_tests: draft.kind == Kind::Test,
        };
        self.found.push(ProposedGate { gate, reason: draft.reason });
    }

    /// `test`, `web-test`; where that is taken `cargo-test`, `web-cargo-test`, and then with a number.
    fn free_name(&self, folder: &str, stack: &str, kind: Kind) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let folder: String = folder.chars().take(24).map(letter).collect();
        let join = |parts: &[&str]| {
            let parts: Vec<_> = parts.iter().filter(|part| !part.is_empty()).copied().collect();
            parts.join("-")
        };
        let plain = join(&[&folder, kind.name()]);
        let long = join(&[&folder, stack, kind.name()]);
        let numbered = (2..).map(|number: usize| format!("{long}-{number}"));
        let free = |name: &String| self.found.iter().all(|found| found.gate.name != *name);
        [plain, long.clone()].into_iter().chain(numbered).find(free).unwrap_or(long)
    }
}

#[cfg(test)]
mod tests;
