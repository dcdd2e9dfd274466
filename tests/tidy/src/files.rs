//! The Rust files of the tree as modules of their crates, and their import graph.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Tree,
    graph::Graph,
    source::{Import, Source},
};

pub(crate) struct Files<'a> {
    pub(crate) sources: BTreeMap<&'a str, Source<'a>>,
    /// Files that contain only tests.
    pub(crate) tests: BTreeSet<&'a str>,
    /// File of each module, by the folder of its crate's root file and its path there.
    modules: BTreeMap<(&'a str, Vec<&'a str>), &'a str>,
}

impl<'a> Files<'a> {
    pub(crate) fn read(tree: &'a Tree) -> Self {
        let sources: BTreeMap<_, _> =
            tree.under("", &[".rs"]).map(|(path, text)| (path, Source::read(text))).collect();
        let roots: BTreeSet<_> = sources.keys().filter_map(|path| root_folder(path)).collect();
        let mut modules = BTreeMap::new();
        for path in sources.keys() {
            if let Some((root, module)) = module(path, &roots) {
                // If a folder has both, the library is the crate root.
                if !(path.ends_with("/main.rs") && modules.contains_key(&(root, module.clone()))) {
                    modules.insert((root, module), *path);
                }
            }
        }
        let mut files = Self { sources, tests: BTreeSet::new(), modules };
        files.tests = files.for_tests(&roots);
        files
    }

    /// The import graph of shipped code: `mod` and `use`, with re-exports resolved.
    pub(crate) fn imports(&self) -> Graph<'a> {
        let mut graph = Graph::default();
        for ((root, module), path) in &self.modules {
            if self.tests.contains(path) {
                continue;
            }
            let source = &self.sources[path];
            for (child, line) in &source.children {
                if let Some(file) = self.child(root, module, child) {
                    graph.add(path, file, *line);
                }
            }
            for import in &source.imports {
                let target = self.target(root, module, &import.path, import.is_macro, 0);
                if let Some(file) = target.filter(|file| file != path) {
                    graph.add(path, file, import.line);
                }
            }
        }
        graph
    }

    /// Resolves `path` in `module` to a file; `None` for other crates.
    fn target(
        &self,
        root: &'a str,
        module: &[&'a str],
        path: &[&'a str],
        is_macro: bool,
        depth: usize,
    ) -> Option<&'a str> {
        let (mut at, mut rest) = self.start(root, module, path)?;
        while let Some((first, more)) = rest.split_first() {
            if self.child(root, &at, first).is_none() {
                break;
            }
            at.push(first);
            rest = more;
        }
        let file = *self.modules.get(&(root, at.clone()))?;
        let Some(name) = rest.first() else { return Some(file) };
        let passed_on = self.reexport(file, name).filter(|_| depth < 8);
        if let Some(target) = passed_on
            .and_then(|import| self.target(root, &at, &import.path, import.is_macro, depth + 1))
        {
            return Some(target);
        }
        // Exported macros are at the crate root.
        (!(is_macro && at.is_empty())).then_some(file)
    }

    /// Resolves the start of a path: the module, and the remaining path.
    fn start<'p>(
        &self,
        root: &'a str,
        module: &[&'a str],
        path: &'p [&'a str],
    ) -> Option<(Vec<&'a str>, &'p [&'a str])> {
        let first = *path.first()?;
        match first {
            "crate" => Some((Vec::new(), &path[1..])),
            "self" => Some((module.to_vec(), &path[1..])),
            "super" => {
                let supers = path.iter().take_while(|segment| **segment == "super").count();
                let kept = module.len().checked_sub(supers)?;
                Some((module[..kept].to_vec(), &path[supers..]))
            }
            _ => self.child(root, module, first).map(|_| (module.to_vec(), path)),
        }
    }

    fn child(&self, root: &'a str, module: &[&'a str], name: &'a str) -> Option<&'a str> {
        let mut path = module.to_vec();
        path.push(name);
        self.modules.get(&(root, path)).copied()
    }

    fn reexport(&self, file: &str, name: &str) -> Option<&Import<'a>> {
        let mut imports = self.sources[file].imports.iter();
        imports.find(|import| import.name == Some(name) && import.path.len() > 1)
    }

    fn for_tests(&self, roots: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
        let mut tests = BTreeSet::new();
        for (path, source) in &self.sources {
            if path.starts_with("tests/") || path.contains("/tests/") {
                tests.insert(*path);
            }
            if source.shipped.is_empty() && !source.tests.is_empty() {
                tests.insert(*path);
            }
            let Some((root, module)) = module(path, roots) else { continue };
            for child in &source.test_children {
                tests.extend(self.child(root, &module, child));
            }
        }
        tests
    }
}

fn root_folder(path: &str) -> Option<&str> {
    path.strip_suffix("/lib.rs").or_else(|| path.strip_suffix("/main.rs"))
}

/// The crate's folder and the module's path in it.
fn module<'a>(path: &'a str, roots: &BTreeSet<&'a str>) -> Option<(&'a str, Vec<&'a str>)> {
    let inside = |root: &&str| path.starts_with(*root) && path[root.len()..].starts_with('/');
    let root = *roots.iter().filter(|root| inside(root)).max_by_key(|root| root.len())?;
    let inner = path[root.len() + 1..].strip_suffix(".rs")?;
    if matches!(inner, "lib" | "main") {
        return Some((root, Vec::new()));
    }
    let module = inner.strip_suffix("/mod").unwrap_or(inner);
    Some((root, module.split('/').collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(files: &[(&str, &str)]) -> Vec<String> {
        let tree = Tree::of(files);
        let graph = Files::read(&tree).imports();
        graph.edges().map(|edge| format!("{} {}:{}", edge.from, edge.to, edge.line)).collect()
    }

    #[test]
    fn paths_resolve_to_the_deepest_file_and_through_reexports() {
        let found = edges(&[
            ("c/src/lib.rs", "pub mod a;\npub mod b;"),
            ("c/src/a.rs", "mod inner;\npub use inner::Thing;"),
            ("c/src/a/inner.rs", "pub struct Thing;"),
            ("c/src/b.rs", "use crate::a::Thing;\nuse other::a::Thing;"),
        ]);
        let a_inner = "c/src/a.rs c/src/a/inner.rs:1";
        let expected = [
            a_inner,
            "c/src/b.rs c/src/a/inner.rs:1",
            "c/src/lib.rs c/src/a.rs:1",
            "c/src/lib.rs c/src/b.rs:2",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn imports_of_test_files_are_ignored() {
        let found = edges(&[
            ("c/src/lib.rs", "#[cfg(test)] mod a;\nmod b;"),
            ("c/src/a.rs", "use crate::b::x;"),
            ("c/src/b.rs", ""),
            ("c/tests/it/main.rs", "mod a;"),
            ("c/tests/it/a.rs", "use super::*;"),
        ]);
        assert_eq!(found, ["c/src/lib.rs c/src/b.rs:2"]);
    }
}
