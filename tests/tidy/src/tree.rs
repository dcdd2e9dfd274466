//! The files of a checkout as text, or files defined by a test.

use std::{collections::BTreeMap, fs, io, path::Path};

/// Generated folders, anywhere in the tree.
const GENERATED_FOLDERS: [&str; 3] = ["target", "node_modules", ".git"];

/// Generated folders, by path.
const GENERATED_PATHS: [&str; 4] = ["data", "static/app", "tests/e2e/shots", "tests/e2e/report"];

/// Endings of the files that rules read.
const ENDINGS: [&str; 10] =
    [".rs", ".toml", ".ts", ".tsx", ".css", ".mjs", ".json", ".sql", ".md", "Makefile"];

/// Paths from the root, with `/`, and their contents.
#[derive(Debug, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads all files below `root` that rules may check.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        tree.add(root, "")?;
        Ok(tree)
    }

    /// A tree of `(path, text)`.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Self { files: files.collect() }
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Whether there is a file at `path` or below it.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{}/", path.trim_end_matches('/'));
        self.files.contains_key(path) || self.files.keys().any(|file| file.starts_with(&folder))
    }

    /// Files below `folder` (all for "") whose name ends in one of `endings`, sorted by path.
    pub fn under<'a>(
        &'a self,
        folder: &'a str,
        endings: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .filter(move |(path, _)| path.starts_with(folder))
            .filter(move |(path, _)| endings.iter().any(|ending| path.ends_with(ending)))
    }

    fn add(&mut self, folder: &Path, prefix: &str) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if entry.file_type()?.is_dir() {
                if !GENERATED_FOLDERS.contains(&name.as_str())
                    && !GENERATED_PATHS.contains(&path.as_str())
                {
                    self.add(&entry.path(), &format!("{path}/"))?;
                }
            } else if ENDINGS.iter().any(|ending| name.ends_with(ending)) {
                self.files.insert(path, fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }
}
