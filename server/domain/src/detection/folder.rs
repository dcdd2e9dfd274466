//! A folder of a repository as the stacks look at it, and what they draft for it.

use std::collections::HashSet;

/// All files of a commit.
pub struct Repository<'a> {
    pub paths: &'a [String],
    pub files: HashSet<&'a str>,
    pub read: &'a dyn Fn(&str) -> Option<String>,
}

/// The root, or a folder right below it.
pub struct Folder<'a> {
    repository: &'a Repository<'a>,
    /// Empty for the root, else with `/` at its end.
    prefix: String,
}

/// What a gate is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Test,
    Types,
    Lint,
    Format,
    Build,
}

impl Kind {
    /// What its gate is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Types => "types",
            Self::Lint => "lint",
            Self::Format => "format",
            Self::Build => "build",
        }
    }

    /// Generous: the first run on a machine often has to fetch and to compile everything.
    pub fn timeout_s(self) -> u32 {
        match self {
            Self::Test | Self::Build => 1_800,
            Self::Types | Self::Lint => 900,
            Self::Format => 120,
        }
    }
}

/// A gate before it has a name.
pub struct Draft {
    pub kind: Kind,
    /// Run in its folder.
    pub command: String,
    pub required: bool,
    pub network: bool,
    pub reason: String,
}

impl<'a> Folder<'a> {
    pub fn root(repository: &'a Repository<'a>) -> Self {
        Self { repository, prefix: String::new() }
    }

    /// The folder with this name right below.
    pub fn below(&self, name: &str) -> Self {
        Self { repository: self.repository, prefix: format!("{}{name}/", self.prefix) }
    }

    /// Empty for the root.
    pub fn name(&self) -> &str {
        self.prefix.trim_end_matches('/')
    }

    /// The path of a file in the repository, for people to read.
    pub fn path(&self, file: &str) -> String {
        format!("{}{file}", self.prefix)
    }

    pub fn has(&self, file: &str) -> bool {
        self.repository.files.contains(self.path(file).as_str())
    }

    /// The first of these that is there.
    pub fn first<'n>(&self, files: &[&'n str]) -> Option<&'n str> {
        files.iter().copied().find(|file| self.has(file))
    }

    /// The text of a file; empty where there is none.
    pub fn text(&self, file: &str) -> String {
        let path = self.path(file);
        let there = self.repository.files.contains(path.as_str());
        there.then(|| (self.repository.read)(&path)).flatten().unwrap_or_default()
    }

    /// Every file in it, at any depth, relative to it.
    pub fn files(&self) -> impl Iterator<Item = &'a str> {
        let prefix = self.prefix.clone();
        self.repository.paths.iter().filter_map(move |path| path.strip_prefix(prefix.as_str()))
    }

    /// Whether git leaves out what has this name, so that a gate may make it.
    pub fn ignores(&self, name: &str) -> bool {
        let root = Self::root(self.repository);
        let says = |text: String| {
            text.lines().any(|line| line.trim().trim_matches('/').trim_start_matches("**/") == name)
        };
        says(self.text(".gitignore")) || says(root.text(".gitignore"))
    }
}
