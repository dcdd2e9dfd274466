//! A file of a repository, and which files suggest answers.

use crate::detection::PASSED_OVER;

/// Folders above a manifest, such as two in `packages/web/package.json`.
const MAX_FOLDERS: usize = 2;

const MANIFESTS: [&str; 21] = [
    "Cargo.toml",
    "Dockerfile",
    "Gemfile",
    "Makefile",
    "Pipfile",
    "README",
    "README.md",
    "Readme.md",
    "build.gradle",
    "build.gradle.kts",
    "compose.yaml",
    "compose.yml",
    "composer.json",
    "docker-compose.yaml",
    "docker-compose.yml",
    "go.mod",
    "package.json",
    "pom.xml",
    "pyproject.toml",
    "readme.md",
    "requirements.txt",
];
const WORKFLOW_FOLDERS: [&str; 3] =
    [".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/"];

/// A text file of a repository.
#[derive(Clone, Debug)]
pub struct RepositoryFile {
    pub path: String,
    pub text: String,
}

impl RepositoryFile {
    pub fn name(&self) -> &str {
        name(&self.path)
    }

    /// The number of folders above it.
    pub fn depth(&self) -> usize {
        depth(&self.path)
    }

    /// With numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        (1..).zip(self.text.lines())
    }

    pub fn is_workflow(&self) -> bool {
        is_workflow(&self.path)
    }
}

/// Whether a file can suggest answers.
pub fn is_relevant(path: &str) -> bool {
    let mut folders = path.split('/').rev().skip(1);
    let is_manifest = MANIFESTS.contains(&name(path)) || path.ends_with(".csproj");
    let is_own = depth(path) <= MAX_FOLDERS && !folders.any(|folder| PASSED_OVER.contains(&folder));
    (is_manifest && is_own) || is_workflow(path)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn depth(path: &str) -> usize {
    path.matches('/').count()
}

fn is_workflow(path: &str) -> bool {
    let in_folder =
        |folder: &str| path.strip_prefix(folder).is_some_and(|name| !name.contains('/'));
    path == ".gitlab-ci.yml"
        || (WORKFLOW_FOLDERS.into_iter().any(in_folder)
            && (path.ends_with(".yml") || path.ends_with(".yaml")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_near_the_root_and_workflows_are_relevant() {
        for (path, relevant) in [
            ("package.json", true),
            ("packages/web/package.json", true),
            ("src/App/App.csproj", true),
            (".github/workflows/test.yml", true),
            (".gitlab-ci.yml", true),
            ("a/b/c/package.json", false),
            ("node_modules/react/package.json", false),
            ("examples/package.json", false),
            ("a/.github/workflows/test.yml", false),
            (".github/workflows/test.sh", false),
            ("src/main.rs", false),
            ("", false),
        ] {
            assert_eq!(is_relevant(path), relevant, "{path}");
        }
    }
}
