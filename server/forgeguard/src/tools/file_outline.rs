//! An outline of the project's files, for agents that have not looked at them yet.

use super::{
    walk::walk,
    work_path::WorkPath,
    worktree::{Kind, Worktree},
};

/// Files and folders in an outline.
const MAX_ENTRIES: usize = 80;
/// Levels of folders that are shown at most.
const MAX_DEPTH: usize = 4;

/// The files of the project, one line for each folder: as many levels as fit. A name that ends with
/// `/` is a folder whose content is not shown.
pub fn file_outline(tree: &Worktree) -> Vec<String> {
    let root = WorkPath::top();
    for depth in (1..=MAX_DEPTH).rev() {
        let entries: Vec<WorkPath> = walk(tree, &root, Some(depth)).take(MAX_ENTRIES + 1).collect();
        if entries.len() <= MAX_ENTRIES || depth == 1 {
            return lines(tree, &entries, depth);
        }
    }
    Vec::new()
}

/// Whether the project has more than `limit` files.
pub fn has_more_files_than(tree: &Worktree, limit: usize) -> bool {
    let files = walk(tree, &WorkPath::top(), None)
        .filter(|path| matches!(tree.kind(path), Ok(Kind::File(_))));
    files.take(limit + 1).count() > limit
}

fn lines(tree: &Worktree, entries: &[WorkPath], depth: usize) -> Vec<String> {
    let mut folders: Vec<(&str, Vec<String>)> = Vec::new();
    for entry in entries.iter().take(MAX_ENTRIES) {
        let path = entry.as_str();
        let is_folder = matches!(tree.kind(entry), Ok(Kind::Directory));
        let level = path.split('/').count();
        if is_folder && level < depth {
            continue;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let name = if is_folder { format!("{name}/") } else { name.to_owned() };
        match folders.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => folders.push((folder, vec![name])),
        }
    }
    let line = |(folder, names): (&str, Vec<String>)| match folder {
        "" => names.join(", "),
        folder => format!("{folder}/: {}", names.join(", ")),
    };
    let mut lines: Vec<String> = folders.into_iter().map(line).collect();
    if entries.len() > MAX_ENTRIES {
        lines.push("[… more; use list_directory]".to_owned());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;

    #[tokio::test]
    async fn outline_has_a_line_for_each_folder() {
        let fixture = Fixture::new().await;
        assert!(file_outline(&fixture.ctx.worktree).is_empty());
        for path in ["README.md", "src/a.js", "src/b.js", "src/deep/c.js", "ignored/d.js"] {
            fixture.file(path, "");
        }
        fixture.file(".gitignore", "ignored/\n");
        assert_eq!(
            file_outline(&fixture.ctx.worktree),
            [".gitignore, README.md", "src/: a.js, b.js", "src/deep/: c.js"]
        );
    }

    #[tokio::test]
    async fn outline_of_many_files_shows_fewer_levels() {
        let fixture = Fixture::new().await;
        for n in 0..100 {
            fixture.file(&format!("src/part/{n}.js"), "");
        }
        fixture.file("README.md", "");
        assert_eq!(file_outline(&fixture.ctx.worktree), ["README.md", "src/: part/"]);
        for n in 0..100 {
            fixture.file(&format!("{n}.md"), "");
        }
        let outline = file_outline(&fixture.ctx.worktree);
        assert_eq!(outline.len(), 2);
        assert_eq!(outline[0].split(", ").count(), MAX_ENTRIES);
        assert!(outline[1].contains("list_directory"), "{outline:?}");
    }
}
