//! Which files of a repository may be specs.

use std::collections::BTreeMap;

/// Documents of Spec Kit and Kiro, in the order in which they are read. A folder with several of them
/// is one spec.
pub const DOCUMENTS: [&str; 5] = ["spec.md", "requirements.md", "plan.md", "design.md", "tasks.md"];
/// Candidates that are listed.
const MAX_CANDIDATES: usize = 200;
/// Folders whose files are not the project's own.
const FOREIGN: [&str; 4] = ["node_modules", "vendor", "target", "third_party"];
/// Markdown that is never a spec, without its extension.
const OTHER_TEXTS: [&str; 7] = [
    "changelog",
    "code_of_conduct",
    "contributing",
    "license",
    "pull_request_template",
    "security",
    "support",
];

/// A spec in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecDocuments {
    /// Of its file or folder.
    pub path: String,
    /// In the order in which they are read.
    pub files: Vec<String>,
}

/// What may be a spec among the files of a repository: folders first, then files named like specs,
/// then other Markdown.
pub fn candidates(paths: &[String]) -> Vec<SpecDocuments> {
    let own = || paths.iter().filter(|path| !path.split('/').any(|part| FOREIGN.contains(&part)));
    let mut folders: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for path in own().filter(|path| place(path).is_some()) {
        folders.entry(folder_of(path)).or_default().push(path);
    }
    // The root has no path of its own.
    folders.retain(|folder, files| files.len() > 1 && !folder.is_empty());
    let mut found: Vec<SpecDocuments> = folders
        .into_iter()
        .map(|(folder, mut files)| {
            files.sort_by_key(|file| place(file));
            SpecDocuments { path: folder.to_owned(), files: files.into_iter().cloned().collect() }
        })
        .collect();
    let mut files: Vec<&String> = own().filter(|path| may_be_spec(path)).collect();
    files.sort_by_key(|path| (!is_named_like_spec(path), path.matches('/').count(), *path));
    found.extend(files.into_iter().map(|path| of_file(path)));
    found.truncate(MAX_CANDIDATES);
    found
}

/// The spec at a path, which is a file or a folder with documents; `None` if it is neither.
pub fn at(paths: &[String], path: &str) -> Option<SpecDocuments> {
    let path = path.trim().trim_start_matches("./").trim_end_matches('/');
    if paths.iter().any(|it| it == path) {
        return Some(of_file(path));
    }
    let mut files: Vec<&String> =
        paths.iter().filter(|it| folder_of(it) == path && place(it).is_some()).collect();
    files.sort_by_key(|file| place(file));
    let files: Vec<String> = files.into_iter().cloned().collect();
    (!files.is_empty()).then(|| SpecDocuments { path: path.to_owned(), files })
}

/// Adds a document to a spec, and returns the number of lines before its first one.
pub fn append(spec: &mut String, document: &str) -> usize {
    if !spec.is_empty() {
        // Otherwise its first line could continue a paragraph of the document before it.
        spec.push('\n');
    }
    let before = spec.lines().count();
    spec.push_str(document);
    if !spec.ends_with('\n') {
        spec.push('\n');
    }
    before
}

fn of_file(path: &str) -> SpecDocuments {
    SpecDocuments { path: path.to_owned(), files: vec![path.to_owned()] }
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Among the documents of a folder.
fn place(path: &str) -> Option<usize> {
    DOCUMENTS.iter().position(|name| name.eq_ignore_ascii_case(name_of(path)))
}

fn may_be_spec(path: &str) -> bool {
    let name = name_of(path).to_lowercase();
    let stem = name.strip_suffix(".md").or_else(|| name.strip_suffix(".markdown"));
    stem.is_some_and(|stem| !OTHER_TEXTS.contains(&stem))
}

fn is_named_like_spec(path: &str) -> bool {
    place(path).is_some() || path.to_lowercase().contains("spec")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn folders_and_files_named_like_specs_come_first() {
        let paths = paths(&[
            "CHANGELOG.md",
            "README.md",
            "docs/guide.markdown",
            "node_modules/a/spec.md",
            "specs/001-lists/tasks.md",
            "specs/001-lists/spec.md",
            "specs/001-lists/notes.txt",
            "src/main.rs",
        ]);
        let found = candidates(&paths);
        let listed: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
        let expected = [
            "specs/001-lists",
            "specs/001-lists/spec.md",
            "specs/001-lists/tasks.md",
            "README.md",
            "docs/guide.markdown",
        ];
        assert_eq!(listed, expected);
        assert_eq!(found[0].files, ["specs/001-lists/spec.md", "specs/001-lists/tasks.md"]);
    }

    #[test]
    fn documents_are_separated_by_an_empty_line() {
        let mut spec = String::new();
        assert_eq!(append(&mut spec, "# Lists\n\nThey are sorted."), 0);
        assert_eq!(append(&mut spec, "By date.\n"), 4);
        assert_eq!(spec, "# Lists\n\nThey are sorted.\n\nBy date.\n");
    }

    #[test]
    fn path_is_a_file_or_a_folder_with_documents() {
        let paths = paths(&["spec.md", "docs/idea.txt", ".kiro/specs/a/Tasks.md", "src/main.rs"]);
        let files = |path: &str| at(&paths, path).map(|it| it.files);
        assert_eq!(files("./spec.md"), Some(vec!["spec.md".to_owned()]));
        assert_eq!(files("docs/idea.txt"), Some(vec!["docs/idea.txt".to_owned()]));
        assert_eq!(files(".kiro/specs/a/"), Some(vec![".kiro/specs/a/Tasks.md".to_owned()]));
        assert_eq!(files("src"), None);
        assert_eq!(files("missing.md"), None);
        // The documents of the root.
        assert_eq!(files(""), Some(vec!["spec.md".to_owned()]));
    }
}
