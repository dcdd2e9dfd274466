//! What the manifest of a package declares, in any language.

/// The registry that the names of dependencies belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ecosystem {
    Cargo,
    Go,
    Maven,
    Npm,
    NuGet,
    Packagist,
    PyPi,
    RubyGems,
}

/// A value, and the number of the line that contains it, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located<T> {
    pub value: T,
    pub line: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// As in the registry; a feature of a crate as `crate/feature`.
    pub name: String,
    /// The requirement as written; empty if there is none.
    pub requirement: String,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub struct Manifest {
    pub ecosystem: Ecosystem,
    pub language: Located<&'static str>,
    pub description: Option<Located<String>>,
    /// The version of the language or its runtime, such as `Node.js 20`.
    pub runtime: Option<Located<String>>,
    pub test_command: Option<Located<String>>,
    /// Those that suggest something; others may be missing.
    pub dependencies: Vec<Dependency>,
}

impl<T> Located<T> {
    pub fn new(value: T, line: u32) -> Self {
        Self { value, line }
    }
}

impl Manifest {
    pub fn new(ecosystem: Ecosystem, language: &'static str, line: u32) -> Self {
        Self {
            ecosystem,
            language: Located::new(language, line),
            description: None,
            runtime: None,
            test_command: None,
            dependencies: Vec::new(),
        }
    }

    pub fn dependency(&self, name: &str) -> Option<&Dependency> {
        self.dependencies.iter().find(|dependency| dependency.name == name)
    }
}

/// `name` with the version of a requirement: `React 18.2` for `^18.2`, and `Node.js 20 or newer` for
/// `>=20`. The name alone if the requirement has no version.
pub fn with_version(name: &str, requirement: &str) -> String {
    let requirement = requirement.trim();
    let start = requirement.trim_start_matches(['^', '~', '>', '=', 'v', ' ']);
    let end = start.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(start.len());
    let version = start[..end].trim_end_matches('.');
    let has_lower_bound_only = requirement.starts_with(">=") && start.len() == end;
    match version {
        "" => name.to_owned(),
        version if has_lower_bound_only => format!("{name} {version} or newer"),
        version => format!("{name} {version}"),
    }
}

/// The contents of the quoted strings of a line.
pub fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = &rest[start..=start];
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(quote) else { break };
        found.push(&inner[..end]);
        rest = &inner[end + 1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_of_a_requirement_is_shown_without_operators() {
        for (requirement, expected) in [
            ("^18.2.0", "X 18.2.0"),
            ("~> 7.1", "X 7.1"),
            (">=20", "X 20 or newer"),
            (">= 3.12", "X 3.12 or newer"),
            (">=3.0,<4", "X 3.0"),
            ("==2.3.*", "X 2.3"),
            ("v1.9.1", "X 1.9.1"),
            ("1.2.3-rc.1", "X 1.2.3"),
            ("*", "X"),
            ("workspace:^1", "X"),
            ("latest", "X"),
            ("", "X"),
        ] {
            assert_eq!(with_version("X", requirement), expected, "{requirement}");
        }
    }

    #[test]
    fn quoted_strings_of_a_line_are_found() {
        assert_eq!(quoted(r#"a = ["b", 'c "d"'] "open"#), ["b", r#"c "d""#]);
    }
}
