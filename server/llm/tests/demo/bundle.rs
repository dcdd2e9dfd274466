//! The files of the bundled demo.

use std::{
    fs,
    path::{Path, PathBuf},
};

use llm::Scenario;

/// A phase of the phases contract.
pub struct Phase {
    pub number: usize,
    pub scope: Vec<String>,
    pub exit_criteria: usize,
    /// Its section of the contract.
    pub text: String,
}

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../static/demo")
}

pub fn scenario() -> Scenario {
    let json = fs::read_to_string(folder().join("scenario.json")).unwrap();
    Scenario::load(&json).unwrap()
}

/// File name and text of the nine contracts.
pub fn contracts() -> Vec<(String, String)> {
    [
        "manifesto.md",
        "blueprint.md",
        "stack.md",
        "schema.md",
        "physics.yaml",
        "boundaries.json",
        "ui.md",
        "phases.md",
        "builder_directive.md",
    ]
    .map(|name| (name.into(), fs::read_to_string(folder().join("contracts").join(name)).unwrap()))
    .into()
}

pub fn phases() -> Vec<Phase> {
    let contract = fs::read_to_string(folder().join("contracts/phases.md")).unwrap();
    let sections = contract.split("\n## Phase ").skip(1).enumerate();
    sections
        .map(|(number, text)| {
            assert!(text.starts_with(&format!("{number} — ")), "{text}");
            let scope = text.lines().find_map(|line| line.strip_prefix("**Scope:**")).unwrap();
            let (_, criteria) = text.split_once("**Exit criteria:**").unwrap();
            Phase {
                number,
                scope: scope.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
                exit_criteria: criteria.lines().filter(|line| line.starts_with("- ")).count(),
                text: text.to_owned(),
            }
        })
        .collect()
}

/// Path inside the project and text of each of its files.
pub fn project_files() -> Vec<(String, String)> {
    let root = folder().join("project");
    files_below(&root)
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(root.join(&path)).unwrap();
            (path, text)
        })
        .collect()
}

/// Paths of all files, relative to the folder, with `/`.
pub fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()).iter().map(|path| format!("{name}/{path}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}
