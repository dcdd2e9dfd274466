//! Make: a target `test` or `check`, asked where nothing else says how a folder is tested.

use super::folder::{Draft, Folder, Kind};

/// The first of the two targets that is there.
pub fn draft(folder: &Folder<'_>) -> Option<Draft> {
    let file = folder.first(&["GNUmakefile", "makefile", "Makefile"])?;
    let text = folder.text(file);
    let target = ["test", "check"].into_iter().find(|target| has_target(&text, target))?;
    Some(Draft {
        kind: Kind::Test,
        command: format!("make {target}"),
        required: true,
        network: false,
        reason: format!("{} has a target {target}", folder.path(file)),
    })
}

fn has_target(text: &str, target: &str) -> bool {
    text.lines().any(|line| {
        let Some((names, rest)) = line.split_once(':') else { return false };
        let is_rule = !line.starts_with(['\t', '#']) && !rest.starts_with('=');
        is_rule && names.split_whitespace().any(|name| name == target)
    })
}
