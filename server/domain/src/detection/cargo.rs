//! Rust: `Cargo.toml`.

use super::folder::{Draft, Folder, Kind};

const MANIFEST: &str = "Cargo.toml";

/// Tests always; format and lints where the project has settings for them.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let manifest = folder.text(MANIFEST);
    if manifest.is_empty() {
        return Vec::new();
    }
    let workspace = takes_in_below(folder);
    let (all, path) = (if workspace { " --workspace" } else { "" }, folder.path(MANIFEST));
    let there = match workspace {
        true => format!("{path} is there, with a [workspace]"),
        false => format!("{path} is there"),
    };
    let network = workspace || has_table(&manifest, |name| name.ends_with("dependencies"));
    let draft =
        |kind, command, required, reason| Draft { kind, command, required, network, reason };
    let mut drafts = vec![draft(Kind::Test, format!("cargo test{all}"), true, there)];
    let lints = |name: &str| name.starts_with("lints") || name.starts_with("workspace.lints");
    let of_lints = folder.first(&["clippy.toml", ".clippy.toml"]).map(|file| folder.path(file));
    let of_lints =
        of_lints.or_else(|| has_table(&manifest, lints).then(|| format!("[lints] in {path}")));
    if let Some(what) = of_lints {
        let command = format!("cargo clippy{all} --all-targets");
        drafts.push(draft(Kind::Lint, command, false, format!("{what} is there")));
    }
    if let Some(file) = folder.first(&["rustfmt.toml", ".rustfmt.toml"]) {
        let reason = format!("{} is there", folder.path(file));
        let draft = draft(Kind::Format, "cargo fmt --all --check".to_owned(), false, reason);
        drafts.push(Draft { network: false, ..draft });
    }
    drafts
}

/// A workspace tests its members.
pub fn takes_in_below(folder: &Folder<'_>) -> bool {
    has_table(&folder.text(MANIFEST), |name| name == "workspace")
}

fn has_table(manifest: &str, fits: impl Fn(&str) -> bool) -> bool {
    let mut tables =
        manifest.lines().filter_map(|line| line.trim().strip_prefix('[')?.split(']').next());
    tables.any(|name| fits(name.trim()))
}
