//! `.gitignore` rules of an untrusted directory.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use rootdir::{FileKind, RootDir};

/// Size limit of a `.gitignore` file.
const MAX_RULE_FILE_BYTES: u64 = 256 * 1024;

/// The rules of a directory and its parents.
#[derive(Debug)]
pub struct IgnoreRules {
    /// Relative to the root.
    directory: PathBuf,
    own: Gitignore,
    above: Option<Arc<IgnoreRules>>,
}

impl IgnoreRules {
    /// The rules of the root itself.
    ///
    /// # Errors
    /// As [`IgnoreRules::enter`].
    pub fn of_root(root: &RootDir) -> io::Result<Arc<Self>> {
        let own = read(root, Path::new(""))?.unwrap_or_else(Gitignore::empty);
        Ok(Arc::new(IgnoreRules { directory: PathBuf::new(), own, above: None }))
    }

    /// The rules of a descendant directory. As in git, a symbolic link instead of the file is
    /// ignored, and so is a pipe or a device, without blocking.
    ///
    /// # Errors
    /// `FileTooLarge` for an oversized file, and I/O errors.
    pub fn enter(self: &Arc<Self>, root: &RootDir, directory: &Path) -> io::Result<Arc<Self>> {
        Ok(match read(root, directory)? {
            None => self.clone(),
            Some(own) => Arc::new(IgnoreRules {
                directory: directory.to_owned(),
                own,
                above: Some(self.clone()),
            }),
        })
    }

    /// Whether a path below the directory is ignored. The nearest file with a matching rule
    /// decides. Does not check whether a parent directory is ignored.
    pub fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        let mut rules = Some(self);
        while let Some(level) = rules {
            let below = path.strip_prefix(&level.directory).unwrap_or(path);
            match level.own.matched(below, is_directory) {
                Match::None => rules = level.above.as_deref(),
                decided => return decided.is_ignore(),
            }
        }
        false
    }
}

fn read(root: &RootDir, directory: &Path) -> io::Result<Option<Gitignore>> {
    let path = directory.join(".gitignore");
    let content = match root.read(&path, MAX_RULE_FILE_BYTES) {
        Ok(content) => content,
        Err(error) => {
            return match root.stat(&path)? {
                Some(stat) if FileKind::of(&stat) == FileKind::File => Err(error),
                _ => Ok(None),
            };
        }
    };
    Ok(parse(&String::from_utf8_lossy(&content)))
}

/// `None` if there are no rules.
fn parse(text: &str) -> Option<Gitignore> {
    let mut rules = GitignoreBuilder::new("");
    for line in text.trim_start_matches('\u{feff}').lines() {
        // Git ignores invalid patterns too.
        let _ = rules.add_line(None, &with_literal_braces(line));
    }
    rules.build().ok().filter(|rules| !rules.is_empty())
}

/// Escapes braces, which are alternatives to the matcher but literal to git.
fn with_literal_braces(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let (mut escaped, mut in_class) = (false, false);
    for c in line.chars() {
        match c {
            '{' | '}' if !escaped && !in_class => text.extend(['\\', c]),
            _ => text.push(c),
        }
        match c {
            '[' if !escaped => in_class = true,
            ']' if !escaped => in_class = false,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    text
}
